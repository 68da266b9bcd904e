// CpuLevel: which arithmetic this process uses, decided once, at run time, from what the processor has.
#pragma once

#include <string_view>

namespace groth16 {

// Each level includes those before it.
enum class CpuLevel {
  portable,  // plain C++ of any 64-bit machine
  adx,       // x86-64 with BMI2 and ADX: mulx, adcx, adox
  ifma,      // and AVX-512 F, DQ, VL and IFMA, with an operating system that saves the registers
};

// The best level of this machine.
CpuLevel best_cpu_level();

// The level in use: the best one, or the lower one that the environment variable GROTH16D_CPU names ("portable", "adx",
// "ifma"). Any other word there is as if it were not set.
CpuLevel cpu_level();

// What cpu_level() makes of the variable's value, null when it is not set.
CpuLevel choose_cpu_level(const char* word, CpuLevel best);

std::string_view cpu_level_name(CpuLevel level);

}  // namespace groth16
