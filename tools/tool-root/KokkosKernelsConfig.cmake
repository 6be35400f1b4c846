# Kokkos Kernels as the tool root holds it: headers only, over the Kokkos that is found. See ./make.
include(CMakeFindDependencyMacro)
find_dependency(Kokkos CONFIG)

if(NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  set_target_properties(
    Kokkos::kokkoskernels
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "/opt/kokkos-kernels/include"
               INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
endif()
