// The circuits of the whole-process measurements, as users have them: circom2 compiles them with circomlib and computes
// a witness, groth16ctl makes a key for development. Kept in a folder, one folder each, since the large ones take
// minutes:
//
//   NAME-CURVE/circuit.r1cs  witness.wtns  circuit.zkey  verification_key.json

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const kJudges = path.join(path.dirname(fileURLToPath(import.meta.url)), '../tests/judges');
const snarkjs = createRequire(path.join(kJudges, 'package.json'))('snarkjs');

const merkle = (depth) => ({
  include: 'circuits/merkle.circom',
  main: `MerklePath(${depth})`,
  input: {
    leaf: '123456789',
    sibling: Array.from({ length: depth }, (_, i) => String(1000 + i)),
    right: Array.from({ length: depth }, (_, i) => String((0b1011 >> i % 4) & 1)),
  },
});
const sha256 = (bits) => ({
  include: 'circuits/sha256.circom',
  main: `Sha256Preimage(${bits})`,
  input: { message: Array.from({ length: bits }, (_, i) => String((i * 7 + (i >> 3)) & 1)) },
});

// By name: a Poseidon circuit's wires are all full-size, a SHA-256 circuit's are all bits.
export const kCircuits = {
  merkle_20: merkle(20), // 2^14 rows
  sha256_512: sha256(512), // 2^16
  merkle_138: merkle(138), // 2^17
  sha256_1024: sha256(1024), // 2^17
  sha256_3584: sha256(3584), // 2^18
  sha256_16384: sha256(16384), // 2^20
};

// The folder of a circuit on a curve ("bn128", "bls12381") below `folder`, made where it is absent.
export async function circuit_folder(folder, groth16ctl, name, curve) {
  const place = path.join(path.resolve(folder), `${name}-${curve}`);
  if (fs.existsSync(place)) return place;
  const partial = `${place}.${process.pid}.partial`;
  fs.mkdirSync(partial, { recursive: true });
  compile(partial, kCircuits[name], curve);
  const at = (file) => path.join(partial, file);
  await snarkjs.wtns.calculate(kCircuits[name].input, at('main_js/main.wasm'), at('witness.wtns'));
  const files = ['--r1cs', at('circuit.r1cs'), '--zkey', at('circuit.zkey'), '--vk', at('verification_key.json')];
  execFileSync(groth16ctl, ['setup', '--insecure', '--seed', '1', ...files], { stdio: 'pipe' });
  fs.rmSync(at('main_js'), { recursive: true });
  fs.renameSync(partial, place);
  return place;
}

// The compiler sees only folders below its working directory, so the libraries are copied there.
function compile(place, circuit, curve) {
  const source = `pragma circom 2.0.0;\ninclude "${circuit.include}";\ncomponent main = ${circuit.main};\n`;
  fs.writeFileSync(path.join(place, 'main.circom'), source);
  fs.cpSync(path.join(kJudges, 'circuits'), path.join(place, 'circuits'), { recursive: true });
  fs.cpSync(path.join(kJudges, 'node_modules/circomlib/circuits'), path.join(place, 'circomlib'), { recursive: true });
  const circom = path.join(kJudges, 'node_modules/circom2/cli.js');
  const options = ['--r1cs', '--wasm', '-p', curve, '-l', 'circomlib', '-l', '.'];
  execFileSync(process.execPath, [circom, 'main.circom', ...options], { cwd: place, stdio: 'pipe' });
  fs.renameSync(path.join(place, 'main.r1cs'), path.join(place, 'circuit.r1cs'));
  for (const library of ['circuits', 'circomlib']) fs.rmSync(path.join(place, library), { recursive: true });
}

// circuits.mjs FOLDER GROTH16CTL [NAME-CURVE ...]: makes those circuits, or all of them.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, groth16ctl, ...wanted] = process.argv.slice(2);
  for (const curve of ['bn128', 'bls12381']) {
    for (const name of Object.keys(kCircuits)) {
      if (wanted.length && !wanted.includes(`${name}-${curve}`)) continue;
      console.log(await circuit_folder(folder, path.resolve(groth16ctl), name, curve));
    }
  }
  process.exit(0); // snarkjs's threads would keep it running
}
