// Scores of numbers, intervals and distributions of real outcomes.
#include "diagnose/chains.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/special.hpp"
#include "score/scores.hpp"

namespace credo::score {
namespace {
bool has_mean(const Predictions& all, const ScoreOptions&) {
  return all.form == Form::normal || all.form == Form::point ||
         (all.form == Form::draws && all.dimension == 1);
}
bool has_crps(const Predictions& all, const ScoreOptions&) {
  return all.form == Form::normal || (all.form == Form::draws && all.dimension == 1);
}
bool has_log_density(const Predictions& all, const ScoreOptions&) {
  return all.form == Form::classes || all.form == Form::normal || all.form == Form::likelihood ||
         !all.log_density.empty();
}
bool has_interval(const Predictions& all, const ScoreOptions& options) {
  return has_quantile(all, 0.5 * (1.0 - options.mass)) &&
         has_quantile(all, 0.5 * (1.0 + options.mass));
}
bool is_of_quantiles(const Predictions& all, const ScoreOptions&) {
  return all.form == Form::quantiles;
}
bool is_of_vectors(const Predictions& all, const ScoreOptions&) {
  return all.form == Form::draws && all.dimension > 1;
}

double log_normal_density(double mean, double sd, double outcome) {
  const double z = (outcome - mean) / sd;
  return -0.5 * z * z - numerics::log(sd) - 0.5 * numerics::log(2.0 * M_PI);
}

// The outcome's density in the table comes first: the program knows its distribution better.
double log_score_of(const Predictions& all, Index row, const ScoreOptions&) {
  if (!all.log_density.empty()) return all.log_density[static_cast<std::size_t>(row)];
  const std::span<const double> values = all.values[row];
  if (all.form == Form::classes) return all.logs[row][all.label(row)];
  if (all.form == Form::normal) return log_normal_density(values[0], values[1], all.outcome(row));
  return numerics::log_sum_exp(values) - numerics::log(static_cast<double>(values.size()));
}

double squared_error(const Predictions& all, Index row, const ScoreOptions&) {
  const double error = mean_of(all, row) - all.outcome(row);
  return error * error;
}

double crps_of(const Predictions& all, Index row, const ScoreOptions&) {
  const std::span<const double> values = all.values[row];
  if (all.form == Form::normal) return crps_of_normal(values[0], values[1], all.outcome(row));
  std::vector<double> draws(values.begin(), values.end());
  return crps_of_draws(draws, all.outcome(row));
}

double energy_of(const Predictions& all, Index row, const ScoreOptions&) {
  return energy_score(all.values[row], std::span(all.outcomes)
                                           .subspan(static_cast<std::size_t>(row * all.dimension),
                                                    static_cast<std::size_t>(all.dimension)));
}

double interval_of(const Predictions& all, Index row, const ScoreOptions& options) {
  return interval_score(quantile_of(all, row, 0.5 * (1.0 - options.mass)),
                        quantile_of(all, row, 0.5 * (1.0 + options.mass)), options.mass,
                        all.outcome(row));
}

double mean_pinball_loss(const Predictions& all, Index row, const ScoreOptions&) {
  double sum = 0.0;
  for (std::size_t k = 0; k < all.levels.size(); ++k)
    sum += pinball_loss(all.levels[k], all.values[row][k], all.outcome(row));
  return sum / static_cast<double>(all.levels.size());
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return std::sqrt(sum);
}
}  // namespace

double crps_of_draws(std::span<double> draws, double outcome) {
  std::sort(draws.begin(), draws.end());
  const auto count = static_cast<double>(draws.size());
  double near = 0.0, spread = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    near += std::abs(draws[i] - outcome);
    // Draws less the outcome: sums of large numbers would cancel.
    spread += (2.0 * static_cast<double>(i) + 1.0 - count) * (draws[i] - outcome);
  }
  return near / count - spread / (count * count);
}

double crps_of_normal(double mean, double sd, double outcome) {
  const double z = (outcome - mean) / sd;
  const double density = numerics::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI);
  return sd * (z * (2.0 * numerics::phi(z) - 1.0) + 2.0 * density - 1.0 / std::sqrt(M_PI));
}

double energy_score(std::span<const double> draws, std::span<const double> outcome) {
  const std::size_t size = outcome.size(), count = draws.size() / size;
  double near = 0.0, apart = 0.0;
  for (std::size_t s = 0; s < count; ++s) {
    const std::span<const double> draw = draws.subspan(s * size, size);
    near += distance(draw, outcome);
    for (std::size_t t = 0; t < s; ++t) apart += distance(draw, draws.subspan(t * size, size));
  }
  const auto n = static_cast<double>(count);
  return near / n - apart / (n * n);  // each pair stands twice in the mean of all pairs
}

double pinball_loss(double level, double prediction, double outcome) {
  return outcome >= prediction ? level * (outcome - prediction)
                               : (1.0 - level) * (prediction - outcome);
}

double interval_score(double lower, double upper, double mass, double outcome) {
  const double outside = std::max({0.0, lower - outcome, outcome - upper});
  return upper - lower + 2.0 / (1.0 - mass) * outside;
}

extern const ScoreRow crps_score{.name = "crps",
                                 .words = "continuous ranked probability score",
                                 .reference = "gneiting2007",
                                 .applies = has_crps,
                                 .of_row = crps_of};
extern const ScoreRow energy_row{.name = "energy",
                                 .words = "energy score of vectors",
                                 .reference = "gneiting2007",
                                 .applies = is_of_vectors,
                                 .of_row = energy_of};
extern const ScoreRow interval_row{
    .name = "interval",
    .words = "width of the central interval (--mass), and what outcomes outside of it cost",
    .reference = "gneiting2007",
    .applies = has_interval,
    .of_row = interval_of};
extern const ScoreRow log_row{.name = "log",
                              .words = "log predictive density or probability of the outcome",
                              .higher_is_better = true,
                              .reference = "gneiting2007",
                              .applies = has_log_density,
                              .of_row = log_score_of};
extern const ScoreRow pinball_row{.name = "pinball",
                                  .words = "pinball loss, the mean over the levels",
                                  .reference = "koenker1978",
                                  .applies = is_of_quantiles,
                                  .of_row = mean_pinball_loss};
extern const ScoreRow rmse_row{.name = "rmse",
                               .words = "root of the mean square error of the predictive mean",
                               .root = true,
                               .reference = "gneiting2007",
                               .applies = has_mean,
                               .of_row = squared_error};

}  // namespace credo::score
