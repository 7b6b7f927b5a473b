# Sets the compiler and linker flags of every target of this project. Must be included last.
# -ffp-contract=off: the same seed gives the same numbers on every machine.
set(flags -Wall -Wextra -ffp-contract=off)
set(link_flags "")
if(PROJECT_IS_TOP_LEVEL)  # otherwise the including project decides
  list(PREPEND flags $<$<CONFIG:Release>:-O2>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND flags -Wno-restrict)  # false warnings of GCC 12 about std::string
  if(PROJECT_IS_TOP_LEVEL)
    # GCC lets a unit grow by 40 % through inlined functions. With 10 %, the program is 0.22 MB
    # smaller, and long commands take 2 to 7 % more time.
    list(APPEND flags --param=inline-unit-growth=10)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND flags -Wno-psabi)  # notes on how GCC before 10 passed a pair of numbers
  endif()
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    # False warnings of GCC 11 about optional values, and warnings about omitted designated members.
    list(APPEND flags -Wno-maybe-uninitialized -Wno-missing-field-initializers)
  endif()
  if(RIDGEWATT_UNITY)  # no garbage collection in the compiler below 1 GB: 14 % less time
    list(APPEND flags "SHELL:--param ggc-min-heapsize=1000000")
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER AND RIDGEWATT_PCH)
    list(APPEND flags $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
if(RIDGEWATT_WERROR)
  list(APPEND flags -Werror)
endif()
if(RIDGEWATT_SANITIZE)
  list(APPEND flags -fsanitize=${RIDGEWATT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  list(APPEND link_flags -fsanitize=${RIDGEWATT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND RIDGEWATT_SANITIZE MATCHES address)
    list(APPEND flags -D__SANITIZE_ADDRESS__=1)  # GCC defines it itself
  endif()
elseif(NOT RIDGEWATT_FUZZ)
  # Removes functions that a program does not call, and merges identical functions. No code here
  # compares addresses of functions, as std::any does.
  list(APPEND flags -ffunction-sections -fdata-sections)
  list(APPEND link_flags -Wl,--gc-sections)
  if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING AND NOT RIDGEWATT_STATIC)
    include(CheckLinkerFlag)
    check_linker_flag(CXX "SHELL:-fuse-ld=gold -Wl,-O2 -Wl,--icf=all" RIDGEWATT_FOLDS_ALL)
    if(RIDGEWATT_FOLDS_ALL)
      list(APPEND link_flags -fuse-ld=gold -Wl,-O2 -Wl,--icf=all)  # -O2: strings share their ends
    endif()
  endif()
endif()

function(ridgewatt_flag_targets folder)
  get_directory_property(targets DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
      continue()
    endif()
    # Before the target's own flags, which take precedence.
    target_compile_options(${target} BEFORE PRIVATE ${flags})
    if(NOT type MATCHES "STATIC|OBJECT")
      target_link_options(${target} BEFORE PRIVATE ${link_flags})
    endif()
  endforeach()
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    ridgewatt_flag_targets(${below})
  endforeach()
endfunction()
ridgewatt_flag_targets(${PROJECT_SOURCE_DIR})
