include(CMakePackageConfigHelpers)
get_target_property(ridgewatt_public ridgewatt::ridgewatt ALIASED_TARGET)
install(TARGETS ${ridgewatt_public} EXPORT ridgewatt ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ridgewatt)
  install(TARGETS ridgewatt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(companion ridgewatt_serve ridgewatt_lab)  # for `ridgewatt serve` and `evaluate`
  if(TARGET ${companion})
    install(TARGETS ${companion} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ridgewatt)
  endif()
endforeach()
# Manual pages and completions, which the program itself writes. Cross-compiling needs an emulator.
if(CMAKE_CROSSCOMPILING AND CMAKE_CROSSCOMPILING_EMULATOR)
  list(GET CMAKE_CROSSCOMPILING_EMULATOR 0 emulator)
  find_program(RIDGEWATT_EMULATOR ${emulator})
endif()
if(TARGET ridgewatt AND (NOT CMAKE_CROSSCOMPILING OR RIDGEWATT_EMULATOR))
  set(shell ${CMAKE_CURRENT_BINARY_DIR}/shell)
  add_custom_command(OUTPUT ${shell}/_ridgewatt
    COMMAND ridgewatt man --quiet -o ${shell}/man1
    COMMAND ridgewatt_lab man evaluate -o ${shell}/man1
    COMMAND ridgewatt completion bash > ${shell}/ridgewatt
    COMMAND ridgewatt completion fish > ${shell}/ridgewatt.fish
    COMMAND ridgewatt completion zsh > ${shell}/_ridgewatt
    DEPENDS ridgewatt ridgewatt_lab VERBATIM)
  add_custom_target(ridgewatt_shell ALL DEPENDS ${shell}/_ridgewatt)
  install(DIRECTORY ${shell}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${shell}/ridgewatt DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${shell}/ridgewatt.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${shell}/_ridgewatt DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
# The public headers, and the C headers for programs that are measured or scheduled.
foreach(header IN LISTS RIDGEWATT_PUBLIC_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
file(GLOB c_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
install(FILES ${c_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ridgewatt NAMESPACE ridgewatt:: FILE ridgewattTargets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgewatt)
configure_package_config_file(cmake/ridgewattConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/ridgewattConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgewatt)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ridgewattConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ridgewattConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/ridgewattConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgewatt)
# The prefix in ridgewatt.pc is relative, so that the installed tree can be moved.
if(RIDGEWATT_SHARED)
  set(RIDGEWATT_PC_REQUIRES "")
  set(RIDGEWATT_PC_LIBS "")
else()
  set(RIDGEWATT_PC_REQUIRES "protobuf-lite fmt sqlite3 zlib")
  set(RIDGEWATT_PC_LIBS "-pthread -ldl")
endif()
file(RELATIVE_PATH RIDGEWATT_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/ridgewatt.pc.in ridgewatt.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ridgewatt.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(RIDGEWATT_TESTS)
  add_test(NAME install COMMAND ${PROJECT_SOURCE_DIR}/tools/install_test.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(install PROPERTIES TIMEOUT 600 LABELS slow COST 100 PROCESSORS ${RIDGEWATT_COMPUTES})
endif()
