// The third parties' verdict. For every circuit and curve: circom2 and snarkjs make circuit, key and witness; our daemon
// proves; snarkjs accepts. And the other way: our verifier accepts snarkjs's proof and refuses every forgery of it.
//
//   GROTH16D_PROGRAMS  the folder of the programs          GROTH16D_JUDGES  where made keys are kept
//   GROTH16D_SLOW=1    the circuits that take minutes instead of the others

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { kCircuits, kCurves, kSlowCircuits } from './circuits.mjs';
import { forgeries } from './forgeries.mjs';
import { Daemon, Programs } from './groth16d.mjs';
import { read_json, verify, Workshop, write_json } from './keys.mjs';

const programs = new Programs(process.env.GROTH16D_PROGRAMS ?? 'build/test/bin');
const workshop = new Workshop(process.env.GROTH16D_JUDGES ?? 'build/judges', programs.path('groth16ctl'));
const circuits = process.env.GROTH16D_SLOW ? kSlowCircuits : kCircuits;

// Every forgery costs a process; one circuit with a public signal and one without are enough for all rules.
const kForged = ['one_constraint', 'no_public'];

let daemon;

before(async () => {
  daemon = await Daemon.start(programs, [workshop.folder]);
});

after(async () => {
  await daemon?.stop();
  await workshop.close();
});

function succeeded(run) {
  assert.equal(run.code, 0, run.stderr);
  return run.value;
}

for (const curve of kCurves) {
  for (const [name, circuit] of Object.entries(circuits)) {
    describe(`${name} on ${curve}`, () => {
      let place;
      const at = (file) => path.join(place, file);
      before(async () => {
        place = await workshop.make(name, circuit, curve);
      });

      it('is proven by our daemon, and snarkjs accepts the proof', async () => {
        succeeded(daemon.ctl('circuit', 'add', `${name}-${curve}`, '--zkey', at('circuit.zkey'), '--r1cs', at('circuit.r1cs')));
        const files = ['--proof', at('ours.json'), '--public', at('ours.public.json')];
        succeeded(daemon.ctl('prove', '--circuit', `${name}-${curve}`, '--wtns', at('witness.wtns'), ...files));
        const signals = read_json(at('ours.public.json'));
        assert.deepEqual(signals, read_json(at('public.json')));
        assert.equal(await verify(read_json(at('verification_key.json')), signals, read_json(at('ours.json'))), true);
      });

      it('has the verification key that snarkjs exports, byte for byte', () => {
        succeeded(programs.ctl('vk', '--zkey', at('circuit.zkey'), at('ours.vk.json')));
        assert.equal(fs.readFileSync(at('ours.vk.json'), 'utf8'), fs.readFileSync(at('verification_key.json'), 'utf8'));
      });

      it('snarkjs proves it, and our verifier accepts the proof', () => {
        const run = programs.ctl('verify', at('verification_key.json'), at('public.json'), at('proof.json'));
        assert.deepEqual(succeeded(run), { valid: true });
      });

      if (!kForged.includes(name)) return;

      it('our verifier refuses every forged proof', () => {
        for (const { what, proof, signals } of forgeries(curve, read_json(at('proof.json')), read_json(at('public.json')))) {
          write_json(at('forged.json'), proof);
          write_json(at('forged.public.json'), signals);
          const run = programs.ctl('verify', at('verification_key.json'), at('forged.public.json'), at('forged.json'));
          assert.equal(run.value?.valid, false, what);
          assert.equal(run.code, 1, what);
        }
      });

      it('the key without a contribution is refused until it is allowed', () => {
        const key = ['--zkey', at('insecure.zkey'), '--wtns', at('witness.wtns')];
        const files = ['--proof', at('refused.json'), '--public', at('refused.public.json')];
        const refused = daemon.ctl('prove', ...key, ...files);
        assert.equal(refused.code, 1, refused.stderr);
        assert.match(refused.value.error.name, /insecure/);
        assert.equal(fs.existsSync(at('refused.json')), false);
        succeeded(daemon.ctl('prove', ...key, '--allow-insecure-key', '--proof', at('allowed.json'), '--public', at('allowed.public.json')));
      });
    });
  }
}

describe('calldata', () => {
  it('is what snarkjs prints', { skip: process.env.GROTH16D_SLOW !== undefined }, async () => {
    const snarkjs = await import('snarkjs');
    const place = await workshop.make('one_constraint', kCircuits.one_constraint, 'bn128');
    const files = [path.join(place, 'public.json'), path.join(place, 'proof.json')];
    const theirs = await snarkjs.groth16.exportSolidityCallData(read_json(files[1]), read_json(files[0]));
    assert.equal(succeeded(programs.ctl('calldata', ...files)).calldata, theirs);
  });
});
