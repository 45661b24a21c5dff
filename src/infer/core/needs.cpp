#include "infer/core/needs.hpp"

#include <fmt/format.h>

namespace credo::infer {
namespace {
std::vector<std::string_view> parts_between(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

const FieldValue& named(std::span<const FieldValue> fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &FieldValue::name);
  CREDO_ASSERT(found != fields.end(), "what a field needs is a field beside it");
  return *found;
}

// "leave one of them out: most_moves or move_until 1".
Error unmet(const FieldValue& field, const Need& need, const std::string& value) {
  const std::string beside =
      need.is_default ? std::string(need.name) : fmt::format("{} {}", need.name, value);
  if (need.values.empty() && !need.is_default)
    return Error(ErrorCode::usage, fmt::format("{} isn't used without {}", field.name, need.name),
                 field.name, fmt::format("give {}, or leave {} out", need.name, field.name));
  const std::string way_out =
      need.values.empty() ? fmt::format("leave one of them out: {} or {}", field.name, beside)
                          : fmt::format("it needs {} {}; or leave {} out", need.name,
                                        fmt::join(need.values, " or "), field.name);
  return Error(ErrorCode::usage, fmt::format("{} isn't used with {}", field.name, beside),
               field.name, way_out);
}
}  // namespace

std::vector<Need> parse_needs(std::string_view text) {
  std::vector<Need> needs;
  for (std::string_view part : parts_between(text, ',')) {
    Need need{.name = {}, .values = {}, .is_default = part.starts_with('!')};
    if (need.is_default) part.remove_prefix(1);
    const std::size_t equals = std::min(part.find('='), part.size());
    need.name = part.substr(0, equals);
    need.values = parts_between(part.substr(std::min(equals + 1, part.size())), '|');
    needs.push_back(std::move(need));
  }
  return needs;
}

void require_needs(std::span<const FieldValue> fields, std::span<const FieldValue> defaults) {
  for (const FieldValue& field : fields) {
    const bool is_of_row = field.name != field.spec.name;  // the row looks after its own
    if (is_of_row || field.spec.needs.empty() || field.value == named(defaults, field.name).value)
      continue;
    for (const Need& need : parse_needs(field.spec.needs)) {
      const std::string& value = named(fields, need.name).value;
      const bool has_default = value == named(defaults, need.name).value;
      const bool has_one = std::ranges::find(need.values, value) != need.values.end();
      const bool met = need.is_default ? has_default : need.values.empty() ? !has_default : has_one;
      if (!met) throw unmet(field, need, value);
    }
  }
}

}  // namespace credo::infer
