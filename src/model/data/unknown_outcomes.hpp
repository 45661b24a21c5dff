// Outcomes that new data don't have, and what of a program can be computed without them (docs/data.md).
#pragma once
#include <map>
#include <set>

#include "model/data/source.hpp"

namespace credo::model {

// An expression that needs the value of an outcome, itself or through other variables.
struct OutcomeRead {
  int slot = -1;  // slot of the outcome, among the globals
  lang::SourceRange range = {};
};

struct UnknownOutcomes {
  std::set<int> slots = {};  // among the globals; empty: all data are known
  // Generated quantities that need one of them, by their slots, and the statements that are left out for it: 0 by id.
  std::map<int, OutcomeRead> quantities = {};
  std::vector<char> runs = {};
  // A read in the model block that isn't the outcome of one built-in density, which could be drawn.
  std::optional<OutcomeRead> in_model = {};

  bool empty() const { return slots.empty(); }
  bool contains(int slot) const { return slots.contains(slot); }
};

// The first read of one of the variables by a statement of the model block that isn't its own density: any density, or
// only a density from which it can be drawn without knowing it.
enum class OutcomeUse : std::uint8_t { any, drawn };
std::optional<OutcomeRead> read_in_model(const lang::typed::Program& program,
                                         const std::set<int>& slots, OutcomeUse use);
// True if transformed parameters read one of them.
bool is_read_before_model(const lang::typed::Program& program, const std::set<int>& slots);

// Throws Error(data) where a declaration, transformed data or transformed parameters read the variable: these are computed
// for every answer.
void require_unread(const ProgramSource& source, int slot);

// Takes variables that require_unread() has accepted.
UnknownOutcomes unknown_outcomes(const ProgramSource& source, std::set<int> slots);

}  // namespace credo::model
