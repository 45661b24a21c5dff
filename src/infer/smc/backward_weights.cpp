// Pairs (i, j) lie one after another in blocks of kBlock.
#include "infer/smc/backward_weights.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
using density::StateMover;
using density::StateSpace;

// States before and after, as a block of particles, and the log densities of the transitions.
struct TransitionBlock {
  explicit TransitionBlock(Index elements)
      : before(static_cast<std::size_t>(elements * StateSpace::kBlock)),
        after(before.size()),
        log_densities(static_cast<std::size_t>(StateSpace::kBlock)) {}

  void set(Index place, const Generation& from, Index i, const Generation& to, Index j) {
    const Index elements = ssize(before) / StateSpace::kBlock;
    for (Index e = 0; e < elements; ++e) {
      const auto at = static_cast<std::size_t>(e * StateSpace::kBlock + place);
      before[at] = from.states[static_cast<std::size_t>(e * ssize(from.weights) + i)];
      after[at] = to.states[static_cast<std::size_t>(e * ssize(to.weights) + j)];
    }
  }
  void weigh(StateMover& mover, Index time, Index count) {
    mover.transitions({.time = time,
                       .count = count,
                       .previous = before.data(),
                       .next = after.data(),
                       .log_weights = log_densities.data()});
  }
  std::vector<double> before, after, log_densities;
};

struct Asked {
  const StateSpace& model;
  StateMover& mover;
  const char* method;
};
void require_dependence(const Asked& asked, TransitionBlock& block, Index element, Index count) {
  TransitionBlock far = block;
  double* moved = far.after.data() + element * StateSpace::kBlock;
  for (Index i = 0; i < StateSpace::kBlock; ++i) moved[i] += 1e6 * (1.0 + std::fabs(moved[i]));
  try {
    far.weigh(asked.mover, 1, count);
  } catch (const Error&) {
    return;  // an element whose change is refused isn't ignored
  }
  if (std::equal(far.log_densities.begin(), far.log_densities.begin() + count,
                 block.log_densities.begin()))
    throw Error(ErrorCode::program,
                fmt::format("transition_lpdf doesn't depend on {}, so it isn't the density of the "
                            "whole state, by which paths are simulated backwards",
                            asked.model.state().element_name(element)),
                asked.method,
                "take --method genealogy, which needs no density, or state the model by the "
                "elements that have one");
}

// Sums of the weights so far, over the largest one.
std::vector<double> cumulated_weights(std::span<const double> log_weights, Index time) {
  std::vector<double> cumulated(log_weights.begin(), log_weights.end());
  const double most = numerics::weights_of_largest(cumulated);
  if (!(most > -kInfinity && most < kInfinity))
    throw Error(ErrorCode::evaluation,
                fmt::format("at time {}: by transition_lpdf, no particle leads to a state of the "
                            "next time that transition_rng drew",
                            time + 1),
                "transition_lpdf", "the two must state the same distribution");
  std::partial_sum(cumulated.begin(), cumulated.end(), cumulated.begin());
  return cumulated;
}

}  // namespace

// A density that ignores an element of the state is a density of the rest of it: backward weights could join states
// that don't follow one another. A density vanishes far away, so it is evaluated there.
void BackwardWeights::require_whole_density(StateMover& mover) const {
  if (generations_.size() < 2) return;
  const Index count = std::min(StateSpace::kBlock, ssize(generations_[1].weights));
  TransitionBlock block(model_.state().size());
  for (Index i = 0; i < StateSpace::kBlock; ++i) {
    const Index child = std::min(i, count - 1);
    block.set(i, generations_[0], generations_[1].parents[static_cast<std::size_t>(child)],
              generations_[1], child);
  }
  block.weigh(mover, 1, count);
  if (model_.state().variables().front().kind != density::Kind::real) return;
  for (Index e = 0; e < model_.state().size(); ++e)
    require_dependence({model_, mover, method_}, block, e, count);
}

// W_t^i p(x_{t+1}^j | x_t^i) in logarithms, [j of next][i].
std::vector<double> BackwardWeights::log_weights(Index time, std::span<const std::int32_t> next,
                                                 StateMover& mover) const {
  const Generation &from = generations_[static_cast<std::size_t>(time)],
                   &to = generations_[static_cast<std::size_t>(time + 1)];
  const Index n = ssize(from.weights), pairs = n * ssize(next);
  std::vector<double> log_weights(static_cast<std::size_t>(pairs));
  TransitionBlock block(model_.state().size());
  for (Index first = 0; first < pairs; first += StateSpace::kBlock) {
    const Index count = std::min(StateSpace::kBlock, pairs - first);
    for (Index k = 0; k < StateSpace::kBlock; ++k) {
      const Index pair = std::min(first + k, pairs - 1);
      block.set(k, from, pair % n, to, next[static_cast<std::size_t>(pair / n)]);
    }
    block.weigh(mover, time + 1, count);
    for (Index k = 0; k < count; ++k)
      log_weights[static_cast<std::size_t>(first + k)] =
          block.log_densities[static_cast<std::size_t>(k)] +
          numerics::log(from.weights[static_cast<std::size_t>((first + k) % n)]);
  }
  return log_weights;
}

std::vector<std::vector<double>> BackwardWeights::cumulated(Index time,
                                                            std::span<const std::int32_t> next,
                                                            StateMover& mover) const {
  const std::vector<double> all = log_weights(time, next, mover);
  const std::size_t n = generations_[static_cast<std::size_t>(time)].weights.size();
  std::vector<std::vector<double>> sums;
  for (std::size_t j = 0; j < next.size(); ++j)
    sums.push_back(cumulated_weights(std::span(all).subspan(j * n, n), time));
  return sums;
}

// The first place at which the sum of the weights so far exceeds a share of all.
std::int32_t place_of_share(std::span<const double> cumulated, double share) {
  const auto found = std::upper_bound(cumulated.begin(), cumulated.end(), share * cumulated.back());
  return static_cast<std::int32_t>(std::min(found - cumulated.begin(), ssize(cumulated) - 1));
}

}  // namespace credo::infer
