# GANGWAY_DEVICE says whether and which device there is: cuda, hip or sycl, the device that Kokkos' default execution
# space runs on; none where kernels run on the host. A Kokkos has at most one of them, so nothing else in CMake asks
# Kokkos.
set(GANGWAY_DEVICE none)
foreach(device IN ITEMS cuda hip sycl)
  string(TOUPPER ${device} backend)
  if(Kokkos_ENABLE_${backend})
    set(GANGWAY_DEVICE ${device})
  endif()
endforeach()

# Taken for a host, they would be given the host's yardsticks, ceilings and inputs.
foreach(backend IN ITEMS OPENMPTARGET OPENACC)
  if(Kokkos_ENABLE_${backend})
    message(FATAL_ERROR "This Kokkos runs kernels by its backend ${backend}, which Gangway does not know; "
                        "use one with CUDA, HIP or SYCL, or with a host backend alone (Kokkos_ROOT names it)")
  endif()
endforeach()

# A preset for a device says which. With another Kokkos, such as a distribution's, the host would be measured.
set(GANGWAY_WANTED_DEVICE "" CACHE STRING "Stop if Kokkos is not for this device: cuda, hip, sycl; empty: take what it is for")
if(GANGWAY_WANTED_DEVICE AND NOT GANGWAY_WANTED_DEVICE STREQUAL GANGWAY_DEVICE)
  message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} is not built for ${GANGWAY_WANTED_DEVICE}; name one that is (Kokkos_ROOT=...), "
                      "or take the preset of a host (openmp, serial)")
endif()
