// Exact matrices of the textbook kernels: Metropolis-Hastings and Gibbs, from a target
// alone. Targets are weights, at least 0; their sum doesn't matter.
//
//   metropolis_hastings(weights, proposal)
//   gibbs_sweep({{2, 2, 2}}, weights)
#pragma once
#include "infer/finite/chain.hpp"

namespace credo::infer::finite {

// The probability of accepting x -> y, with r = target(y) q(y, x) / (target(x) q(x, y)):
// metropolis: min(1, r); barker: r / (1 + r).
enum class Acceptance { metropolis, barker };

// T(x, y) = q(x, y) A(x, y) for y other than x; the rejected mass stays on the diagonal. A state of
// weight 0 accepts every proposal, so a chain that starts there can leave.
FiniteChain metropolis_hastings(std::span<const double> target, const FiniteChain& proposal,
                                Acceptance acceptance = Acceptance::metropolis);

// The states (i_1, ..., i_d) with 0 <= i_k < sizes[k], the last coordinate fastest.
class ProductSpace {
 public:
  ProductSpace(std::vector<Index> sizes);  // NOLINT: implicit, {{2, 2, 2}} is a space

  Index num_states() const { return num_states_; }
  Index num_coordinates() const { return ssize(sizes_); }
  Index size(Index coordinate) const { return sizes_[coordinate]; }
  Index encode(std::span<const Index> coordinates) const;
  std::vector<Index> decode(Index state) const;
  // Equal for two states that differ in the coordinates of `block` only.
  std::vector<Index> labels_without(std::span<const Index> block) const;

 private:
  std::vector<Index> sizes_;
  Index num_states_ = 1;
};

// Moves among the states with the label of the present one, with probability proportional to the
// target: T(x, y) = [labels equal] target(y) / sum over the x' of that label. Stays where these
// weigh 0.
FiniteChain conditional_kernel(std::span<const double> target, std::span<const Index> labels);

// One coordinate, or a block of them jointly, from its full conditional. Alone not irreducible.
FiniteChain gibbs_block(const ProductSpace& space, std::span<const double> target,
                        std::span<const Index> block);
// A coordinate at random with these weights (none: equal ones), or all in an order (none: as they
// come).
FiniteChain gibbs_random_scan(const ProductSpace& space, std::span<const double> target,
                              std::span<const double> weights = {});
FiniteChain gibbs_sweep(const ProductSpace& space, std::span<const double> target,
                        std::span<const Index> order = {});

// One step to the left or right of 0 .. n - 1 with probability 1/2 each; what would leave stays.
FiniteChain reflected_walk(Index n);

// Random-walk Metropolis on a line, cut to the centres of equal cells: normal steps of this
// standard deviation, weighted by the cells; what would leave the grid stays.
struct Grid {
  double lo = -5.0, hi = 5.0;
  Index num_cells = 200;
  double centre(Index k) const {
    return lo + (static_cast<double>(k) + 0.5) * (hi - lo) / static_cast<double>(num_cells);
  }
};
FiniteChain random_walk_on_grid(const Grid& grid, const std::function<double(double)>& log_density,
                                double step_sd);

}  // namespace credo::infer::finite
