// Proofs and public signals that are nearly right: for every rule that a verifier must keep, one that breaks it.

import { bls12_381 } from '@noble/curves/bls12-381';
import { bn254 } from '@noble/curves/bn254';

const kFields = {
  bn128: { q: bn254.fields.Fp.ORDER, r: bn254.fields.Fr.ORDER },
  bls12381: { q: bls12_381.fields.Fp.ORDER, r: bls12_381.fields.Fr.ORDER },
};

const kInfinityG1 = ['0', '1', '0'];
const kInfinityG2 = [['0', '0'], ['1', '0'], ['0', '0']];

// Yields {what, proof, signals}: none of them may be accepted.
export function* forgeries(curve, proof, signals) {
  yield* other_coordinates(curve, proof, signals);
  yield* other_signals(curve, proof, signals);
  for (const [point, infinity] of [['pi_a', kInfinityG1], ['pi_b', kInfinityG2], ['pi_c', kInfinityG1]]) {
    yield { what: `${point} at infinity`, proof: { ...proof, [point]: infinity }, signals };
  }
  yield { what: 'a and c exchanged', proof: { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a }, signals };
  yield { what: 'a negated', proof: { ...proof, pi_a: negated(curve, proof.pi_a) }, signals };
  yield { what: 'another valid point as c', proof: { ...proof, pi_c: proof.pi_a }, signals };
  yield { what: 'b outside the subgroup', proof: { ...proof, pi_b: outside_g2(curve) }, signals };
  if (curve === 'bls12381') {
    yield { what: 'a outside the subgroup', proof: { ...proof, pi_a: outside_g1() }, signals };
    yield { what: 'c outside the subgroup', proof: { ...proof, pi_c: outside_g1() }, signals };
  }
}

// Each coordinate plus one (off the curve) and plus q (the same residue, not canonical).
function* other_coordinates(curve, proof, signals) {
  const { q } = kFields[curve];
  const places = [
    ['pi_a', 0], ['pi_a', 1], ['pi_b', 0, 0], ['pi_b', 0, 1], ['pi_b', 1, 0], ['pi_b', 1, 1], ['pi_c', 0], ['pi_c', 1],
  ];
  for (const place of places) {
    yield { what: `${place.join('.')} plus one`, proof: changed(proof, place, (x) => (x + 1n) % q), signals };
    yield { what: `${place.join('.')} plus q`, proof: changed(proof, place, (x) => x + q), signals };
  }
}

function* other_signals(curve, proof, signals) {
  const { r } = kFields[curve];
  for (let i = 0; i < signals.length; i++) {
    yield { what: `signal ${i} plus one`, proof, signals: changed(signals, [i], (x) => (x + 1n) % r) };
    yield { what: `signal ${i} plus r`, proof, signals: changed(signals, [i], (x) => x + r) };
  }
  yield { what: 'one signal more', proof, signals: [...signals, '0'] };
  if (signals.length > 0) yield { what: 'one signal less', proof, signals: signals.slice(0, -1) };
}

function changed(value, place, change) {
  const copy = structuredClone(value);
  let holder = copy;
  for (const key of place.slice(0, -1)) holder = holder[key];
  const last = place[place.length - 1];
  holder[last] = String(change(BigInt(holder[last])));
  return copy;
}

function negated(curve, point) {
  return changed(point, [1], (y) => kFields[curve].q - y);
}

// The first point of the twist, by its x, that r does not send to infinity.
function outside_g2(curve) {
  const { Fp2, Fr } = (curve === 'bn128' ? bn254 : bls12_381).fields;
  const G2 = (curve === 'bn128' ? bn254 : bls12_381).G2.ProjectivePoint;
  const b = (curve === 'bn128' ? bn254 : bls12_381).G2.CURVE.b;
  for (let i = 1n; ; i++) {
    const x = Fp2.fromBigTuple([i, 0n]);
    const y = square_root(Fp2, Fp2.add(Fp2.mul(Fp2.sqr(x), x), b));
    if (y === null || G2.fromAffine({ x, y }).multiplyUnsafe(Fr.ORDER - 1n).negate().equals(G2.fromAffine({ x, y }))) continue;
    return [[String(x.c0), String(x.c1)], [String(y.c0), String(y.c1)], ['1', '0']];
  }
}

function outside_g1() {
  const { Fp, Fr } = bls12_381.fields;
  const G1 = bls12_381.G1.ProjectivePoint;
  for (let x = 1n; ; x++) {
    const y = square_root(Fp, Fp.add(Fp.mul(Fp.sqr(x), x), 4n));
    if (y === null || G1.fromAffine({ x, y }).multiplyUnsafe(Fr.ORDER - 1n).negate().equals(G1.fromAffine({ x, y }))) continue;
    return [String(x), String(y), '1'];
  }
}

function square_root(field, value) {
  try {
    return field.sqrt(value);
  } catch {
    return null;
  }
}
