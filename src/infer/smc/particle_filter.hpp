// Particle filters: weighted particles that follow a Feynman-Kac model from time to time [chopin2020, alg. 10.1, 10.3;
// murphy2023, alg. 18-20]. The same seed gives the same bits for any number of threads.
#pragma once
#include "density/state_space.hpp"
#include "infer/core/fields.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "infer/smc/weighted_distribution.hpp"

namespace credo::infer {

// Called during long work with the stage ("filtering") and the current time, counted from 0.
using TimeProgress = std::function<void(std::string_view what, Index time)>;

//   bootstrap   particles move by the transition and are weighed by the outcome [gordon1993]
//   guided      they move by the program's proposal, which sees the outcome
//   auxiliary   as guided where there is a proposal, and parents are chosen by what lies ahead of them [pitt1999]
enum class FilterMethod { bootstrap, guided, auxiliary };
inline constexpr std::array<std::string_view, 3> kFilterMethodNames = {"bootstrap", "guided",
                                                                       "auxiliary"};
inline constexpr std::span<const std::string_view> enum_names(FilterMethod) {
  return kFilterMethodNames;
}

class FilterCheckpoints;

inline constexpr std::array<double, 3> kFilterLevels = {0.05, 0.5, 0.95};

inline constexpr FieldSpec kResampleBelow{
    .name = "resample_below",
    .help =
        "resample where the effective particles are below this share of all; 1: at every "
        "time, 0: never",
    .range = {.lo = 0.0, .hi = 1.0}};
inline constexpr FieldSpec kResampling{.name = "resampling",
                                       .help = "scheme by which parents are chosen",
                                       .values = "multinomial|residual|stratified|systematic"};

struct FilterOptions {
  Index num_particles = 1000;
  double resample_below = 0.5;
  std::string resampling = "systematic";
  const ResamplingScheme* scheme = nullptr;  // the caller's, in place of a row of the table
  FilterMethod method = FilterMethod::bootstrap;
  std::uint64_t seed = 1;
  Index num_threads = 1;
  // Results of one run: quantiles of each element at each time, and their levels; states and parents of every particle.
  bool quantiles = true, keep_ancestry = false;
  std::vector<double> levels = {kFilterLevels.begin(), kFilterLevels.end()};
  density::OutcomeDraws* outcomes = nullptr;  // with `quantiles`: outcomes are forecast, too
  FilterCheckpoints* checkpoints = nullptr;   // where the run keeps its state, to be resumed
  // Random numbers by time, in the place of those of `seed`; and parents chosen from particles in the order of their states, so
  // that runs whose random numbers are alike stay alike.
  std::vector<std::uint64_t> time_seeds = {};
  bool sorted = false;
  // Sequential quasi-Monte Carlo [gerber2015, alg. 3], of models whose movers make states of uniform numbers: particles of one time
  // are made of one set of scrambled points, whose first coordinate chooses parents in the order of their states.
  bool quasi = false;
  TimeProgress on_time = {};  // may be empty; called by the thread that runs the filter

  static void describe(auto& self, auto&& field) {
    field(self.num_particles, FieldSpec{.name = "num_particles",
                                        .help = "particles",
                                        .range = {.lo = 2, .hi = 1e9},
                                        .option = "--particles"});
    field(self.resample_below, kResampleBelow);
    field(self.resampling, kResampling);
  }
};

// Summary of one time. Vectors have an element for each of the state's; `quantiles` has those of the levels, level by level.
struct FilteredTime {
  double ess = 0.0;            // effective particles
  double max_weight = 0.0;     // the largest share of the weight that one particle has
  double log_increment = 0.0;  // log p(y_t | y_1, ..., y_{t-1}), as estimated
  bool resampled = false;      // before the particles moved
  Index num_roots = 0;         // particles of time 1 that have descendants left
  std::vector<double> mean, sd, quantiles;
  WeightedDistribution outcome = {};  // forecast outcome; empty at other times

  static void saved(auto& self, auto&& field) {
    field(self.ess);
    field(self.max_weight);
    field(self.log_increment);
    field(self.resampled);
    field(self.num_roots);
    field(self.mean);
    field(self.sd);
    field(self.quantiles);
    field(self.outcome);
  }
};

// The particles of one time as they were weighed; parents are particles of the time before.
struct Generation {
  std::vector<double> states;   // [element][particle]
  std::vector<double> weights;  // they add up to 1
  std::vector<std::int32_t> parents;

  static void saved(auto& self, auto&& field) {
    field(self.states);
    field(self.weights);
    field(self.parents);
  }
};

struct FilterResult {
  double log_likelihood = 0.0;
  std::vector<FilteredTime> times;
  std::vector<Generation> generations;  // with keep_ancestry

  static void saved(auto& self, auto&& field) {
    field(self.log_likelihood);
    field(self.times);
    field(self.generations);
  }
};

// Throws Error(evaluation) where no particle has a weight, or a function of the model fails; Error(usage) for options out of
// their range; Error(program) if the model lacks functions that the method needs.
FilterResult run_filter(const density::StateSpace& model, const FilterOptions& options,
                        Index repeat = 0);

// Makes the first times of run 0, until every kind of time was met: what the model compiles is decided there. Runs that begin side by
// side on copies of the model behind it then give the same bits in whatever order they come. Throws as run_filter does.
void settle_model(const density::StateSpace& model, const FilterOptions& options);

// A filter that is led from time to time: the times up to `end`, from what `state` says that earlier ones left (bytes; empty: from
// the first), with the random numbers of the seed of the options. `state` becomes that of `end`. Returns log p(y_t, ..., y_end |
// y_1, ..., y_{t-1}) as estimated, t the first time that is new. Throws as run_filter does, and leaves `state` as it was.
double advance_filter(const density::StateSpace& model, const FilterOptions& options, Index end,
                      std::string& state);

// Several runs, whose likelihoods are independent and unbiased.
struct LikelihoodEstimate {
  double log_likelihood = 0.0;  // log of the mean of the likelihoods
  // Standard error of log_likelihood; infinite for a single run. If the log likelihoods of runs differ by more than 1
  // (sd), it also covers the bias of the mean of few likelihoods.
  double error = kInfinity;
  double sd = kNaN;            // standard deviation of one run's log likelihood
  double mean_of_logs = kNaN;  // on average below the log likelihood, by Jensen's inequality
};
LikelihoodEstimate combined_likelihood(std::span<const double> log_likelihoods);

// The last particles' lines back to the first time: particle numbers, [line][time]; `last` are particles of the last time.
std::vector<std::vector<Index>> lines_of(std::span<const Generation> generations,
                                         std::span<const Index> last);

}  // namespace credo::infer
