// Options of a row for suites over the whole table: the defaults, but for rows that fit a flow first, whose climb is short.
#pragma once
#include "infer/core/table.hpp"

namespace credo::testing {

inline infer::KernelOptions quick_options(const infer::SamplerSpec& row) {
  infer::KernelOptions options = row.options();
  const std::vector<infer::FieldValue> fields = infer::fields_of(options);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(fields, name, &infer::FieldValue::name) != fields.end();
  };
  const bool is_amortised = has("local");  // its layers need rows of data
  if (!has("layers") || !has("max_steps") || is_amortised) return options;
  infer::set_field(options, "layers", "iaf:1");
  infer::set_field(options, "hidden", "4");
  infer::set_field(options, "max_steps", "100");
  return options;
}

}  // namespace credo::testing
