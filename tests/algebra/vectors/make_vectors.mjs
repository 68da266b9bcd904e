// Prints what @noble/curves and ffjavascript say about fields, curves, pairings, sums and transforms, as JSON: for each
// curve and judge the same record, on inputs drawn from a fixed seed. Numbers are decimal strings.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../judges/package.json', import.meta.url));
const { bn254 } = require('@noble/curves/bn254');
const { bls12_381 } = require('@noble/curves/bls12-381');
const { getCurveFromName } = require('ffjavascript');

// Number `index` of the named sequence, below the modulus.
function draw(sequence, index, modulus) {
  const hash = createHash('sha512').update(`${sequence}/${index}`).digest('hex');
  return BigInt('0x' + hash) % modulus;
}

const range = (count) => [...Array(count).keys()];

// 0, 1, p-1 and random pairs.
function fieldInputs(label, p) {
  const edges = [0n, 1n, p - 1n];
  const random = range(20).map((i) => [draw(label + '/a', i, p), draw(label + '/b', i, p)]);
  return [...edges.flatMap((a) => edges.map((b) => [a, b])), ...random];
}

const scalarInputs = (name, r) => [1n, 2n, 3n, r - 1n, ...range(12).map((i) => draw(name + '/scalar', i, r))];
const pairingInputs = (name, r) =>
  [[1n, 1n], ...range(4).map((i) => [draw(name + '/pa', i, r), draw(name + '/pb', i, r)])];

function fieldRecord(field, p, label) {
  return fieldInputs(label, p).map(([a, b]) => {
    const [x, y] = [field.from(a), field.from(b)];
    return {
      a, b,
      sum: field.to(field.add(x, y)),
      difference: field.to(field.sub(x, y)),
      product: field.to(field.mul(x, y)),
      inverse: a === 0n ? 0n : field.to(field.inv(x)),
    };
  });
}

function nobleRecord(name, curve) {
  const { Fp, Fr } = curve.fields;
  const [G1, G2] = [curve.G1.ProjectivePoint, curve.G2.ProjectivePoint];
  const plain = (F) => ({ from: F.create, to: (x) => x, add: F.add, sub: F.sub, mul: F.mul, inv: F.inv });
  const g1 = (k) => G1.BASE.multiply(k).toAffine();
  const g2 = (k) => G2.BASE.multiply(k).toAffine();
  const fp12 = (v) => [v.c0, v.c1].flatMap((h) => [h.c0, h.c1, h.c2]).flatMap((c) => [c.c0, c.c1]);
  return {
    judge: '@noble/curves',
    fq: fieldRecord(plain(Fp), Fp.ORDER, name + '/fq'),
    fr: fieldRecord(plain(Fr), Fr.ORDER, name + '/fr'),
    g1: scalarInputs(name, Fr.ORDER).map((k) => ({ scalar: k, x: [g1(k).x], y: [g1(k).y] })),
    g2: scalarInputs(name, Fr.ORDER).map((k) => {
      const { x, y } = g2(k);
      return { scalar: k, x: [x.c0, x.c1], y: [y.c0, y.c1] };
    }),
    pairings: pairingInputs(name, Fr.ORDER).map(([a, b]) => ({
      a, b, value: fp12(curve.pairing(G1.BASE.multiply(a), G2.BASE.multiply(b))),
    })),
  };
}

async function ffjavascriptRecord(name) {
  const curve = await getCurveFromName(name, { singleThread: true });
  const { G1, G2, Fr, F1 } = curve;
  const wrapped = (F) => ({
    from: (x) => F.e(x), to: (x) => F.toObject(x), add: F.add.bind(F), sub: F.sub.bind(F), mul: F.mul.bind(F),
    inv: F.inv.bind(F),
  });
  const point = (G, k) => {
    const affine = G.toAffine(G.timesScalar(G.g, k));
    const [x, y] = G.toObject(affine);
    const bytes = new Uint8Array(G.F.n8 * 2);
    G.toRprLEM(bytes, 0, affine);
    return { scalar: k, x: [x].flat(), y: [y].flat(), memory: Buffer.from(bytes).toString('hex') };
  };
  const value = (e) => JSON.parse(curve.Gt.toString(e).replace(/\d+/g, '"$&"')).flat(3);
  const record = {
    judge: 'ffjavascript',
    fq: fieldRecord(wrapped(F1), F1.p, name + '/fq'),
    fr: fieldRecord(wrapped(Fr), Fr.p, name + '/fr'),
    g1: scalarInputs(name, Fr.p).map((k) => point(G1, k)),
    g2: scalarInputs(name, Fr.p).map((k) => point(G2, k)),
    pairings: pairingInputs(name, Fr.p).map(([a, b]) => ({
      a, b, value: value(curve.pairing(G1.timesScalar(G1.g, a), G2.timesScalar(G2.g, b))),
    })),
    sum: await sumRecord(curve, name),
    transform: await transformRecord(curve, name),
  };
  await curve.terminate();
  return record;
}

// sum of [s_i] ([i+1] G) for 100 points in each group.
async function sumRecord({ G1, G2, Fr }, name) {
  const scalars = range(100).map((i) => draw(name + '/sum', i, Fr.p));
  const scalarBytes = new Uint8Array(32 * scalars.length);
  scalars.forEach((s, i) => Fr.toRprLE(scalarBytes, 32 * i, Fr.e(s)));
  const sum = async (G) => {
    const bases = new Uint8Array(G.F.n8 * 2 * scalars.length);
    scalars.forEach((_, i) => G.toRprLEM(bases, G.F.n8 * 2 * i, G.timesScalar(G.g, BigInt(i + 1))));
    const [x, y] = G.toObject(G.toAffine(await G.multiExpAffine(bases, scalarBytes)));
    return { x: [x].flat(), y: [y].flat() };
  };
  return { scalars, g1: await sum(G1), g2: await sum(G2) };
}

async function transformRecord({ Fr }, name) {
  const input = range(64).map((i) => draw(name + '/transform', i, Fr.p));
  const elements = new Uint8Array(32 * input.length);
  input.forEach((v, i) => elements.set(Fr.e(v), 32 * i));
  const out = await Fr.fft(elements);
  return { input, root: Fr.toObject(Fr.w[6]), output: range(64).map((i) => Fr.toObject(out.slice(32 * i, 32 * i + 32))) };
}

const curves = [
  { name: 'bn128', judges: [nobleRecord('bn128', bn254), await ffjavascriptRecord('bn128')] },
  { name: 'bls12381', judges: [nobleRecord('bls12381', bls12_381), await ffjavascriptRecord('bls12381')] },
];
console.log(JSON.stringify({ curves }, (_, v) => (typeof v === 'bigint' ? v.toString() : v), 1));
