// The funnel, centred and not (X17 of the catalogue's chapter 12): nu ~ N(0, 3), x ~ N(0, exp(nu)),
// second arguments standard deviations. The scale of x changes by e^18 between +-3 deviations of
// nu, so that no step size fits both ends; x / exp(nu) is a standard normal that knows nothing of
// nu.
#include <fmt/core.h>

#include "diagnose/convergence.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/fit.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

constexpr const char* kCentred = R"(
parameters { real nu, x; }
model {
  nu ~ normal(0, 3);
  x ~ normal(0, exp(nu));
})";
constexpr const char* kNonCentred = R"(
parameters { real nu, z; }
transformed parameters { real x = z * exp(nu); }
model {
  nu ~ normal(0, 3);
  z ~ std_normal();
})";
// The same change of variables, done by the declaration.
constexpr const char* kMultiplier = R"(
parameters {
  real nu;
  real<multiplier=exp(nu)> x;
}
model {
  nu ~ normal(0, 3);
  x ~ normal(0, exp(nu));
})";

constexpr Index kRuns = 20, kDraws = 1000;
constexpr double kNeck = -6.0;  // two standard deviations below: probability 0.02275

using examples::Fit;
// Four chains; each run has chains of its own.
Fit fit(const model::Model& model, Index run, Index num_draws) {
  return examples::fit(
      model, {.num_draws = num_draws, .seed = 17, .first_chain = 4 * run, .num_threads = 1});
}

std::vector<double> in_neck(std::span<const double> nu) {
  std::vector<double> inside;
  for (const double value : nu) inside.push_back(value < kNeck ? 1.0 : 0.0);
  return inside;
}

// Over runs of four chains of 1000 draws.
struct Seen {
  std::vector<double> share, sd, smallest, divergent, r_hat;
};
Seen repeat(Experiment& experiment, const std::string& name, const model::Model& model) {
  Seen seen;
  for (Index run = 0; run < kRuns; ++run) {
    const Fit one = fit(model, run, kDraws);
    const auto nu = one.draws["nu"];
    seen.share.push_back(diagnose::mean(in_neck(nu.values)));
    seen.sd.push_back(std::sqrt(diagnose::variance(nu.values)));
    seen.smallest.push_back(*std::min_element(nu.values.begin(), nu.values.end()));
    seen.divergent.push_back(one.num_divergent);
    seen.r_hat.push_back(diagnose::r_hat(nu));
  }
  experiment.note(name + ": median share of nu < -6", examples::median(seen.share));
  experiment.note(name + ": median sd of nu", examples::median(seen.sd));
  experiment.note(name + ": median of the smallest nu", examples::median(seen.smallest));
  experiment.note(name + ": median number of divergent transitions of 4000",
                  examples::median(seen.divergent));
  experiment.note(name + ": median R-hat", examples::median(seen.r_hat));
  return seen;
}

void judge_non_centred(Experiment& experiment, const std::string& name, const model::Model& model) {
  const Fit one = fit(model, kRuns, 5000);
  const auto nu = one.draws["nu"];
  experiment.within(name + ": sd of nu", std::sqrt(diagnose::variance(nu.values)), 3.0,
                    4.0 * diagnose::mcse_sd(nu));
  experiment.within(name + ": mean of nu", diagnose::mean(nu.values), 0.0,
                    4.0 * diagnose::mcse_mean(nu));
  const std::vector<double> inside = in_neck(nu.values);
  experiment.within(name + ": share of nu < -6", diagnose::mean(inside), 0.0227501,
                    4.0 * diagnose::mcse_mean({inside, nu.num_draws, nu.num_chains}));
  // x / exp(nu) is independent of nu.
  std::vector<double> z, product;
  const auto x = one.draws["x"];
  for (std::size_t s = 0; s < nu.values.size(); ++s) {
    z.push_back(x.values[s] * std::exp(-nu.values[s]));
    product.push_back((z.back() * z.back() - 1.0) * nu.values[s]);
  }
  const diagnose::Chains scaled{z, nu.num_draws, nu.num_chains};
  experiment.within(name + ": sd of x / exp(nu)", std::sqrt(diagnose::variance(z)), 1.0,
                    4.0 * diagnose::mcse_sd(scaled));
  experiment.within(name + ": mean of ((x / exp(nu))^2 - 1) nu", diagnose::mean(product), 0.0,
                    4.0 * diagnose::mcse_mean({product, nu.num_draws, nu.num_chains}));
  experiment.at_most(name + ": divergent transitions", one.num_divergent, 0.0);
}

void compare(Experiment& experiment, const Seen& centred, const Seen& non_centred) {
  experiment.at_most("centred: share of nu < -6 / exact",
                     examples::median(centred.share) / 0.0227501, 0.25);
  experiment.at_least("centred: smallest nu", examples::median(centred.smallest), kNeck);
  experiment.at_least("centred: R-hat", examples::median(centred.r_hat), 1.01);
  experiment.at_least("centred: divergent transitions", examples::median(centred.divergent), 40.0);
  // The smallest of 4000 normals is above -3 deviations with probability 0.0045.
  experiment.at_most("non-centred: smallest nu", examples::median(non_centred.smallest), -9.0);
  experiment.at_most("non-centred: R-hat", examples::median(non_centred.r_hat), 1.01);
  experiment.at_most("non-centred: divergent transitions", examples::median(non_centred.divergent),
                     0.0);
}

void judge_densities(Experiment& experiment, const model::Model& centred,
                     const model::Model& non_centred, const model::Model& multiplier) {
  double worst = 0.0;
  for (const auto& [nu, z] : {std::pair{-4.0, 0.3}, {0.5, -1.2}, {5.0, 2.0}}) {
    const std::array free{nu, z}, at{nu, z * std::exp(nu)};
    const double of_free = non_centred.evaluate_in_full(free).log_density;
    // The Jacobian of x = z exp(nu) is nu.
    worst = std::max(worst, std::fabs(centred.evaluate_in_full(at).log_density + nu - of_free));
    worst = std::max(worst, std::fabs(multiplier.evaluate_in_full(free).log_density - of_free));
  }
  experiment.at_most("the same joint distribution: error of the log densities", worst, 1e-12);
}

void draw(Experiment& experiment, const std::string& name, const examples::Written& draws) {
  Table& table = experiment.table(name, {"x", "nu"});
  for (Index s = 0; s < kDraws; s += 10)
    for (Index c = 0; c < 2; ++c) {
      const auto at = static_cast<std::size_t>(s);
      table.row({draws["x"].chain(c)[at], draws["nu"].chain(c)[at]});
    }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("The funnel, centred and not", argc, argv);
  const auto centred = examples::program(kCentred), non_centred = examples::program(kNonCentred),
             multiplier = examples::program(kMultiplier);
  judge_densities(experiment, *centred, *non_centred, *multiplier);
  judge_non_centred(experiment, "non-centred", *non_centred);
  judge_non_centred(experiment, "by a multiplier", *multiplier);
  const Seen bad = repeat(experiment, "centred", *centred);
  const Seen good = repeat(experiment, "non-centred", *non_centred);
  compare(experiment, bad, good);
  draw(experiment, "centred", fit(*centred, 0, kDraws).draws);
  draw(experiment, "noncentred", fit(*non_centred, 0, kDraws).draws);
  return experiment.finish();
}
