// Field lists: every Options and Info struct names its fields once, in
//
//   static void describe(auto& self, auto&& field) {
//     field(self.step_size, FieldSpec{.name = "step_size", .help = "…", .range = positive()});
//   }
//
// Command line, JSON, help, validation, stored columns and saved settings visit that list. A field
// is a double, an Index, a bool, a text, an enum with a names table (enum_names), a vector of numbers, a list of texts,
// a row of a table with its options (ChosenRow), or a struct with its own list (docs/design/options.md).
#pragma once
#include "base/error.hpp"
#include "density/kind.hpp"

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

class ChosenRow;  // infer/core/kernel_options.hpp
struct RowTable;  // the same

struct FieldSpec {
  std::string_view name;
  std::string_view help;
  Range range = {};
  std::string_view unit = {};
  std::string_view stan_name = {};   // CmdStan's word for it where it has one: column or argument
  std::string_view arviz_name = {};  // ArviZ' word for a column, where it isn't `name`
  density::Kind kind = density::Kind::real;  // a column's; columns_of takes it from the member
  // For a run's options: the words by which a command line states them, "--chains"; what a text may be,
  // "all|prior", "*.json", any file, "*", or where the draws are written, ">*".
  std::string_view option = {}, values = {};
  std::string_view needs = {};     // conditions on other fields (infer/core/needs.hpp); empty: none
  const RowTable* rows = nullptr;  // of a ChosenRow: the rows that it can name
};

// The same field with conditions of its own.
constexpr FieldSpec needing(FieldSpec spec, std::string_view needs) {
  spec.needs = needs;
  return spec;
}

// Throws Error(usage) unless the value is in the field's range.
void check_range(const FieldSpec& spec, double value);

// The words listed in FieldSpec::values; none if it names files or is empty.
std::vector<std::string> choices_of(const FieldSpec& spec);
// Throws Error(usage) unless `text` is one of the choices. The message lists them, the hint names the nearest one.
void check_choice(const std::string& name, const std::vector<std::string>& choices,
                  const std::string& text);

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
    } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
      for (const double number : value) check_range(spec, number);
    }
  });
}

// The fields of an Info as columns of numbers.
template <Described Info>
std::vector<FieldSpec> columns_of() {
  std::vector<FieldSpec> columns;
  Info info{};
  Info::describe(info, [&](const auto& value, const FieldSpec& spec) {
    columns.push_back(spec);
    columns.back().kind = density::kind_of<std::remove_cvref_t<decltype(value)>>();
  });
  return columns;
}

template <Described Info>
void write_columns(const Info& info, std::span<double> row) {
  std::size_t next = 0;
  Info::describe(
      info, [&](const auto& value, const FieldSpec&) { row[next++] = static_cast<double>(value); });
}

// Visits the fields of a struct whose type isn't known where it is visited (KernelOptions).
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void number(double& value, const FieldSpec& spec) = 0;
  virtual void whole(Index& value, const FieldSpec& spec) = 0;
  virtual void natural(std::uint64_t& value, const FieldSpec& spec) = 0;  // a seed
  virtual void flag(bool& value, const FieldSpec& spec) = 0;
  virtual void text(std::string& value, const FieldSpec& spec) = 0;
  // A choice among `names`, by its place.
  virtual void choice(std::size_t& value, std::span<const std::string_view> names,
                      const FieldSpec& spec) = 0;
  virtual void numbers(std::vector<double>& values, const FieldSpec& spec) = 0;
  virtual void words(std::vector<std::string>& values, const FieldSpec& spec) = 0;
  virtual void row(ChosenRow& value, const FieldSpec& spec) = 0;  // with spec.rows
};

// Fields of nested structs come in their place, under their own names.
template <Described S>
void visit_fields(S& described, FieldVisitor& visitor) {
  S::describe(described, [&](auto& value, const FieldSpec& spec) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (Described<Value>) {
      visit_fields(value, visitor);
    } else if constexpr (std::is_same_v<Value, double>) {
      visitor.number(value, spec);
    } else if constexpr (std::is_same_v<Value, bool>) {
      visitor.flag(value, spec);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      visitor.text(value, spec);
    } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
      visitor.numbers(value, spec);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      visitor.words(value, spec);
    } else if constexpr (std::is_same_v<Value, ChosenRow>) {
      visitor.row(value, spec);
    } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
      visitor.natural(value, spec);
    } else if constexpr (std::is_enum_v<Value>) {
      auto place = static_cast<std::size_t>(value);
      visitor.choice(place, enum_names(value), spec);
      value = static_cast<Value>(place);
    } else {
      static_assert(std::is_same_v<Value, Index>, "a field's type is one of those named above");
      visitor.whole(value, spec);
    }
  });
}

}  // namespace credo::infer
