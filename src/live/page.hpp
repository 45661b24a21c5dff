// The page itself, made from page.html by the build.
#pragma once
#include <string_view>

namespace credo::live {
extern const std::string_view page;
}
