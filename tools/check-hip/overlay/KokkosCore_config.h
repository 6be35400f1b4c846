// The configuration of the Kokkos that is installed (OpenMP), with HIP for the MI300 added. No
// include guard: the installed header checks that Kokkos_Macros.hpp includes it, and only once.
#include_next <KokkosCore_config.h>

#define KOKKOS_ENABLE_HIP
#define KOKKOS_ARCH_AMD_GPU
#define KOKKOS_ARCH_AMD_GFX942
