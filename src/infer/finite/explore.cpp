#include "infer/finite/explore.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
[[noreturn]] void fail(std::string message, std::string hint) {
  throw Error(ErrorCode::evaluation, std::move(message), "kernel", std::move(hint));
}

std::vector<double> probabilities_of(std::span<const double> weights) {
  double total = 0.0;
  for (const double weight : weights) {
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
      fail(fmt::format("a choice has the weight {}, weights must be finite and at least 0", weight),
           "check the weights that the kernel hands to choose()");
    }
    total += weight;
  }
  if (!(total > 0.0) || !std::isfinite(total)) {
    fail(fmt::format("the weights of a choice sum to {}, the sum must be positive and finite",
                     total),
         "check the weights that the kernel hands to choose()");
  }
  std::vector<double> probabilities(weights.begin(), weights.end());
  for (double& p : probabilities) p /= total;
  return probabilities;
}

// The first index after `before` with a positive probability; the size if all are 0.
Index next_positive(std::span<const double> probabilities, Index before) {
  Index k = before + 1;
  while (k < ssize(probabilities) && probabilities[k] == 0.0) ++k;
  return k;
}
}  // namespace

Index Explorer::choose(std::span<const double> weights) {
  if (depth_ == ssize(path_)) {
    if (depth_ >= limits_.max_choices) {
      fail(fmt::format("one branch makes more than {} choices", limits_.max_choices),
           "a loop that may be endless has no exact matrix; bound it, or raise max_choices");
    }
    Choice choice{.probabilities = probabilities_of(weights)};
    choice.taken = next_positive(choice.probabilities, -1);
    path_.push_back(std::move(choice));
  } else if (path_[depth_].probabilities.size() != weights.size()) {
    fail(fmt::format("choice {} has {} outcomes, in an earlier run of the same branch {}",
                     depth_ + 1, weights.size(), path_[depth_].probabilities.size()),
         "a kernel must do the same whenever its choices are the same; has it a memory besides the "
         "state?");
  }
  return path_[depth_++].taken;
}

bool Explorer::accept(double probability) {
  const double p = std::isnan(probability) ? 0.0 : std::clamp(probability, 0.0, 1.0);
  return choose(std::array{p, 1.0 - p}) == 0;
}

Index Explorer::uniform_index(Index n) {
  return choose(std::vector<double>(static_cast<std::size_t>(n), 1.0));
}

double Explorer::probability() const {
  double product = 1.0;
  for (Index k = 0; k < depth_; ++k) product *= path_[k].probabilities[path_[k].taken];
  return product;
}

bool Explorer::next() {
  if (depth_ < ssize(path_)) {
    fail(fmt::format("a run ends after {} choices, an earlier one of the same branch made {}",
                     depth_, path_.size()),
         "a kernel must do the same whenever its choices are the same; has it a memory besides the "
         "state?");
  }
  depth_ = 0;
  for (; !path_.empty(); path_.pop_back()) {
    Choice& last = path_.back();
    last.taken = next_positive(last.probabilities, last.taken);
    if (last.taken < ssize(last.probabilities)) break;
  }
  if (path_.empty()) return false;
  if (++num_branches_ > limits_.max_branches) {
    fail(fmt::format("more than {} branches from one state", limits_.max_branches),
         "take a smaller problem, or raise max_branches");
  }
  return true;
}

void left_the_states(Index from) {
  fail(fmt::format("from state {} the kernel goes to a state that isn't in the list", from + 1),
       "list every state, or let reachable_chain() find them");
}

void state_given_twice(Index state) {
  fail(fmt::format("state {} equals an earlier one", state + 1), "list every state once");
}

namespace detail {
void check_num_states(Index num_states, const ExploreLimits& limits) {
  if (num_states > limits.max_states) {
    fail(fmt::format("more than {} states can be reached", limits.max_states),
         "take a smaller problem, or raise max_states");
  }
}

FiniteChain Rows::to_chain() const {
  RowMatrix matrix(ssize(entries));
  for (Index from = 0; from < ssize(entries); ++from) {
    for (const auto& [to, probability] : entries[from]) matrix(from, to) = probability;
  }
  return FiniteChain(std::move(matrix));
}
}  // namespace detail

}  // namespace credo::infer::finite
