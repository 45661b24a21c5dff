#include "infer/maps/through.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/core/table.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/maps/flow.hpp"
#include "infer/maps/transported_density.hpp"

namespace credo::infer {
namespace {
constexpr std::size_t kAtLogDensity = 0;  // column of a draw

// Takes positions of the base space, and hands them on as those of the target with its log density.
class TransportSink final : public DrawSink {
 public:
  TransportSink(DrawSink& to, const GraphTransport& map) : to_(to), map_(map) {}
  void begin(const Sizes& sizes) override {
    chains_.clear();
    for (Index c = 0; c < sizes.num_chains; ++c) chains_.push_back({map_, {}, {}});
    to_.begin(sizes);
  }
  void draw(const DrawRecord& record) override {
    OfChain& own = of_chain(record.chain);
    own.position.resize(record.position.size());
    own.info.assign(record.info.begin(), record.info.end());
    double log_jacobian = 0.0;
    own.map.place(record.position, own.position, std::span(&log_jacobian, 1));
    own.info[kAtLogDensity] -= log_jacobian;
    DrawRecord mapped = record;
    mapped.position = own.position, mapped.info = own.info;
    to_.draw(mapped);
  }
  void row(const RowRecord& record) override { to_.row(record); }
  bool wants_state(Index chain, Index num_steps, bool finished) override {
    return to_.wants_state(chain, num_steps, finished);
  }
  void state(const StateRecord& record) override {
    GraphTransport& map = of_chain(record.chain).map;
    ChainResult result = record.result;
    std::vector<Divergence> divergences(record.divergences.begin(), record.divergences.end());
    carry(map, result);
    for (Divergence& divergence : divergences) carry(map, divergence);
    to_.state({.chain = record.chain,
               .iteration = record.iteration,
               .finished = record.finished,
               .bytes = record.bytes,
               .result = result,
               .divergences = divergences,
               .refusals = record.refusals});
  }

  static void carry(GraphTransport& map, std::vector<double>& z) {
    if (z.empty()) return;
    std::vector<double> x(z.size());
    double unused = 0.0;
    map.place(z, x, std::span(&unused, 1));
    z = std::move(x);
  }
  static void carry(GraphTransport& map, ChainResult& result) { carry(map, result.initial_point); }
  static void carry(GraphTransport& map, Divergence& divergence) {
    carry(map, divergence.start);
    carry(map, divergence.end);
  }

 private:
  struct OfChain {
    GraphTransport map;
    std::vector<double> position, info;
  };
  OfChain& of_chain(Index chain) { return chains_[static_cast<std::size_t>(chain)]; }

  DrawSink& to_;
  const GraphTransport& map_;
  std::vector<OfChain> chains_;  // one for each chain of draws
};

std::vector<std::vector<double>> carried_back(GraphTransport map,
                                              std::vector<std::vector<double>> starts) {
  for (std::vector<double>& start : starts) {
    if (std::ranges::any_of(start, [](double v) { return std::isnan(v); }))
      throw Error(ErrorCode::usage, "a start in the base space of a map takes all values", "init",
                  "give every parameter, or leave --init out");
    if (!map.has_inverse())
      throw Error(ErrorCode::usage, "the map has no inverse, and takes no starts", "init",
                  "leave --init out, or fit a flow without planar layers");
    std::vector<double> z(start.size());
    map.invert(start, z);
    start = std::move(z);
  }
  return starts;
}

void require_transportable(const density::LogDensity& density, const SampleOptions& options) {
  const SamplerSpec& row = find_sampler(options.sampler);
  const auto refuse = [](const std::string& why, const char* field, const char* hint) {
    return Error(ErrorCode::usage, why, field, hint);
  };
  require_continuous(density, "a run in the base space of a map");
  if (!is_sampler(row) || row.needs_states || row.needs_rows || row.needs_simulations)
    throw refuse(fmt::format("{} takes more of a density than values and gradients, and the base "
                             "space of a map has these alone",
                             options.sampler),
                 "through", "take nuts, or leave --through out");
  if (!options.inv_metric.empty())
    throw refuse("the metric is one of the base space", "inv_metric",
                 "leave --inv-metric out: warm-up estimates it");
}

GraphTransport transport_of(const MapValues& values, Index dimension) {
  if (ssize(values.map_centre) != dimension)
    throw Error(ErrorCode::usage,
                fmt::format("the map is one of {} unconstrained values, the density has {}",
                            values.map_centre.size(), dimension),
                "through", "name a fit of this program with its data");
  const auto map =
      make_flow({values.map_layers, values.map_hidden, values.map_centre, values.map_root});
  if (ssize(values.map_parameters) != map->num_parameters())
    throw Error(ErrorCode::usage,
                fmt::format("the layers of the map have {} parameters, {} are given",
                            map->num_parameters(), values.map_parameters.size()),
                "through", "fit the map again");
  return GraphTransport(map, values.map_parameters);
}
}  // namespace

RunResult run_through(const density::LogDensity& density, const MapValues& map,
                      const SampleOptions& options, DrawSink& sink) {
  require_transportable(density, options);
  GraphTransport transport = transport_of(map, density.dimension());
  const TransportedDensity transported(density, transport);
  SampleOptions inner = options;
  inner.init = carried_back(transport, options.init);
  inner.init_prior = false;  // starts are drawn in the base space
  TransportSink carrying(sink, transport);
  RunResult result = run_chains(transported, inner, carrying);
  for (ChainResult& chain : result.chains) TransportSink::carry(transport, chain);
  for (Divergence& divergence : result.divergences) TransportSink::carry(transport, divergence);
  return result;
}

}  // namespace credo::infer
