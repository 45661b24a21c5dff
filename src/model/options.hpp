// Options of a model of a program.
#pragma once
#include "density/earlier_posterior.hpp"
#include "density/log_density.hpp"
#include "graph/execute/program.hpp"
#include "graph/passes/passes.hpp"
#include "lang/trace/machine.hpp"
#include "model/discrete/site_blocks.hpp"

namespace credo::model {

// Treatment of discrete parameters: summed out of the density, or part of the position and drawn
// from their full conditionals; automatic: summed out where there aren't too many states.
enum class DiscreteUse { automatic, sum, gibbs };

struct ModelOptions {
  std::uint64_t seed = 1;      // seed of transformed data; the same for all chains
  std::string passes = "all";  // graph/passes/passes.hpp
  Index max_lanes = graph::kMaxLanes;
  DiscreteUse discrete = DiscreteUse::automatic;
  SiteBlocks blocks = SiteBlocks::trees;  // blocks that are drawn together
  density::SiteUpdate site_update = density::SiteUpdate::gibbs;
  // Outcomes that the data lack are unknown where nothing that is computed reads them (model/data/unknown_outcomes.hpp); false:
  // they are refused as every other variable is.
  bool may_lack_outcomes = false;
  bool measure_splits = true;  // false: threads are used wherever the work is large: for tests
  density::Query query = {};   // which terms the log density has
  // A posterior given earlier data in the place of the prior (model/queries/earlier_terms.hpp); null: the program's prior.
  std::shared_ptr<const density::EarlierPosterior> after = nullptr;
  double likelihood_weight = 1.0;  // the likelihood counts so many times
  bool has_own_terms() const { return after == nullptr && likelihood_weight == 1.0; }
  lang::TraceLimits limits;
  lang::PrintSink print;                         // null: print statements do nothing
  std::function<void(const std::string&)> warn;  // called once about a slow run; may be null
  graph::Passes::Observer observe;               // gets the graph when traced and after each pass
  std::function<void(const graph::Program&)> observe_program;  // gets the program to run
  void (*plant)(graph::Plan&) = nullptr;  // a fault in the programs that write draws, for tests

  // These options with another query. A power stays where the query states none.
  ModelOptions asking(const density::Query& other) const;
};

}  // namespace credo::model
