// Effects of coaching in eight schools, centred and not (the schools of X21 of the catalogue's
// chapter 12), beside the exact posterior: given the spread tau all is normal, so that one sum over
// tau has every mean.
//
// With v_j = s_j^2 + tau^2: mu | tau has precision 1 / 25 + sum 1 / v_j and mean m = (sum y_j /
// v_j) / precision; theta_j | tau has mean (y_j tau^2 + m s_j^2) / v_j.
#include <fmt/core.h>

#include "diagnose/convergence.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/fit.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

constexpr std::size_t kSchools = 8;
constexpr std::array<double, kSchools> kEffect{28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0};
constexpr std::array<double, kSchools> kError{15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0};
constexpr const char* kData = R"({"y": [28, 8, -3, 7, -1, 1, 18, 12],
                                  "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})";

constexpr const char* kCentred = R"(
data { array[8] real y, sigma; }
parameters { real mu; real<lower=0> tau; vector[8] theta; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
})";
constexpr const char* kNonCentred = R"(
data { array[8] real y, sigma; }
parameters { real mu; real<lower=0> tau; vector[8] z; }
transformed parameters { vector[8] theta = mu + tau * z; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  z ~ std_normal();
  y ~ normal(theta, sigma);
})";

constexpr Index kRuns = 20, kDraws = 1000;
constexpr double kNeck = 1.0;  // a spread that ties the schools together

// ---- exactly ----

struct Exact {
  double neck = 0.0, log_tau = 0.0, mu = 0.0;
  std::array<double, kSchools> theta{};
};

// Of mu and the effects given tau; log_weight: of tau's posterior per unit of log tau.
struct Given {
  double log_weight, mu;
  std::array<double, kSchools> theta{};
};
Given given(double tau) {
  double precision = 1.0 / 25.0, sum = 0.0, log_weight = 0.0;
  for (std::size_t j = 0; j < kSchools; ++j) {
    const double variance = kError[j] * kError[j] + tau * tau;
    precision += 1.0 / variance;
    sum += kEffect[j] / variance;
    log_weight -= 0.5 * (std::log(variance) + kEffect[j] * kEffect[j] / variance);
  }
  Given at{.log_weight = 0.0, .mu = sum / precision};
  at.log_weight = log_weight + 0.5 * sum * at.mu - 0.5 * std::log(precision) -
                  std::log1p(tau * tau / 25.0) + std::log(tau);
  for (std::size_t j = 0; j < kSchools; ++j) {
    const double square = kError[j] * kError[j];
    at.theta[j] = (kEffect[j] * tau * tau + at.mu * square) / (square + tau * tau);
  }
  return at;
}

// Cells of log tau of width 0.001 from exp(-14) to exp(8): the rest has a probability of 1e-6.
Exact exact_posterior() {
  Exact exact;
  double total = 0.0;
  for (double log_tau = -13.9995; log_tau < 8.0; log_tau += 0.001) {
    const double tau = std::exp(log_tau);
    const Given at = given(tau);
    const double weight = std::exp(at.log_weight);
    total += weight;
    exact.neck += tau < kNeck ? weight : 0.0;
    exact.log_tau += weight * log_tau;
    exact.mu += weight * at.mu;
    for (std::size_t j = 0; j < kSchools; ++j) exact.theta[j] += weight * at.theta[j];
  }
  exact.neck /= total, exact.log_tau /= total, exact.mu /= total;
  for (double& theta : exact.theta) theta /= total;
  return exact;
}

// ---- by draws ----

using examples::Fit;
// Four chains; each run has chains of its own.
Fit fit(const model::Model& model, Index run, Index num_draws) {
  return examples::fit(
      model, {.num_draws = num_draws, .seed = 21, .first_chain = 4 * run, .num_threads = 1});
}

// Of tau: log tau, and whether it's in the neck.
diagnose::ChainsCopy transformed(const diagnose::Chains& tau, double (*of)(double)) {
  diagnose::ChainsCopy copy{{}, tau.num_draws, tau.num_chains};
  for (const double value : tau.values) copy.values.push_back(of(value));
  return copy;
}
double log_of(double tau) { return std::log(tau); }
double is_in_neck(double tau) { return tau < kNeck ? 1.0 : 0.0; }

void judge_mean(Experiment& experiment, const std::string& what, const diagnose::Chains& chains,
                double expected) {
  experiment.within(what, diagnose::mean(chains.values), expected,
                    4.0 * diagnose::mcse_mean(chains));
}

void judge_non_centred(Experiment& experiment, const model::Model& model, const Exact& exact) {
  const Fit one = fit(model, kRuns, 5000);
  const auto tau = one.draws["tau"];
  judge_mean(experiment, "non-centred: probability of tau < 1", transformed(tau, is_in_neck),
             exact.neck);
  judge_mean(experiment, "non-centred: mean of log tau", transformed(tau, log_of), exact.log_tau);
  judge_mean(experiment, "non-centred: mean of mu", one.draws["mu"], exact.mu);
  for (std::size_t j = 0; j < kSchools; ++j)
    judge_mean(experiment, fmt::format("non-centred: mean of theta {}", j + 1),
               one.draws[fmt::format("theta.{}", j + 1)], exact.theta[j]);
  experiment.at_most("non-centred: R-hat of tau", diagnose::r_hat(tau), 1.01);
}

// Over runs of four chains of 1000 draws.
struct Seen {
  std::vector<double> neck_error, divergent, r_hat, independent;  // of log tau
};
Seen repeat(Experiment& experiment, const std::string& name, const model::Model& model,
            const Exact& exact) {
  Seen seen;
  for (Index run = 0; run < kRuns; ++run) {
    const Fit one = fit(model, run, kDraws);
    const auto tau = one.draws["tau"];
    seen.neck_error.push_back(
        std::fabs(diagnose::mean(transformed(tau, is_in_neck).values) - exact.neck));
    seen.divergent.push_back(one.num_divergent);
    seen.r_hat.push_back(diagnose::r_hat(tau));
    seen.independent.push_back(diagnose::ess_bulk(tau));
  }
  experiment.note(name + ": median error of P(tau < 1)", examples::median(seen.neck_error));
  experiment.note(name + ": median number of divergent transitions of 4000",
                  examples::median(seen.divergent));
  experiment.note(name + ": median R-hat of tau", examples::median(seen.r_hat));
  experiment.note(name + ": median bulk ESS of tau", examples::median(seen.independent));
  return seen;
}

void draw(Experiment& experiment, const std::string& name, const examples::Written& draws) {
  Table& table = experiment.table(name, {"theta1", "tau"});
  for (Index s = 0; s < kDraws; s += 14)
    for (Index c = 0; c < 4; ++c) {
      const auto at = static_cast<std::size_t>(s);
      table.row({draws["theta.1"].chain(c)[at], draws["tau"].chain(c)[at]});
    }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Eight schools, centred and not", argc, argv);
  const auto centred = examples::program(kCentred, kData),
             non_centred = examples::program(kNonCentred, kData);
  const Exact exact = exact_posterior();
  judge_non_centred(experiment, *non_centred, exact);
  const Seen bad = repeat(experiment, "centred", *centred, exact);
  const Seen good = repeat(experiment, "non-centred", *non_centred, exact);
  experiment.at_least("centred: divergent transitions", examples::median(bad.divergent), 20.0);
  experiment.at_most("non-centred: divergent transitions / centred",
                     examples::median(good.divergent) / examples::median(bad.divergent), 0.1);
  experiment.at_least("centred: R-hat of tau", examples::median(bad.r_hat), 1.01);
  experiment.at_most("non-centred: R-hat of tau", examples::median(good.r_hat), 1.01);
  experiment.at_least("independent draws of tau, non-centred / centred",
                      examples::median(good.independent) / examples::median(bad.independent), 4.0);
  draw(experiment, "centred", fit(*centred, 0, kDraws).draws);
  draw(experiment, "noncentred", fit(*non_centred, 0, kDraws).draws);
  return experiment.finish();
}
