// Groupings with options: (1 | gr(g, by = b)), (1 | mm(g1, g2)). A row reads the call and says how the effects are distributed.
#pragma once
#include "models/formula/arithmetic.hpp"
#include "models/regression/group_block.hpp"

namespace credo::models {

struct GroupingContext {
  Frame& frame;
  StanParts& parts;
  std::string base;  // in names of the program: "g", "sigma_g"

  std::string name(const std::string& kind) const { return frame.names().take(kind + "_" + base); }
};

struct GroupingRow {
  std::string_view name, words;
  std::string_view usage;
  // Registers the columns of options. False, with faults, if the call isn't one.
  bool (*use)(const Expression& call, Frame& frame);
  // After the levels are found. False, with faults, if the table can't have it.
  bool (*make)(const Expression& call, GroupBlock& block, GroupingContext& context);
  // Levels of several columns are the groups, which a row is a member of.
  bool has_members = false;
  std::vector<StanFunction> functions = {};  // defined in its program
};

// Weights of mm() are at least 0, and those that are divided by their sum aren't all 0 in a row.
struct WeightFault {
  FormulaPlace place;
  std::string words;
  const char* hint;
};
std::optional<WeightFault> fault_of_weights(const MemberWeights& weights,
                                            std::span<const Arithmetic> values, Index num_rows);

std::span<const GroupingRow* const> grouping_rows();  // alphabetical
const GroupingRow* find_grouping(std::string_view name);

}  // namespace credo::models
