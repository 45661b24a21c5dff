// The page of a run looks like reports: names, digits, colours.
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "live/page.hpp"

namespace credo::live::page_looks_test {
namespace {

// All values of a variable of the style, in order: for light pages, then for dark ones.
std::vector<std::string> values_of(std::string_view text, const std::string& variable) {
  std::vector<std::string> all;
  for (std::size_t at = text.find(variable + ": "); at != std::string_view::npos;
       at = text.find(variable + ": ", at + 1)) {
    const std::size_t first = at + variable.size() + 2;
    all.emplace_back(text.substr(first, text.find(';', first) - first));
  }
  return all;
}

TEST(live_page, has_the_colours_of_reports) {
  const std::string style =
      io::read_file(std::string(CREDO_SOURCE_DIR) + "/src/report/page/style.css");
  for (const char* variable :
       {"--paper", "--panel", "--ink", "--line", "--divergent", "--chain-1", "--chain-2",
        "--chain-3", "--chain-4", "--chain-5", "--chain-6", "--chain-7", "--chain-8"}) {
    const std::vector<std::string> own = values_of(page, variable),
                                   of_report = values_of(style, variable);
    ASSERT_EQ(own.size(), 2u) << variable;
    ASSERT_GE(of_report.size(), 2u) << variable;
    EXPECT_EQ(own[0], of_report[0]) << variable;
    EXPECT_EQ(own[1], of_report[1]) << variable;
  }
}

}  // namespace
}  // namespace credo::live::page_looks_test
