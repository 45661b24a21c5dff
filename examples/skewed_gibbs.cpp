// Gibbs sampling along a narrow ridge: a normal in two dimensions with correlation r (X7 of the
// catalogue's chapter 12). A sweep draws x | y ~ N(r y, 1 - r^2), then y | x. So x_t+1 = r y_t +
// noise and y_t = r x_t + noise: each coordinate is an autoregression with coefficient r^2, and
// needs (1 + r^2) / (1 - r^2) sweeps for one independent draw. Turned by 45 degrees it needs one.
#include <fmt/core.h>

#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/gibbs/discrete_gibbs.hpp"

namespace {
using namespace credo;
using examples::Estimate, examples::Experiment, examples::Table;
using infer::gibbs::Pair;

constexpr Index kChains = 200, kSweeps = 2000;

struct Sweep {
  double r;
  void operator()(Pair& at, Rng& rng) const {
    const double sd = std::sqrt(1.0 - r * r);
    at.first = r * at.second + sd * rng.normal();
    at.second = r * at.first + sd * rng.normal();
  }
};
// The coordinates (x + y) / sqrt(2) and (y - x) / sqrt(2) are independent: a sweep draws both.
struct TurnedSweep {
  double r;
  void operator()(Pair& at, Rng& rng) const {
    infer::gibbs::step_rotated(at, [&](Pair& turned) {
      turned = {std::sqrt(1.0 + r) * rng.normal(), std::sqrt(1.0 - r) * rng.normal()};
    });
  }
};

Pair exact_start(double r, Rng& rng) {
  const double x = rng.normal();
  return {x, r * x + std::sqrt(1.0 - r * r) * rng.normal()};
}

struct Seen {
  Estimate autocorrelation, correlation;  // of x at lag one sweep; of x with y
};

// Stationary chains: means over them are without bias.
template <class Kernel>
Seen run(const Kernel& kernel) {
  std::vector<double> memories, correlations;
  for (Index c = 0; c < kChains; ++c) {
    Rng rng({.seed = 7, .purpose = purpose::kTransition, .chain = static_cast<std::uint32_t>(c)});
    Pair at = exact_start(kernel.r, rng);
    std::vector<double> x;
    double apart = 0.0;  // mean of (x - y)^2 = 2 (1 - r)
    for (Index s = 0; s < kSweeps; ++s) {
      kernel(at, rng);
      x.push_back(at.first);
      apart += (at.first - at.second) * (at.first - at.second) / kSweeps;
    }
    memories.push_back(examples::autocorrelations(x, 1.0)[1]);
    correlations.push_back(1.0 - 0.5 * apart);
  }
  return {examples::mean_of(memories), examples::mean_of(correlations)};
}

void judge(Experiment& experiment, const std::string& what, const Seen& seen, double lag_one,
           double r) {
  experiment.within(what + ": autocorrelation of a sweep", seen.autocorrelation.mean, lag_one,
                    4.0 * seen.autocorrelation.error);
  experiment.within(what + ": correlation of x and y", seen.correlation.mean, r,
                    4.0 * seen.correlation.error);
}

// Every half sweep is a move along one axis.
void draw_staircase(Experiment& experiment, double r) {
  Table& stairs = experiment.table("stairs", {"x", "y"});
  Rng rng({.seed = 8, .purpose = purpose::kTransition});
  Pair at{-2.2, -2.2};
  stairs.row({at.first, at.second});
  for (Index s = 0; s < 40; ++s) {
    const Pair before = at;
    Sweep{r}(at, rng);
    stairs.row({at.first, before.second});
    stairs.row({at.first, at.second});
  }
  Table& ridge = experiment.table("ridge", {"x", "y"});  // 95 % of the distribution
  const double radius = std::sqrt(-2.0 * std::log(0.05));
  for (int k = 0; k <= 100; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 100.0;
    const double along = radius * std::sqrt((1.0 + r) / 2.0) * std::cos(angle);
    const double across = radius * std::sqrt((1.0 - r) / 2.0) * std::sin(angle);
    ridge.row({along - across, along + across});
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Gibbs sampling of a skewed normal: a sweep remembers r^2", argc, argv);
  Table& memory = experiment.table("memory", {"r", "seen", "turned"});
  for (const double r : {0.0, 0.5, 0.8, 0.9, 0.95, 0.99}) {
    const Seen plain = run(Sweep{r}), turned = run(TurnedSweep{r});
    judge(experiment, fmt::format("r = {}", r), plain, r * r, r);
    judge(experiment, fmt::format("r = {}, turned", r), turned, 0.0, r);
    memory.row({r, plain.autocorrelation.mean, turned.autocorrelation.mean});
  }
  draw_staircase(experiment, 0.95);
  return experiment.finish();
}
