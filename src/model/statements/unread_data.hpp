// Data that look like outcomes but that no statement reads: the program may lack its likelihood.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::model {
namespace typed = lang::typed;

// True if some term of the target may be a density of data, or is written by hand and reads data.
bool may_have_likelihood(const typed::Program& program);

// True if the program states a state-space model by functions. Such programs find their data by name.
bool has_state_functions(const typed::Program& program);

struct UnreadData {
  std::vector<int> slots;       // global variables; empty: no outcome seems to be forgotten
  bool has_likelihood = false;  // other data have a likelihood
};
// In a program without a likelihood: all data that nothing reads, and outcomes of densities that occur only in
// generated quantities. In other programs: unread data that are named as outcomes. Not reported: ints that are sizes,
// and data of programs that simulate (a generated quantity is called distance, or has sim in its name).
UnreadData unread_data(const typed::Program& program);

}  // namespace credo::model
