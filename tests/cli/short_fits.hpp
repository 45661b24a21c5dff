// Options with which rows that fit a flow take a moment, for suites over the whole table.
#pragma once
#include "infer/core/table.hpp"

namespace credo::testing {

inline std::vector<std::string> words_of_short_fit(const infer::KernelOptions& options) {
  const auto fields = infer::fields_of(options);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(fields, name, &infer::FieldValue::name) != fields.end();
  };
  const bool is_amortised = has("local");  // its layers need rows of data
  if (!has("layers") || !has("max_steps") || is_amortised) return {};
  return {"--layers", "iaf:1", "--hidden", "4", "--max-steps", "200"};
}

}  // namespace credo::testing
