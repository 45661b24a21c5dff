// The distribution of a program's discrete parameters (sites) given the others, as tables of numbers. Exact
// inference starts from these (numerics/factor_product.hpp).
//
// The traced density is one program whose inputs are the unconstrained values and the sites. It runs, several assignments of
// values at once, until every entry of every factor's table has been there. So the number of entries is limited by
// memory, not by the size of a graph as where sites are summed out of a density (model/discrete/discrete.hpp).
#pragma once
#include "graph/execute/program.hpp"
#include "model/discrete/discrete_draws.hpp"
#include "model/discrete/site_assignments.hpp"
#include "numerics/factor_product.hpp"

namespace credo::model {

class DiscreteTables {
 public:
  // The graph's input has the unconstrained values first, then the sites; factors are those for updates. Throws Error
  // (program) where summands hold more sites than a factor may, or values of very many sites would have to be tried.
  DiscreteTables(const graph::Traced& traced, const graph::Factors& factors,
                 const DiscreteRanges& ranges, const graph::Passes& passes, Index max_lanes);

  // The tables at these unconstrained values. Their sum with the constant is the log density at a configuration. A state at
  // which a summand isn't a number, or is +infinity, has no probability: the density refuses the point.
  numerics::FactorTables at(std::span<const double> free);
  const DiscreteRanges& ranges() const { return ranges_; }

 private:
  DiscreteRanges ranges_;
  numerics::FactorTables empty_;  // scopes and sizes
  std::unique_ptr<const SiteAssignments> cover_;
  struct Entry {
    std::size_t factor, place;
  };
  std::map<Index, std::vector<Entry>> entries_;    // by assignment, for all that are tried
  std::unique_ptr<const graph::Program> program_;  // its outputs: the factors' values, and the rest
  std::unique_ptr<graph::Workspace> workspace_;
  Index max_lanes_;
};

}  // namespace credo::model
