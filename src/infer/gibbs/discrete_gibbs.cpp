#include "infer/gibbs/discrete_gibbs.hpp"

#include <fmt/format.h>

namespace credo::infer::gibbs {
namespace {
constexpr Index kMaxBlock = Index{1} << 20;

std::vector<double> conditional_of(const DiscreteTarget& target, std::span<Index> state,
                                   Index variable) {
  const Index old = state[variable];
  std::vector<double> log_weights;
  for (Index value = 0; value < target.sizes[variable]; ++value) {
    state[variable] = value;
    log_weights.push_back(target.log_weight(state));
  }
  state[variable] = old;
  return log_weights;
}

Index size_of(const DiscreteTarget& target, std::span<const Index> block) {
  Index size = 1;
  for (const Index v : block) {
    size *= target.sizes[v];
    if (size > kMaxBlock)
      throw Error(ErrorCode::data, fmt::format("a block has more than {} joint values", kMaxBlock),
                  "block", "take smaller blocks");
  }
  return size;
}

// Share of a value in a row of weights.
double share(std::span<const double> row, Index value) {
  return row[value] / std::accumulate(row.begin(), row.end(), 0.0);
}

void set_block(const DiscreteTarget& target, std::span<Index> state, std::span<const Index> block,
               Index joint) {
  for (const Index v : block) {
    state[v] = joint % target.sizes[v];
    joint /= target.sizes[v];
  }
}
}  // namespace

void DiscreteTarget::check(std::span<const Index> state) const {
  if (state.size() != sizes.size())
    throw Error(ErrorCode::data,
                fmt::format("{} values for {} variables", state.size(), sizes.size()), "state");
  for (Index v = 0; v < ssize(state); ++v) {
    if (state[v] < 0 || state[v] >= sizes[v])
      throw Error(ErrorCode::data,
                  fmt::format("variable {} is {}, must be 0 .. {}", v, state[v], sizes[v] - 1),
                  "state");
  }
}

void update_variable(const DiscreteTarget& target, std::span<Index> state, Index variable,
                     Chooser& chooser) {
  state[variable] = chooser.choose_log(conditional_of(target, state, variable));
}

void update_random_variable(const DiscreteTarget& target, std::span<Index> state,
                            std::span<const double> weights, Chooser& chooser) {
  const Index variable =
      weights.empty() ? chooser.uniform_index(ssize(state)) : chooser.choose(weights);
  update_variable(target, state, variable, chooser);
}

void sweep_variables(const DiscreteTarget& target, std::span<Index> state,
                     std::span<const Index> order, Chooser& chooser) {
  for (Index k = 0; k < (order.empty() ? ssize(state) : ssize(order)); ++k)
    update_variable(target, state, order.empty() ? k : order[k], chooser);
}

void update_block(const DiscreteTarget& target, std::span<Index> state,
                  std::span<const Index> block, Chooser& chooser) {
  std::vector<double> log_weights;
  const Index size = size_of(target, block);
  for (Index joint = 0; joint < size; ++joint) {
    set_block(target, state, block, joint);
    log_weights.push_back(target.log_weight(state));
  }
  set_block(target, state, block, chooser.choose_log(log_weights));
}

void metropolis_within_gibbs(const DiscreteTarget& target, std::span<Index> state, Index variable,
                             std::span<const double> proposal, Chooser& chooser) {
  const Index size = target.sizes[variable], old = state[variable];
  CREDO_ASSERT(ssize(proposal) == size * size, "a proposal for each pair of values");
  const double before = target.log_weight(state);
  const auto row = [&](Index value) { return proposal.subspan(value * size, size); };
  const Index offered = chooser.choose(row(old));
  state[variable] = offered;
  const double back = share(row(offered), old), forth = share(row(old), offered);
  const double gain = target.log_weight(state) - before + std::log(back / forth);
  if (!chooser.accept_log(gain)) state[variable] = old;
}

void over_relax_variable(const DiscreteTarget& target, std::span<Index> state, Index variable,
                         Index num_draws, Chooser& chooser) {
  const std::vector<double> log_weights = conditional_of(target, state, variable);
  state[variable] = over_relaxed(
      state[variable], num_draws, [&] { return chooser.choose_log(log_weights); }, chooser);
}

Pair rotated(const Pair& at) {
  const double root = std::sqrt(0.5);
  return {root * (at.first + at.second), root * (at.second - at.first)};
}

Pair unrotated(const Pair& at) {
  const double root = std::sqrt(0.5);
  return {root * (at.first - at.second), root * (at.first + at.second)};
}

}  // namespace credo::infer::gibbs
