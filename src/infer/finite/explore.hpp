// The exact transition matrix of a kernel's own code.
//
//   const FiniteChain chain = transition_matrix(kernel, states);   // kernel(State&, Chooser&)
//
// The kernel runs once for each branch of its choices, depth first: every run repeats the choices
// up to where it leaves the one before, and its probability is added to the entry of the state
// where it ends. Given its choices a kernel must do the same every time. Zero probabilities aren't
// followed.
#pragma once
#include "infer/finite/chain.hpp"

namespace credo::infer::finite {

struct ExploreLimits {
  Index max_branches = 1'000'000;  // from one state
  Index max_choices = 10'000;      // in one branch: a kernel may loop for ever
  Index max_states = kMaxStates;   // of reachable_chain
};

// Takes one branch after the other:
//
//   Explorer explorer(limits);
//   do run(explorer), add(explorer.probability());
//   while (explorer.next());
class Explorer final : public Chooser {
 public:
  explicit Explorer(const ExploreLimits& limits = {}) : limits_(limits) {}

  Index choose(std::span<const double> weights) override;
  bool accept(double probability) override;
  Index uniform_index(Index n) override;

  double probability() const;  // probability of the branch that was taken
  bool next();                 // to the start of the next branch; false if all are done

 private:
  struct Choice {
    std::vector<double> probabilities;
    Index taken = 0;
  };

  ExploreLimits limits_;
  std::vector<Choice> path_;
  Index depth_ = 0, num_branches_ = 1;
};

[[noreturn]] void left_the_states(Index from);
[[noreturn]] void state_given_twice(Index state);

template <class State>
struct ReachableChain {
  FiniteChain chain;
  std::vector<State> states;
};

namespace detail {
// Rows of a matrix that grows as states are found.
struct Rows {
  std::vector<std::map<Index, double>> entries;
  FiniteChain to_chain() const;
};
void check_num_states(Index num_states, const ExploreLimits& limits);

template <class State, class Kernel, class IndexOf>
std::map<Index, double> explore_row(Kernel& kernel, const State& from, IndexOf&& index_of,
                                    const ExploreLimits& limits) {
  std::map<Index, double> row;
  Explorer explorer(limits);
  do {
    State state = from;
    kernel(state, static_cast<Chooser&>(explorer));
    row[index_of(state)] += explorer.probability();
  } while (explorer.next());
  return row;
}
}  // namespace detail

struct SameState {
  template <class State>
  const State& operator()(const State& state) const {
    return state;
  }
};

// encode(state) is what tells states apart, with an order; the state itself unless given. Throws
// Error(evaluation) when the kernel leaves `states` or the limits.
template <class State, class Kernel, class Encode = SameState>
FiniteChain transition_matrix(Kernel&& kernel, const std::vector<State>& states, Encode encode = {},
                              const ExploreLimits& limits = {}) {
  std::map<std::decay_t<decltype(encode(states[0]))>, Index> places;
  for (Index i = 0; i < ssize(states); ++i) {
    if (!places.emplace(encode(states[i]), i).second) state_given_twice(i);
  }
  detail::Rows rows;
  for (Index from = 0; from < ssize(states); ++from) {
    const auto index_of = [&](const State& state) {
      const auto found = places.find(encode(state));
      if (found == places.end()) left_the_states(from);
      return found->second;
    };
    rows.entries.push_back(detail::explore_row(kernel, states[from], index_of, limits));
  }
  return rows.to_chain();
}

// The chain on all states that can be reached from `start`, which is state 0; in the order in
// which they are found.
template <class State, class Kernel, class Encode = SameState>
ReachableChain<State> reachable_chain(Kernel&& kernel, const State& start, Encode encode = {},
                                      const ExploreLimits& limits = {}) {
  std::vector<State> states{start};
  std::map<std::decay_t<decltype(encode(start))>, Index> places{{encode(start), 0}};
  const auto index_of = [&](const State& state) {
    const auto [place, is_new] = places.emplace(encode(state), ssize(states));
    if (is_new) states.push_back(state);
    detail::check_num_states(ssize(states), limits);
    return place->second;
  };
  detail::Rows rows;
  for (Index from = 0; from < ssize(states); ++from) {
    const State here = states[from];  // a copy: the list grows
    rows.entries.push_back(detail::explore_row(kernel, here, index_of, limits));
  }
  return {rows.to_chain(), std::move(states)};
}

}  // namespace credo::infer::finite
