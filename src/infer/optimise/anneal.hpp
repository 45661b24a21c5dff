// Simulated annealing [kirkpatrick1983]: random-walk Metropolis on p^(1/T) while T falls; the best
// point that was visited counts.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {

enum class Cooling {
  exponential,  // T_{t+1} = rate T_t: practical
  logarithmic,  // T_t = T_0 log 2 / log(t + 2): reaches the optimum in the limit [hajek1988],
                // slowly
  constant      // samples p^(1/T_0)
};
inline constexpr std::array<std::string_view, 3> kCoolingNames = {"exponential", "logarithmic",
                                                                  "constant"};
inline constexpr std::span<const std::string_view> enum_names(Cooling) { return kCoolingNames; }

struct AnnealOptions {
  Index num_runs = 4;
  Index num_steps = 10'000;
  Cooling cooling = Cooling::exponential;
  double temperature = 10.0;
  double rate = 0.0;
  double scale = 0.5;
  double init_radius = 2.0;
  std::uint64_t seed = 1;
  Index num_threads = 0;
  // If not null, it is called at each step of each run: run, step, temperature, log density. One call
  // at a time for a run.
  std::function<void(Index, Index, double, double)> on_step = nullptr;

  static void describe(auto& self, auto&& field) {
    field(self.num_runs, FieldSpec{.name = "num_runs",
                                   .help = "runs, each from a point of its own",
                                   .range = at_least(1)});
    describe_schedule(self, field);
    field(self.init_radius, FieldSpec{.name = "init_radius",
                                      .help = "runs start uniformly on (-radius, radius)",
                                      .range = {.lo = 0.0, .hi_open = true}});
    field(self.seed,
          FieldSpec{.name = "seed", .help = "seed of all random numbers", .range = at_least(0)});
    field(self.num_threads, FieldSpec{.name = "num_threads",
                                      .help = "threads at most; 0: one for each processor",
                                      .range = at_least(0)});
  }

  // The fields that say how a run walks.
  static void describe_schedule(auto& self, auto&& field) {
    field(self.num_steps,
          FieldSpec{.name = "num_steps", .help = "steps a run", .range = at_least(1)});
    field(self.cooling, FieldSpec{.name = "cooling", .help = "how the temperature falls"});
    field(self.temperature,
          FieldSpec{.name = "temperature", .help = "first temperature", .range = positive()});
    field(self.rate,
          FieldSpec{.name = "rate",
                    .help = "factor of exponential cooling; 0: ends at 1e-4 of the first one",
                    .range = {.lo = 0.0, .hi = 1.0}});
    field(self.scale,
          FieldSpec{.name = "scale", .help = "standard deviation of a step", .range = positive()});
  }
};

struct AnnealRun {
  std::vector<double> best;
  double best_log_density = -kInfinity;
  double last_log_density = -kInfinity;
  Index num_accepted = 0;
};

struct AnnealResult {
  std::vector<AnnealRun> runs;
  std::size_t best_run = 0;
  const AnnealRun& best() const { return runs[best_run]; }
};

// A walk between two steps.
struct AnnealState {
  std::vector<double> position, best;
  double log_density = -kInfinity, best_log_density = -kInfinity;
  Index num_steps = 0, num_accepted = 0;

  void begin(std::span<const double> at, double log_density_there);
  static void saved(auto& self, auto&& field) {
    field(self.position);
    field(self.best);
    field(self.log_density);
    field(self.best_log_density);
    field(self.num_steps);
    field(self.num_accepted);
  }
};
// A Metropolis step at the temperature of its number.
Step<Nothing> anneal_step(const AnnealOptions& options, AnnealState& state, Rng rng);

double temperature_at(const AnnealOptions& options, Index step);

// Maximises the log density on the unconstrained space: with a Stan program this is the mode of the density
// with its Jacobians. Same seed, same result, for any number of threads.
AnnealResult anneal(const density::LogDensity& density, const AnnealOptions& options);

}  // namespace credo::infer
