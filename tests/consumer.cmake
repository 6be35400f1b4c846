# The package, as those who link it meet it: installed into the build directory, found and linked by a small
# project, and the command run from where it was installed.
set(place ${PROJECT_BINARY_DIR}/consumer)
set(flags ${CMAKE_CXX_FLAGS})
if(GANGWAY_SANITIZE)
  string(APPEND flags " -fsanitize=${GANGWAY_SANITIZE}")
endif()
if(GANGWAY_COVERAGE)
  string(APPEND flags " --coverage")
endif()

add_test(NAME package/install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${place}/installed)
add_test(NAME package/consumer
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${place}/build
    --build-generator ${CMAKE_GENERATOR}
    --build-options -Dgangway_DIR=${place}/installed/${CMAKE_INSTALL_LIBDIR}/cmake/gangway
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS=${flags}"
      -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
    --test-command ${place}/build/consumer)
set_tests_properties(package/install PROPERTIES FIXTURES_SETUP installed)
set_tests_properties(package/consumer PROPERTIES
  FIXTURES_REQUIRED installed PASS_REGULAR_EXPRESSION "3500 elements are right")
set(tests package/install package/consumer)
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
endif()
set_tests_properties(${tests} PROPERTIES
  LABELS package TIMEOUT 600 ENVIRONMENT "${GANGWAY_TEST_ENVIRONMENT}")
