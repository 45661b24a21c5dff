// Parameters that are known in combination only: a ridge along which the data say nothing.
//
// Of the correlation matrix of the parameters (of their logarithms, where all draws are positive)
// the ratio of the largest to the smallest eigenvalue is the square of length to width of the
// draws' cloud. Above 40 a trajectory along it takes a hundred steps and more. Alone it isn't a
// finding: an uncentred regression has it, too. What makes it one is that the likelihood is the
// same along the ridge, over two standard deviations to either side, though it changes by more than
// 50 nats when one of the parameters moves as far alone. Where the data do know the ridge's place,
// two standard deviations change it by about 2 nats. Trouble (trees of seven doublings or more,
// R-hat, few effective draws) makes it bad. Without the program the ratio must be 100, besides
// trouble.
#include "verdict/findings.hpp"
#include "verdict/ridge.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr double kRatio = 40.0, kRatioAlone = 100.0;
constexpr double kRHat = 1.05, kEss = 200.0, kSteps = 127.0;
constexpr double kSameLikelihood = 1.0, kOtherLikelihood = 50.0;  // nats
constexpr double kDeviations = 2.0;
constexpr Index kDraws = 6;

bool is_troubled(const Case& at_hand) {
  for (const Index k : at_hand.sampled) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    if (column.r_hat > kRHat || column.ess_bulk < kEss) return true;
  }
  const std::vector<double>& steps = at_hand.statistic("num_leapfrog");
  return !steps.empty() && diagnose::quantile(steps, 0.5) >= kSteps;
}

// ---- what the data say along it

// Two standard deviations along the ridge, in free coordinates: how each goes with the draws' scores
// on it. The covariance times a direction lies on the ridge even where the direction is a little
// beside it.
std::vector<double> step_along(const Probe& probe, const Case& at_hand, const Ridge& ridge) {
  const auto values_of = [&](std::size_t d) {
    std::vector<double> values;
    for (Index m = 0; m < probe.num_points(); ++m) values.push_back(probe.point(m)[d]);
    const double mean = diagnose::mean(values);
    for (double& value : values) value -= mean;
    return values;
  };
  std::vector<double> score(static_cast<std::size_t>(probe.num_points()), 0.0);
  std::vector<std::size_t> coordinates;
  for (std::size_t i = 0; i < ridge.columns.size(); ++i) {
    const std::string& name = at_hand.columns[static_cast<std::size_t>(ridge.columns[i])].name;
    const auto found = std::find(probe.names().begin(), probe.names().end(), name);
    coordinates.push_back(static_cast<std::size_t>(found - probe.names().begin()));
    const std::vector<double> values = values_of(coordinates.back());
    const double sd = std::sqrt(diagnose::variance(values));
    for (std::size_t m = 0; m < score.size(); ++m) score[m] += ridge.along[i] * values[m] / sd;
  }
  const double sd = std::sqrt(diagnose::variance(score));
  std::vector<double> step(static_cast<std::size_t>(probe.dimension()), 0.0);
  for (const std::size_t d : coordinates) {
    const std::vector<double> values = values_of(d);
    double covariance = 0.0;
    for (std::size_t m = 0; m < score.size(); ++m)
      covariance += values[m] * score[m] / static_cast<double>(score.size() - 1);
    step[d] = kDeviations * covariance / sd;
  }
  return step;
}

double likelihood_change(const Probe& probe, Index m, std::span<const double> step) {
  const double here = probe.log_likelihood(probe.point(m));
  double change = 0.0;
  for (const double sign : {-1.0, 1.0}) {
    std::vector<double> there = probe.point(m);
    for (std::size_t d = 0; d < there.size(); ++d) there[d] += sign * step[d];
    const double other = std::fabs(probe.log_likelihood(there) - here);
    change = std::max(change, std::isnan(other) ? kInfinity : other);
  }
  return change;
}

bool data_say_nothing(const Case& at_hand, const Probe& probe, const Ridge& ridge) {
  const std::vector<double> step = step_along(probe, at_hand, ridge);
  std::vector<double> alone(step.size(), 0.0);
  const auto largest = std::max_element(
      step.begin(), step.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  alone[static_cast<std::size_t>(largest - step.begin())] = *largest;
  std::vector<double> together, single;
  for (Index k = 0; k < kDraws; ++k) {
    const Index m = k * (probe.num_points() - 1) / (kDraws - 1);
    together.push_back(likelihood_change(probe, m, step));
    single.push_back(likelihood_change(probe, m, alone));
  }
  // A direction that so few draws give is off by a part of each coordinate's width.
  const double off = 2.0 * static_cast<double>(ridge.columns.size()) /
                     static_cast<double>(probe.num_points());
  return diagnose::quantile(together, 0.5) < kSameLikelihood + off &&
         diagnose::quantile(single, 0.5) > kOtherLikelihood;
}

bool is_flat(const Case& at_hand, const Ridge& ridge) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr) return ridge.ratio > kRatioAlone && is_troubled(at_hand);
  return ridge.ratio > kRatio && probe->has_likelihood() &&
         data_say_nothing(at_hand, *probe, ridge);
}

std::vector<Finding> check(const Case& at_hand) {
  for (const bool logarithms : {false, true}) {
    const auto ridge = ridge_of(at_hand, logarithms);
    if (!ridge || !is_flat(at_hand, *ridge)) continue;
    Finding finding{.id = "flat_direction",
                    .level = is_troubled(at_hand) ? Level::bad : Level::warning};
    for (const Index k : ridge->columns)
      finding.parameters.push_back(at_hand.columns[static_cast<std::size_t>(k)].name);
    finding.place = at_hand.place_of(ridge->columns.front());
    finding.text = listed(finding.parameters) +
                   " are known only in combination: the draws lie on a "
                   "ridge " +
                   number(ridge->ratio) + " times as long as wide" +
                   (logarithms ? " (in their logarithms)" : "") +
                   ", along which the likelihood stays the same. Only the priors say where on it.";
    finding.remedy =
        "Fix or remove one of them, tie them (a sum of zero, a product of one), or give "
        "them priors that mean something; report the combination.";
    return {finding};
  }
  return {};
}
}  // namespace

const FindingSpec flat_direction{.id = "flat_direction",
                                 .title = "parameters that are known only in combination",
                                 .explains = {"not_mixed", "few_draws", "tree_depth", "divergences",
                                              "low_energy_exchange", "funnel"},
                                 .check = check};

}  // namespace credo::verdict
