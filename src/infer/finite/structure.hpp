// Structure of a chain: communicating classes, irreducibility, periods. An entry leads on if
// it is above 0, however small.
#pragma once
#include "infer/finite/chain.hpp"

namespace credo::infer::finite {

// States that reach each other. closed: the chain never leaves it, so its states recur; the states
// of other classes are transient. period: the common divisor of all return times; 0 for a single
// state that never returns.
struct CommunicatingClass {
  std::vector<Index> states;  // ascending
  bool closed = false;
  Index period = 0;
};

struct Structure {
  std::vector<CommunicatingClass> classes;  // by their first state
  std::vector<Index> class_of;              // of each state

  bool irreducible() const { return classes.size() == 1; }
  // One common period of all states that return (irreducible chains have one); 1: aperiodic.
  bool aperiodic() const;
  Index num_closed() const;
};

Structure structure_of(const FiniteChain& chain);

}  // namespace credo::infer::finite
