// Groupings with options: the table of their rows.
#include "models/regression/grouping.hpp"

namespace credo::models {
extern const GroupingRow members_grouping, options_grouping;

std::span<const GroupingRow* const> grouping_rows() {
  static constexpr std::array kRows{&options_grouping, &members_grouping};
  return kRows;
}

const GroupingRow* find_grouping(std::string_view name) {
  for (const GroupingRow* row : grouping_rows())
    if (row->name == name) return row;
  return nullptr;
}

}  // namespace credo::models
