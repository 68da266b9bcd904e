# Whether device code is compiled: GROTH16D_HAS_CUDA. Without a CUDA toolkit everything else builds and tests.
set(GROTH16D_HAS_CUDA OFF)
if(GROTH16D_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
endif()
if(NOT GROTH16D_CUDA OR NOT CMAKE_CUDA_COMPILER)
  message(STATUS "CUDA: not used")
  return()
endif()
set(GROTH16D_HAS_CUDA ON)

# What the development card needs; the preset package names every card that operators have.
set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "device architectures")
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

# Field code is dear to optimise; whether it compiles is known without. The switch came with CUDA 12.8.
set(device_optimisation -O3)
if(GROTH16D_DEVICE_CHECK AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  set(device_optimisation --Ofast-compile=max)
endif()

# groth16d_device_code(target): options of a target that has .cu files.
function(groth16d_device_code target)
  # CMake 3.25 does not know the C++20 switch of newer toolkits.
  set_target_properties(${target} PROPERTIES CUDA_STANDARD_REQUIRED OFF)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr ${device_optimisation}>)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endfunction()
