// The circuits that the judges compile: what each one is for, its template's arguments and an input. A size in `edge`
// names what the domain 2^10 holds: constraints plus public signals plus one.

const kEdge = 1 << 10;

const chain = (rows) => ({ source: 'chain', main: `Chain(${rows})`, input: { start: '3' }, power: 12 });

export const kCurves = ['bn128', 'bls12381'];

export const kCircuits = {
  multiplier: { source: 'multiplier', main: 'Multiplier()', input: { a: '3', b: '11' }, power: 4 },
  no_public: { source: 'no_public', main: 'NoPublic()', input: { a: '6', b: '7', product: '42' }, power: 4 },
  one_constraint: {
    source: 'one_constraint',
    main: 'SquareRoot()',
    public: ['square'],
    input: { square: '1764', root: '42' },
    power: 4,
  },
  below_a_power_of_two: chain(kEdge - 3),
  at_a_power_of_two: chain(kEdge - 2),
  above_a_power_of_two: chain(kEdge - 1),
  merkle_20: {
    source: 'merkle',
    main: 'MerklePath(20)',
    input: {
      leaf: '123456789',
      sibling: Array.from({ length: 20 }, (_, i) => String(1000 + i)),
      right: Array.from({ length: 20 }, (_, i) => String((0b1011 >> i % 4) & 1)),
    },
    power: 14,
  },
  sha256_rounds: {
    source: 'sha256_rounds',
    main: 'Sha256Rounds(6)',
    input: { word: ['1684234849', '2147483648', '0', '4294967295', '24', '7'] },
    power: 13,
  },
};

export const kSlowCircuits = {
  sha256_512: {
    source: 'sha256',
    main: 'Sha256Preimage(512)',
    input: { message: Array.from({ length: 512 }, (_, i) => String((i * 7 + (i >> 3)) & 1)) },
    power: 17,
  },
};
