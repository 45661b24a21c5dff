# Scripts that check the program credo as a whole, run by ctest.
if(CREDO_TESTS)
  add_test(NAME marginalised COMMAND ${PROJECT_SOURCE_DIR}/tools/check_marginalised --credo $<TARGET_FILE:credo>)
  set_tests_properties(marginalised PROPERTIES TIMEOUT 600)
  add_test(NAME same_draws COMMAND ${PROJECT_SOURCE_DIR}/tools/check_same_draws --credo $<TARGET_FILE:credo>)
  # Programs of others read our files; status 77 says that they aren't installed.
  foreach(reader xarray rstan)
    add_test(NAME read_by_${reader} COMMAND ${PROJECT_SOURCE_DIR}/tests/readers/check --credo $<TARGET_FILE:credo> --${reader})
    set_tests_properties(read_by_${reader} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  # Reports in Chromium, by playwright-core.
  add_test(NAME report_in_browser COMMAND ${CREDO_NODE} ${PROJECT_SOURCE_DIR}/tests/report/browser/check.mjs
    $<TARGET_FILE:credo> ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/report_page)
  set_tests_properties(report_in_browser PROPERTIES TIMEOUT 600 LABELS browser)
  add_test(NAME live_in_browser COMMAND ${CREDO_NODE} ${PROJECT_SOURCE_DIR}/tests/live/browser/check.mjs
    $<TARGET_FILE:credo> ${PROJECT_BINARY_DIR}/report_page)
  set_tests_properties(live_in_browser PROPERTIES TIMEOUT 300 LABELS browser)
  set_tests_properties(same_draws read_by_xarray read_by_rstan PROPERTIES TIMEOUT 600 LABELS peers)
endif()
