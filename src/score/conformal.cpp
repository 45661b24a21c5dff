#include "score/conformal.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "score/poisson_binomial.hpp"

namespace credo::score {

Index conformal_rank(Index num_scores, double level) {
  const double place = static_cast<double>(num_scores + 1) * level;
  const double nearest = std::round(place);
  // A product that rounding made a little more than the whole number that it is.
  constexpr double kRounding = 1e-12;
  return static_cast<Index>(std::abs(place - nearest) <= kRounding * place ? nearest
                                                                           : std::ceil(place));
}

double conformal_threshold(std::span<const double> scores, double level) {
  const Index rank = conformal_rank(ssize(scores), level);
  if (rank > ssize(scores)) return kInfinity;
  std::vector<double> sorted(scores.begin(), scores.end());
  const auto place = sorted.begin() + (rank - 1);
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

WeightedScores::WeightedScores(std::span<const double> scores, std::span<const double> weights) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double mass = 0.0;
  for (const std::size_t i : order) {
    scores_.push_back(scores[i]);
    masses_.push_back(mass += weights[i]);
  }
}

double WeightedScores::threshold(double own, double level) const {
  const double total = masses_.back() + own;
  constexpr double kRounding = 1e-12;
  const auto reached =
      std::lower_bound(masses_.begin(), masses_.end(), level * total * (1.0 - kRounding));
  return total > 0.0 && reached != masses_.end()
             ? scores_[static_cast<std::size_t>(reached - masses_.begin())]
             : kInfinity;
}

double weighted_threshold(std::span<const double> scores, std::span<const double> weights,
                          double own, double level) {
  return WeightedScores(scores, weights).threshold(own, level);
}

ConformalPredictor::ConformalPredictor(const ConformalRow& method, const Predictions& calibration,
                                       const ConformalOptions& options)
    : method_(method), options_(options) {
  if (const std::string needs = method.needs(calibration, options); !needs.empty())
    throw Error(ErrorCode::usage,
                fmt::format("'{}' needs {}; the predictions are of the form '{}'", method.name,
                            needs, name_of(calibration.form)),
                "--conformal");
  std::vector<double> weights;
  for (const Index i : known_rows(calibration)) {
    scores_.push_back(method.score(calibration, i, calibration.outcome(i), options));
    if (!calibration.weights.empty())
      weights.push_back(calibration.weights[static_cast<std::size_t>(i)]);
  }
  if (scores_.empty())
    throw Error(ErrorCode::data, "no row has an outcome", calibration.source,
                "conformal sets are made from rows whose outcomes are known");
  threshold_ = conformal_threshold(scores_, options.level);
  if (!weights.empty()) weighted_.emplace(scores_, weights);
}

double ConformalPredictor::exact_coverage() const {
  if (weighted_) return kNaN;
  const auto n = static_cast<double>(num_scores());
  return std::min(1.0,
                  static_cast<double>(conformal_rank(num_scores(), options_.level)) / (n + 1.0));
}

double ConformalPredictor::threshold(const Predictions& all, Index row) const {
  return weighted_
             ? weighted_->threshold(all.weights[static_cast<std::size_t>(row)], options_.level)
             : threshold_;
}

OutcomeSet ConformalPredictor::set(const Predictions& all, Index row) const {
  return method_.set(all, row, threshold(all, row), options_);
}

bool holds(const OutcomeSet& set, const Predictions& all, double outcome) {
  if (all.form != Form::classes) return outcome >= set.lower && outcome <= set.upper;
  return std::find(set.classes.begin(), set.classes.end(), static_cast<Index>(outcome)) !=
         set.classes.end();
}

double size_of(const OutcomeSet& set, const Predictions& all) {
  if (all.form == Form::classes) return static_cast<double>(set.classes.size());
  return set.lower <= set.upper ? set.upper - set.lower : 0.0;
}

SetFigures figures_of(std::span<const OutcomeSet> sets, const Predictions& all) {
  SetFigures figures{.num_rows = ssize(sets)};
  Index covered = 0, known = 0;
  double sum = 0.0;
  for (Index i = 0; i < ssize(sets); ++i) {
    const OutcomeSet& set = sets[static_cast<std::size_t>(i)];
    const bool is_whole =
        all.form == Form::classes
            ? ssize(set.classes) == all.num_classes()
            : std::isinf(set.lower) && std::isinf(set.upper) && set.lower < set.upper;
    const bool is_empty = all.form == Form::classes ? set.classes.empty() : set.lower > set.upper;
    figures.num_empty += is_empty ? 1 : 0, figures.num_whole += is_whole ? 1 : 0;
    sum += size_of(set, all);
    if (!all.knows_outcome(i)) continue;
    ++known;
    covered += holds(set, all, all.outcome(i)) ? 1 : 0;
  }
  figures.mean_size = sum / static_cast<double>(sets.size());
  if (known == 0) return figures;
  const ShareInterval interval = share_interval(covered, known, 0.95);
  figures.coverage = static_cast<double>(covered) / static_cast<double>(known);
  figures.coverage_lower = interval.lower, figures.coverage_upper = interval.upper;
  return figures;
}

}  // namespace credo::score
