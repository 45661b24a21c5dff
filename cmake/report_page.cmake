# The page of reports: HTML, styles and programs in src/report/page, bundled with Observable Plot (packages of npm, named in
# package.json and package-lock.json) by esbuild, into one file that page.cpp takes into the program. Beside the compiler.
function(credo_report_page)
  find_program(CREDO_NPM npm)
  find_program(CREDO_NODE NAMES node nodejs)
  if(NOT CREDO_NPM OR NOT CREDO_NODE)
    message(FATAL_ERROR "npm and node bundle the page of reports and aren't here: tools/setup installs them")
  endif()
  set(from ${PROJECT_SOURCE_DIR}/src/report/page)
  set(into ${PROJECT_BINARY_DIR}/report_page)
  file(GLOB sources CONFIGURE_DEPENDS ${from}/*)
  set(with "")
  if(CREDO_TESTS)
    set(with --tests)
  endif()
  add_custom_command(
    OUTPUT ${into}/page.html
    COMMAND ${PROJECT_SOURCE_DIR}/tools/report_page ${with} ${into}
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/tools/report_page
    COMMENT "Bundling the page of reports" VERBATIM)
  add_custom_target(credo_report_page DEPENDS ${into}/page.html)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/report/page.cpp PROPERTIES
    OBJECT_DEPENDS ${into}/page.html COMPILE_DEFINITIONS CREDO_REPORT_PAGE="${into}/page.html")
  add_dependencies(credo_report credo_report_page)
endfunction()
