// Whether a branch on parameters may become a select, found once from the typed tree.
#pragma once
#include "lang/trace/machine.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {

// `total`: values and derivatives of both sides are finite wherever their operands are, so that the
// side that isn't taken adds nothing to a gradient.
struct SelectFacts {
  bool only_assigns = false, total = false;
  Facts touched;

  bool allow(Selects selects) const {
    return selects == Selects::all ? only_assigns : selects == Selects::total && total;
  }
};

SelectFacts select_facts_of(const typed::If& s);
bool may_select(const typed::Conditional& n, Selects selects);

}  // namespace credo::lang
