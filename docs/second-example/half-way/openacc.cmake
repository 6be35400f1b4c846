# waves_openacc_part(NAME FLAG…): the part that is C still, as a shared library, by an OpenACC compiler with these flags.
# `main` is waves_main there, and `advance` is left to the program that loads the library. `original_advance` is the old
# one for the host, to verify the new one.
function(waves_openacc_part name)
  set(before ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../before)
  add_library(${name}_sea OBJECT ${before}/sea.c)
  target_compile_definitions(${name}_sea PRIVATE advance=advance_by_openacc)
  add_library(${name}_original OBJECT ${before}/sea.c)
  target_compile_definitions(${name}_original PRIVATE
    advance=original_advance create_sea=original_create_sea delete_sea=original_delete_sea totals=original_totals)
  add_library(${name} SHARED ${before}/main.c ${before}/halo.c ${before}/flux.c
    $<TARGET_OBJECTS:${name}_sea> $<TARGET_OBJECTS:${name}_original>)
  target_compile_definitions(${name} PRIVATE main=waves_main)
  set_target_properties(${name} ${name}_sea ${name}_original PROPERTIES
    C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_compile_options(${name}_sea PRIVATE ${ARGN})
  if(NOT "${ARGN}" MATCHES "nvptx|gpu") # it may be OpenACC's, too
    target_compile_options(${name}_original PRIVATE ${ARGN})
  endif()
  target_link_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE m)
endfunction()
