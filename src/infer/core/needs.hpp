// Conditions under which an option has an effect, stated with the option: "from=normal|mixture", "move_until", "!powers", with
// commas between them (docs/design/options.md).
#pragma once
#include "infer/core/kernel_options.hpp"

namespace credo::infer {

struct Need {
  std::string_view name;                 // name of another field or option
  std::vector<std::string_view> values;  // one of which it has; none: any but its default
  bool is_default = false;               // it has its default instead
};
std::vector<Need> parse_needs(std::string_view text);

// Throws Error(usage) for a field that has another value than its default while something it needs isn't there.
void require_needs(std::span<const FieldValue> fields, std::span<const FieldValue> defaults);
template <Described Options>
void require_needs(const Options& options) {
  require_needs(fields_of(options), fields_of(Options{}));
}

}  // namespace credo::infer
