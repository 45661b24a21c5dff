# Man pages and completion, made by the program itself and put where Debian's man, bash, zsh and fish look for them.
include(GNUInstallDirs)
set(CREDO_PAGES ${PROJECT_BINARY_DIR}/pages)
install(CODE "
  file(MAKE_DIRECTORY \"${CREDO_PAGES}/man1\")
  execute_process(COMMAND \"$<TARGET_FILE:credo>\" man --output \"${CREDO_PAGES}/man1\" COMMAND_ERROR_IS_FATAL ANY)
  foreach(script credo:bash _credo:zsh credo.fish:fish)
    string(REGEX MATCH \"^(.*):(.*)$\" found \"\${script}\")
    execute_process(COMMAND \"$<TARGET_FILE:credo>\" completion \"\${CMAKE_MATCH_2}\"
                    OUTPUT_FILE \"${CREDO_PAGES}/\${CMAKE_MATCH_1}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
" COMPONENT pages)
install(DIRECTORY ${CREDO_PAGES}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT pages)
install(FILES ${CREDO_PAGES}/credo DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT pages)
install(FILES ${CREDO_PAGES}/_credo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT pages)
install(FILES ${CREDO_PAGES}/credo.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT pages)
