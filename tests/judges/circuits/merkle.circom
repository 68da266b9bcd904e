// A Poseidon Merkle path: from a secret leaf, its siblings and its position to the public root.
pragma circom 2.0.0;

include "poseidon.circom";
include "mux1.circom";

template MerklePath(depth) {
    signal input leaf;
    signal input sibling[depth];
    signal input right[depth]; // 1 where the path's own node is the right child
    signal output root;

    component hash[depth];
    component order[depth];
    signal node[depth + 1];
    node[0] <== leaf;
    for (var i = 0; i < depth; i++) {
        right[i] * (1 - right[i]) === 0;
        order[i] = MultiMux1(2);
        order[i].c[0][0] <== node[i];
        order[i].c[0][1] <== sibling[i];
        order[i].c[1][0] <== sibling[i];
        order[i].c[1][1] <== node[i];
        order[i].s <== right[i];
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== order[i].out[0];
        hash[i].inputs[1] <== order[i].out[1];
        node[i + 1] <== hash[i].out;
    }
    root <== node[depth];
}
