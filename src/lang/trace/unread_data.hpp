// Data that look like outcomes and that no statement reads: a likelihood that was forgotten.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// Whether some term of the target may be a density of data, or is one that somebody wrote by hand.
bool may_have_likelihood(const typed::Program& program);

// Whether the program states a state-space model by functions: their data are found by name.
bool has_state_functions(const typed::Program& program);

struct UnreadData {
  std::vector<int> slots;       // of globals; empty: nothing looks forgotten
  bool has_likelihood = false;  // of other data
};
// Of a program without a likelihood all data that nothing reads, and outcomes of densities in generated
// quantities alone; of others those that are named as outcomes are. Whole numbers that are sizes, and
// data of programs that simulate (a generated quantity is a distance, or named so), don't count.
UnreadData unread_data(const typed::Program& program);

}  // namespace credo::lang
