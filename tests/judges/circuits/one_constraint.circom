// One constraint, nothing but a public input and a secret: knowledge of a square root.
pragma circom 2.0.0;

template SquareRoot() {
    signal input square;
    signal input root;
    root * root === square;
}
