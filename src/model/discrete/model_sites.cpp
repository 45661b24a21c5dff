// A model whose discrete parameters are part of the position: its log density at given values of
// them, and their updates.
#include "graph/core/op.hpp"
#include "graph/passes/rebuild.hpp"
#include "model/model.hpp"

namespace credo::model {
using lang::Expr;

namespace {
// The graph again without the checks that depend on sites: summands stand for them.
graph::Traced without_site_checks(const graph::Graph& graph, graph::NodeId input, Index first_site,
                                  std::span<const Expr> outputs) {
  graph::Dependence depends(graph, input, first_site);
  graph::Rebuild rebuild(graph);
  for (graph::NodeId id = 0; id < graph.num_nodes(); ++id) {
    const bool is_check = graph.node(id).op->kind == graph::OpKind::check;
    if (graph.is_constant(id) || (is_check && depends.of({id, -1}) != 0)) continue;
    rebuild.copy(id);
  }
  graph::Traced traced{.graph = nullptr, .input = input, .outputs = {}};
  traced.outputs.assign(outputs.begin(), outputs.end());
  return rebuild.finish(traced);
}
}  // namespace

// Automatic: summed out where that is possible. The trace that finds out is the one that is kept.
void Model::choose_discrete_use() {
  if (discrete_.size() == 0) return;
  samples_discrete_ = options_.discrete == DiscreteUse::gibbs;
  if (options_.discrete != DiscreteUse::automatic) return;
  try {
    trace(std::vector<double>(static_cast<std::size_t>(dimension_), 0.0));
  } catch (const TooManyStates&) {
    samples_discrete_ = true;
  }
}

density::DiscreteBlock Model::discrete_block() const {
  if (!samples_discrete_) return {};
  return {.lower = discrete_.lower, .upper = discrete_.upper};
}

// Checks on sites become summands of the log densities; the graph that updates are made of is kept.
void Model::keep_sites(graph::Traced& traced) const {
  std::vector<Expr> outputs = std::move(traced.outputs);
  graph::Factors factors = graph::factorise(*traced.graph, outputs[TracedDensity::kLogDensity],
                                            traced.input, dimension_, graph::FactorUse::updates);
  for (const std::size_t k : {TracedDensity::kLogDensity, TracedDensity::kWithoutJacobian})
    outputs[k] = outputs[k] + factors.states;
  graph::Traced density = without_site_checks(*traced.graph, traced.input, dimension_, outputs);
  const std::lock_guard lock(factors_mutex_);
  if (site_graph_ == nullptr && sites_ == nullptr)
    site_graph_ = std::make_unique<SiteGraph>(SiteGraph{std::move(traced), std::move(factors)});
  traced = std::move(density);
}

// The sites' components are 0, and aren't computed.
void Model::keep_free_gradient(graph::Traced& traced) const {
  const Index free = dimension_, all = dimension_ + discrete_.size();
  std::vector<std::int32_t> index(static_cast<std::size_t>(free));
  std::iota(index.begin(), index.end(), 0);
  Expr& gradient = traced.outputs[TracedDensity::kGradient];
  const Expr zeros = graph::fill(graph::vector_shape(discrete_.size()), 0.0);
  gradient = free == 0 ? zeros
                       : graph::concat(graph::vector_shape(all),
                                       std::array{graph::gather(graph::vector_shape(free), gradient,
                                                                std::move(index)),
                                                  zeros});
}

std::unique_ptr<density::DiscreteUpdates> Model::make_updates() const {
  if (!samples_discrete_) return nullptr;
  trace(std::vector<double>(static_cast<std::size_t>(dimension_), 0.0));  // finds the factors
  const std::lock_guard lock(factors_mutex_);
  if (sites_ == nullptr) {
    sites_ = std::make_shared<const DiscreteSites>(std::move(site_graph_->traced),
                                                   site_graph_->factors, discrete_,
                                                   SiteOptions{.blocks = options_.blocks,
                                                               .update = options_.site_update,
                                                               .passes = options_.passes,
                                                               .max_lanes = options_.max_lanes});
    site_graph_.reset();
  }
  return model::make_updates(sites_);
}

std::unique_ptr<DiscreteTables> Model::make_tables(std::span<const double> point) const {
  if (!samples_discrete_) return nullptr;
  trace(point.first(static_cast<std::size_t>(dimension_)));  // finds the factors
  const std::lock_guard lock(factors_mutex_);
  if (site_graph_ == nullptr)
    throw Error(ErrorCode::internal, "the factors were given away", "discrete tables");
  return std::make_unique<DiscreteTables>(site_graph_->traced, site_graph_->factors, discrete_,
                                          graph::Passes(options_.passes), options_.max_lanes);
}

}  // namespace credo::model
