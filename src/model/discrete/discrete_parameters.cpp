#include "model/discrete/discrete_parameters.hpp"

#include "graph/passes/passes.hpp"

namespace credo::model {

density::DiscreteBlock DiscreteParameters::block() const {
  if (!is_sampled_) return {};
  return {.lower = ranges_.lower, .upper = ranges_.upper};
}

void DiscreteParameters::keep(std::shared_ptr<const DiscreteFactors> factors) const {
  const std::lock_guard lock(mutex_);
  if (factors_ == nullptr) factors_ = std::move(factors);
}

void DiscreteParameters::keep(graph::Traced traced, graph::Factors factors) const {
  const std::lock_guard lock(mutex_);
  if (site_graph_ == nullptr && sites_ == nullptr)
    site_graph_ = std::make_unique<SiteGraph>(SiteGraph{std::move(traced), std::move(factors)});
}

std::unique_ptr<DiscreteDrawer> DiscreteParameters::make_drawer() const {
  const std::lock_guard lock(mutex_);
  if (draws_ == nullptr) {
    const graph::Passes passes(options_.passes);
    auto [plan, traced] = factors_->draws();
    traced = passes.run(std::move(traced));
    auto program =
        std::make_unique<const graph::Program>(*traced.graph, traced.input, traced.outputs,
                                               graph::ProgramOptions{.fuse = passes.has("fuse")});
    draws_ =
        std::make_shared<const DiscreteDraws>(DiscreteDraws{std::move(plan), std::move(program)});
  }
  return std::make_unique<DiscreteDrawer>(draws_, ranges_);
}

std::unique_ptr<density::DiscreteUpdates> DiscreteParameters::make_updates() const {
  const std::lock_guard lock(mutex_);
  if (sites_ == nullptr) {
    sites_ = std::make_shared<const DiscreteSites>(std::move(site_graph_->traced),
                                                   site_graph_->factors, ranges_,
                                                   SiteOptions{.blocks = options_.blocks,
                                                               .update = options_.site_update,
                                                               .passes = options_.passes,
                                                               .max_lanes = options_.max_lanes});
    site_graph_.reset();
  }
  return model::make_updates(sites_);
}

std::unique_ptr<DiscreteTables> DiscreteParameters::make_tables() const {
  const std::lock_guard lock(mutex_);
  if (site_graph_ == nullptr)
    throw Error(ErrorCode::internal, "the factors were given away", "discrete tables");
  return std::make_unique<DiscreteTables>(site_graph_->traced, site_graph_->factors, ranges_,
                                          graph::Passes(options_.passes), options_.max_lanes);
}

}  // namespace credo::model
