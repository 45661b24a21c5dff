// Scores of conformal methods, and the outcomes below a threshold.
#include "numerics/elementary.hpp"
#include "score/conformal.hpp"

namespace credo::score {
namespace {

std::string needs_classes(const Predictions& all, const ConformalOptions&) {
  return all.form == Form::classes ? "" : "probabilities of classes";
}
std::string needs_mean(const Predictions& all, const ConformalOptions&) {
  return std::isnan(all.num_rows() > 0 ? mean_of(all, 0) : kNaN) ? "a mean of each row" : "";
}
std::string needs_sd(const Predictions& all, const ConformalOptions&) {
  return std::isnan(all.num_rows() > 0 ? sd_of(all, 0) : kNaN)
             ? "a mean and a standard deviation of each row"
             : "";
}
std::string needs_density(const Predictions& all, const ConformalOptions&) {
  return all.form == Form::classes || all.form == Form::normal
             ? ""
             : "a density of outcomes: classes, or mean and sd (of a fit: full)";
}

OutcomeSet interval(double middle, double half_width) {
  OutcomeSet set;
  if (half_width >= 0.0) set.lower = middle - half_width, set.upper = middle + half_width;
  return set;
}

// All classes whose score is at most the threshold.
template <class Score>
OutcomeSet classes_within(const Predictions& all, double threshold, const Score& score) {
  OutcomeSet set;
  for (Index k = 0; k < all.num_classes(); ++k)
    if (score(static_cast<double>(k)) <= threshold) set.classes.push_back(k);
  return set;
}

// --- softmax: 1 - p_y [sadinle2019] -------------------------------------------------------------------
double one_less_probability(const Predictions& all, Index row, double outcome,
                            const ConformalOptions&) {
  return 1.0 - all.values[row][static_cast<std::size_t>(outcome)];
}
OutcomeSet softmax_set(const Predictions& all, Index row, double threshold,
                       const ConformalOptions& options) {
  return classes_within(all, threshold,
                        [&](double y) { return one_less_probability(all, row, y, options); });
}

// --- aps: the mass of classes at least as likely as the outcome's [romano2020] --------------------------
// Equal classes in their order.
double mass_down_to(const Predictions& all, Index row, double outcome, const ConformalOptions&) {
  const std::span<const double> p = all.values[row];
  const auto label = static_cast<std::size_t>(outcome);
  double mass = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k)
    if (p[k] > p[label] || (p[k] == p[label] && k <= label)) mass += p[k];
  return mass;
}
OutcomeSet aps_set(const Predictions& all, Index row, double threshold,
                   const ConformalOptions& options) {
  OutcomeSet set =
      classes_within(all, threshold, [&](double y) { return mass_down_to(all, row, y, options); });
  if (options.strict || ssize(set.classes) == all.num_classes()) return set;
  double mass = 0.0;  // the sum of mass_down_to
  for (const Index k : set.classes)
    mass = std::max(mass, mass_down_to(all, row, static_cast<double>(k), options));
  if (mass >= threshold) return set;
  // The likeliest class that isn't in it: with it the set covers the threshold, and is never empty.
  Index next = -1;
  for (Index k = 0; k < all.num_classes(); ++k) {
    const bool is_in = std::find(set.classes.begin(), set.classes.end(), k) != set.classes.end();
    if (!is_in && (next < 0 || all.values[row][static_cast<std::size_t>(k)] >
                                   all.values[row][static_cast<std::size_t>(next)]))
      next = k;
  }
  set.classes.insert(std::lower_bound(set.classes.begin(), set.classes.end(), next), next);
  return set;
}

// --- split: |y - mean| --------------------------------------------------------------------------------
double residual(const Predictions& all, Index row, double outcome, const ConformalOptions&) {
  return std::abs(outcome - mean_of(all, row));
}
OutcomeSet split_set(const Predictions& all, Index row, double threshold, const ConformalOptions&) {
  return interval(mean_of(all, row), threshold);
}

// --- variance: |y - mean| / sd ------------------------------------------------------------------------
double scaled_residual(const Predictions& all, Index row, double outcome, const ConformalOptions&) {
  return std::abs(outcome - mean_of(all, row)) / sd_of(all, row);
}
OutcomeSet variance_set(const Predictions& all, Index row, double threshold,
                        const ConformalOptions&) {
  return interval(mean_of(all, row), sd_of(all, row) * threshold);
}

// --- cqr: how far outside of the interval between quantiles [romano2019] ---------------------------------
// The quantiles of the form whose levels are nearest to α / 2 and 1 - α / 2.
struct BaseInterval {
  double lower, upper;
};
double nearest_level(const Predictions& all, double level) {
  if (all.form != Form::quantiles) return level;
  return *std::min_element(all.levels.begin(), all.levels.end(), [&](double a, double b) {
    return std::abs(a - level) < std::abs(b - level);
  });
}
BaseInterval base_interval(const Predictions& all, Index row, double level) {
  return {quantile_of(all, row, nearest_level(all, 0.5 * (1.0 - level))),
          quantile_of(all, row, nearest_level(all, 0.5 * (1.0 + level)))};
}
std::string needs_two_quantiles(const Predictions& all, const ConformalOptions& options) {
  const double lower = nearest_level(all, 0.5 * (1.0 - options.level)),
               upper = nearest_level(all, 0.5 * (1.0 + options.level));
  return has_quantile(all, lower) && has_quantile(all, upper) && lower < upper
             ? ""
             : "two quantiles of each row";
}
double distance_outside(const Predictions& all, Index row, double outcome,
                        const ConformalOptions& options) {
  const BaseInterval base = base_interval(all, row, options.level);
  return std::max(base.lower - outcome, outcome - base.upper);
}
OutcomeSet cqr_set(const Predictions& all, Index row, double threshold,
                   const ConformalOptions& options) {
  const BaseInterval base = base_interval(all, row, options.level);
  return {{}, base.lower - threshold, base.upper + threshold};
}

// --- bayes: less the predictive density [hoff2023] ------------------------------------------------------
double less_density(const Predictions& all, Index row, double outcome, const ConformalOptions&) {
  if (all.form == Form::classes) return -all.values[row][static_cast<std::size_t>(outcome)];
  const double sd = sd_of(all, row), z = (outcome - mean_of(all, row)) / sd;
  return -numerics::exp(-0.5 * z * z) / (sd * std::sqrt(2.0 * M_PI));
}
OutcomeSet bayes_set(const Predictions& all, Index row, double threshold,
                     const ConformalOptions& options) {
  if (all.form == Form::classes)
    return classes_within(all, threshold,
                          [&](double y) { return less_density(all, row, y, options); });
  if (threshold >= 0.0) return interval(mean_of(all, row), kInfinity);
  // The density is -threshold at z² = -2 log(-threshold sd √(2π)).
  const double sd = sd_of(all, row);
  const double square = -2.0 * numerics::log(-threshold * sd * std::sqrt(2.0 * M_PI));
  return square >= 0.0 ? interval(mean_of(all, row), sd * std::sqrt(square)) : OutcomeSet{};
}
}  // namespace

extern const ConformalRow aps_sets{
    .name = "aps",
    .words = "classes from the likeliest on until their mass covers the threshold",
    .reference = "romano2020",
    .needs = needs_classes,
    .score = mass_down_to,
    .set = aps_set};
extern const ConformalRow bayes_sets{.name = "bayes",
                                     .words = "outcomes of the highest predictive density",
                                     .reference = "hoff2023",
                                     .needs = needs_density,
                                     .score = less_density,
                                     .set = bayes_set};
extern const ConformalRow cqr_sets{.name = "cqr",
                                   .words = "an interval between quantiles, widened or narrowed",
                                   .reference = "romano2019",
                                   .needs = needs_two_quantiles,
                                   .score = distance_outside,
                                   .set = cqr_set};
extern const ConformalRow softmax_sets{.name = "softmax",
                                       .words = "classes whose probability is above a threshold",
                                       .reference = "sadinle2019",
                                       .needs = needs_classes,
                                       .score = one_less_probability,
                                       .set = softmax_set};
extern const ConformalRow split_sets{.name = "split",
                                     .words = "mean ± the same for all rows",
                                     .reference = "vovk2005",
                                     .needs = needs_mean,
                                     .score = residual,
                                     .set = split_set};
extern const ConformalRow variance_sets{.name = "variance",
                                        .words = "mean ± a multiple of the standard deviation",
                                        .reference = "lei2018",
                                        .needs = needs_sd,
                                        .score = scaled_residual,
                                        .set = variance_set};

}  // namespace credo::score
