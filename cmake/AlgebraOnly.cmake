# groth16/algebra and its tests alone, for a processor whose libraries this machine does not have: they need a compiler,
# and of the host's headers those that hold no machine code.
find_package(Threads REQUIRED)
include(Targets)

set(headers ${CMAKE_BINARY_DIR}/host-headers)
file(MAKE_DIRECTORY ${headers})
foreach(name catch2 tl)
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()
target_include_directories(groth16d_flags SYSTEM INTERFACE ${headers})
add_library(tl::expected INTERFACE IMPORTED)

enable_testing()
add_subdirectory(groth16/algebra)
add_subdirectory(tests)
