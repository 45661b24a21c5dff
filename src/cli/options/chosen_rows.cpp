#include "cli/options/chosen_rows.hpp"

#include <fmt/format.h>

namespace credo::cli {
namespace {
std::string none_of(std::string_view options) {
  std::string needs;
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    needs += fmt::format("{}!{}", needs.empty() ? "" : ",", options.substr(0, end));
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return needs;
}
}  // namespace

std::string alone(std::span<const std::string_view> chosen_by, std::size_t row) {
  std::string needs;
  for (std::size_t k = 0; k < chosen_by.size(); ++k) {
    if (k == row && !chosen_by[row].empty()) break;
    const std::string none = none_of(chosen_by[k]);
    needs += (needs.empty() || none.empty() ? "" : ",") + none;
  }
  return needs;
}

}  // namespace credo::cli
