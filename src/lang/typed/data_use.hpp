// Finds which terms of a program read values of the data, from its text: through local variables and transformed
// parameters, in whatever order they are assigned. Also which outcomes are computed from data and parameters
// together; a container with elements of both doesn't count as such. Sizes, bounds of loops, indices and conditions
// aren't values (the neighbours in `phi[node1] - phi[node2]` are the structure of a prior), but conditions on
// elements of the data are recorded.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// True for functions whose whole-number arguments are sizes or places: rep_vector, segment and the like.
bool takes_places(std::string_view name);

class DataUse {
 public:
  explicit DataUse(const typed::Program& program);
  // Of an increment of the target: its value; of `~`: its outcome. True for statements in
  // functions, of which nothing is known.
  bool reads_values(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].value;
  }
  // True if the outcome of `~`, or of a density in an increment, reads values of the data.
  bool has_data_outcome(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].outcome;
  }
  // True if such an outcome is computed from data and parameters together.
  bool has_mixed_outcome(std::int32_t statement) const {
    return reads_[static_cast<std::size_t>(statement)].mixed;
  }

  // True if elements of the data decide whether this increment of the target is added.
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
