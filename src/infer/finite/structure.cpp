// Strongly connected components by one depth-first search [tarjan1972], with the search's stack as
// a list, so that a chain of thousands of states needs no deep recursion. The period of a class is
// the common divisor of level(x) + 1 - level(y) over its edges x -> y, with levels from any search.
#include "infer/finite/structure.hpp"

namespace credo::infer::finite {
namespace {

class ComponentSearch {
 public:
  explicit ComponentSearch(const FiniteChain& chain)
      : chain_(chain), order_(chain.num_states(), -1), low_(order_), component_(order_) {}

  // The number of the component of each state, in no particular order of components.
  std::vector<Index> run() {
    for (Index state = 0; state < chain_.num_states(); ++state) {
      if (order_[state] < 0) search_from(state);
    }
    return component_;
  }

 private:
  struct Visit {
    Index state, next;  // the next edge to follow
  };

  void search_from(Index root) {
    enter(root);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      if (visit.next == chain_.num_states()) {
        leave();
      } else {
        follow(visit.state, visit.next++);
      }
    }
  }

  void enter(Index state) {
    order_[state] = low_[state] = num_entered_++;
    open_.push_back(state);
    visits_.push_back({state, 0});
  }

  void follow(Index from, Index to) {
    if (chain_(from, to) == 0.0) return;
    if (order_[to] < 0) {
      enter(to);
    } else if (component_[to] < 0) {
      low_[from] = std::min(low_[from], order_[to]);
    }
  }

  void leave() {
    const Index state = visits_.back().state;
    visits_.pop_back();
    if (!visits_.empty()) {
      Index& above = low_[visits_.back().state];
      above = std::min(above, low_[state]);
    }
    if (low_[state] == order_[state]) close_component(state);
  }

  void close_component(Index root) {
    Index state = -1;
    do {
      state = open_.back();
      open_.pop_back();
      component_[state] = num_components_;
    } while (state != root);
    ++num_components_;
  }

  const FiniteChain& chain_;
  std::vector<Index> order_, low_, component_, open_;
  std::vector<Visit> visits_;
  Index num_entered_ = 0, num_components_ = 0;
};

// Numbers anew, by the first state.
Structure by_first_state(std::span<const Index> component) {
  Structure structure{.classes = {}, .class_of = std::vector<Index>(component.size())};
  std::map<Index, Index> number;
  for (Index state = 0; state < ssize(component); ++state) {
    const auto [place, is_new] = number.emplace(component[state], ssize(structure.classes));
    if (is_new) structure.classes.emplace_back();
    structure.class_of[state] = place->second;
    structure.classes[place->second].states.push_back(state);
  }
  return structure;
}

bool is_closed(const FiniteChain& chain, const Structure& structure, Index number) {
  for (const Index from : structure.classes[number].states) {
    for (Index to = 0; to < chain.num_states(); ++to) {
      if (chain(from, to) > 0.0 && structure.class_of[to] != number) return false;
    }
  }
  return true;
}

Index period_of(const FiniteChain& chain, std::span<const Index> states) {
  std::vector<Index> level(chain.num_states(), -1), queue{states[0]};
  level[states[0]] = 0;
  Index period = 0;
  for (Index k = 0; k < ssize(queue); ++k) {
    const Index from = queue[k];
    for (const Index to : states) {
      if (chain(from, to) == 0.0) continue;
      if (level[to] < 0) {
        level[to] = level[from] + 1;
        queue.push_back(to);
      }
      period = std::gcd(period, level[from] + 1 - level[to]);
    }
  }
  return period;
}
}  // namespace

bool Structure::aperiodic() const {
  return std::all_of(classes.begin(), classes.end(),
                     [](const CommunicatingClass& c) { return c.period <= 1; });
}

Index Structure::num_closed() const {
  return std::count_if(classes.begin(), classes.end(),
                       [](const CommunicatingClass& c) { return c.closed; });
}

Structure structure_of(const FiniteChain& chain) {
  Structure structure = by_first_state(ComponentSearch(chain).run());
  for (Index k = 0; k < ssize(structure.classes); ++k) {
    CommunicatingClass& one = structure.classes[k];
    one.closed = is_closed(chain, structure, k);
    one.period = period_of(chain, one.states);
  }
  return structure;
}

}  // namespace credo::infer::finite
