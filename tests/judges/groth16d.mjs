// The programs under test, as a user has them: groth16ctl as a command, groth16d as a private daemon.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export class Programs {
  constructor(folder) {
    this.folder = path.resolve(folder);
  }

  path(name) {
    return path.join(this.folder, name);
  }

  // Runs groth16ctl --json: {code, value, stderr}; value is what it printed, null where that is no JSON.
  ctl(...args) {
    const run = spawnSync(this.path('groth16ctl'), ['--json', ...args], { encoding: 'utf8', timeout: 300_000 });
    if (run.error) throw run.error;
    return { code: run.status, value: parsed(run.stdout), stderr: run.stderr };
  }
}

export class Daemon {
  // Starts groth16d with every folder of roots readable, and waits until it listens.
  static async start(programs, roots) {
    const daemon = new Daemon(programs);
    const root_flags = roots.flatMap((root) => ['--root', fs.realpathSync(root)]);
    const place = ['--state-dir', daemon.at('state'), '--runtime-dir', daemon.at('run')];
    const slots = ['--synth', '1', '--cpu', '1', '--final', '1'];
    daemon.process = spawn(programs.path('groth16d'), ['--private', ...place, ...root_flags, ...slots], {
      stdio: ['ignore', 'ignore', fs.openSync(daemon.at('log'), 'w')],
    });
    daemon.exited = new Promise((resolve) => daemon.process.once('exit', resolve));
    const end = Date.now() + 30_000;
    while (!fs.existsSync(daemon.at('run/client.sock'))) {
      if (Date.now() > end || daemon.process.exitCode !== null) throw new Error(`groth16d did not start:\n${daemon.log()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return daemon;
  }

  constructor(programs) {
    this.programs = programs;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groth16d-judge-'));
    for (const part of ['state', 'run']) fs.mkdirSync(this.at(part), { mode: 0o700 });
  }

  at(part) {
    return path.join(this.folder, part);
  }

  log() {
    return fs.readFileSync(this.at('log'), 'utf8');
  }

  ctl(...args) {
    return this.programs.ctl('--runtime-dir', this.at('run'), ...args);
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.exited;
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
