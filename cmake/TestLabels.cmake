# Every test has one label: `browser` (shows a page in Chromium), `board` (sets and measures a fake
# board in real time), `waits` (a slow test that uses the processor for less than a third of its
# time), `slow` (more than a quarter of a second), or `fast`. A label other than `fast` is declared in
# the line before the test:
#   // label: slow
#   TEST(Hostile, InputsThatAreNotSound) {
# The fast tests of a test suite are one test of CTest (cli.TuneCommand), because starting a process
# for each of them takes half of the time. The other tests are a test of CTest each.
include(GoogleTest)
set(RIDGEWATT_LABELS browser board waits slow CACHE INTERNAL "")
# ./dev runs slow and browser tests with five jobs per processor. A test that computes counts as
# three jobs, and a test that mostly waits counts as one. Two processors thus run three tests that
# compute and one that waits, or many that wait.
set(RIDGEWATT_COMPUTES 3 CACHE INTERNAL "")

# Sets FILTER_browser .. to GoogleTest filters for the tests in SOURCES with that label, and SUITES to
# the test suites with fast tests.
function(ridgewatt_read_labels sources)
  set(suites "")
  foreach(source IN LISTS sources)
    file(READ ${source} text)
    set(name "[A-Za-z0-9_]+")
    string(REGEX MATCHALL "// label:[^\n]*|\nTEST[_FP]*\\(${name}, ${name}\\)|\nTEST[_FP]*\\(" lines "${text}")
    set(label "")
    foreach(line IN LISTS lines)
      string(STRIP "${line}" line)
      if(line MATCHES "^// label: ([a-z]+)$" AND "${label}" STREQUAL "" AND CMAKE_MATCH_1 IN_LIST RIDGEWATT_LABELS)
        set(label ${CMAKE_MATCH_1})
      elseif(line MATCHES "^TEST(_[FP])?\\((${name}), (${name})\\)$")
        set(suite ${CMAKE_MATCH_2})
        set(test ${suite}.${CMAKE_MATCH_3})
        if(line MATCHES "^TEST_P")
          set(test "*/${test}/*")
        endif()
        if(label)
          string(APPEND FILTER_${label} ":${test}")
        else()
          list(APPEND suites ${suite})
        endif()
        set(label "")
      else()
        message(FATAL_ERROR "${source}: '${line}': a line '// label: slow' (or board, browser) stands before a "
                            "test, and the names of a test are in one line")
      endif()
    endforeach()
    if(label)
      message(FATAL_ERROR "${source}: no test follows the last '// label: ${label}'")
    endif()
  endforeach()
  foreach(label IN LISTS RIDGEWATT_LABELS)
    string(REGEX REPLACE "^:" "" FILTER_${label} "${FILTER_${label}}")
    set(FILTER_${label} "${FILTER_${label}}" PARENT_SCOPE)
  endforeach()
  list(REMOVE_DUPLICATES suites)
  set(SUITES ${suites} PARENT_SCOPE)
endfunction()

# Sets LABEL to the label of a script: a line `# label: slow` or `// label: slow`, otherwise fast.
function(ridgewatt_label_of script)
  file(READ ${script} text)
  set(LABEL fast PARENT_SCOPE)
  if(text MATCHES "\n(#|//) label: ([a-z]+)\n")
    if(NOT CMAKE_MATCH_2 IN_LIST RIDGEWATT_LABELS)
      message(FATAL_ERROR "${script}: no such label: ${CMAKE_MATCH_2}")
    endif()
    set(LABEL ${CMAKE_MATCH_2} PARENT_SCOPE)
  endif()
endfunction()

function(ridgewatt_discover_tests module sources)
  if(RIDGEWATT_TEST_PARTS)
    foreach(part RANGE 1 ${RIDGEWATT_TEST_PARTS})
      math(EXPR index "${part} - 1")
      add_test(NAME ${module}.part${part} COMMAND ${module}_test --gtest_brief=1)
      set_tests_properties(${module}.part${part} PROPERTIES TIMEOUT 600 LABELS slow PROCESSORS ${RIDGEWATT_COMPUTES}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${RIDGEWATT_TEST_PARTS};GTEST_SHARD_INDEX=${index}")
    endforeach()
    return()
  endif()
  ridgewatt_read_labels("${sources}")
  set(rest "")
  foreach(label IN LISTS RIDGEWATT_LABELS)
    set(processors ${RIDGEWATT_COMPUTES})
    if(label MATCHES "^(board|waits)$")
      set(processors 1)
    endif()
    if(FILTER_${label})
      gtest_discover_tests(${module}_test TEST_FILTER "${FILTER_${label}}" DISCOVERY_TIMEOUT 60
                           TEST_LIST ${module}_${label}_tests
                           PROPERTIES TIMEOUT 600 LABELS ${label} COST 10  # before fast tests
                           PROCESSORS ${processors})
      string(APPEND rest ":${FILTER_${label}}")
    endif()
  endforeach()
  foreach(suite IN LISTS SUITES)
    string(REGEX MATCHALL ":(\\*/)?${suite}\\.[^:]*" others "${rest}")
    list(JOIN others "" others)
    add_test(NAME ${module}.${suite} COMMAND ${module}_test --gtest_filter=${suite}.*:*/${suite}.*-${others})
    set_tests_properties(${module}.${suite} PROPERTIES TIMEOUT 600 LABELS fast)
  endforeach()
endfunction()
