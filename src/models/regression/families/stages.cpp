// Ordered categories as stages. sratio: P(Y = k | Y >= k) = F(threshold[k] - eta); cratio: P(Y > k | Y >= k) = F(eta - threshold[k]).
#include <fmt/format.h>

#include "models/regression/families/ordinal_parts.hpp"

namespace credo::models {
namespace {
// `logs`: logarithms of the probabilities to stop and to pass on, in texts with {1} for the link, {2} for the linear predictor and {3}
// for the thresholds.
FamilyRow stages_of(std::string_view name, std::string_view words, const std::string& logs) {
  const auto call = [logs](const char* function, const FamilyText& t) {
    return fmt::format(fmt::runtime("{0}(" + logs + ")"), function, t.link, t.eta, t.threshold);
  };
  return {
      .name = name,
      .links = {"logit", "probit", "cloglog", "cauchit"},
      .role = ColumnRole::factor,
      .scale = PriorScale::unit,
      .parameters = {},
      .why_not = any_number,
      .distribution = [call](const FamilyText& t) { return call("stages", t); },
      .draw = [call](const FamilyText& t) { return call("stages_rng", t); },
      .expected = nullptr,
      .is_ordinal = true,
      .words = words,
      .functions = stage_functions(),
      .is_by_row = true,
      .probabilities = [call](const FamilyText& t) { return "exp(" + call("log_stages", t) + ")"; },
      .has_free_thresholds = true};
}
}  // namespace

extern const FamilyRow sratio_family = stages_of(
    "sratio", "ordered outcome of stages", "log_up_to_{1}({3} - {2}), log_above_{1}({3} - {2})");

extern const FamilyRow cratio_family =
    stages_of("cratio", "ordered outcome of continued stages",
              "log_above_{1}({2} - {3}), log_up_to_{1}({2} - {3})");
}  // namespace credo::models
