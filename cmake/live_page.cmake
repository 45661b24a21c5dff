# src/live/page.html as a string of the program.
set(page ${PROJECT_BINARY_DIR}/live_page.cpp)
file(READ ${PROJECT_SOURCE_DIR}/src/live/page.html CREDO_LIVE_PAGE)
file(CONFIGURE OUTPUT ${page} @ONLY CONTENT [=[#include "live/page.hpp"

namespace credo::live {
const std::string_view page = R"credo_page(@CREDO_LIVE_PAGE@)credo_page";
}
]=])
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/live/page.html)
target_sources(credo_live PRIVATE ${page})
