// A trajectory that grows by doubling, as a stack of finished sub-trees.
//
// A Subtree is a stretch of consecutive points, in the direction of integration: its ends, the sum
// of its momenta, the log of its total weight Σ exp(H₀ - H), and the point drawn from it. Leaves
// are pushed one by one; two neighbours of equal height merge at once, like the carry of a binary
// counter. So memory is bounded by the depth, and the decisions and their random numbers come in
// the order of the recursive form (tests/support/recursive_nuts.hpp), which gives the same draws.
#pragma once
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

// How the parts of a sub-tree, and how the old tree and a new half, choose between their points.
enum class Choice {
  multinomial,  // the later part with probability w₂ / (w₁ + w₂)
  biased  // the new half with probability min(1, w₂ / w₁): favours points far from the start
};

// Two parts joined, from their log weights.
struct Joint {
  double log_total;    // -infinity of two -infinities
  double later_share;  // probability of taking the later part's point
};
Joint join_weights(double into, double later, Choice choice);

struct Subtree {
  Index first = 0, last = 0, chosen = 0;  // points, numbers in the store
  double log_weight = -kInfinity;
  Index height = 0;                // 2^height points
  std::span<double> momentum_sum;  // D
};

class Trajectory {
 public:
  Trajectory(Index max_depth, Index dimension);
  Trajectory(Trajectory&&) = default;

  // A single point at the state, with a fresh momentum. The settings must outlive the trajectory's
  // use; `step_size` is that of this transition.
  void begin(const HmcState& state, const HmcSettings& settings, double step_size, Rng& rng);

  // Chooses a direction; the new half is empty.
  void begin_half(bool forward);
  // The next point of the new half, half kicked and drifted; it lacks log density and gradient.
  PhasePoint& advance();
  // Completes that point and merges sub-trees. False if the half must be thrown away: it diverged
  // or turned within.
  bool grow(Rng& rng);
  bool half_is_complete() const { return stack_size_ == 1 && stack_[0].height == whole_.height; }
  // Joins the finished half to the whole. False if the whole has turned.
  bool join(Rng& rng);

  Index depth() const { return whole_.height; }
  Index num_leapfrog() const { return num_leapfrog_; }
  double mean_metropolis_prob() const;  // over all points, H₀ the energy of the start
  bool diverged() const { return diverged_; }
  double last_energy_error() const { return last_energy_error_; }
  const PhasePoint& chosen() const { return points_[whole_.chosen]; }
  const PhasePoint& frontier() const { return points_[frontier_]; }

 private:
  Index acquire();
  void release(Index point);
  void push_leaf();
  bool merge(Subtree& into, const Subtree& later, Choice choice, Rng& rng);
  bool turns(const Subtree& earlier, const Subtree& later) const;

  PhasePoints points_;
  std::vector<int> uses_;     // uses of each point, by sub-trees
  std::vector<Index> spare_;  // points without use
  std::vector<double> sums_;  // memory of the momentum sums
  std::vector<Subtree> stack_;
  Subtree whole_;
  std::size_t stack_size_ = 0;
  const HmcSettings* settings_ = nullptr;
  double step_size_ = 0.0, signed_step_ = 0.0, start_energy_ = 0.0, prob_sum_ = 0.0;
  double last_energy_error_ = 0.0;
  Index frontier_ = 0, num_leapfrog_ = 0;
  bool diverged_ = false, forward_ = true;
};

}  // namespace credo::infer
