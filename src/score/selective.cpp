#include "score/selective.hpp"

#include "base/error.hpp"
#include "score/poisson_binomial.hpp"

namespace credo::score {
namespace {
struct SureRow {
  double confidence;
  bool is_wrong;
};

// From the surest on.
std::vector<SureRow> by_confidence(const Predictions& all) {
  std::vector<SureRow> rows;
  for (const Index i : known_rows(all))
    rows.push_back(
        {confidence_of(all, i), likeliest_class(all, i) != static_cast<Index>(all.label(i))});
  if (rows.empty())
    throw Error(ErrorCode::data, "no row has an outcome", all.source,
                "errors are computed from outcomes");
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SureRow& a, const SureRow& b) { return a.confidence > b.confidence; });
  return rows;
}
}  // namespace

double confidence_of(const Predictions& all, Index row) {
  if (!all.confidence.empty()) return all.confidence[static_cast<std::size_t>(row)];
  return all.values[row][static_cast<std::size_t>(likeliest_class(all, row))];
}

std::vector<SelectivePoint> selective_curve(const Predictions& all) {
  const std::vector<SureRow> rows = by_confidence(all);
  std::vector<SelectivePoint> curve;
  Index wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    wrong += rows[i].is_wrong ? 1 : 0;
    if (i + 1 < rows.size() && rows[i + 1].confidence == rows[i].confidence) continue;
    const auto count = static_cast<double>(i + 1);
    curve.push_back({rows[i].confidence, count / static_cast<double>(rows.size()),
                     1.0 - static_cast<double>(wrong) / count, static_cast<Index>(i + 1)});
  }
  return curve;
}

double area_under_risk(std::span<const SelectivePoint> curve) {
  double area = 0.0, before = 0.0;
  for (const SelectivePoint& point : curve) {
    area += (point.coverage - before) * (1.0 - point.accuracy);
    before = point.coverage;
  }
  return area;
}

SelectivePoint at_coverage(std::span<const SelectivePoint> curve, double coverage) {
  SelectivePoint best = curve[0];
  for (const SelectivePoint& point : curve)
    if (point.coverage <= coverage + 1e-12) best = point;
  return best;
}

SelectiveRule selective_rule(const Predictions& calibration, double max_error, double certainty) {
  constexpr int kSteps = 1000;  // thresholds that are tested, the same for all data
  const std::vector<SureRow> rows = by_confidence(calibration);
  SelectiveRule rule;
  std::size_t taken = 0;
  Index wrong = 0;
  for (int step = kSteps; step >= 0; --step) {
    const double threshold = static_cast<double>(step) / kSteps;
    for (; taken < rows.size() && rows[taken].confidence >= threshold; ++taken)
      wrong += rows[taken].is_wrong ? 1 : 0;
    const auto count = static_cast<Index>(taken);
    // So few errors have a probability below 1 - certainty if the error is above its bound. Before the
    // first threshold that holds, those with too few rows are skipped, because they show nothing about errors.
    const bool holds = count > 0 && binomial_at_most(wrong, count, max_error) <= 1.0 - certainty;
    const bool too_few = binomial_at_most(0, count, max_error) > 1.0 - certainty;
    if (!holds && !too_few) break;
    if (!holds) continue;
    rule.threshold = threshold;
    rule.calibration = {threshold, static_cast<double>(count) / static_cast<double>(rows.size()),
                        1.0 - static_cast<double>(wrong) / static_cast<double>(count), count};
  }
  return rule;
}

}  // namespace credo::score
