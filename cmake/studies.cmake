# gangway_add_studies(TARGET NAME FOLDERS FOLDER… [OUTPUT_NAME NAME] [OBJECTS NAME] [SOURCES SOURCE…] [LIBRARIES TARGET…]
#                     [OPENACC_FOLDER FOLDER] [DOCUMENTED]):
# the program TARGET, which is the whole command (list, run, compare, sweep, tune, new) over the studies in FOLDERS, one
# in each, and beside it the OpenACC side, built by an OpenACC compiler of its own (openacc.cmake: GANGWAY_OPENACC,
# GANGWAY_OPENACC_COMPILER, GANGWAY_OPENACC_TARGET). Gangway's own studies are built by it, and so are those of whoever
# has found the package's component `referee`. Which files of a folder are compiled is in study_sources.cmake.
#
#   OUTPUT_NAME     how the program is called, and how its messages begin; else TARGET
#   OBJECTS         a library of objects that holds the studies, for other programs; else TARGET_studies
#   SOURCES         compiled with the studies
#   LIBRARIES       that they link, besides the referee
#   OPENACC_FOLDER  where the OpenACC side is built; else TARGET_openacc in the folder of this build
#   DOCUMENTED      a study without README.md is an error
include(${CMAKE_CURRENT_LIST_DIR}/study_sources.cmake)
set(GANGWAY_PROGRAM_SOURCE ${CMAKE_CURRENT_LIST_DIR}/program.cpp.in)

# The build's compiler and its flags, as results show them; `host_flags` are those for this machine's processor.
function(gangway_compiler_texts compiler flags host_flags)
  set(name "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  if(GANGWAY_DEVICE STREQUAL cuda)
    string(PREPEND name "nvcc ${CUDAToolkit_VERSION} with ")
  endif()
  set(${compiler} ${name} PARENT_SCOPE)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  string(JOIN " " text ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${host_flags})
  set(${flags} "${text}" PARENT_SCOPE)
endfunction()

# gangway_ceilings, of its one SOURCE: what the hardware reaches is measured as the studies are, so it is compiled with
# them for this processor, and not with the libraries that are installed.
function(gangway_add_ceilings source)
  add_library(gangway_ceilings STATIC ${source})
  target_include_directories(gangway_ceilings PRIVATE ${GANGWAY_INCLUDE_FOLDERS})
  target_link_libraries(gangway_ceilings PUBLIC gangway::gangway fmt::fmt PRIVATE gangway_native)
  # GCC fills half of an AVX-512 register where it fears for the clock: a ceiling that BLAS passes.
  if(GANGWAY_HOST_FLAGS)
    include(CheckCXXCompilerFlag)
    check_cxx_compiler_flag(-mprefer-vector-width=512 GANGWAY_HAVE_PREFER_VECTOR_WIDTH)
    if(GANGWAY_HAVE_PREFER_VECTOR_WIDTH)
      target_compile_options(gangway_ceilings PRIVATE -mprefer-vector-width=512)
    endif()
  endif()
endfunction()

function(gangway_add_studies)
  cmake_parse_arguments(PARSE_ARGV 0 arg "DOCUMENTED" "TARGET;OUTPUT_NAME;OBJECTS;OPENACC_FOLDER"
                        "FOLDERS;SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR NOT arg_FOLDERS)
    message(FATAL_ERROR "gangway_add_studies(TARGET NAME FOLDERS FOLDER…): a target and at least one folder are "
                        "needed, and nothing is known of '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME ${arg_TARGET})
  endif()
  if(NOT arg_OBJECTS)
    set(arg_OBJECTS ${arg_TARGET}_studies)
  endif()
  if(NOT arg_OPENACC_FOLDER)
    set(arg_OPENACC_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}_openacc)
  endif()
  set(documented "")
  if(arg_DOCUMENTED)
    set(documented DOCUMENTED)
  endif()
  set(folders "")
  set(ids "")
  foreach(folder IN LISTS arg_FOLDERS)
    cmake_path(ABSOLUTE_PATH folder NORMALIZE)
    string(REGEX REPLACE "/$" "" folder "${folder}")
    list(APPEND folders ${folder})
    cmake_path(GET folder FILENAME id)
    if(id IN_LIST ids)
      message(FATAL_ERROR "gangway_add_studies: two of the folders are called ${id}, the second is ${folder}. A study's name "
                          "is its folder's: each needs its own")
    endif()
    list(APPEND ids ${id})
  endforeach()

  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    message(WARNING "There is no CMAKE_BUILD_TYPE: ${arg_TARGET}'s Kokkos side would be compiled without optimisation, and "
                    "be compared with an OpenACC side that is; give -DCMAKE_BUILD_TYPE=Release")
  endif()

  add_library(${arg_OBJECTS} OBJECT ${arg_SOURCES})
  target_link_libraries(${arg_OBJECTS} PUBLIC gangway::harness gangway_options ${arg_LIBRARIES} PRIVATE gangway_native)
  gangway_yardsticks(${arg_OBJECTS} "${folders}" yardsticks)
  foreach(folder IN LISTS folders)
    gangway_study_sources(${folder} "${yardsticks}" sources ${documented})
    target_sources(${arg_OBJECTS} PRIVATE ${sources})
    cmake_path(GET folder FILENAME id)
    if(NOT ${folder}/kokkos.cpp IN_LIST sources) # OpenACC's function stands in it, too
      set_source_files_properties(${folder}/${id}.cpp PROPERTIES COMPILE_OPTIONS -Wno-unknown-pragmas)
    endif()
  endforeach()

  add_executable(${arg_TARGET} ${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}_program.cpp)
  gangway_compiler_texts(compiler flags "${GANGWAY_HOST_FLAGS}")
  set(name ${arg_OUTPUT_NAME})
  configure_file(${GANGWAY_PROGRAM_SOURCE} ${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}_program.cpp @ONLY)
  set_target_properties(${arg_TARGET} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME})
  target_link_libraries(${arg_TARGET} PRIVATE ${arg_OBJECTS} gangway::referee)

  if(TARGET gangway::mpi) # of an installed Gangway: looked for beside the program, too
    add_custom_command(TARGET ${arg_TARGET} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:gangway::mpi> $<TARGET_FILE_DIR:${arg_TARGET}>)
  endif()

  if(GANGWAY_OPENACC)
    # Beside the program, and whoever asks for the program alone gets what it loads, too.
    set(beside ${CMAKE_CURRENT_BINARY_DIR})
    if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
      set(beside ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    endif()
    gangway_add_openacc_side(${arg_TARGET}_openacc ${arg_OUTPUT_NAME}_openacc ${beside} ${arg_OPENACC_FOLDER} "${folders}")
    add_dependencies(${arg_TARGET} ${arg_TARGET}_openacc)
  endif()
endfunction()

# The kinds of yardstick that this build can compile, of those that the studies in FOLDERS have, and what they need,
# linked to TARGET:
#   yardstick_openmp.cpp         host builds whose Kokkos has OpenMP
#   yardstick_blas.cpp           host builds, a BLAS was found
#   yardstick_std.cpp            host builds
#   yardstick_kokkos_kernels.cpp Kokkos Kernels was found
#   yardstick_cuda.cpp           CUDA builds
function(gangway_yardsticks target folders result)
  set(there "")
  foreach(folder IN LISTS folders)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/yardstick_*.cpp)
    list(APPEND there ${files})
  endforeach()
  set(kinds "")
  if(GANGWAY_DEVICE STREQUAL none)
    list(APPEND kinds std)
    if(Kokkos_ENABLE_OPENMP AND OpenMP_FOUND)
      list(APPEND kinds openmp)
      target_link_libraries(${target} PUBLIC OpenMP::OpenMP_CXX)
    endif()
    if(yardstick_blas.cpp IN_LIST there)
      find_package(BLAS)
      if(BLAS_FOUND)
        list(APPEND kinds blas)
        target_link_libraries(${target} PUBLIC BLAS::BLAS)
      endif()
    endif()
  endif()
  if(yardstick_kokkos_kernels.cpp IN_LIST there)
    find_package(KokkosKernels 4.6 CONFIG)
    if(KokkosKernels_FOUND)
      list(APPEND kinds kokkos_kernels)
      target_link_libraries(${target} PUBLIC Kokkos::kokkoskernels)
    endif()
  endif()
  if(GANGWAY_DEVICE STREQUAL cuda)
    list(APPEND kinds cuda)
    target_link_libraries(${target} PUBLIC CUDA::cudart CUDA::cusparse CUDA::cublas)
  endif()
  set(${result} "${kinds}" PARENT_SCOPE)
endfunction()
