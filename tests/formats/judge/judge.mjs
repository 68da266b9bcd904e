// snarkjs's verdict on the files that this project writes: judge.mjs FOLDER.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../judges/package.json', import.meta.url));
const snarkjs = require('snarkjs');
const folder = process.argv[2];

const read = (name) => fs.readFileSync(`${folder}/${name}`);
const json = (name) => JSON.parse(read(name));

// The sections of an iden3 container by their numbers.
function sections(name) {
  const file = read(name);
  const found = new Map();
  let at = 12;
  for (let i = 0; i < file.readUInt32LE(8); ++i) {
    const length = Number(file.readBigUInt64LE(at + 4));
    found.set(file.readUInt32LE(at), file.subarray(at + 12, at + 12 + length));
    at += 12 + length;
  }
  return found;
}

for (const curve of ['bn128', 'bls12381']) {
  const file = (name) => `${folder}/${curve}.${name}`;

  const key = await snarkjs.zKey.exportVerificationKey(file('zkey'));
  assert.equal(read(`${curve}.vk.json`).toString(), JSON.stringify(key, null, 1), 'verification_key.json');
  assert(await snarkjs.groth16.verify(key, json(`${curve}.public.json`), json(`${curve}.proof.json`)), 'our proof');

  const theirs = await snarkjs.groth16.prove(file('zkey'), file('wtns'));
  assert.deepEqual(theirs.publicSignals, json(`${curve}.public.json`));
  assert(await snarkjs.groth16.verify(key, theirs.publicSignals, theirs.proof), "snarkjs's proof with our key");
  assert(await snarkjs.wtns.check(file('r1cs'), file('wtns')), 'our witness satisfies our .r1cs');

  await snarkjs.zKey.newZKey(file('r1cs'), file('ptau'), file('setup.zkey'));
  const ours = sections(`${curve}.zkey`);
  const setup = sections(`${curve}.setup.zkey`);
  for (const id of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    assert(ours.get(id).equals(setup.get(id)), `${curve}: section ${id} of a setup by snarkjs from our .ptau`);
  }
  if (curve === 'bn128') {
    const call = await snarkjs.groth16.exportSolidityCallData(json('bn128.proof.json'), json('bn128.public.json'));
    assert.equal(read('bn128.calldata').toString(), call, 'calldata');
  }
  console.log(`${curve}: snarkjs agrees`);
}
await globalThis.curve_bn128?.terminate();
await globalThis.curve_bls12381?.terminate();
