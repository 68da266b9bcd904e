// No public signal at all: the public input vector is the constant one alone.
pragma circom 2.0.0;

template NoPublic() {
    signal input a;
    signal input b;
    signal input product;
    a * b === product;
}
