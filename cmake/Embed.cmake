# ridgewatt_embed(OUT_VAR NAME FILE...) turns files into one generated C++ source that defines
#   std::span<const ridgewatt::EmbeddedFile> ridgewatt::embedded::NAME()
# and stores the source's path in OUT_VAR. Files are embedded by base name, byte for byte.
set(RIDGEWATT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_file.cmake)
function(ridgewatt_embed out_var name)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cc)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} -DNAME=${name} "-DFILES=${ARGN}"
            -P ${RIDGEWATT_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${RIDGEWATT_EMBED_SCRIPT}
    COMMENT "Embedding ${name}" VERBATIM)
  set(${out_var} ${generated} PARENT_SCOPE)
endfunction()
