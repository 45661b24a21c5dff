// The page of a report as it was built: HTML with its styles and programs, and marks where a report's own parts go.
#pragma once
#include "base/std.hpp"

namespace credo::report {

std::string_view page_template();

}  // namespace credo::report
