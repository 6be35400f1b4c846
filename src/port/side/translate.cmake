# gangway-port SOURCE into the folder OUTPUT, with OPTIONS. Fails where a directive is refused that these flags compile: what stands in
# branches for other compilers stays there, and exit status 2 says so of both.
cmake_path(GET SOURCE FILENAME name)
file(REMOVE ${OUTPUT}/${name}) # it never overwrites
execute_process(COMMAND ${PORT} ${SOURCE} ${OPTIONS} --output ${OUTPUT} --json - -- -I${INCLUDE}
                OUTPUT_VARIABLE report ERROR_VARIABLE errors RESULT_VARIABLE status)
if(status MATCHES "^[023]$")
  string(JSON refused ERROR_VARIABLE unread GET "${report}" counts refused)
endif()
if(NOT refused STREQUAL "0")
  file(REMOVE ${OUTPUT}/${name})
  message(FATAL_ERROR "${errors}${report}gangway-port ${SOURCE}: exit status ${status}")
endif()
