// The processor's feature bits, read by the compiler's run-time support, which also asks whether the system saves the
// wide registers.
#include "groth16/algebra/cpu_level.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace groth16 {

namespace {

#if defined(__x86_64__)
// Leaf 7 of CPUID; clang 14 has no name for this feature.
bool has_adx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_ADX) != 0;
}
#endif

}  // namespace

CpuLevel best_cpu_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("bmi2") || !has_adx()) return CpuLevel::portable;
  const bool has_ifma = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma");
  return has_ifma ? CpuLevel::ifma : CpuLevel::adx;
#else
  return CpuLevel::portable;
#endif
}

CpuLevel choose_cpu_level(const char* word, CpuLevel best) {
  if (word == nullptr) return best;
  for (const CpuLevel level : {CpuLevel::portable, CpuLevel::adx, CpuLevel::ifma}) {
    if (word == cpu_level_name(level)) return std::min(level, best);
  }
  return best;
}

CpuLevel cpu_level() {
  static const CpuLevel level = choose_cpu_level(std::getenv("GROTH16D_CPU"), best_cpu_level());
  return level;
}

std::string_view cpu_level_name(CpuLevel level) {
  switch (level) {
    case CpuLevel::portable:
      return "portable";
    case CpuLevel::adx:
      return "adx";
    case CpuLevel::ifma:
      break;
  }
  return "ifma";
}

}  // namespace groth16
