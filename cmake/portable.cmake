# RIDGEWATT_STATIC: the program with everything inside, C library included, so that it starts on systems
# older than the one that it is built on (docs/guide/old_boards.md). It opens no libraries while it runs.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Protobuf_USE_STATIC_LIBS ON)
set(RIDGEWATT_FMT fmt::fmt-header-only)  # Debian has no static library of fmt
add_compile_definitions(RIDGEWATT_STATIC)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static>)
