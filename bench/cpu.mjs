// Whole proofs as a user has them: `groth16ctl prove KEY WITNESS PROOF PUBLIC` where no daemon runs, by circuit and curve,
// beside snarkjs on the same files in the same run; with --daemon by the private daemon that it starts and ends.
// Markdown, as docs/PERFORMANCE.md shows it.
//
// Wall and processor time are of the command and of all that it starts; medians. Memory is measured in runs of its own:
// the largest resident set of one process, and the peak of all processes together, which is private memory, mapped files
// and shared segments, each page once.
//
//   cpu.mjs PROGRAMS FOLDER [--runs N] [--snarkjs] [--daemon] [NAME-CURVE ...]

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { circuit_folder, kCircuits } from './circuits.mjs';

const kSnarkjs = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  '../tests/judges/node_modules/snarkjs/build/cli.cjs',
);
const kSample_ms = 2;

// rapidsnark on this kind of machine (2 cores, idle), BN254: wall and processor seconds, and MiB. Not measured here.
const kRapidsnark = {
  merkle_20: [0.253, 0.44, 13],
  sha256_512: [0.377, 0.672, 53],
  merkle_138: [1.3, 2.37, 72], // a circuit of the same size and kind
  sha256_1024: [0.676, 1.21, 86],
  sha256_3584: [1.65, 2.91, 200],
  sha256_16384: [6.49, 10.8, 728],
};

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const kTick_s = 1 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

// Processor seconds of children that have ended and were waited for, and of theirs.
function waited_cpu_s() {
  const fields = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) * kTick_s;
}

async function timed(command, args) {
  const cpu = waited_cpu_s();
  const begin = process.hrtime.bigint();
  await ended(spawn(command, args, { stdio: 'ignore' }));
  return { wall: Number(process.hrtime.bigint() - begin) / 1e9, cpu: waited_cpu_s() - cpu };
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(' ')}: ${code}`))));
  });
}

// --- memory -----------------------------------------------------------------------------------------------------------

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

function tree_of(pid) {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return [pid, ...children.flatMap(tree_of)];
}

function mib_in(text, field) {
  return Number(text.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0) / 1024;
}

// Bytes of the memfds that a process holds, whoever maps them, by inode.
function segments_of(pid, found) {
  let names = [];
  try {
    names = fs.readdirSync(`/proc/${pid}/fd`);
  } catch {
    return;
  }
  for (const name of names) {
    const at = `/proc/${pid}/fd/${name}`;
    try {
      if (!fs.readlinkSync(at).startsWith('/memfd:')) continue;
      const status = fs.statSync(at);
      found.set(status.ino, status.blocks * 512);
    } catch {
      // closed meanwhile
    }
  }
}

function memory_of(root) {
  let largest = 0;
  let all = 0;
  const segments = new Map();
  for (const pid of tree_of(root)) {
    largest = Math.max(largest, mib_in(read(`/proc/${pid}/status`), 'VmHWM'));
    const shares = read(`/proc/${pid}/smaps_rollup`);
    all += mib_in(shares, 'Pss_Anon') + mib_in(shares, 'Pss_File');
    segments_of(pid, segments);
  }
  for (const bytes of segments.values()) all += bytes / 1048576;
  return { largest, all };
}

async function peak_memory(command, args) {
  const child = spawn(command, args, { stdio: 'ignore' });
  const peak = { largest: 0, all: 0 };
  const sampling = setInterval(() => {
    const now = memory_of(child.pid);
    peak.largest = Math.max(peak.largest, now.largest);
    peak.all = Math.max(peak.all, now.all);
  }, kSample_ms);
  await ended(child);
  clearInterval(sampling);
  return peak;
}

// --- the table --------------------------------------------------------------------------------------------------------

async function measured(command, args, runs) {
  const times = [];
  for (let i = 0; i < runs; ++i) times.push(await timed(command, args));
  return { wall: median(times.map((t) => t.wall)), cpu: median(times.map((t) => t.cpu)) };
}

const seconds = (value) => value.toFixed(2);
const ratio = (theirs, ours) => (theirs / ours).toFixed(1);

async function row(options, name, curve) {
  const groth16ctl = path.join(options.programs, 'groth16ctl');
  const place = await circuit_folder(options.folder, groth16ctl, name, curve);
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-cpu-'));
  const files = [`${place}/circuit.zkey`, `${place}/witness.wtns`, `${out}/proof.json`, `${out}/public.json`];
  const by = options.daemon ? ['--private'] : ['--runtime-dir', out]; // nobody listens there
  const prove = ['prove', ...by, '--allow-insecure-key', ...files];
  const ours = await measured(groth16ctl, prove, options.runs);
  const memory = await peak_memory(groth16ctl, prove);
  execFileSync(groth16ctl, ['verify', `${place}/verification_key.json`, files[3], files[2]], { stdio: 'ignore' });
  const cells = [`${name} ${curve}`, seconds(ours.wall), seconds(ours.cpu)];
  cells.push(memory.largest.toFixed(0), memory.all.toFixed(0));
  const known = curve === 'bn128' ? kRapidsnark[name] : undefined;
  cells.push(...(known ? [known.join(' / '), `${ratio(known[0], ours.wall)} / ${ratio(known[1], ours.cpu)}`] : ['-', '-']));
  if (options.snarkjs) {
    const theirs = await measured(process.execPath, [kSnarkjs, 'groth16', 'prove', ...files], 1);
    cells.push(`${seconds(theirs.wall)} / ${seconds(theirs.cpu)}`);
    cells.push(`${ratio(theirs.wall, ours.wall)} / ${ratio(theirs.cpu, ours.cpu)}`);
  } else {
    cells.push('-', '-');
  }
  fs.rmSync(out, { recursive: true });
  console.log(`| ${cells.join(' | ')} |`);
}

function parsed(words) {
  const options = { runs: 5, snarkjs: false, daemon: false, wanted: [] };
  [options.programs, options.folder] = words.splice(0, 2).map((word) => path.resolve(word));
  while (words.length) {
    const word = words.shift();
    if (word === '--runs') options.runs = Number(words.shift());
    else if (word === '--snarkjs') options.snarkjs = true;
    else if (word === '--daemon') options.daemon = true;
    else options.wanted.push(word);
  }
  return options;
}

const options = parsed(process.argv.slice(2));
console.log(
  '| circuit | wall s | cpu s | largest MiB | all MiB | rapidsnark *: s / cpu s / MiB | rapidsnark : ours, wall / cpu ' +
    '| snarkjs: s / cpu s | snarkjs : ours |\n|---|---|---|---|---|---|---|---|---|',
);
for (const curve of ['bn128', 'bls12381']) {
  for (const name of Object.keys(kCircuits)) {
    if (options.wanted.length && !options.wanted.includes(`${name}-${curve}`)) continue;
    await row(options, name, curve);
  }
}
process.exit(0); // snarkjs's threads would keep it running
