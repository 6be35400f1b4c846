# GANGWAY_HOST_FLAGS: what tells the compiler of this machine's processor, where GANGWAY_NATIVE says so and kernels run on
# it. Only what is measured is compiled so: the studies, both models, and the ceilings (gangway_native, below). The
# libraries that are installed run on any processor of the architecture.
set(GANGWAY_HOST_FLAGS "")
if(GANGWAY_NATIVE AND GANGWAY_DEVICE STREQUAL none)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native GANGWAY_HAVE_MARCH_NATIVE)
  if(GANGWAY_HAVE_MARCH_NATIVE)
    set(GANGWAY_HOST_FLAGS -march=native)
  endif()
endif()
if(NOT TARGET gangway_native)
  add_library(gangway_native INTERFACE)
  target_compile_options(gangway_native INTERFACE ${GANGWAY_HOST_FLAGS})
endif()
