# demo.sh and the presets build the program alone; what is installed has libraries and headers, too. Without them the install would
# stop midway with the name of a file.
install(CODE "
  foreach(file \"$<TARGET_FILE:credo>\" \"$<TARGET_FILE:credo_c>\" \"$<TARGET_FILE:credo_cpp>\")
    if(NOT EXISTS \"\${file}\")
      message(FATAL_ERROR \"\${file} isn't built yet. Build everything first: cmake --build ${PROJECT_BINARY_DIR} --target all\")
    endif()
  endforeach()
")
