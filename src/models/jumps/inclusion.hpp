// Variable selection with all continuous parameters integrated out: the state is a set of columns,
// so that no measure changes and no Jacobian is needed.
//
//   y = F b + X_set a + e,  scales and noise as in ConjugateRegression,
//   p(set) = p(|set|) / binomial(C, |set|)
//
// Columns of a radial basis network at fixed candidate centres make it the collapsed sampler over
// which centres are in (rbf_inclusion).
#pragma once
#include "models/jumps/rbf_network.hpp"

namespace credo::models {

struct InclusionProblem {
  std::vector<double> fixed, candidates;  // N x F and N x C, observation by observation
  std::vector<double> y;                  // N
  double fixed_scale = 3.0, candidate_scale = 3.0;
  NoisePrior noise = {};
  std::vector<double> log_prior_of_number;  // prior of sizes 0 ... C
};

using Inclusion = std::vector<std::uint8_t>;  // C, 1: in

class InclusionSampler {
 public:
  // Throws Error(data) for sizes that don't fit or numbers out of range.
  explicit InclusionSampler(const InclusionProblem& problem);

  Index num_candidates() const { return num_candidates_; }
  // log p(y | set) + log p(set). O(N) once, then O(p^3) in the number p of columns that are in.
  double log_joint(const Inclusion& inclusion);

  struct State {
    Inclusion inclusion;
    double log_joint = 0.0;
    Index num_included = 0;
  };
  State start(Inclusion inclusion);
  // Metropolis: a random column changes sides, or, half of the time, a column that is in changes
  // places with one that is out. Both are symmetric. Returns whether it was accepted.
  bool step(State& state, Rng& rng);

 private:
  void add_observations(const InclusionProblem& problem);
  Index nth(const Inclusion& inclusion, Index n, bool in) const;

  Index num_fixed_, num_candidates_;
  NoisePrior noise_;
  std::vector<double> log_prior_, gram_, moments_, all_scales_;
  double num_rows_, squares_ = 0.0;
  ConjugateRegression regression_;
  std::vector<Index> columns_;  // working memory of a call
  std::vector<double> scales_;
  Inclusion candidate_;
};

// Candidate centres: C x d.
InclusionProblem rbf_inclusion(const RbfProblem& problem, std::span<const double> centres);

}  // namespace credo::models
