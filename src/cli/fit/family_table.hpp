// The table of exponential families (dist/families) as text and as JSON.
#pragma once
#include "base/std.hpp"

namespace credo::cli {

std::string families_text();
std::string families_json();

}  // namespace credo::cli
