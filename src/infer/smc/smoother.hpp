// Smoothers by particles: the distribution of the states of all times given all outcomes, as weighted paths through
// the generations of a filter. The same seed gives the same bits for any number of threads.
#pragma once
#include "infer/smc/particle_filter.hpp"

namespace credo::infer {

//   ffbs        paths are drawn backwards: x_T by its weight, then x_t by its weight times the transition to x_{t+1}
//               [godsill2004; chopin2020, sec. 12.3]
//   genealogy   the lines of the last particles, by their weights [kitagawa1996]: early times rest on few states
//   paris       backward draws for each particle while the filter runs (infer/smc/paris.hpp)
enum class SmoothMethod { ffbs, genealogy, paris };
inline constexpr std::array<std::string_view, 3> kSmoothMethodNames = {"ffbs", "genealogy",
                                                                       "paris"};
inline constexpr std::span<const std::string_view> enum_names(SmoothMethod) {
  return kSmoothMethodNames;
}

// Paths through generations: particle numbers, [time][path]. Weights add up to 1.
struct ParticlePaths {
  std::vector<std::vector<std::int32_t>> particles;
  std::vector<double> weights;
  Index size() const { return ssize(weights); }
};

struct BackwardOptions {
  Index num_paths = 200;
  std::uint64_t seed = 1;
  Index num_threads = 1;
  TimeProgress on_time = {};
};

// Independent draws given the generations, of equal weights. Costs num_paths densities of the transition for each particle, fewer
// where paths meet. Throws Error(program) for a model without a density of its transition, or whose density ignores an
// element of the state, so that it isn't the density of the whole state; Error(evaluation) if density and draws disagree.
ParticlePaths backward_paths(const density::StateSpace& model,
                             std::span<const Generation> generations,
                             const BackwardOptions& options, Index repeat = 0);
// The lines of all last particles.
ParticlePaths genealogy_paths(std::span<const Generation> generations);

// Summary of one time. Vectors have an element for each of the state's; `quantiles` are at kFilterLevels, level by level.
struct SmoothedTime {
  std::vector<double> mean, sd, quantiles;
  Index num_distinct = 0;  // particles that paths go through

  static void saved(auto& self, auto&& field) {
    field(self.mean);
    field(self.sd);
    field(self.quantiles);
    field(self.num_distinct);
  }
};
// By particles of a generation and their weights.
SmoothedTime moments_at(const Generation& generation, std::span<const std::int32_t> particles,
                        std::span<const double> weights);
std::vector<SmoothedTime> moments_of(const ParticlePaths& paths,
                                     std::span<const Generation> generations);

// Expected sums over times given all outcomes, for x_t, x_t x_t', and x_t x_{t+1}', column-major.
struct StateSums {
  std::vector<double> states, squares, neighbours;

  static void saved(auto& self, auto&& field) {
    field(self.states);
    field(self.squares);
    field(self.neighbours);
  }
};

struct SmootherResult {
  double log_likelihood = 0.0;
  std::vector<SmoothedTime> times;
  std::vector<double> paths;  // [path][time][element], of equal weights
  StateSums sums = {};        // of paris

  static void saved(auto& self, auto&& field) {
    field(self.log_likelihood);
    field(self.times);
    field(self.paths);
    field(self.sums);
  }
};
struct SmootherOptions {
  SmoothMethod method = SmoothMethod::ffbs;
  Index num_paths = 200;         // drawn paths; those of the genealogy by weight
  Index num_backward_draws = 2;  // of paris, at each time for each particle
};
// Filters by `options` and smooths. Throws as run_filter, backward_paths and paris.
SmootherResult run_smoother(const density::StateSpace& model, const FilterOptions& options,
                            const SmootherOptions& how, Index repeat = 0);

// Independent runs together: means of their means and quantiles; deviations about the joint mean; the standard error of the mean,
// from the spread of the runs, infinite of a single one.
struct CombinedTime {
  std::vector<double> mean, sd, quantiles, error;
  double num_distinct = 0.0;  // on average
};
std::vector<CombinedTime> combined_times(std::span<const SmootherResult> repeats);

// The same sums by the method paris.
struct CombinedSums {
  StateSums mean, error;
};
CombinedSums combined_sums(std::span<const SmootherResult> repeats);

}  // namespace credo::infer
