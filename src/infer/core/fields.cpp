#include "infer/core/fields.hpp"

#include <fmt/format.h>

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

}  // namespace credo::infer
