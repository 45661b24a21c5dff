// Properties of a branch on parameters that may become a select, from its typed tree.
#pragma once
#include "lang/trace/machine.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {

// `total`: values and derivatives of both sides are finite wherever their operands are, so that the
// side that isn't taken contributes zero to a gradient.
struct SelectFacts {
  bool total = false;
  Facts touched;
};

SelectFacts select_facts_of(const typed::If& s);
bool is_total(const typed::Conditional& n);

}  // namespace credo::lang
