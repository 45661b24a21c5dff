// Assignments of values to all discrete parameters (sites) that together hold every entry of every factor's table.
//
// Sites that share a factor get different colours, and all of one colour have the same value: assignment a is a number
// whose digits, one for each colour, are the values.
#pragma once
#include "numerics/elimination.hpp"

namespace credo::model {

class SiteAssignments {
 public:
  // Scopes of factors, and the number of values of each site. Colours are greedy, in the order of the sites.
  SiteAssignments(std::span<const numerics::Scope> scopes, std::span<const std::int32_t> sizes);

  // How many there are, the most values to the power of the colours; beyond `limit` only that it is beyond.
  Index number(Index limit) const;
  // The value, from 0, that an assignment gives a site: the last one there is where the digit is larger.
  std::int32_t value(Index assignment, std::size_t site) const;
  // Those that hold the entries of a factor's table, in the order of `plan`. Their numbers must be within number(2^62).
  std::vector<Index> holding(const numerics::EliminationPlan& plan,
                             const numerics::Scope& scope) const;

 private:
  std::vector<std::int32_t> sizes_, colours_;  // by site
  std::int32_t num_colours_ = 1, most_values_ = 1;
  std::vector<Index> weights_;  // weights of the colours' digits
};

}  // namespace credo::model
