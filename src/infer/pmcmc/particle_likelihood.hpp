// The likelihood of a point's parameters as a particle filter estimates it, with a path of the states from the same run.
//
//   (Z, x) ~ the filter,   E Z = p(y | theta),   and for every function f:  E Z f(x) = p(y | theta) E(f(x) | y, theta)
//
// so that Metropolis on (theta, Z, x) leaves p(theta, x | y) invariant [andrieu2009; andrieu2010, sec. 4.4].
#pragma once
#include "density/state_space.hpp"
#include "infer/core/step.hpp"
#include "infer/pmcmc/filter_moves.hpp"

namespace credo::infer {

// A filter's run and one of its last particles' lines: its states, time by time and element by element.
struct PathEstimate {
  double log_likelihood = -kInfinity;
  std::vector<double> path;
  std::string refused =
      {};  // error of the model, or the filter, at parameters without a likelihood
};
PathEstimate estimate_path(const density::StateSpace& model, const FilterOptions& options,
                           Rng& rng);

// log p(x, y | theta) of a path.
double log_density_of_path(const density::StateSpace& model, std::span<const double> path);

// The states of a position, time by time and element by element; and back.
std::vector<double> states_of(std::span<const double> position, std::span<const Index> coordinates);
void set_states(std::span<double> position, std::span<const Index> coordinates,
                std::span<const double> path);

// Throws Error(program) unless two values of log (density / state functions' density), taken on two paths, agree: the density
// of the program is then the prior of its parameters times those of the state functions. `size` is the subtracted terms'.
void require_same_prior(double one, double other, double size);

class ParticleLikelihood final : public PooledKernel {
 public:
  // The density must live as long. Throws Error(usage) or Error(program) where it has no state-space model that can be asked.
  // `correlation`: each time's random numbers stay those of the point's last run with this probability (0: all are new), a
  // reversible move of what the estimate is a function of [tran2016; deligiannidis2018].
  ParticleLikelihood(const density::LogDensity& density, const FilterMoves& moves,
                     std::string_view algorithm, double correlation = 0.0);

  std::span<const Index> parameters() const {
    return parameters_;
  }  // coordinates that are no states
  std::span<const Index> states() const { return space_->state_coordinates(); }

  // Runs the filter at the parameters of `point`: its path becomes the point's, with the density, the estimate, and the prior.
  Step<Nothing> visit(EstimatedPoint& point, Rng& rng);
  // Estimates at the start of a chain: until the filter has a likelihood, then once more, to check that the program
  // keeps the convention. Throws Error(evaluation), Error(program).
  Step<Nothing> start(EstimatedPoint& point, Rng& rng);

  // The standard deviation of the log likelihood from run to run, of so many at the parameters of a position; infinite where
  // one of them has none.
  double spread(std::span<const double> position, Index num_runs, Rng& rng);
  // Spread of the differences between so many runs, each of which keeps random numbers of the one before.
  double spread_of_ratio(std::span<const double> position, Index num_runs, Rng& rng);

  Index num_refused() const { return num_refused_; }  // runs without a likelihood
  static void saved(auto& self, auto&& field) { field(self.num_refused_); }

 private:
  void renew(std::vector<std::uint64_t>& seeds, Index num_times, Rng& rng) const;

  std::unique_ptr<density::StateSpaceAt> space_;
  FilterOptions filter_;
  double correlation_;
  std::vector<Index> parameters_;
  std::string refused_;  // by the last run
  double size_ = 0.0;    // of the density of the last path
  Index num_refused_ = 0;
};

}  // namespace credo::infer
