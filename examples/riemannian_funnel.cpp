// Riemann manifold HMC beside HMC: a funnel by SoftAbs, and a normal's mean and scale by the Fisher
// metric from a start far away (E21 of the catalogue's part 000).
#include <fmt/core.h>

#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/program.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/riemann.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

// ---- the funnel ----

constexpr const char* kFunnel = R"(
parameters { real v; vector[4] x; }
model {
  v ~ normal(0, 3);
  x ~ normal(0, exp(v / 2));
})";

constexpr Index kDraws = 1000;
constexpr double kTime = 6.0;  // of trajectories, of both samplers

StoredDraws run(const density::LogDensity& density, std::string sampler, KernelOptions kernel) {
  StoredDraws store;
  run_chains(density,
             {.sampler = std::move(sampler),
              .num_chains = 4,
              .num_warmup = 300,
              .num_draws = kDraws,
              .seed = 21,
              .num_threads = 1,
              .adapt = {.step_size = {.target_accept = 0.95}, .schedule = {}},
              .kernel = std::move(kernel)},
             store);
  return store;
}

// Of v < -5, the neck: Φ(-5/3) = 0.0478.
std::vector<double> in_neck(const density::Draws& draws) {
  std::vector<double> inside;
  for (const double v : draws.quantity(0)) inside.push_back(v < -5.0 ? 1.0 : 0.0);
  return inside;
}

void trace(const StoredDraws& store, Table& table) {
  for (Index s = 0; s < kDraws; s += 3) {
    std::vector<double> row = {static_cast<double>(s)};
    for (Index c = 0; c < 2; ++c) row.push_back(store.draws(s, c, 0));
    row.push_back(store.draws(s, 0, 1));
    table.row(row);
  }
}

void funnel(Experiment& experiment) {
  const auto model = examples::program(kFunnel);
  const StoredDraws curved =
      run(*model, "riemann", RiemannOptions{.step_size = 0.4, .integration_time = kTime});
  const StoredDraws plain = run(*model, "hmc_static", HmcStaticOptions{.integration_time = kTime});
  const diagnose::Chains v = diagnose::quantity(curved.draws, 0);
  experiment.within("funnel, riemann: mean of v", diagnose::mean(v.values), 0.0,
                    4.0 * diagnose::mcse_mean(v));
  experiment.within("funnel, riemann: sd of v", std::sqrt(diagnose::variance(v.values)), 3.0,
                    4.0 * diagnose::mcse_sd(v));
  const std::vector<double> neck = in_neck(curved.draws);
  const double probability = 0.5 * std::erfc(5.0 / 3.0 / std::numbers::sqrt2);
  experiment.within("funnel, riemann: P(v < -5)", diagnose::mean(neck), probability,
                    4.0 * diagnose::mcse_mean({neck, v.num_draws, v.num_chains}));
  experiment.at_most("funnel, hmc_static: P(v < -5), half of it or less",
                     diagnose::mean(in_neck(plain.draws)), 0.5 * probability);
  const double ess = diagnose::ess_bulk(v);
  const double plain_ess = diagnose::ess_bulk(diagnose::quantity(plain.draws, 0));
  experiment.note("funnel, riemann: independent draws of v in 4000", ess);
  experiment.note("funnel, hmc_static: the same, of the part that it sees", plain_ess);
  experiment.at_most("funnel, riemann: R-hat of v", diagnose::r_hat(v), 1.05);
  trace(curved, experiment.table("curved", {"draw", "v1", "v2", "x"}));
  trace(plain, experiment.table("plain", {"draw", "v1", "v2", "x"}));
}

// ---- mean and scale of a normal ----

constexpr int kN = 30;
constexpr const char* kNormal = R"(
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> sigma; }
model { y ~ normal(mu, sigma); })";

// Of mean 0 and mean square 100: the posterior is near mu = 0, sigma = 10.
std::string thirty_outcomes() {
  std::string y;
  for (int n = 0; n < kN; ++n) y += fmt::format("{}{}", n > 0 ? ", " : "", n % 2 == 0 ? 10 : -10);
  return fmt::format(R"({{"N": {}, "y": [{}]}})", kN, y);
}

// No warm-up: the settings stay as given.
StoredDraws from_afar(const density::LogDensity& density, std::string sampler,
                      KernelOptions kernel) {
  StoredDraws store;
  run_chains(density,
             {.sampler = std::move(sampler),
              .num_chains = 20,
              .num_warmup = 0,
              .num_draws = 400,
              .seed = 22,
              .num_threads = 1,
              .init = {{60.0, std::log(40.0)}},
              .kernel = std::move(kernel)},
             store);
  return store;
}

// Within two of the posterior's standard deviations, 10 / √30 and 1 / √60, in both coordinates.
bool is_there(const density::Draws& draws, Index s, Index c) {
  return std::fabs(draws(s, c, 0)) < 20.0 / std::sqrt(30.0) &&
         std::fabs(draws(s, c, 1) - std::log(10.0)) < 2.0 / std::sqrt(60.0);
}

// In (mu, s = log sigma) the metric is diag(N / sigma², 2 N).
void masses(Experiment& experiment, const model::Model& model) {
  const std::vector<double> at = {60.0, std::log(40.0)};
  std::vector<double> metric(4);
  density::Request request{.position = at, .gradient = {}, .status = {}, .matrix = metric};
  density::Request* const batch[] = {&request};
  model.make_evaluator()->evaluate(density::Want::information, batch);
  experiment.within("normal: mass of mu, N / sigma^2", metric[0], kN / 1600.0, 1e-14);
  experiment.within("normal: mass of log sigma, 2 N", metric[3], 2.0 * kN, 1e-12);
  experiment.within("normal: mixed", metric[1], 0.0, 1e-14);
}

// Transitions to the target, the median over chains.
double time_to_arrive(const density::Draws& draws) {
  std::vector<double> times;
  for (Index c = 0; c < draws.num_chains(); ++c) {
    Index s = 0;
    while (s < draws.num_draws() && !is_there(draws, s, c)) ++s;
    times.push_back(static_cast<double>(s + 1));
  }
  return diagnose::quantile(times, 0.5);
}

void mean_and_scale(Experiment& experiment) {
  const auto model = examples::program(kNormal, thirty_outcomes());
  masses(experiment, *model);
  const StoredDraws curved = from_afar(
      *model, "riemann", RiemannOptions{.step_size = 0.4, .local_metric = LocalMetricKind::fisher});
  // The step that the narrow coordinate allows, 1 / √60, and ten of them.
  const StoredDraws plain = from_afar(
      *model, "hmc_static",
      HmcStaticOptions{.step_size = 0.15, .metric = MetricKind::unit, .integration_time = 1.5});
  const double arrives = time_to_arrive(curved.draws), plain_arrives = time_to_arrive(plain.draws);
  experiment.at_most("normal, riemann: transitions to the target", arrives, 10.0);
  experiment.note("normal, hmc_static: transitions to the target", plain_arrives);
  experiment.at_least("normal: of which hmc_static takes more times", plain_arrives / arrives, 4.0);
  Table& path = experiment.table("path", {"draw", "mu", "s", "plain_mu", "plain_s"});
  path.row({0.0, 60.0, std::log(40.0), 60.0, std::log(40.0)});
  for (Index s = 0; s < 60; ++s)
    path.row({static_cast<double>(s + 1), curved.draws(s, 0, 0), curved.draws(s, 0, 1),
              plain.draws(s, 0, 0), plain.draws(s, 0, 1)});
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Riemann manifold HMC: a funnel, and a normal from afar", argc, argv);
  funnel(experiment);
  mean_and_scale(experiment);
  return experiment.finish();
}
