// Hidden Markov models: the whole path from its joint conditional distribution by forward filtering and
// backward sampling, alone or in turn with the parameters.
#pragma once
#include "base/error.hpp"
#include "infer/compose/chooser.hpp"

namespace credo::models {

struct HiddenChain {
  std::vector<double> initial;     // K
  std::vector<double> transition;  // K x K, from row to column
  Index num_states() const { return ssize(initial); }
};

// path[t] for t = 0 .. T - 1 given log_likelihood (T x K), log p(observation t | state). Returns
// the log evidence of the observations. One joint draw, O(T K^2). Throws Error(data) for wrong
// sizes, and for observations that no path has.
double draw_hidden_path(const HiddenChain& chain, std::span<const double> log_likelihood,
                        std::span<Index> path, infer::Chooser& chooser);

// Observations 0 .. num_symbols - 1; initial distribution, rows of transition and rows of emission from
// Dirichlet distributions with one concentration each.
struct HiddenMarkovPrior {
  Index num_states = 2, num_symbols = 2;
  double initial = 1.0, transition = 1.0, emission = 1.0;
  void check() const;  // throws Error(data)
};
struct HiddenMarkovState {
  HiddenChain chain;
  std::vector<double> emission;  // K x symbols
  std::vector<Index> path;
};
HiddenMarkovState draw_prior(const HiddenMarkovPrior& prior, Index num_times, Rng& rng);
std::vector<Index> draw_symbols(const HiddenMarkovState& state, Index num_symbols, Rng& rng);

// Blocked Gibbs: the path given the parameters, then the parameters given the path.
class HiddenMarkovGibbs {
 public:
  HiddenMarkovGibbs(std::vector<Index> symbols, const HiddenMarkovPrior& prior);
  void step(HiddenMarkovState& state, Rng& rng) const;
  double update_path(HiddenMarkovState& state, infer::Chooser& chooser) const;  // log evidence
  void update_parameters(HiddenMarkovState& state, Rng& rng) const;

 private:
  std::vector<Index> symbols_;
  HiddenMarkovPrior prior_;
};

}  // namespace credo::models
