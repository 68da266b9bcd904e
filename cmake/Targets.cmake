# Three verbs, so that every folder's CMakeLists.txt reads as a list of what it is made of.

# groth16d_library(name SOURCES ... LINKS ... [PRECOMPILE ...]): a static library groth16d::name. PRECOMPILE names the
# headers that most of its sources include and that are dear to parse.
function(groth16d_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRECOMPILE" ${ARGN})
  add_library(groth16d_${name} STATIC ${ARG_SOURCES})
  add_library(groth16d::${name} ALIAS groth16d_${name})
  target_link_libraries(groth16d_${name} PUBLIC groth16d::flags ${ARG_LINKS})
  if(ARG_PRECOMPILE)
    target_precompile_headers(groth16d_${name} PRIVATE ${ARG_PRECOMPILE})
  endif()
  set_target_properties(groth16d_${name} PROPERTIES UNITY_BUILD ${GROTH16D_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# groth16d_program(name SOURCES ... LINKS ...): an executable in bin/, made by the target "programs".
add_custom_target(programs)
function(groth16d_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE groth16d::flags ${ARG_LINKS})
  add_dependencies(programs ${name})
endfunction()

# groth16d_bench(name SOURCES ... LINKS ...): bench/bench_name, made by the target "benches".
add_custom_target(benches)
function(groth16d_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_link_libraries(bench_${name} PRIVATE groth16d::flags ${ARG_LINKS})
  add_dependencies(benches bench_${name})
endfunction()

# groth16d_test(name SOURCES ... LINKS ... [LABELS ...]): a Catch2 program, one ctest entry. Label "unit" unless told
# otherwise; sanitizer builds run labels unit and format, slow tests are labelled slow.
function(groth16d_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE groth16d::flags groth16d::catch_main ${ARG_LINKS})
  target_precompile_headers(test_${name} REUSE_FROM groth16d_test_headers)
  # A test's own code runs once; only where it is mathematics is it worth optimising, which is half of its compiling.
  if(NOT "math" IN_LIST ARG_LABELS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# groth16d_fuzz(name SOURCES ... LINKS ...): a libFuzzer program, only with GROTH16D_FUZZ.
function(groth16d_fuzz name)
  if(NOT GROTH16D_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(fuzz_${name} ${ARG_SOURCES})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_${name} PRIVATE groth16d::flags ${ARG_LINKS})
endfunction()
