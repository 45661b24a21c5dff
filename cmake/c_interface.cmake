# The C interface: src/capi as the shared library libcredo_c, which shows the functions of include/credo/bridgestan.h only.
add_library(credo_c SHARED $<TARGET_OBJECTS:credo_capi>)
target_link_libraries(credo_c PRIVATE credo_model)
target_include_directories(credo_c INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
# --as-needed: files of draws (NetCDF, SQLite) are a part of a layer below that isn't used here.
target_link_options(credo_c PRIVATE
  -Wl,--as-needed -Wl,-Bsymbolic -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/c_interface.map)
set_target_properties(credo_c PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/c_interface.map)
install(TARGETS credo_c LIBRARY)
install(FILES include/credo/bridgestan.h DESTINATION include/credo)

if(CREDO_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(test_c_interface tests/capi/c_interface.c)
  set_target_properties(test_c_interface PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(test_c_interface PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
  target_link_libraries(test_c_interface PRIVATE credo_c m Threads::Threads)
  set(once "")
  if(CREDO_SANITIZE)
    target_link_options(test_c_interface PRIVATE -fsanitize=${CREDO_SANITIZE})
    set_target_properties(test_c_interface PROPERTIES LINKER_LANGUAGE CXX)  # the run-time library for C++ code
    # Without the growth of memory: sanitizers look for leaks themselves, and keep what is freed for a while.
    set(once --once)
  endif()
  add_test(NAME c_interface COMMAND test_c_interface ${once})
  set_tests_properties(c_interface PROPERTIES TIMEOUT 300)
  if(NOT CREDO_SANITIZE)  # Python doesn't have the sanitizers' run-time library
    add_test(NAME c_interface_python
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/capi/c_interface.py
        --library $<TARGET_FILE:credo_c> --credo $<TARGET_FILE:credo> --cc ${CMAKE_C_COMPILER})
    set_tests_properties(c_interface_python PROPERTIES TIMEOUT 300)
  endif()
  find_program(CREDO_RSCRIPT Rscript)
  if(CREDO_RSCRIPT AND NOT CREDO_SANITIZE)
    add_test(NAME c_interface_r
      COMMAND ${CREDO_RSCRIPT} ${PROJECT_SOURCE_DIR}/tests/capi/c_interface.R $<TARGET_FILE:credo_c>)
    set_tests_properties(c_interface_r PROPERTIES TIMEOUT 300)
  else()
    message(WARNING "c_interface_r, the test from R, is left out: Rscript isn't here, or can't load sanitized code")
  endif()
  find_program(CREDO_VALGRIND valgrind)
  if(CREDO_VALGRIND AND NOT CREDO_SANITIZE)
    add_library(under_valgrind SHARED tests/support/under_valgrind.cpp)  # tools/performance_gate takes it, too
    add_test(NAME c_interface_memory
      COMMAND ${CREDO_VALGRIND} -q --leak-check=full --error-exitcode=9 $<TARGET_FILE:test_c_interface> --once)
    add_test(NAME c_interface_races
      COMMAND ${CREDO_VALGRIND} -q --tool=helgrind --error-exitcode=9 $<TARGET_FILE:test_c_interface> --once)
    set_tests_properties(c_interface_memory c_interface_races PROPERTIES TIMEOUT 300
      ENVIRONMENT "CREDO_SIMD=avx2;LD_PRELOAD=${PROJECT_BINARY_DIR}/libunder_valgrind.so")
  else()
    message(WARNING "the tests of leaks and races in the C interface are left out: no valgrind, or sanitizers do their work")
  endif()
endif()
