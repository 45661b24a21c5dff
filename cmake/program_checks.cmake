# Scripts that check the program credo as a whole, run by ctest.
if(CREDO_TESTS)
  add_test(NAME marginalised COMMAND ${PROJECT_SOURCE_DIR}/tools/check_marginalised --credo $<TARGET_FILE:credo>)
  set_tests_properties(marginalised PROPERTIES TIMEOUT 600)
endif()
