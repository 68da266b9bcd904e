// One multiplication: knowledge of two factors of a public product.
pragma circom 2.0.0;

template Multiplier() {
    signal input a;
    signal input b;
    signal output product;
    product <== a * b;
}
