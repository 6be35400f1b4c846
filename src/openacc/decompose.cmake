# GCC leaves a `kernels` region to one thread of one gang unless it is told --param=openacc-kernels=decompose (since
# GCC 12): then each loop of the region that is said or found to be independent becomes a parallel one, and what is
# between them a kernel of one thread. The mode has internal errors, which GCC's own tests list; a source that meets one
# is compiled without it.
set(decompose --param=openacc-kernels=decompose)

# gangway_decompose_sources(SOURCES TAKEN REFUSED): of SOURCES, sets TAKEN to those that have a `kernels` region and
# compile in the mode, and REFUSED to the studies of those that do not compile in it. Both are empty where the compiler
# does not know the mode.
function(gangway_decompose_sources sources taken refused)
  set(${taken} "" PARENT_SCOPE)
  set(${refused} "" PARENT_SCOPE)
  check_cxx_compiler_flag(${decompose} GANGWAY_OPENACC_HAVE_DECOMPOSE)
  if(NOT GANGWAY_OPENACC_HAVE_DECOMPOSE)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources}) # for they are read here

  set(with_kernels "")
  foreach(source IN LISTS sources)
    file(STRINGS ${source} found REGEX "^[ \t]*#[ \t]*pragma[ \t]+acc[ \t]+kernels" LIMIT_COUNT 1)
    if(found)
      list(APPEND with_kernels ${source})
    endif()
  endforeach()

  set(compiled "")
  set(names "")
  foreach(source IN LISTS with_kernels)
    gangway_decomposes(${source} decomposes)
    if(decomposes)
      list(APPEND compiled ${source})
    else()
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME name)
      list(APPEND names ${name})
      message(STATUS "OpenACC: ${name} meets an internal compiler error with ${decompose}, and is compiled without it")
    endif()
  endforeach()
  set(${taken} ${compiled} PARENT_SCOPE)
  set(${refused} ${names} PARENT_SCOPE)
endfunction()

# gangway_decomposes(SOURCE RESULT): whether GCC gets through SOURCE in the mode. Asked once for each content and flags,
# by compiling as the build will: some of GCC's errors come only with optimization. An error that is not the compiler's
# own is left for the build to show.
function(gangway_decomposes source result)
  file(SHA256 ${source} content)
  string(SHA256 question "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${flags_text} ${content}")
  set(answer GANGWAY_OPENACC_DECOMPOSES_${question})
  if(NOT DEFINED ${answer})
    list(TRANSFORM include_folders PREPEND -I OUTPUT_VARIABLE include_options)
    separate_arguments(options NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${include_options} ${options}
              ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} -fPIC ${flags} ${acc_flags} ${decompose}
              -o ${CMAKE_CURRENT_BINARY_DIR}/decomposes.o -c ${source}
      RESULT_VARIABLE status
      ERROR_VARIABLE output
      OUTPUT_QUIET)
    if(status EQUAL 0 OR NOT output MATCHES "internal compiler error")
      set(${answer} TRUE CACHE INTERNAL "")
    else()
      set(${answer} FALSE CACHE INTERNAL "")
    endif()
  endif()
  set(${result} ${${answer}} PARENT_SCOPE)
endfunction()
