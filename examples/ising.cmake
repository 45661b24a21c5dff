# example_ising: clusters against single sites; a test that asserts its result.
if(CREDO_TESTS)
  add_executable(example_ising examples/ising.cpp)
  target_link_libraries(example_ising PRIVATE credo_infer)
  target_precompile_headers(example_ising PRIVATE ${CREDO_PCH})
  add_test(NAME example_ising COMMAND example_ising)
endif()
