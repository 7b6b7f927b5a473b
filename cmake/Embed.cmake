# ridgewatt_embed(TARGET NAME [PACKED] FILE...) adds to TARGET a generated source that defines
#   std::span<const ridgewatt::EmbeddedFile> ridgewatt::embedded::NAME()
# The result contains the bytes of the files, by base name; with PACKED, in gzip format. The
# assembler of the target includes the files (.incbin), so that large files cost no compile time and
# cross-compiling works.
function(ridgewatt_embed target name)
  cmake_parse_arguments(PARSE_ARGV 2 embed "PACKED" "" "")
  set(files ${embed_UNPARSED_ARGUMENTS})
  set(inputs ${files})
  set(blobs "")
  set(declarations "")
  set(entries "")
  set(index 0)
  foreach(file IN LISTS files)
    get_filename_component(base ${file} NAME)
    if(embed_PACKED)
      set(packed ${CMAKE_CURRENT_BINARY_DIR}/packed/${base}.gz)
      list(APPEND pack COMMAND gzip -9nc ${file} > ${packed})
      list(APPEND all_packed ${packed})
      set(file ${packed})
    endif()
    set(symbol "ridgewatt_embedded_${name}_${index}")
    # Escaped twice, for the assembler and for C++.
    string(REPLACE "\\" "\\\\\\\\" quoted "${file}")
    string(REPLACE "\"" "\\\\\\\"" quoted "${quoted}")
    string(APPEND blobs
      "    \".global ${symbol}, ${symbol}_end\\n\"\n"
      "    \".hidden ${symbol}, ${symbol}_end\\n\"\n"
      "    \"${symbol}:\\n\"\n"
      "    \".incbin \\\"${quoted}\\\"\\n\"\n"
      "    \"${symbol}_end:\\n\"\n"
      "    \".byte 0\\n\"\n")
    string(APPEND declarations
      "[[gnu::visibility(\"hidden\")]] extern const char ${symbol}[];\n"
      "[[gnu::visibility(\"hidden\")]] extern const char ${symbol}_end[];\n")
    string(APPEND entries "      {\"${base}\", {${symbol}, ${symbol}_end}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  if(embed_PACKED AND files)
    add_custom_command(OUTPUT ${all_packed} COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/packed
                       ${pack} DEPENDS ${inputs} VERBATIM)
    target_sources(${target} PRIVATE ${all_packed})
    set(inputs ${all_packed})
  endif()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cc)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [=[
#include "ridgewatt/io/embedded.h"

__asm__(
    ".section .rodata\n"
@blobs@    ".text\n");

extern "C" {
@declarations@}

namespace ridgewatt::embedded {

std::span<const EmbeddedFile> @name@() {
  static const EmbeddedFile files[] = {
@entries@  };
  return files;
}

}  // namespace ridgewatt::embedded
]=])
  set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS "${inputs}"
                              SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${generated})
endfunction()
