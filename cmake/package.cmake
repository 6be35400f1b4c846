# Install, and the package that find_package(gangway) finds: the library as gangway::gangway. The command comes
# with the OpenACC side in a folder of its own, where it looks for it.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gangway)
install(TARGETS gangway EXPORT gangway_targets FILE_SET HEADERS)
install(EXPORT gangway_targets NAMESPACE gangway:: FILE gangwayTargets.cmake DESTINATION ${package_folder})
set(GANGWAY_REFEREE_FILE "") # of the component `referee`, where it is installed
if(GANGWAY_STUDIES)
  set(GANGWAY_REFEREE_FILE gangwayReferee.cmake)
endif()
set(GANGWAY_FORTRAN_COMPILER "") # of the component `Fortran`, where it is installed: a module is its compiler's own
if(GANGWAY_HAVE_FORTRAN)
  string(REGEX MATCH "^[0-9]+" fortran_version "${CMAKE_Fortran_COMPILER_VERSION}")
  set(GANGWAY_FORTRAN_COMPILER "${CMAKE_Fortran_COMPILER_ID} ${fortran_version}")
  install(TARGETS gangway_fortran EXPORT gangway_fortran_targets)
  install(FILES ${PROJECT_SOURCE_DIR}/src/gangway/fortran/here.inc
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gangway/fortran)
  install(FILES ${PROJECT_BINARY_DIR}/src/gangway/fortran/modules/gangway.mod
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/gangway/fortran)
  install(EXPORT gangway_fortran_targets NAMESPACE gangway:: FILE gangwayFortranTargets.cmake
          DESTINATION ${package_folder})
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gangwayConfig.cmake.in
  ${PROJECT_BINARY_DIR}/gangwayConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gangwayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gangwayConfig.cmake ${PROJECT_BINARY_DIR}/gangwayConfigVersion.cmake
        DESTINATION ${package_folder})

# `module load gangway`, where MODULEPATH names share/modulefiles.
configure_file(${CMAKE_CURRENT_LIST_DIR}/module.lua.in ${PROJECT_BINARY_DIR}/module.lua @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/module.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/gangway
        RENAME ${PROJECT_VERSION}.lua)

# Would nvcc take a port? It looks for the Kokkos of this build where the user names no other.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/check-cuda/gangway-check-cuda DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/check-cuda/overlay DESTINATION ${CMAKE_INSTALL_DATADIR}/gangway/check-cuda)
install(FILES ${PROJECT_SOURCE_DIR}/tools/check-cuda/functions DESTINATION ${CMAKE_INSTALL_DATADIR}/gangway/check-cuda)
if(kokkos_is_found)
  get_target_property(kokkos_headers Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS kokkos_headers)
    if(EXISTS ${folder}/Kokkos_Core.hpp)
      file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/check-cuda/kokkos CONTENT "@folder@\n" @ONLY)
      install(FILES ${PROJECT_BINARY_DIR}/check-cuda/kokkos DESTINATION ${CMAKE_INSTALL_DATADIR}/gangway/check-cuda)
    endif()
  endforeach()
endif()

if(GANGWAY_ACC_TIME)
  install(TARGETS gangway-acc-time LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/acc-time/gangway-acc-time DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(GANGWAY_STUDIES)
  # The component `referee`: the command without its studies, what studies include, the project of the OpenACC side, and
  # the function that makes a program of them. Studies include the same as here ("harness/study.hpp"), from a folder of
  # their own, for these names are everybody's.
  set(referee_folder ${CMAKE_INSTALL_DATADIR}/gangway)
  set(referee_headers ${CMAKE_INSTALL_INCLUDEDIR}/gangway-referee)
  foreach(target IN ITEMS base ranks harness start across_ranks referee)
    set_target_properties(gangway_${target} PROPERTIES EXPORT_NAME ${target})
    set(headers "")
    if(target MATCHES "base|^ranks|harness")
      set(headers FILE_SET HEADERS DESTINATION ${referee_headers})
    endif()
    install(TARGETS gangway_${target} EXPORT gangway_referee_targets INCLUDES DESTINATION ${referee_headers} ${headers})
  endforeach()
  if(TARGET gangway_mpi) # which they load where a launcher started them
    set_target_properties(gangway_mpi PROPERTIES EXPORT_NAME mpi)
    install(TARGETS gangway_mpi EXPORT gangway_referee_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gangway)
  endif()
  install(EXPORT gangway_referee_targets NAMESPACE gangway:: FILE gangwayRefereeTargets.cmake
          DESTINATION ${package_folder})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/openacc DESTINATION ${referee_folder})
  install(FILES ${PROJECT_SOURCE_DIR}/src/harness/ceilings.cpp DESTINATION ${referee_folder}/harness)
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gangwayReferee.cmake.in
    ${PROJECT_BINARY_DIR}/gangwayReferee.cmake INSTALL_DESTINATION ${package_folder}
    PATH_VARS referee_folder referee_headers)
  install(FILES ${PROJECT_BINARY_DIR}/gangwayReferee.cmake
                ${CMAKE_CURRENT_LIST_DIR}/studies.cmake ${CMAKE_CURRENT_LIST_DIR}/study_sources.cmake
                ${CMAKE_CURRENT_LIST_DIR}/program.cpp.in ${CMAKE_CURRENT_LIST_DIR}/openacc.cmake
                ${CMAKE_CURRENT_LIST_DIR}/host_flags.cmake
          DESTINATION ${package_folder})

  # A Kokkos (or a gangway) that is a shared library is found where it was, or beside.
  file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(gangway_command PROPERTIES
    INSTALL_RPATH "$ORIGIN/${library_from_program}"
    INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS gangway_command)
  foreach(program IN ITEMS gangway-port gangway-port-fortran) # which the command runs, beside it
    if(TARGET ${program})
      install(TARGETS ${program})
    endif()
  endforeach()
  # What makes the page of --report.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/pages/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/gangway/report
    FILES_MATCHING PATTERN "make_report.py" PATTERN "make_scaling.py" PATTERN "scaling.*" PATTERN "results.py" PATTERN "drawing.py"
                   PATTERN "plots.py" PATTERN "page.*"
                   PATTERN "__pycache__" EXCLUDE)
  if(GANGWAY_OPENACC)
    install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libgangway_openacc.so
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/gangway)
    # What it links, and finds beside it.
    file(GLOB private_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/studies/*/openacc_private.cpp)
    foreach(source IN LISTS private_sources)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME study)
      install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libgangway_openacc_private_${study}.so
              DESTINATION ${CMAKE_INSTALL_LIBDIR}/gangway)
    endforeach()
    # Whether there is a second one is known when it is built.
    install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libgangway_openacc_decompose.so
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/gangway OPTIONAL)
  endif()
endif()
