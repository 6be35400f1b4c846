# channel_programs(NAME FLAG…): the program after its port, NAME_after. With flags, the Fortran compiler's for OpenACC, also
# the ones before and half-way. Each program has modules of the same names, and so a folder of its own for them.
function(channel_programs name)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  add_executable(${name}_after
    ${here}/after/tracer.F90 ${here}/after/advance.F90 ${here}/after/advance.cpp ${here}/after/channel.F90
    ${here}/after/channel.cpp ${here}/after/main.F90)
  target_link_libraries(${name}_after PRIVATE gangway::fortran)
  set(states after)
  if(ARGN)
    add_executable(${name}_before
      ${here}/before/tracer.F90 ${here}/before/advance.F90 ${here}/before/channel.F90 ${here}/before/main.F90)
    add_executable(${name}_half_way
      ${here}/before/tracer.F90 ${here}/after/advance.F90 ${here}/after/advance.cpp ${here}/before/channel.F90
      ${here}/half-way/main.F90 ${here}/half-way/share.cpp)
    target_link_libraries(${name}_half_way PRIVATE gangway::fortran)
    foreach(state IN ITEMS before half_way)
      target_compile_options(${name}_${state} PRIVATE "$<$<COMPILE_LANGUAGE:Fortran>:${ARGN}>")
      target_link_options(${name}_${state} PRIVATE ${ARGN})
    endforeach()
    list(APPEND states before half_way)
  endif()
  foreach(state IN LISTS states)
    set_target_properties(${name}_${state} PROPERTIES
      Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}_${state}_modules)
    # No compiler contracts products and sums, so that the three agree in every bit.
    target_compile_options(${name}_${state} PRIVATE -ffp-contract=off)
  endforeach()
endfunction()
