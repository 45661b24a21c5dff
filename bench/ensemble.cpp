// Likelihood calls a second of the stretch move on a five-dimensional normal, one thread.
//
// usage: credo_bench_ensemble [WALKERS [ITERATIONS]]; prints calls a second, the median of five.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "density/function_density.hpp"
#include "infer/ensemble/ensemble.hpp"

namespace {
using namespace credo;

class Forgetting final : public infer::DrawSink {
 public:
  void draw(const infer::DrawRecord& record) override { sum += record.position[0]; }
  double sum = 0.0;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

int main(int argc, char** argv) {
  const Index num_walkers = argc > 1 ? std::atol(argv[1]) : 32;
  const Index num_iterations = argc > 2 ? std::atol(argv[2]) : 20'000;
  const auto density = density::make_value_density(
      5, [precision = std::array{1.0, 0.5, 0.25, 2.0, 4.0}](std::span<const double> x) {
        double sum = 0.0;
        for (std::size_t d = 0; d < 5; ++d) sum += precision[d] * x[d] * x[d];
        return -0.5 * sum;
      });
  std::vector<double> rates;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Forgetting sink;
    const double start = seconds();
    const infer::RunResult run =
        infer::run_chains(*density,
                          {.sampler = "ensemble",
                           .num_chains = 1,
                           .num_warmup = 0,
                           .num_draws = num_iterations,
                           .seed = seed,
                           .num_threads = 1,
                           .kernel = infer::EnsembleOptions{.num_walkers = num_walkers}},
                          sink);
    rates.push_back(static_cast<double>(run.chains[0].num_evaluations) / (seconds() - start));
  }
  std::sort(rates.begin(), rates.end());
  std::printf("%.0f\n", rates[2]);
  return 0;
}
