// Field lists: every Options and Info struct names its fields once, in
//
//   static void describe(auto& self, auto&& field) {
//     field(self.step_size, FieldSpec{.name = "step_size", .help = "…", .range = positive()});
//   }
//
// Command line, JSON, help, validation, stored columns and saved settings visit that list. A field
// is a double, an Index, a bool, an enum with a names table (enum_names), or a struct with its own
// list.
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::infer {

struct Range {
  double lo = -kInfinity, hi = kInfinity;
  bool lo_open = false, hi_open = false;
  bool contains(double x) const {
    return (lo_open ? x > lo : x >= lo) && (hi_open ? x < hi : x <= hi);
  }
};
inline constexpr Range anything() { return {}; }
inline constexpr Range positive() { return {.lo = 0.0, .lo_open = true, .hi_open = true}; }
inline constexpr Range at_least(double lo) { return {.lo = lo}; }
inline constexpr Range between(double lo, double hi) {
  return {.lo = lo, .hi = hi, .lo_open = true, .hi_open = true};
}

struct FieldSpec {
  std::string_view name;
  std::string_view help;
  Range range = {};
  std::string_view unit = {};
  std::string_view stan_name = {};  // CmdStan's word for it where it has one: column or argument
};

// Throws Error(usage) unless the value is in the field's range.
void check_range(const FieldSpec& spec, double value);

template <class S>
concept Described = requires(S& s) {
  S::describe(s, [](auto&, const FieldSpec&) {});
};

// Checks every number of a described struct, nested ones too.
template <Described S>
void validate(const S& options) {
  S::describe(options, [](const auto& value, const FieldSpec& spec) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (Described<Value>) {
      validate(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      check_range(spec, static_cast<double>(value));
    }
  });
}

// The fields of an Info as columns of numbers.
template <Described Info>
std::vector<FieldSpec> columns_of() {
  std::vector<FieldSpec> columns;
  Info info{};
  Info::describe(info, [&](auto&, const FieldSpec& spec) { columns.push_back(spec); });
  return columns;
}

template <Described Info>
void write_columns(const Info& info, std::span<double> row) {
  std::size_t next = 0;
  Info::describe(
      info, [&](const auto& value, const FieldSpec&) { row[next++] = static_cast<double>(value); });
}

}  // namespace credo::infer
