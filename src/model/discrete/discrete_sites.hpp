// Updates of discrete parameters (sites) from their exact full conditionals, where there are too
// many states to sum them out: docs/design/discrete.md, "Gibbs updates".
//
// A step draws sites that are independent given all others, or that hold together as trees, or moves clusters
// of them. Its program computes the summands that hold them, for all their values at once: a lane for each.
#pragma once
#include "density/log_density.hpp"
#include "graph/execute/program.hpp"
#include "model/discrete/discrete.hpp"
#include "model/discrete/site_blocks.hpp"

namespace credo::model {

struct SiteOptions {
  SiteBlocks blocks = SiteBlocks::trees;
  density::SiteUpdate update = density::SiteUpdate::gibbs;
  std::string passes = "all";
  Index max_lanes = graph::kMaxLanes;
};

class DiscreteSites {
 public:
  // The graph's input has the unconstrained values first, then the sites; factors are those for updates.
  DiscreteSites(graph::Traced traced, const graph::Factors& factors, const DiscreteRanges& ranges,
                const SiteOptions& options = {});

  struct Step {
    graph::Sites sites;
    std::unique_ptr<const graph::Program> program;  // its output: the tables at one assignment
    numerics::EliminationPlan plan;                 // its variables are places in `sites`
    std::vector<std::int32_t> colours;              // colour of each site: two that meet differ
    std::vector<std::vector<Index>> assignments;    // ones that hold the entries of each table
    std::vector<std::int32_t> tables;               // table of each site drawn by itself; -1: none
    Index base = 1;  // assignments are numbers of two digits: colour_digit
    Index num_assignments = 1;
    StepKind kind = StepKind::apart;
  };

  const std::vector<Step>& steps() const { return steps_; }
  const DiscreteRanges& ranges() const { return ranges_; }
  const graph::Program* wide() const { return wide_.get(); }  // for summands on very many sites
  bool is_wide(std::int32_t site) const { return on_wide_[static_cast<std::size_t>(site)] != 0; }
  Index first_site() const { return first_site_; }
  Index max_lanes() const { return options_.max_lanes; }
  density::SiteUpdate update() const { return options_.update; }

 private:
  void find_wide(const graph::Factors& factors);
  void add_step(const SiteStep& step, const graph::Factors& factors);
  void plan_tables(Step& step) const;
  Index assignment_with(const Step& step, const numerics::Scope& scope,
                        std::span<const std::int32_t> values) const;
  std::unique_ptr<const graph::Program> program_of(const graph::Expr& output) const;

  graph::Traced traced_;
  DiscreteRanges ranges_;
  SiteOptions options_;
  Index first_site_;
  std::vector<char> on_wide_;  // by site
  std::unique_ptr<const graph::Program> wide_;
  std::vector<Step> steps_;
};

std::unique_ptr<density::DiscreteUpdates> make_updates(std::shared_ptr<const DiscreteSites> sites);

}  // namespace credo::model
