// The configuration of the Kokkos that is installed (OpenMP), with CUDA for Hopper added. No
// include guard: the installed header checks that Kokkos_Macros.hpp includes it, and only once.
#include_next <KokkosCore_config.h>

#define KOKKOS_ENABLE_CUDA
#define KOKKOS_ARCH_HOPPER
#define KOKKOS_ARCH_HOPPER90
