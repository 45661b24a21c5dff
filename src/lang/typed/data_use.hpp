// Which terms of a program read values of the data, found from its text: through local variables and
// transformed parameters, in whatever order they are assigned, and which have outcomes that do. Sizes, bounds of loops, indices and
// conditions aren't values: the neighbours in `phi[node1] - phi[node2]` are the structure of a prior.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

class DataUse {
 public:
  explicit DataUse(const typed::Program& program);
  // Of an increment of the target: its value; of `~`: its outcome. True for statements in
  // functions, of which nothing is known.
  bool reads_values(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].value;
  }
  // Of `~`, and of the densities in an increment: an outcome.
  bool has_such_outcome(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].outcome;
  }

  struct Reads {
    bool value = true, outcome = true;
  };

 private:
  std::vector<Reads> reads_;  // by statement
};

// Marks of globals: those that are read by the outcomes of densities in generated quantities.
std::vector<char> outcomes_in_quantities(const typed::Program& program);

}  // namespace credo::lang
