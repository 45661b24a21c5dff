// Outputs that are NaN in some draws: figures of them aren't defined.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::missing_values_row {
namespace {
std::vector<Finding> check(const Case& at_hand) {
  Finding finding{.id = "missing_values"};
  Index most = 0;
  bool sampled = false;
  for (const Column& column : at_hand.columns) {
    if (column.num_missing == 0) continue;
    if (finding.parameters.empty()) finding.place = at_hand.place_of(column.index);
    finding.parameters.push_back(column.name);
    most = std::max(most, column.num_missing);
    sampled = sampled || (column.sampled && at_hand.evidence.program != nullptr);
  }
  if (finding.parameters.empty()) return {};
  finding.level = sampled ? Level::bad : Level::warning;
  finding.text = "Outputs are missing (NaN): " + listed(finding.parameters) + ", in up to " +
                 counted(most, "draw") + " of " + std::to_string(at_hand.num_total()) +
                 ". No mean or quantile of them means anything.";
  finding.remedy =
      "Look for 0/0, the logarithm or root of a negative number, an element that is never "
      "assigned, "
      "or a rejection in generated quantities.";
  return {finding};
}
}  // namespace

const FindingSpec missing_values{
    .id = "missing_values", .title = "outputs that are missing", .explains = {}, .check = check};

}  // namespace credo::verdict::missing_values_row
