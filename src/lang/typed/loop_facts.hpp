// Reads and assignments of a piece of the program, by variable: found once from the typed tree, and
// used whenever a loop may become columns.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// The uses of one variable. A sum is an update `s += e`, `s -= e` or `s = s + e` of a scalar or of
// a scalar element where e doesn't read the variable.
struct SlotUse {
  typed::Slot slot{};
  int reads = 0, whole = 0, elements = 0, sums = 0;  // sums aren't counted in the others
  bool declared = false;                             // inside the piece, loop variables too

  bool is_assigned() const { return whole + elements + sums > 0; }
  bool is_sum() const { return sums > 0 && reads + whole + elements == 0; }
};

struct Facts {
  std::vector<SlotUse> slots;
  std::string blocker;  // why a loop with this body can't become columns; empty: nothing known

  const SlotUse* find(typed::Slot slot) const;
};

Facts facts_of(const typed::Statement& s);
Facts facts_of(const typed::Expression& e);

// `s += e` and the like: the summand and its sign.
struct SumUpdate {
  const typed::Expression* increment;
  bool negative;
};
std::optional<SumUpdate> sum_update(const typed::Assignment& s);

}  // namespace credo::lang
