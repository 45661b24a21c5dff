// Runs of samplers on the tank's posterior, judged by effective draws of its parameters a gradient:
// shared by the experiment and the benchmark.
#pragma once
#include "diagnose/convergence.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "models/paths/path_posterior.hpp"
#include "models/paths/tank.hpp"

namespace credo::examples {

using models::PathCoordinates;
using models::PathPosterior;
using models::TankData;
using models::TankModel;
using models::TankParameters;

inline constexpr TankParameters kTrueTank{.rate = 1.0, .noise = 0.3, .noise_sd = 0.1};
inline constexpr Index kFinest = 160;  // steps between observations of the simulated path

// 41 observations, half a time constant apart, under rain with a period; the path is simulated with
// kFinest steps between two of them and the posterior's has `points`, a divisor of kFinest.
inline models::TankRun tank_run(Index points, std::uint64_t seed) {
  constexpr Index kIntervals = 40;
  constexpr double kInterval = 0.5;
  const auto rain = [](double t) { return 1.0 + 0.8 * std::sin(1.2566370614359172 * t); };
  const auto with_steps = [&](Index steps) {
    TankData data{.time_step = kInterval / static_cast<double>(steps)};
    for (Index i = 0; i < kIntervals * steps; ++i)
      data.rain.push_back(rain(static_cast<double>(i) * data.time_step));
    data.initial = {.log_mean = 0.0, .log_sd = 0.5};
    data.prior = {{{0.2, 0.7}, {-1.0, 0.7}, {-2.0, 0.7}}};
    return data;
  };
  models::TankRun run = simulate_tank(with_steps(kFinest), kTrueTank, kFinest,
                                      {.seed = seed, .purpose = purpose::kGenerated});
  TankData data = with_steps(points);
  data.observed = run.data.observed;
  for (const Index step : run.data.observed_at) data.observed_at.push_back(step / kFinest * points);
  run.data = std::move(data);
  return run;
}

struct TankSampling {
  std::string sampler = "nuts";
  PathCoordinates coordinates = PathCoordinates::plain;
  infer::KernelOptions kernel = {};
  Index num_warmup = 1000, num_draws = 1000, num_chains = 2;
};

struct TankResult {
  infer::StoredDraws store;
  double gradients = 0.0;          // after warm-up
  std::array<double, 3> ess = {};  // of log ρ0, log γ, log σ
  double seconds = 0.0;
  double least_ess() const { return *std::min_element(ess.begin(), ess.end()); }
  double ess_per_gradient() const { return least_ess() / gradients; }
};

inline double column_sum(const infer::StoredDraws& store, std::string_view name) {
  for (std::size_t c = 0; c < store.columns.size(); ++c)
    if (store.columns[c].name == name) {
      const auto values = store.info.quantity(static_cast<Index>(c));
      return std::accumulate(values.begin(), values.end(), 0.0);
    }
  throw Error(ErrorCode::internal, "no column " + std::string(name));
}

inline TankResult sample_tank(const PathPosterior& posterior, const TankData& data,
                              const TankSampling& how, std::uint64_t seed) {
  std::vector<double> logs;
  for (const double y : data.observed) logs.push_back(std::log(std::max(y, 0.05)));
  std::vector<std::vector<double>> init;
  for (Index c = 0; c < how.num_chains; ++c)
    init.push_back(
        posterior.initial_point({1.2, 0.4, 0.15}, logs, seed, static_cast<std::uint32_t>(c)));
  TankResult result;
  const infer::RunResult run = run_chains(posterior,
                                          {.sampler = how.sampler,
                                           .num_chains = how.num_chains,
                                           .num_warmup = how.num_warmup,
                                           .num_draws = how.num_draws,
                                           .seed = seed,
                                           .num_threads = 1,
                                           .init = init,
                                           .kernel = how.kernel},
                                          result.store);
  result.gradients = column_sum(result.store, "num_leapfrog");
  result.seconds = run.seconds;
  for (Index p = 0; p < 3; ++p)
    result.ess[static_cast<std::size_t>(p)] =
        diagnose::ess_bulk(diagnose::quantity(result.store.draws, p));
  return result;
}

}  // namespace credo::examples
