// SHA-256 of a secret message of `bits` bits, digest bits public.
pragma circom 2.0.0;

include "sha256/sha256.circom";

template Sha256Preimage(bits) {
    signal input message[bits];
    signal output digest[256];
    component hash = Sha256(bits);
    hash.in <== message;
    digest <== hash.out;
}
