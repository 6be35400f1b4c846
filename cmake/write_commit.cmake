# Writes HEADER with the commit SOURCE is at, "+changes" if its files differ from it. A source tree without
# its history, such as an export, can name its commit in the environment variable GANGWAY_COMMIT.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=+changes --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "$ENV{GANGWAY_COMMIT}")
endif()
if(NOT commit)
  set(commit "(no commit)")
endif()
set(text "#define GANGWAY_COMMIT \"${commit}\"\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${HEADER} "${text}")
endif()
