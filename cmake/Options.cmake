# What a build may be told, and the flags that every target shares.
option(GROTH16D_FAILPOINTS "compile the failpoints in (test builds only)" OFF)
option(GROTH16D_FUZZ "build the libFuzzer targets (clang)" OFF)
option(GROTH16D_CUDA "compile the device code where a CUDA toolkit is found" ON)
option(GROTH16D_DEVICE_CHECK "compile the device code as fast as the compiler can, not for running" OFF)
option(GROTH16D_UNITY "compile the sources of a library eight at a time: half the time of a whole build" OFF)
option(GROTH16D_ALGEBRA_ONLY "build groth16/algebra and its tests, nothing else" OFF)
set(GROTH16D_SANITIZE "" CACHE STRING "sanitizers for every target, e.g. address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(GROTH16D_CCACHE ccache)
if(GROTH16D_CCACHE)
  # What ccache must overlook to serve files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GROTH16D_CCACHE})
endif()
add_library(groth16d_flags INTERFACE)
add_library(groth16d::flags ALIAS groth16d_flags)
target_include_directories(groth16d_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(groth16d_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Werror;\
-Wshadow;-Wconversion;-Wno-sign-conversion;-Wnon-virtual-dtor;-Woverloaded-virtual;-fno-omit-frame-pointer>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(groth16d_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # for ccache
  if(GROTH16D_UNITY)  # a source that another one includes is taken for a header, and its own types for a mistake
    target_compile_options(groth16d_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
  # unsigned __int128 carries the products of the portable limb kernel; -Wpedantic calls it an extension.
  # GCC 12 reports -Wmaybe-uninitialized, -Warray-bounds and -Wstringop-* inside its own inlined library code at -O2.
  target_compile_options(groth16d_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized;\
-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(groth16d_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")  # for ccache
endif()
if(GROTH16D_FAILPOINTS)
  target_compile_definitions(groth16d_flags INTERFACE GROTH16D_FAILPOINTS=1)
endif()
if(GROTH16D_SANITIZE)
  target_compile_options(groth16d_flags INTERFACE -fsanitize=${GROTH16D_SANITIZE} -fno-sanitize-recover=all -g1)
  target_link_options(groth16d_flags INTERFACE -fsanitize=${GROTH16D_SANITIZE})
  if(GROTH16D_SANITIZE MATCHES "thread")
    target_sources(groth16d_flags INTERFACE ${CMAKE_SOURCE_DIR}/common/tsan_suppressions.cpp)
  endif()
endif()
if(GROTH16D_FUZZ)  # a fuzzer sees only the branches of code that counts them: every library does
  target_compile_options(groth16d_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(groth16d_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
