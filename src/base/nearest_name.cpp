// Optimal string alignment distance [damerau1964] with three rows of the dynamic programme.
#include "base/nearest_name.hpp"

namespace credo {

bool is_same_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](char x, char y) { return lower(x) == lower(y); });
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  const int length = static_cast<int>(name.size());
  for (const std::string& candidate : candidates) {
    if (candidate != name && is_same_in_any_case(candidate, name)) return candidate;
  }
  int limit = std::min(std::max(1, length / 3), length - 1);
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    if (std::abs(static_cast<int>(candidate.size()) - length) > limit) continue;
    const int distance = edit_distance(name, candidate);
    if (distance > limit || distance == 0) continue;
    best = &candidate;
    limit = distance - 1;  // only a nearer one replaces it
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? "did you mean " + *nearest + "?" : std::string();
}

}  // namespace credo
