// Mistakes that are plain from the program's text alone: loops that can't end, elements that are
// used and never given a value.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// Nothing in the body changes what the condition depends on, and nothing leaves the loop. A call of
// a function of the program may do either.
bool never_ends(const typed::While& loop);

std::vector<const typed::While*> endless_loops(const typed::Program& program);

// A variable, or the first element of it that some use needs and no assignment gives a value. Only
// certain cases: an index that isn't a number or the variable of a loop may be any.
struct Unset {
  std::string name;      // "mu", "mu[1]"
  SourceRange used;      // the first such use
  SourceRange declared;  // of the variable
  bool whole = false;    // never assigned at all
};
std::vector<Unset> unset_elements(const typed::Program& program);

}  // namespace credo::lang
