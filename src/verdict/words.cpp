#include "verdict/words.hpp"

#include <fmt/format.h>

namespace credo::verdict {

std::string number(double value) { return fmt::format("{:.3g}", value); }

std::string whole(double value) { return fmt::format("{:.0f}", std::floor(value)); }

std::string r_hat_text(double value) {
  return value < 2.0 ? fmt::format("{:.3f}", value) : number(value);
}

std::string counted(Index count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string percent(double share) { return fmt::format("{:.2g} %", 100.0 * share); }

std::string first_sentence(const std::string& text) {
  return text.substr(0, text.find(". ")) + (text.find(". ") == std::string::npos ? "" : ".");
}

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string text;
  const std::size_t shown = names.size() <= most + 1 ? names.size() : most;
  for (std::size_t k = 0; k < shown; ++k) {
    const bool last = k + 1 == names.size();
    text += (k == 0 ? "" : last ? " and " : ", ") + names[k];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace credo::verdict
