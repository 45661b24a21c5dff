// Options of a command line that are fields of a described struct: name, help, range and what a text may be
// are stated with the field, for specifications in files, for C++ and for commands alike.
#pragma once
#include "cli/options/arguments.hpp"

namespace credo::cli {

// Allowed texts of a field's value.
Values values_of(const infer::FieldSpec& spec);

// All fields that have an option (FieldSpec::option), of nested structs, too, in their order.
template <infer::Described S>
void field_options(Arguments& a, S& described) {
  S::describe(described, [&](auto& value, const infer::FieldSpec& spec) {
    if constexpr (infer::Described<std::remove_cvref_t<decltype(value)>>)
      field_options(a, value);
    else if constexpr (!std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
      if (!spec.option.empty())
        a.option(std::string(spec.option), value, std::string(spec.help), values_of(spec));
  });
}

// The option of one field; --NAME if the field states none.
template <infer::Described S>
void field_option(Arguments& a, S& described, std::string_view name) {
  S::describe(described, [&](auto& value, const infer::FieldSpec& spec) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (!infer::Described<Value> && !std::is_enum_v<Value>)
      if (spec.name == name)
        a.option(spec.option.empty() ? "--" + std::string(name) : std::string(spec.option), value,
                 std::string(spec.help), values_of(spec));
  });
}

// Specification of one field, such as "num_chains"; also in nested structs. Throws Error(internal) if there is
// no such field.
template <infer::Described S>
infer::FieldSpec spec_of_field(const S& described, std::string_view field) {
  std::optional<infer::FieldSpec> found;
  const auto look = [&](const auto& self, const auto& at) -> void {
    using At = std::remove_cvref_t<decltype(at)>;
    At::describe(at, [&](const auto& value, const infer::FieldSpec& spec) {
      if constexpr (infer::Described<std::remove_cvref_t<decltype(value)>>) self(self, value);
      if (spec.name == field) found = spec;
    });
  };
  look(look, described);
  if (!found) throw Error(ErrorCode::internal, "there is no such field", std::string(field));
  return *found;
}

// The range of one field, for options that stand for it elsewhere.
template <infer::Described S>
Values range_of(const S& described, std::string_view field) {
  return in_range(spec_of_field(described, field).range);
}

}  // namespace credo::cli
