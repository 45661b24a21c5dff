// Faults of a formula and of its table. They are collected, so that a user sees all of them at once.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// Bytes of the formula's text.
struct FormulaPlace {
  Index first = 0, last = 0;
};

struct FormulaFault {
  std::optional<FormulaPlace> place;  // empty if the fault is the table's alone
  std::string where;                  // "cars.csv:7", for the table
  std::string message, hint;
  bool is_remark = false;  // says more of other faults, as how many rows have one
};

class FormulaFaults {
 public:
  void add(FormulaPlace place, std::string message, std::string hint = {});
  void add_of_table(std::string where, std::string message, std::string hint = {});
  void remark(std::string message);  // a line behind the faults of the table, not counted
  bool empty() const { return all_.empty(); }
  std::size_t size() const;
  const std::vector<FormulaFault>& all() const { return all_; }
  // Faults of the formula in the order of their places, each below a line with a caret, then those of the table.
  std::string text(std::string_view formula) const;

 private:
  std::vector<FormulaFault> all_;
};

}  // namespace credo::models
