# gangway_options: how this project's own C++ is compiled. Not exported.
add_library(gangway_options INTERFACE)
target_include_directories(gangway_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

# gangway_headers(TARGET ROOM…): the headers of those folders of src are TARGET's, installed with it; each stands alone
# (ninja all_verify_interface_header_sets).
function(gangway_headers target)
  foreach(room IN LISTS ARGN)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.hpp)
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
  endforeach()
endfunction()

# gangway_study_batches(TARGET): where CMAKE_UNITY_BUILD says so, its sources are compiled up to thirteen at a time, those
# that have the same name in different folders together, kokkos.cpp above all, and what has a name of its own in
# others. A folder's own name counts as one kind. Each study has a namespace, so that nothing of theirs can meet.
function(gangway_study_batches target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  # Backwards, for Kokkos_Graph.hpp (5.2) does not compile after Kokkos_ScatterView.hpp, and the studies that
  # include them are jacobi and histogram.
  get_target_property(sources ${target} SOURCES)
  list(REVERSE sources)
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  set(kinds "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM kind)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(kind STREQUAL folder)
      set(kind study)
    endif()
    list(APPEND kinds ${kind})
    list(APPEND sources_${kind} ${source})
  endforeach()
  list(REMOVE_DUPLICATES kinds)
  set(others "")
  foreach(kind IN LISTS kinds)
    list(LENGTH sources_${kind} length)
    if(length EQUAL 1)
      list(APPEND others ${sources_${kind}})
      continue()
    endif()
    set(count 0)
    foreach(source IN LISTS sources_${kind})
      math(EXPR batch "${count} / 13")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${batch})
    endforeach()
  endforeach()
  set_source_files_properties(${others} PROPERTIES UNITY_GROUP others)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# nvcc, and nvcc_wrapper which passes for its host compiler, spell warnings their own way.
if(GANGWAY_DEVICE STREQUAL cuda)
  set(warnings -Wall -Wextra)
  # fmt 9 takes nvcc for a compiler without constexpr, and then trips over its own consteval.
  target_compile_definitions(gangway_options INTERFACE FMT_USE_CONSTEXPR=1 FMT_CONSTEVAL=)
else()
  set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_UNITY_BUILD)
    list(APPEND warnings -Wshadow) # in a batch it means names of another source, too
  elseif(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # 8.0 * n: GCC's -Wconversion leaves it to -Warith-conversion. And where `omp simd` stays without vectors, which is no
    # fault, least of all under the sanitizers.
    list(APPEND warnings -Wno-implicit-int-float-conversion -Wno-pass-failed)
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL) # a project that embeds this one has its own
  target_compile_options(gangway_options INTERFACE "$<$<NOT:$<COMPILE_LANGUAGE:Fortran>>:${warnings}>")
endif()
if(GANGWAY_WERROR)
  target_compile_options(gangway_options INTERFACE -Werror)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/host_flags.cmake)

if(GANGWAY_SANITIZE)
  set(sanitizing -fsanitize=${GANGWAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # It sees maybe-uninitialized memory in sanitized code where there is none, in std::regex first.
    list(APPEND sanitizing -Wno-maybe-uninitialized)
  endif()
  # gfortran's own code for an absent argument loads from a null pointer.
  target_compile_options(gangway_options INTERFACE "$<$<NOT:$<COMPILE_LANGUAGE:Fortran>>:${sanitizing}>")
  target_link_options(gangway_options INTERFACE -fsanitize=${GANGWAY_SANITIZE})
endif()
if(GANGWAY_COVERAGE)
  target_compile_options(gangway_options INTERFACE --coverage)
  target_link_options(gangway_options INTERFACE --coverage)
endif()
