// Which terms of a program read values of the data, found from its text: through local variables and
// transformed parameters, in whatever order they are assigned. Which have outcomes that were computed from
// data and parameters together; one that is put together of elements of both has elements of its own. Sizes,
// bounds of loops, indices and conditions aren't values, though conditions on elements of the data are told:
// the neighbours in `phi[node1] - phi[node2]` are the structure of a prior.
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
  // Of `~`, and of the densities in an increment: an outcome reads values of the data.
  bool has_data_outcome(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].outcome;
  }
  // Such an outcome is computed from data and parameters together.
  bool has_mixed_outcome(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].mixed;
  }

  // Of an increment of the target: whether it is added is decided by elements of the data, as that of a row is.
  bool is_decided_by_data(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].decided;
  }

  struct Reads {
    bool value = true, outcome = true, mixed = true, decided = false;
  };

 private:
  std::vector<Reads> reads_;  // by statement
};

}  // namespace credo::lang
