// A chain of `rows` squarings with exactly that many constraints, to hit a domain's edge. One public output, so the
// domain holds rows + 2.
pragma circom 2.0.0;

template Chain(rows) {
    signal input start;
    signal output end;
    signal step[rows];
    step[0] <== start * start;
    for (var i = 1; i < rows; i++) {
        step[i] <== step[i - 1] * step[i - 1] + i;
    }
    end <== step[rows - 1];
}
