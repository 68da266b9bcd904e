// What the card can do at most of the two things that everything here is made of.
#pragma once

namespace groth16d::bench {

struct Ceilings {
  double fq_products, fr_products, fq_squares;  // BLS12-381, a second
  double fq_sums;                               // additions in Fq of BLS12-381, a second
  double copied_bytes;                          // read and written by a device-to-device copy, a second
  double uploaded_bytes;                        // from pinned memory of the host, a second
};

Ceilings measure_ceilings();

}  // namespace groth16d::bench
