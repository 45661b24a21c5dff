// The discrete parameters of a density (sites): summed out of it and drawn for each draw, or part of the position and drawn
// from their full conditionals. Both use a by-product of tracing the density, which keeps it here.
#pragma once
#include <mutex>

#include "model/discrete/discrete.hpp"
#include "model/discrete/discrete_sites.hpp"
#include "model/discrete/discrete_tables.hpp"
#include "model/options.hpp"

namespace credo::model {

class DiscreteParameters {
 public:
  // Both must live as long.
  DiscreteParameters(const DiscreteRanges& ranges, const ModelOptions& options)
      : ranges_(ranges), options_(options), is_sampled_(false) {}
  // Treats them alike for another density.
  DiscreteParameters(const DiscreteParameters& like, const DiscreteRanges& ranges,
                     const ModelOptions& options)
      : ranges_(ranges), options_(options), is_sampled_(like.is_sampled_) {}

  void sample() { is_sampled_ = true; }  // from now on they are part of the position
  bool are_sampled() const { return is_sampled_; }
  bool are_summed_out() const { return ranges_.size() > 0 && !is_sampled_; }
  density::DiscreteBlock block() const;

  // ---- kept by tracing; the first of each ----
  void keep(std::shared_ptr<const DiscreteFactors> factors) const;
  void keep(graph::Traced traced, graph::Factors factors) const;  // parts of updates

  // ---- after a density was traced ----
  std::unique_ptr<DiscreteDrawer> make_drawer() const;             // if they are summed out
  std::unique_ptr<density::DiscreteUpdates> make_updates() const;  // if they are sampled
  // Tables of the updates; for a model that isn't used for draws.
  std::unique_ptr<DiscreteTables> make_tables() const;

 private:
  const DiscreteRanges& ranges_;
  const ModelOptions& options_;
  bool is_sampled_;
  mutable std::mutex mutex_;  // not locked by steady-state evaluations
  mutable std::shared_ptr<const DiscreteFactors> factors_;
  mutable std::shared_ptr<const DiscreteDraws> draws_;
  struct SiteGraph {
    graph::Traced traced;
    graph::Factors factors;
  };
  mutable std::unique_ptr<SiteGraph> site_graph_;  // until sites_ is made
  mutable std::shared_ptr<const DiscreteSites> sites_;
};

}  // namespace credo::model
