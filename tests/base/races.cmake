# The host's own parallel loops with ThreadSanitizer, which cannot be had together with the address sanitizer: a program
# with objects of its own. GCC's OpenMP runtime tells the sanitizer nothing of its barriers, so that every loop would
# look like a race; LLVM's does, with the tool Archer, and runs what GCC has compiled too. Where it is not there, neither is
# this test. Kernels are left out: Kokkos' library is not instrumented, and what its threads do between two of a scan's
# passes looks like a race.
find_library(GANGWAY_LLVM_OPENMP omp PATHS /usr/lib/llvm-22/lib DOC "LLVM's OpenMP runtime, for races_test")
cmake_path(GET GANGWAY_LLVM_OPENMP PARENT_PATH beside)
find_library(GANGWAY_ARCHER archer PATHS ${beside} /usr/lib/llvm-22/lib DOC "Archer, for races_test")
if(NOT GANGWAY_LLVM_OPENMP OR NOT GANGWAY_ARCHER OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  message(STATUS "No GCC or Clang with LLVM's OpenMP runtime and Archer: the test of races is left out")
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/*.cpp ${PROJECT_SOURCE_DIR}/src/inputs/*.cpp)
list(FILTER sources EXCLUDE REGEX /places.cpp$) # has no loops, and is told where libraries are installed
add_executable(races_test base/races_test.cpp inputs/inputs_test.cpp ${sources})
target_include_directories(races_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(races_test PRIVATE -fopenmp -fsanitize=thread)
# Without -fopenmp, which would bring GCC's runtime.
target_link_options(races_test PRIVATE -fsanitize=thread)
target_link_libraries(races_test PRIVATE ${GANGWAY_LLVM_OPENMP} gangway_testing fmt::fmt ZLIB::ZLIB GTest::gtest_main)
# The two that are left out take most of the time, on one thread.
add_test(NAME races COMMAND races_test
  --gtest_filter=-MatrixMarket.SurvivesDamageAtEveryByte:MatrixMarket.ReadsAGzipStreamThatEndsWithABuffer)
set_tests_properties(races PROPERTIES LABELS races TIMEOUT 600 PROCESSORS 2
  ENVIRONMENT "OMP_NUM_THREADS=4;OMP_WAIT_POLICY=passive;OMP_TOOL_LIBRARIES=${GANGWAY_ARCHER};TSAN_OPTIONS=ignore_noninstrumented_modules=1")
