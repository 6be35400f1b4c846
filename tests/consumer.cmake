# The library, as those who link it meet it: installed into the build directory, found and linked by a small project,
# and the command run from where it was installed; and embedded in another project's build, with add_subdirectory.
set(place ${PROJECT_BINARY_DIR}/consumer)
set(flags ${CMAKE_CXX_FLAGS})
if(GANGWAY_SANITIZE)
  string(APPEND flags " -fsanitize=${GANGWAY_SANITIZE}")
endif()
if(GANGWAY_COVERAGE)
  string(APPEND flags " --coverage")
endif()

set(fortran_flags ${CMAKE_Fortran_FLAGS})

# gangway_consumer_test(NAME OPTIONS…): configures, builds and runs the project in the folder NAME.
function(gangway_consumer_test name)
  add_test(NAME package/${name}
    COMMAND ${CMAKE_CTEST_COMMAND}
      --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${place}/${name}
      --build-generator ${CMAKE_GENERATOR}
      --build-options ${ARGN} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${flags}"
        -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
      --test-command ${place}/${name}/consumer)
  set_tests_properties(package/${name} PROPERTIES PASS_REGULAR_EXPRESSION "3500 elements are right")
endfunction()

gangway_consumer_test(embedded -DGANGWAY_SOURCE=${PROJECT_SOURCE_DIR} -DKokkos_DIR=${Kokkos_DIR})
set_tests_properties(package/embedded PROPERTIES FIXTURES_SETUP embedded)
add_test(NAME package/embedded_install
  COMMAND ${CMAKE_COMMAND} --install ${place}/embedded --prefix ${place}/installed_by_embedded)
set_tests_properties(package/embedded_install PROPERTIES
  FIXTURES_REQUIRED embedded FAIL_REGULAR_EXPRESSION "Installing:;Up-to-date:")
set(tests package/embedded package/embedded_install)

if(GANGWAY_INSTALL)
  # What an older build installed there would hide what this one does not.
  add_test(NAME package/emptied COMMAND ${CMAKE_COMMAND} -E rm -rf ${place}/installed)
  set_tests_properties(package/emptied PROPERTIES FIXTURES_SETUP emptied)
  add_test(NAME package/install
    COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${place}/installed)
  set_tests_properties(package/install PROPERTIES FIXTURES_REQUIRED emptied FIXTURES_SETUP installed)
  # With other flags than the library's: without optimisation, and for this machine's processor.
  string(JOIN " " flags ${flags} ${GANGWAY_HOST_FLAGS})
  gangway_consumer_test(consumer -Dgangway_DIR=${place}/installed/${CMAKE_INSTALL_LIBDIR}/cmake/gangway
    -DCMAKE_BUILD_TYPE=Debug)
  set_tests_properties(package/consumer PROPERTIES FIXTURES_REQUIRED installed)
  list(APPEND tests package/emptied package/install package/consumer)
  if(GANGWAY_HAVE_FORTRAN AND GANGWAY_DEVICE STREQUAL none)
    gangway_consumer_test(fortran_consumer -Dgangway_DIR=${place}/installed/${CMAKE_INSTALL_LIBDIR}/cmake/gangway
      -DCMAKE_Fortran_COMPILER=${CMAKE_Fortran_COMPILER} "-DCMAKE_Fortran_FLAGS=${fortran_flags}")
    add_test(NAME package/fortran_example
      COMMAND ${CMAKE_CTEST_COMMAND}
        --build-and-test ${PROJECT_SOURCE_DIR}/docs/fortran-example ${place}/fortran_example
        --build-generator ${CMAKE_GENERATOR}
        --build-options -Dgangway_DIR=${place}/installed/${CMAKE_INSTALL_LIBDIR}/cmake/gangway
          -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${flags}"
          -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
          -DCMAKE_Fortran_COMPILER=${CMAKE_Fortran_COMPILER} "-DCMAKE_Fortran_FLAGS=${fortran_flags}"
          $<IF:$<TARGET_EXISTS:channel_before>,-DCHANNEL_OPENACC=-fopenacc$<SEMICOLON>-foffload=disable,-DCHANNEL_OPENACC=>
        --test-command ${place}/fortran_example/channel_after 13 9 14 20 20 ${place}/fortran_example/planes)
    set_tests_properties(package/fortran_example PROPERTIES PASS_REGULAR_EXPRESSION "20 1115 +9.760")
    add_test(NAME package/fortran_without
      COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${CMAKE_CURRENT_SOURCE_DIR}/fortran_consumer/without
        -B ${place}/fortran_without -Dgangway_DIR=${place}/installed/${CMAKE_INSTALL_LIBDIR}/cmake/gangway
        -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
    set_tests_properties(package/fortran_without PROPERTIES PASS_REGULAR_EXPRESSION "the project has no Fortran")
    set_tests_properties(package/fortran_consumer package/fortran_example package/fortran_without PROPERTIES
      FIXTURES_REQUIRED installed)
    list(APPEND tests package/fortran_consumer package/fortran_example package/fortran_without)
  endif()
  # Also where there is no nvcc.
  add_test(NAME package/check_cuda
    COMMAND ${place}/installed/${CMAKE_INSTALL_BINDIR}/gangway-check-cuda --help)
  set_tests_properties(package/check_cuda PROPERTIES
    FIXTURES_REQUIRED installed PASS_REGULAR_EXPRESSION "It cannot see")
  list(APPEND tests package/check_cuda)
  if(GANGWAY_ACC_TIME AND Python3_FOUND)
    add_test(NAME package/acc_time
      COMMAND Python3::Interpreter -B ${place}/installed/${CMAKE_INSTALL_BINDIR}/gangway-acc-time library)
    set_tests_properties(package/acc_time PROPERTIES
      FIXTURES_REQUIRED installed PASS_REGULAR_EXPRESSION "consumer/installed/.*/libgangway-acc-time.so")
    list(APPEND tests package/acc_time)
  endif()
  if(GANGWAY_STUDIES)
    add_test(NAME package/command COMMAND ${place}/installed/${CMAKE_INSTALL_BINDIR}/gangway info)
    set_tests_properties(package/command PROPERTIES FIXTURES_REQUIRED installed)
    if(GANGWAY_OPENACC)
      # It finds the OpenACC side where that was installed.
      set_tests_properties(package/command PROPERTIES PASS_REGULAR_EXPRESSION "openacc compiler ")
    else()
      set_tests_properties(package/command PROPERTIES
        PASS_REGULAR_EXPRESSION "${CMAKE_INSTALL_BINDIR}/libgangway_openacc.so.*exit status will be 2")
    endif()
    list(APPEND tests package/command)
    if(GANGWAY_OPENACC AND GANGWAY_OPENACC_DECOMPOSE AND NOT openacc_compiler MATCHES "nvc")
      # GCC's other mode is beside it.
      add_test(NAME package/decompose COMMAND ${place}/installed/${CMAKE_INSTALL_BINDIR}/gangway info
        --openacc-library ${place}/installed/${CMAKE_INSTALL_LIBDIR}/gangway/libgangway_openacc_decompose.so)
      set_tests_properties(package/decompose PROPERTIES
        FIXTURES_REQUIRED installed PASS_REGULAR_EXPRESSION "openacc-kernels=decompose")
      list(APPEND tests package/decompose)
    endif()
  endif()
endif()
# Programs of studies of one's own; they take a minute, and need nothing of a sanitizer.
if(GANGWAY_INSTALL AND GANGWAY_STUDIES AND GANGWAY_DEVICE STREQUAL none AND NOT GANGWAY_SANITIZE AND Python3_FOUND)
  gangway_python_tests(package own_study/own_study_test.py OwnStudy
    ENVIRONMENT "INSTALLED=${place}/installed" "PLACE=${place}" "CMAKE=${CMAKE_COMMAND}"
      "GENERATOR=${CMAKE_GENERATOR}" "OPENACC=$<IF:$<BOOL:${GANGWAY_OPENACC}>,ON,OFF>"
      "CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "CMAKE_CXX_FLAGS=${flags}"
      "CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}"
      "GANGWAY_OPENACC_COMPILER=${openacc_compiler}" "GANGWAY_OPENACC_TARGET=${GANGWAY_OPENACC_TARGET}")
  set_tests_properties(package/Portable package/Template package/Example package/SecondExample package/Wrong PROPERTIES FIXTURES_REQUIRED installed)
endif()
set_tests_properties(${tests} PROPERTIES
  LABELS package TIMEOUT 600 ENVIRONMENT "${GANGWAY_TEST_ENVIRONMENT}")
