# GANGWAY_HOST_FLAGS: what tells the compiler of this machine's processor, where GANGWAY_NATIVE says so and kernels run on
# it. The OpenACC side, which kernels are compared with, is told likewise.
set(GANGWAY_HOST_FLAGS "")
if(GANGWAY_NATIVE AND GANGWAY_DEVICE STREQUAL none)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native GANGWAY_HAVE_MARCH_NATIVE)
  if(GANGWAY_HAVE_MARCH_NATIVE)
    set(GANGWAY_HOST_FLAGS -march=native)
  endif()
endif()
