# RIDGEWATT_STATIC: links the program statically, including the C library, so that it runs on
# systems older than the build system (docs/guide/packages.md). It loads no libraries at run time.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Protobuf_USE_STATIC_LIBS ON)
set(RIDGEWATT_FMT fmt::fmt-header-only)  # Debian has no static library of fmt
add_compile_definitions(RIDGEWATT_STATIC)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static>)
