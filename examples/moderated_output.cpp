// A prediction by a logistic regression without draws: the mean of the logistic function under a normal distribution
// of the weights is close to that of a moderated mean [mackay1992]. The plug-in prediction at the mean is too sure.
//
//   E s(x'w) ~ s(kappa(v) m),  kappa(v) = (1 + pi v / 8)^(-1/2),  m = x'mu,  v = x'Sigma x
#include <fmt/core.h>

#include <numbers>

#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/fit.hpp"
#include "infer/adapt/welford.hpp"

namespace {
using namespace credo;

constexpr const char* kProgram = R"(
data { int N; vector[N] x; array[N] int<lower=0, upper=1> y; vector[5] at; }
parameters { real a, b; }
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  y ~ bernoulli_logit(a + b * x);
}
generated quantities { vector[5] p = inv_logit(a + b * at); })";
constexpr const char* kData = R"({"N": 14, "at": [-4, -1, 0.3, 2, 5],
  "x": [-2.1, -1.7, -1.2, -0.9, -0.5, -0.2, 0.1, 0.3, 0.4, 0.8, 1.1, 1.5, 1.9, 2.3],
  "y": [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]})";
constexpr std::array kAt{-4.0, -1.0, 0.3, 2.0, 5.0};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// m and v: mean and variance of the linear predictor.
double moderated(double m, double v) {
  return logistic(m / std::sqrt(1.0 + std::numbers::pi * v / 8.0));
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Moderated output of a logistic regression", argc, argv);
  const auto model = examples::program(kProgram, kData);
  const examples::Written draws = examples::fit(*model, {.num_draws = 5000, .seed = 1}).draws;
  const diagnose::Chains a = draws["a"], b = draws["b"];
  infer::Welford moments(infer::MetricKind::dense, 2);
  for (std::size_t k = 0; k < a.values.size(); ++k)
    moments.add(std::array{a.values[k], b.values[k]});
  const std::span<const double> mean = moments.mean(), covariance = moments.with_jitter(0.0);
  for (std::size_t i = 0; i < kAt.size(); ++i) {
    const double x = kAt[i], m = mean[0] + mean[1] * x,
                 v = covariance[0] + 2.0 * covariance[1] * x + covariance[3] * x * x;
    const diagnose::Chains p = draws["p." + std::to_string(i + 1)];
    const double by_draws = diagnose::mean(p.values), error = diagnose::mcse_mean(p);
    const std::string where = "at " + fmt::format("{}", x) + ": ";
    // The posterior of 14 outcomes is skewed, and the distribution of the logistic function is no probit: 0.03
    // together.
    experiment.within(where + "moderated, against the mean over draws", moderated(m, v), by_draws,
                      0.03 + 4.0 * error);
    experiment.holds(where + "the plug-in is surer than the mean over draws",
                     std::abs(logistic(m) - 0.5) > std::abs(by_draws - 0.5));
    if (std::abs(m) > 2.0)
      experiment.at_most(where + "the moderated one is off by a part of the plug-in's error",
                         std::abs(moderated(m, v) - by_draws) / std::abs(logistic(m) - by_draws),
                         0.7);
  }
  return experiment.finish();
}
