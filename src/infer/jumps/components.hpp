// Families whose model k has k interchangeable components, and the moves that change their number.
//
//   x_k = (shared, component 1, ..., component k)
//
// Birth draws a component and puts it into a slot drawn among k + 1; death removes one of k + 1.
// Split makes two of one and puts the second into a drawn slot; merge joins a component drawn at
// random with its nearest. Slots are drawn so that the density of the *list* of components, which
// needn't care for their order, stays invariant: a density over lists p(k, x_k) is what a family
// states; there is no k! in it.
#pragma once
#include "infer/jumps/jump.hpp"

namespace credo::infer::rj {

struct ComponentLayout {
  Index num_shared = 0;     // coordinates before the components
  Index size = 1;           // of a component
  Index num_positions = 1;  // its first coordinates, whose distance says which is nearest

  Index count(std::span<const double> x) const { return (ssize(x) - num_shared) / size; }
  Index begin(Index component) const { return num_shared + component * size; }
  std::span<const double> component(std::span<const double> x, Index j) const {
    return x.subspan(static_cast<std::size_t>(begin(j)), static_cast<std::size_t>(size));
  }
  // The one whose position is nearest to that of component j; -1 if it is alone.
  Index nearest(std::span<const double> x, Index j) const;
};

// ---- distributions of labels ----

// Birth: the slot, among count + 1. Death: the component.
std::shared_ptr<const LabelDistribution> uniform_slot(const ComponentLayout& layout);
std::shared_ptr<const LabelDistribution> uniform_component(const ComponentLayout& layout);
// Split: the places of the two among count + 1 components. The one that splits follows: split_of().
// Merge: a component at random, and its nearest.
std::shared_ptr<const LabelDistribution> uniform_pair(const ComponentLayout& layout);
std::shared_ptr<const LabelDistribution> nearest_pair(const ComponentLayout& layout);
inline Index split_of(const Label& pair) { return pair[0] - (pair[1] < pair[0] ? 1 : 0); }

std::shared_ptr<const Places> birth_places(const ComponentLayout& layout);
std::shared_ptr<const Places> split_places(const ComponentLayout& layout);

// ---- the dispatcher [murphy2023, alg. 17] ----

// Probabilities of moves in the model with k components; its update has the rest.
struct MoveProbabilities {
  double birth = 0.0, death = 0.0, split = 0.0, merge = 0.0;
};

// b_k = share min(1, p(k + 1) / p(k)), d_k = share min(1, p(k - 1) / p(k)), and split and merge as
// these from one component on [green1995, sec. 4.2]. share: in (0, 1/4]. log_prior: by number.
std::vector<MoveProbabilities> balanced_probabilities(std::span<const double> log_prior,
                                                      double share);

struct ComponentMoves {
  ComponentLayout layout;
  // The new component, of layout.size numbers.
  std::shared_ptr<const AuxiliaryDistribution> birth = nullptr;
  // (component, u) to (first, second, u'): none where nothing splits.
  std::shared_ptr<const SmoothMap> split = nullptr;
  std::shared_ptr<const AuxiliaryDistribution> split_auxiliary = nullptr, merge_auxiliary = nullptr;
};

// Jumps between models k and k + 1 for k = 0 ... by_number.size() - 2; moves of probability 0 in
// both directions are left out. Throws Error(usage) for a death or merge in a model without enough components.
std::vector<Jump> component_jumps(const ComponentMoves& moves,
                                  std::span<const MoveProbabilities> by_number);

// ---- splitting of positions ----

// Uniform in the ball of radius 1 around 0.
std::shared_ptr<const AuxiliaryDistribution> uniform_in_ball(Index dimension);
// For components that are positions only: (mu, u) to (mu - alpha u, mu + alpha u), whose
// determinant is (2 alpha)^d. With u in the unit ball a merge needs a distance below 2 alpha.
// Throws Error(usage) unless alpha > 0.
MapFormulas split_positions(Index dimension, double alpha);

}  // namespace credo::infer::rj
