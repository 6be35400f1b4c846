# The OpenACC side as an external project: its compiler and flags stay out of this build, and this
# build's out of it. Its shared libraries, one for each mode of the compiler, land beside the program that loads them.
# GANGWAY_OPENACC_PROJECT is its folder, GANGWAY_INCLUDE_FOLDERS are those of the headers that studies include.
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

# The OpenACC side is configured when it is built. What it lacks is said here, before minutes of compiling.
unset(openacc_compiler)
if(GANGWAY_OPENACC_COMPILER)
  find_program(openacc_compiler NAMES ${GANGWAY_OPENACC_COMPILER} NO_CACHE)
  if(NOT openacc_compiler)
    message(FATAL_ERROR "GANGWAY_OPENACC_COMPILER=${GANGWAY_OPENACC_COMPILER}: there is no such program. Install it, name "
                        "another compiler with OpenACC, or build without one (-DGANGWAY_OPENACC=OFF)")
  endif()
else()
  find_program(GANGWAY_FOUND_OPENACC_COMPILER NAMES nvc++ g++-16 g++)
  set(openacc_compiler ${GANGWAY_FOUND_OPENACC_COMPILER})
  if(NOT openacc_compiler)
    message(FATAL_ERROR "No compiler with OpenACC was found (nvc++, g++). Name one (-DGANGWAY_OPENACC_COMPILER=...), or "
                        "build without one (-DGANGWAY_OPENACC=OFF)")
  endif()
endif()
if(GANGWAY_OPENACC_TARGET STREQUAL gpu)
  # GCC has what writes for a GPU in a package of its own, and misses it only when it links.
  set(in_english ${CMAKE_COMMAND} -E env LC_ALL=C ${openacc_compiler})
  execute_process(COMMAND ${in_english} -v ERROR_VARIABLE told OUTPUT_QUIET)
  if(told MATCHES "gcc version ([0-9]+)")
    set(gcc_version ${CMAKE_MATCH_1})
    set(arch sm_80) # as in src/openacc
    if(GANGWAY_OPENACC_GPU_ARCH)
      set(arch ${GANGWAY_OPENACC_GPU_ARCH})
    endif()
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/openacc_probe)
    file(WRITE ${probe}.cpp "int main(int n, char**) {\n#pragma acc parallel copy(n)\n  ++n;\n  return n;\n}\n")
    execute_process(
      COMMAND ${in_english} -fopenacc -foffload=nvptx-none -foffload-options=nvptx-none=-misa=${arch} ${probe}.cpp -o ${probe}
      RESULT_VARIABLE failed ERROR_VARIABLE told OUTPUT_QUIET)
    if(failed)
      message(FATAL_ERROR "${openacc_compiler} does not compile OpenACC for NVIDIA GPUs:\n${told}\nInstall what it lacks (on "
                          "Debian and Ubuntu gcc-${gcc_version}-offload-nvptx), name another compiler "
                          "(-DGANGWAY_OPENACC_COMPILER=...), or build without OpenACC (-DGANGWAY_OPENACC=OFF)")
    endif()
  endif()
endif()
message(STATUS "OpenACC for ${GANGWAY_OPENACC_TARGET}: ${openacc_compiler}")

# gangway_add_openacc_side(TARGET LIBRARY BESIDE BUILD FOLDERS): of the studies in FOLDERS, as BESIDE/libLIBRARY.so and what
# goes with it. BUILD is where it is built.
function(gangway_add_openacc_side target library beside build folders)
  list(JOIN folders "|" folders)
  list(JOIN GANGWAY_INCLUDE_FOLDERS "|" include_folders)
  ExternalProject_Add(
    ${target}
    SOURCE_DIR ${GANGWAY_OPENACC_PROJECT}
    BINARY_DIR ${build}
    LIST_SEPARATOR |
    CMAKE_ARGS -DCMAKE_CXX_COMPILER=${openacc_compiler}
               -DCMAKE_BUILD_TYPE=Release
               -DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${beside}
               -DGANGWAY_OPENACC_NAME=${library}
               -DGANGWAY_OPENACC_FOLDERS=${folders}
               -DGANGWAY_OPENACC_INCLUDE=${include_folders}
               -DGANGWAY_OPENACC_TARGET=${GANGWAY_OPENACC_TARGET}
               -DGANGWAY_OPENACC_GPU_ARCH=${GANGWAY_OPENACC_GPU_ARCH}
               -DGANGWAY_OPENACC_NATIVE=${openacc_native}
               -DGANGWAY_OPENACC_DECOMPOSE=${GANGWAY_OPENACC_DECOMPOSE}
               -DGANGWAY_OPENACC_MPI=${MPI_CXX_FOUND}
               -DGANGWAY_WERROR=${GANGWAY_WERROR}
    BUILD_ALWAYS ON # its own build decides what is out of date
    INSTALL_COMMAND ""
    USES_TERMINAL_BUILD ON)
endfunction()
