// Makes, for a circuit and a curve, everything that third parties make: circom2 compiles it and computes a witness,
// snarkjs makes the key from our prepared .ptau, adds a contribution (without one the key is insecure and refused),
// exports the verification key and proves. Files are kept in a folder named by the digest of what they come from.
//
//   circuit.r1cs witness.wtns circuit.zkey insecure.zkey verification_key.json proof.json public.json

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as snarkjs from 'snarkjs';

const kHere = path.dirname(fileURLToPath(import.meta.url));
const kCircom = path.join(kHere, 'node_modules/circom2/cli.js');
const kCircomlib = path.join(kHere, 'node_modules/circomlib/circuits');

export class Workshop {
  // folder: where files are kept; groth16ctl: the program under test, which makes the .ptau files.
  constructor(folder, groth16ctl) {
    this.folder = path.resolve(folder);
    this.groth16ctl = path.resolve(groth16ctl);
    fs.mkdirSync(this.folder, { recursive: true });
  }

  // The folder with all files of this circuit on this curve.
  async make(name, circuit, curve) {
    const place = path.join(this.folder, `${name}-${curve}-${digest_of(circuit, curve)}`);
    if (fs.existsSync(path.join(place, 'public.json'))) return place;
    const partial = fs.mkdtempSync(`${place}.partial-`);
    compile(partial, circuit, curve);
    await this.#prove(partial, circuit, curve);
    fs.rmSync(place, { recursive: true, force: true });
    fs.renameSync(partial, place);
    return place;
  }

  // A .ptau of known tau by groth16ctl, made anew by each process, so that it is always this build's.
  ptau(curve, power) {
    const file = path.join(this.folder, `${curve}-${power}.${process.pid}.ptau`);
    if (!fs.existsSync(file)) {
      execFileSync(this.groth16ctl, ['setup', 'ptau', '--insecure', '--power', String(power), '--curve', curve, file]);
    }
    return file;
  }

  // Removes this process's .ptau files and stops snarkjs's threads, which keep node running.
  async close() {
    for (const file of fs.readdirSync(this.folder)) {
      if (file.endsWith(`.${process.pid}.ptau`)) fs.rmSync(path.join(this.folder, file));
    }
    await globalThis.curve_bn128?.terminate();
    await globalThis.curve_bls12381?.terminate();
  }

  async #prove(place, circuit, curve) {
    const at = (file) => path.join(place, file);
    await snarkjs.wtns.calculate(circuit.input, at('main_js/main.wasm'), at('witness.wtns'));
    await snarkjs.zKey.newZKey(at('circuit.r1cs'), this.ptau(curve, circuit.power), at('insecure.zkey'));
    await snarkjs.zKey.contribute(at('insecure.zkey'), at('circuit.zkey'), 'judge', 'not a ceremony');
    write_json(at('verification_key.json'), await snarkjs.zKey.exportVerificationKey(at('circuit.zkey')));
    const { proof, publicSignals } = await snarkjs.groth16.prove(at('circuit.zkey'), at('witness.wtns'));
    write_json(at('proof.json'), proof);
    write_json(at('public.json'), publicSignals);
  }
}

export function read_json(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

// As the snarkjs command writes it.
export function write_json(file, value) {
  fs.writeFileSync(file, JSON.stringify(value, null, 1));
}

export function verify(vk, signals, proof) {
  return snarkjs.groth16.verify(vk, signals, proof);
}

// The compiler sees only folders below its working directory, so the libraries are copied there.
function compile(place, circuit, curve) {
  const signals = circuit.public ? ` {public [${circuit.public.join(', ')}]}` : '';
  fs.writeFileSync(
    path.join(place, 'main.circom'),
    `pragma circom 2.0.0;\ninclude "${circuit.source}.circom";\ncomponent main${signals} = ${circuit.main};\n`,
  );
  fs.cpSync(kCircomlib, path.join(place, 'circomlib'), { recursive: true });
  fs.cpSync(path.join(kHere, 'circuits'), path.join(place, 'circuits'), { recursive: true });
  const options = ['--r1cs', '--wasm', '-p', curve, '-l', 'circomlib', '-l', 'circuits'];
  execFileSync(process.execPath, [kCircom, 'main.circom', ...options], { cwd: place, stdio: 'pipe' });
  fs.renameSync(path.join(place, 'main.r1cs'), path.join(place, 'circuit.r1cs'));
  fs.rmSync(path.join(place, 'circomlib'), { recursive: true });
}

function digest_of(circuit, curve) {
  const hash = createHash('sha256').update(JSON.stringify(circuit)).update(curve);
  hash.update(fs.readFileSync(path.join(kHere, 'package-lock.json')));
  hash.update(fs.readFileSync(path.join(kHere, 'keys.mjs')));
  hash.update(fs.readFileSync(path.join(kHere, 'circuits', `${circuit.source}.circom`)));
  return hash.digest('hex').slice(0, 16);
}
