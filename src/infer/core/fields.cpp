#include "infer/core/fields.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"

namespace credo::infer {
namespace {
std::string in_words(const Range& range) {
  if (range.hi == kInfinity)
    return range.lo == -kInfinity ? "a number"
                                  : fmt::format("{} {}{}", range.lo_open ? ">" : ">=", range.lo,
                                                range.hi_open ? " and finite" : "");
  return fmt::format("in {}{}, {}{}", range.lo_open ? '(' : '[', range.lo, range.hi,
                     range.hi_open ? ')' : ']');
}
}  // namespace

void check_range(const FieldSpec& spec, double value) {
  if (spec.range.contains(value)) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} must be {}, is {}", spec.name, in_words(spec.range), value),
              std::string(spec.name), std::string(spec.help));
}

std::vector<std::string> choices_of(const FieldSpec& spec) {
  std::vector<std::string> words;
  if (spec.values.find('*') != std::string_view::npos) return words;
  for (std::size_t begin = 0; begin < spec.values.size();) {
    const std::size_t end = std::min(spec.values.find('|', begin), spec.values.size());
    words.emplace_back(spec.values.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

void check_choice(const std::string& name, const std::vector<std::string>& choices,
                  const std::string& text) {
  if (std::ranges::find(choices, text) != choices.end()) return;
  const auto near = nearest_name(text, choices);
  throw Error(ErrorCode::usage,
              fmt::format("must be one of {}, is '{}'", fmt::join(choices, ", "), text), name,
              near ? fmt::format("did you mean {}?", *near) : "give one of these");
}

}  // namespace credo::infer
