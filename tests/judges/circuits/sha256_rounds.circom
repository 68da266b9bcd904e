// The first rounds of the SHA-256 compression function over bits: the same gates as the whole hash (rotations,
// choice, majority, additions modulo 2^32) in a circuit that is small enough for every test run.
pragma circom 2.0.0;

include "sha256/constants.circom";
include "sha256/t1.circom";
include "sha256/t2.circom";
include "binsum.circom";
include "bitify.circom";

template Sha256Rounds(rounds) {
    signal input word[rounds];       // the message schedule's first words, secret
    signal output digest[8];         // the working variables a..h after the rounds

    component bits[rounds];
    component t1[rounds];
    component t2[rounds];
    component new_a[rounds];
    component new_e[rounds];
    component initial[8];
    component k[rounds];
    signal state[rounds + 1][8][32];
    for (var v = 0; v < 8; v++) {
        initial[v] = H(v);
        for (var bit = 0; bit < 32; bit++) {
            state[0][v][bit] <== initial[v].out[bit];
        }
    }
    for (var i = 0; i < rounds; i++) {
        bits[i] = Num2Bits(32);
        bits[i].in <== word[i];
        k[i] = K(i);
        t1[i] = T1();
        t2[i] = T2();
        new_a[i] = BinSum(32, 2);
        new_e[i] = BinSum(32, 2);
        for (var bit = 0; bit < 32; bit++) {
            t1[i].h[bit] <== state[i][7][bit];
            t1[i].e[bit] <== state[i][4][bit];
            t1[i].f[bit] <== state[i][5][bit];
            t1[i].g[bit] <== state[i][6][bit];
            t1[i].k[bit] <== k[i].out[bit];
            t1[i].w[bit] <== bits[i].out[bit];
            t2[i].a[bit] <== state[i][0][bit];
            t2[i].b[bit] <== state[i][1][bit];
            t2[i].c[bit] <== state[i][2][bit];
        }
        for (var bit = 0; bit < 32; bit++) {
            new_a[i].in[0][bit] <== t1[i].out[bit];
            new_a[i].in[1][bit] <== t2[i].out[bit];
            new_e[i].in[0][bit] <== t1[i].out[bit];
            new_e[i].in[1][bit] <== state[i][3][bit];
        }
        for (var bit = 0; bit < 32; bit++) {
            state[i + 1][0][bit] <== new_a[i].out[bit];
            state[i + 1][1][bit] <== state[i][0][bit];
            state[i + 1][2][bit] <== state[i][1][bit];
            state[i + 1][3][bit] <== state[i][2][bit];
            state[i + 1][4][bit] <== new_e[i].out[bit];
            state[i + 1][5][bit] <== state[i][4][bit];
            state[i + 1][6][bit] <== state[i][5][bit];
            state[i + 1][7][bit] <== state[i][6][bit];
        }
    }
    for (var v = 0; v < 8; v++) {
        var packed = 0;
        for (var bit = 0; bit < 32; bit++) {
            packed += state[rounds][v][bit] * (1 << bit);
        }
        digest[v] <== packed;
    }
}
