# gangway_study_sources(FOLDER YARDSTICKS RESULT [DOCUMENTED]): the sources of the study in FOLDER that this build
# compiles, as absolute paths. YARDSTICKS are the kinds of yardstick that it can compile. A file whose name no rule knows
# would be skipped in silence, and a study without its twin would show only at run time: both are errors here. A study
# that has neither kokkos.cpp nor openacc.cpp is a single file, ID.cpp, which has both. DOCUMENTED: it has a README.md.
function(gangway_study_sources folder yardsticks result)
  cmake_path(GET folder FILENAME id)
  set(of_every_study ${id}.cpp)
  if("DOCUMENTED" IN_LIST ARGN)
    list(PREPEND of_every_study README.md)
  endif()
  if(EXISTS ${folder}/kokkos.cpp OR EXISTS ${folder}/openacc.cpp)
    list(APPEND of_every_study kokkos.cpp openacc.cpp)
  endif()
  set(kinds openmp blas std kokkos_kernels cuda) # of yardsticks
  list(TRANSFORM kinds REPLACE "(.+)" "yardstick_\\1.cpp" OUTPUT_VARIABLE yardstick_sources)

  foreach(name IN LISTS of_every_study)
    if(NOT EXISTS ${folder}/${name})
      list(JOIN of_every_study ", " listed)
      message(FATAL_ERROR "The study ${id} has no ${name}: ${folder}/${name} is not there. It needs ${listed}")
    endif()
  endforeach()

  set(known README.md ${id}.cpp kokkos.cpp openacc.cpp openacc_private.cpp test.cpp ${yardstick_sources})
  file(GLOB present RELATIVE ${folder} CONFIGURE_DEPENDS
       ${folder}/README.md ${folder}/*.c ${folder}/*.cc ${folder}/*.cpp ${folder}/*.cxx ${folder}/*.cu ${folder}/*.hip)
  foreach(name IN LISTS present)
    if(NOT name IN_LIST known)
      list(JOIN known ", " listed)
      message(FATAL_ERROR "${folder}/${name} would be compiled by nothing: no rule knows a source of that name. "
                          "A study's files are ${listed}; what they share is a header, .hpp")
    endif()
  endforeach()

  set(sources ${folder}/${id}.cpp)
  if(EXISTS ${folder}/kokkos.cpp)
    list(APPEND sources ${folder}/kokkos.cpp)
  endif()
  foreach(kind IN LISTS yardsticks)
    if(EXISTS ${folder}/yardstick_${kind}.cpp)
      list(APPEND sources ${folder}/yardstick_${kind}.cpp)
    endif()
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
