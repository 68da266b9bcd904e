// Which sanitizer this test is built with. A few tests do what one of them cannot follow, and say so.
#pragma once

namespace groth16d {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GROTH16D_THREAD_SANITIZER 1
#endif
#if __has_feature(address_sanitizer)
#define GROTH16D_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__) || defined(GROTH16D_THREAD_SANITIZER)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(GROTH16D_ADDRESS_SANITIZER)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

}  // namespace groth16d
