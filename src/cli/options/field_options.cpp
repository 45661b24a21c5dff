#include "cli/options/field_options.hpp"

namespace credo::cli {

Values values_of(const infer::FieldSpec& spec) {
  if (spec.values.empty()) return in_range(spec.range);
  if (spec.values == "*") return any_file();
  if (spec.values.starts_with("*")) return file_ending(std::string(spec.values.substr(1)));
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < spec.values.size();) {
    const std::size_t end = std::min(spec.values.find('|', begin), spec.values.size());
    words.emplace_back(spec.values.substr(begin, end - begin));
    begin = end + 1;
  }
  return one_of(std::move(words));
}

}  // namespace credo::cli
