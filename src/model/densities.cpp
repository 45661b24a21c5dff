#include "model/densities.hpp"

namespace credo::model {

ModelOptions ModelOptions::asking(const density::Query& other) const {
  ModelOptions options = *this;
  options.query = other;
  if (other.power == 1.0) options.query.power = query.power;
  return options;
}

// Automatic: summed out where that is possible. The trace that finds out is the one that is kept.
Densities::Densities(const ProgramParts& parts, ModelOptions options)
    : parts_(parts),
      options_(std::move(options)),
      sites_(parts.parameters.discrete(), options_),
      tracer_(parts_, options_, sites_, statuses_) {
  if (parts_.parameters.discrete().size() == 0) return;
  if (options_.query.power != 1.0)
    throw Error(ErrorCode::usage,
                "a power of the density isn't known where discrete parameters are summed out or "
                "drawn",
                "--temperature", "sum them out in the program, and declare no discrete parameters");
  if (!options_.has_own_terms())
    throw Error(
        ErrorCode::usage,
        "prior and likelihood aren't apart where discrete parameters are summed out or drawn",
        options_.after ? "--after" : "--beta",
        "sum them out in the program, and declare no discrete parameters");
  if (options_.discrete == DiscreteUse::gibbs) sites_.sample();
  if (options_.discrete != DiscreteUse::automatic) return;
  try {
    trace(std::vector<double>(static_cast<std::size_t>(parts_.parameters.dimension()), 0.0));
  } catch (const TooManyStates&) {
    sites_.sample();
  }
}

Densities::Densities(const ProgramParts& parts, const Densities& like, const density::Query& query)
    : parts_(parts),
      options_(like.options_.asking(query)),
      sites_(like.sites_, parts.parameters.discrete(), options_),
      tracer_(parts_, options_, sites_, statuses_) {}

density::Layout Densities::unconstrained() const {
  density::Layout all = parts_.parameters.free();
  if (sites_.are_sampled())
    for (const density::Variable& variable : parts_.parameters.discrete().layout.variables())
      all.add(variable);
  return all;
}

std::shared_ptr<const TracedDensity> Densities::trace(std::span<const double> point,
                                                      Order order) const {
  const std::lock_guard lock(trace_mutex_);
  std::shared_ptr<const TracedDensity>& known = default_traces_[static_cast<std::size_t>(order)];
  if (known == nullptr) known = tracer_.trace(point, order);
  return known;
}

std::optional<double> Densities::dropped(std::span<const double> point) const {
  const bool has_gradient = [this] {
    const std::lock_guard lock(trace_mutex_);
    return default_traces_[static_cast<std::size_t>(Order::gradient)] != nullptr;
  }();
  const auto traced = trace(point, has_gradient ? Order::gradient : Order::value);
  const bool is_one = traced->key.empty() && traced->varying == 0;
  return is_one ? std::optional(traced->dropped) : std::nullopt;
}

std::vector<StatementRowCount> Densities::rows(std::span<const double> point) const {
  return trace(point, Order::pointwise)->rows;
}

// Null where they aren't known.
std::shared_ptr<const TracedDensity> Densities::rows_at_origin() const {
  try {
    return trace(std::vector<double>(static_cast<std::size_t>(dimension()), 0.0), Order::pointwise);
  } catch (const Error&) {
    return nullptr;
  }
}

Index Densities::num_rows() const {
  const auto traced = rows_at_origin();
  return traced == nullptr ? 0 : traced->num_rows;
}

bool Densities::has_own_rows() const {
  const auto traced = rows_at_origin();
  return traced != nullptr && traced->has_own_rows;
}

// Tracing finds their factors.
void Densities::trace_sites(std::span<const double> point) const {
  trace(point.first(static_cast<std::size_t>(parts_.parameters.dimension())));
}

std::unique_ptr<DiscreteDrawer> Densities::make_drawer(std::span<const double> point) const {
  if (!sites_.are_summed_out()) return nullptr;
  trace_sites(point);
  return sites_.make_drawer();
}

std::unique_ptr<density::DiscreteUpdates> Densities::make_updates() const {
  if (!sites_.are_sampled()) return nullptr;
  trace_sites(std::vector<double>(static_cast<std::size_t>(parts_.parameters.dimension()), 0.0));
  return sites_.make_updates();
}

std::unique_ptr<DiscreteTables> Densities::make_tables(std::span<const double> point) const {
  if (!sites_.are_sampled()) return nullptr;
  trace_sites(point);
  return sites_.make_tables();
}

}  // namespace credo::model
