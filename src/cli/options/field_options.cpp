#include "cli/options/field_options.hpp"

namespace credo::cli {

Values values_of(const infer::FieldSpec& spec) {
  if (spec.values.empty()) return in_range(spec.range);
  if (spec.values == "*") return any_file();
  if (spec.values == ">*") return output_file("*", Writes::draws);
  if (spec.values.starts_with("*")) return file_ending(std::string(spec.values.substr(1)));
  return one_of(infer::choices_of(spec));
}

}  // namespace credo::cli
