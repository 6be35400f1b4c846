# gangway_options: how this project's own C++ is compiled. Not exported.
add_library(gangway_options INTERFACE)
target_include_directories(gangway_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

# gangway_in_batches(TARGET): its sources that have the same name in different folders, kokkos.cpp above all, are
# compiled six at a time where GANGWAY_BATCHES says so. Most of the time of each goes into Kokkos' headers. What
# has a folder's own name counts as one kind. Each study has a namespace, so that nothing of theirs can meet.
function(gangway_in_batches target)
  if(NOT GANGWAY_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM kind)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(kind STREQUAL folder)
      set(kind study)
    endif()
    if(NOT DEFINED count_${kind})
      set(count_${kind} 0)
    endif()
    math(EXPR batch "${count_${kind}} / 6")
    math(EXPR count_${kind} "${count_${kind}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# nvcc, and nvcc_wrapper which passes for its host compiler, spell warnings their own way.
if(GANGWAY_DEVICE STREQUAL cuda)
  set(warnings -Wall -Wextra)
  # fmt 9 takes nvcc for a compiler without constexpr, and then trips over its own consteval.
  target_compile_definitions(gangway_options INTERFACE FMT_USE_CONSTEXPR=1 FMT_CONSTEVAL=)
else()
  set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
endif()
if(PROJECT_IS_TOP_LEVEL) # a project that embeds this one has its own
  target_compile_options(gangway_options INTERFACE ${warnings})
endif()
if(GANGWAY_WERROR)
  target_compile_options(gangway_options INTERFACE -Werror)
endif()

set(GANGWAY_HOST_FLAGS "")
if(GANGWAY_NATIVE AND GANGWAY_DEVICE STREQUAL none)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native GANGWAY_HAVE_MARCH_NATIVE)
  if(GANGWAY_HAVE_MARCH_NATIVE)
    set(GANGWAY_HOST_FLAGS -march=native)
  endif()
endif()
target_compile_options(gangway_options INTERFACE ${GANGWAY_HOST_FLAGS})

if(GANGWAY_SANITIZE)
  # GCC sees maybe-uninitialized memory in sanitized code where there is none, in std::regex first.
  target_compile_options(gangway_options INTERFACE -fsanitize=${GANGWAY_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all
                         -Wno-maybe-uninitialized)
  target_link_options(gangway_options INTERFACE -fsanitize=${GANGWAY_SANITIZE})
endif()
if(GANGWAY_COVERAGE)
  target_compile_options(gangway_options INTERFACE --coverage)
  target_link_options(gangway_options INTERFACE --coverage)
endif()
