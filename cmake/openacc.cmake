# The OpenACC side as an external project: its compiler and flags stay out of this build, and this
# build's out of it. Its shared libraries, one for each mode of the compiler, land beside the programs.
include(ExternalProject)

set(GANGWAY_OPENACC_COMPILER "" CACHE STRING
    "C++ compiler with OpenACC: nvc++ or g++; empty: nvc++ if there is one, else g++")
if(GANGWAY_DEVICE STREQUAL cuda) # no OpenACC compiler here writes for the others
  set(target_default gpu)
else()
  set(target_default host)
endif()
set(GANGWAY_OPENACC_TARGET ${target_default} CACHE STRING
    "What OpenACC kernels run on: host, multicore (nvc++ only) or gpu")
set(GANGWAY_OPENACC_GPU_ARCH "" CACHE STRING "nvc++: ccNN (default ccnative); GCC: sm_NN (default sm_80)")
option(GANGWAY_OPENACC_DECOMPOSE
  "Where the OpenACC compiler is GCC: a second library, with --param=openacc-kernels=decompose" ON)

# How a compiler is told of this machine's processor is its own matter.
set(openacc_native OFF)
if(GANGWAY_NATIVE AND GANGWAY_DEVICE STREQUAL none)
  set(openacc_native ON)
endif()

if(GANGWAY_OPENACC_COMPILER)
  set(openacc_compiler ${GANGWAY_OPENACC_COMPILER})
else()
  find_program(GANGWAY_FOUND_OPENACC_COMPILER NAMES nvc++ g++-16 g++ REQUIRED)
  set(openacc_compiler ${GANGWAY_FOUND_OPENACC_COMPILER})
endif()

ExternalProject_Add(
  openacc_side
  SOURCE_DIR ${PROJECT_SOURCE_DIR}/src/openacc
  BINARY_DIR ${PROJECT_BINARY_DIR}/openacc
  CMAKE_ARGS -DCMAKE_CXX_COMPILER=${openacc_compiler}
             -DCMAKE_BUILD_TYPE=Release
             -DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
             -DGANGWAY_OPENACC_TARGET=${GANGWAY_OPENACC_TARGET}
             -DGANGWAY_OPENACC_GPU_ARCH=${GANGWAY_OPENACC_GPU_ARCH}
             -DGANGWAY_OPENACC_NATIVE=${openacc_native}
             -DGANGWAY_OPENACC_DECOMPOSE=${GANGWAY_OPENACC_DECOMPOSE}
             -DGANGWAY_WERROR=${GANGWAY_WERROR}
  BUILD_ALWAYS ON # its own build decides what is out of date
  INSTALL_COMMAND ""
  USES_TERMINAL_BUILD ON)

# Whoever asks for the command alone gets what it loads, too.
add_dependencies(gangway_command openacc_side)
