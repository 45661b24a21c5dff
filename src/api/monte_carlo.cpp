#include "credo/monte_carlo.hpp"

#include <fmt/format.h>

#include "base/types.hpp"
#include "numerics/elementary.hpp"

namespace credo {
namespace {

// Mean and variance of what comes one by one [welford1962].
class RunningMean {
 public:
  void add(double x) {
    count_ += 1.0;
    const double off = x - mean_;
    mean_ += off / count_;
    squares_ += off * (x - mean_);
  }
  double mean() const { return mean_; }
  double variance() const { return squares_ / (count_ - 1.0); }
  double error() const { return numerics::sqrt(variance() / count_); }

 private:
  double count_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

void require(bool holds, const char* function, const std::string& message) {
  if (!holds) throw Error(ErrorCode::usage, message, function);
}

double finite(double value, const char* function, const char* what, const char* hint = "") {
  if (!std::isfinite(value))
    throw Error(ErrorCode::evaluation, fmt::format("{} must be finite, is {}", what, value),
                function, hint);
  return value;
}

constexpr const char* kImportance = "importance_mean";
constexpr const char* kGain = "expected_information_gain";

double checked_log_likelihood(const Experiment& experiment, std::span<const double> parameters,
                              std::span<const double> outcome) {
  const double value = experiment.log_likelihood(parameters, outcome);
  if (std::isnan(value) || value == kInfinity)
    throw Error(ErrorCode::evaluation,
                fmt::format("a log likelihood must be below infinity, is {}", value), kGain);
  return value;
}
}  // namespace

ImportanceMean importance_mean(Random& random,
                               const std::function<double(std::span<const double> x)>& log_target,
                               const VectorDistribution& proposal,
                               const std::function<double(std::span<const double> x)>& f,
                               Index num_draws) {
  require(log_target && proposal.draw && proposal.log_density && f, kImportance,
          "a target, a proposal with draw and log_density, and a function are needed");
  require(num_draws >= 2, kImportance,
          fmt::format("there must be at least 2 draws, there are {}", num_draws));
  require(proposal.dimension >= 1, kImportance,
          fmt::format("the dimension must be at least 1, is {}", proposal.dimension));
  std::vector<double> x(static_cast<std::size_t>(proposal.dimension)), log_weights, values;
  for (Index n = 0; n < num_draws; ++n) {
    proposal.draw(x, random);
    const double log_weight = log_target(x) - proposal.log_density(x);
    finite(numerics::exp(log_weight), kImportance, "a weight",
           "is the proposal positive wherever the target is?");
    log_weights.push_back(log_weight);
    values.push_back(log_weight > -kInfinity ? finite(f(x), kImportance, "a value of the function")
                                             : 0.0);
  }
  // In shares of the largest one: squares of small weights would be 0.
  const double most = *std::max_element(log_weights.begin(), log_weights.end());
  const double scale = numerics::exp(most);
  RunningMean weighted, weights;
  double sum = 0.0, squares = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double w = most > -kInfinity ? numerics::exp(log_weights[n] - most) : 0.0;
    weights.add(w);
    sum += w, squares += w * w;
    weighted.add(w * values[n]);
  }
  return {.mean = scale * weighted.mean(),
          .error = scale * weighted.error(),
          .mean_weight = scale * weights.mean(),
          .mean_weight_error = scale * weights.error(),
          .effective_draws = squares > 0.0 ? sum * sum / squares : 0.0};
}

namespace {
// log of the mean of p(y | theta') over draws of the prior, and half of the squared relative error of that mean, by which its
// logarithm is too small on average.
struct LogEvidenceOf {
  double value, bias;
};
LogEvidenceOf log_evidence_of(const Experiment& experiment, std::span<const double> outcome,
                              std::span<double> log_likelihoods, Random& random) {
  std::vector<double> parameters(static_cast<std::size_t>(experiment.num_parameters));
  double most = -kInfinity;
  for (double& value : log_likelihoods) {
    experiment.draw_parameters(parameters, random);
    value = checked_log_likelihood(experiment, parameters, outcome);
    most = std::max(most, value);
  }
  if (most == -kInfinity)
    throw Error(ErrorCode::evaluation,
                "an outcome has no likelihood at any of the inner draws of the prior", kGain,
                "take more inner draws");
  RunningMean shares;
  for (const double value : log_likelihoods) shares.add(numerics::exp(value - most));
  const double relative = shares.error() / shares.mean();
  return {most + numerics::log(shares.mean()), 0.5 * relative * relative};
}
}  // namespace

InformationGain expected_information_gain(Random& random, const Experiment& experiment,
                                          Index num_outer, Index num_inner) {
  require(experiment.draw_parameters && experiment.simulate && experiment.log_likelihood, kGain,
          "draw_parameters, simulate and log_likelihood are needed");
  require(num_outer >= 2 && num_inner >= 2, kGain,
          fmt::format("there must be at least 2 outer and inner draws, there are {} and {}",
                      num_outer, num_inner));
  require(experiment.num_parameters >= 1 && experiment.num_outcomes >= 1, kGain,
          "parameters and outcomes are at least one number each");
  std::vector<double> parameters(static_cast<std::size_t>(experiment.num_parameters)),
      outcome(static_cast<std::size_t>(experiment.num_outcomes)),
      log_likelihoods(static_cast<std::size_t>(num_inner));
  RunningMean gain, bias;
  for (Index n = 0; n < num_outer; ++n) {
    experiment.draw_parameters(parameters, random);
    experiment.simulate(parameters, outcome, random);
    const double at_truth = checked_log_likelihood(experiment, parameters, outcome);
    if (at_truth == -kInfinity)
      throw Error(ErrorCode::evaluation,
                  "an outcome has no likelihood at the parameters it was simulated from", kGain,
                  "simulate and log_likelihood must be of one model");
    const LogEvidenceOf evidence = log_evidence_of(experiment, outcome, log_likelihoods, random);
    gain.add(at_truth - evidence.value);
    bias.add(evidence.bias);
  }
  return {.mean = gain.mean(), .error = gain.error(), .bias = bias.mean()};
}

}  // namespace credo
