// Effective draws of the tank's parameters a thousand gradients, for samplers, coordinates and
// integration times: credo_bench_path POINTS [DRAWS]
#include <cstdio>
#include <cstdlib>

#include "examples/support/tank_runs.hpp"

namespace {
using namespace credo;
using namespace credo::examples;

void report(const TankData& data, const TankSampling& how, double time) {
  const PathPosterior posterior(std::make_shared<const TankModel>(data), how.coordinates);
  const TankResult result = sample_tank(posterior, data, how, 1);
  std::printf(
      "%-11s %-7s time %5.2f  ESS %6.0f %6.0f %6.0f  gradients a draw %7.1f  "
      "ESS / 1000 gradients %8.3f  %6.2f s  accept %.2f\n",
      how.sampler.c_str(), how.coordinates == PathCoordinates::plain ? "plain" : "staged", time,
      result.ess[0], result.ess[1], result.ess[2],
      result.gradients / double(how.num_draws * how.num_chains), 1e3 * result.ess_per_gradient(),
      result.seconds,
      column_sum(result.store, "accept_stat") / double(how.num_draws * how.num_chains));
  std::fflush(stdout);
}
}  // namespace

int main(int argc, char** argv) {
  const Index points = argc > 1 ? std::atol(argv[1]) : 5;
  const Index draws = argc > 2 ? std::atol(argv[2]) : 1000;
  const TankData data = tank_run(points, 1).data;
  constexpr auto kPlain = PathCoordinates::plain, kStaged = PathCoordinates::staged;
  TankSampling how{.num_warmup = 1000, .num_draws = draws};
  const std::vector<double> precision =
      PathPosterior(std::make_shared<const TankModel>(data), kStaged).precision();
  const auto run = [&](std::string sampler, PathCoordinates coordinates,
                       infer::KernelOptions kernel, double time) {
    how.sampler = std::move(sampler), how.coordinates = coordinates, how.kernel = std::move(kernel);
    report(data, how, time);
  };
  for (const double time : {1.0, 1.57, 2.5, 4.0, 6.0})
    run("split_hmc", kStaged,
        infer::SplitHmcOptions{.integration_time = time, .precision = precision}, time);
  for (const double time : {1.57, 2.5, 4.0, 6.0})
    run("split_hmc", kStaged, infer::SplitHmcOptions{.integration_time = time}, time);
  for (const double time : {1.0, 1.57, 2.5, 4.0, 6.28})
    run("hmc_static", kStaged, infer::HmcStaticOptions{.integration_time = time}, time);
  run("nuts", kStaged, {}, 0.0);
  for (const double time : {1.57, 3.0, 6.28, 12.0, 25.0})
    run("hmc_static", kPlain, infer::HmcStaticOptions{.integration_time = time}, time);
  run("nuts", kPlain, {}, 0.0);
}
