#include "results/files/start_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "density/model.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "results/files/modes.hpp"

namespace credo::results {
namespace {
constexpr std::string_view kHead = "{\"free_names__\":";  // no name of a program ends in __

Error other_program(const std::string& what, const std::string& source) {
  return Error(ErrorCode::data, what, source,
               "begin from a result of a program with the same parameters");
}

void require_names(std::span<const std::string> known, std::span<const std::string> wanted,
                   const std::string& source) {
  for (std::size_t d = 0; d < std::max(known.size(), wanted.size()); ++d) {
    if (d < known.size() && d < wanted.size() && known[d] == wanted[d]) continue;
    const bool is_missing = d < wanted.size();
    throw other_program(is_missing
                            ? fmt::format("the result has no unconstrained value '{}'", wanted[d])
                            : fmt::format("the program has no unconstrained value '{}'", known[d]),
                        source);
  }
}

std::string sizes_text(std::span<const Index> dims) {
  return dims.empty() ? std::string("a single value") : fmt::format("[{}]", fmt::join(dims, ", "));
}

std::span<const double> best_mode(const Fit& fit) {
  const Modes modes = modes_of(fit);
  if (modes.best < fit.result().chains.size())
    for (const infer::TunedSetting& setting : fit.result().chains[modes.best].tuned)
      if (setting.name == "mode") return setting.values;
  return {};
}

std::vector<double> point_at(const Fit& fit, const density::Model& model,
                             std::span<const Index> places, std::array<Index, 2> chain_and_draw) {
  const auto [chain, draw] = chain_and_draw;
  std::vector<double> row;
  for (const Index place : places)
    row.push_back(place < 0 ? 0.0
                            : fit.read({.first = place,
                                        .first_chain = chain,
                                        .num_chains = 1,
                                        .first_draw = draw,
                                        .num_draws = 1})(0, 0, 0));
  std::vector<double> point = model.inverse()
                                  .require(model.name(), ErrorCode::usage)
                                  .unconstrain_row(row, fit.origin().rounding());
  point.resize(static_cast<std::size_t>(model.dimension()), kNaN);  // a discrete block is drawn
  return point;
}
}  // namespace

std::vector<Index> places_of_parameters(const Fit& fit, const density::Names& names) {
  std::vector<Index> places;
  for (const density::Variable& wanted : names.outputs().variables()) {
    if (wanted.block != density::Block::parameters || wanted.size() == 0) continue;
    const auto found = fit.layout().find_variable(wanted.name);
    if (!found && wanted.kind != density::Kind::whole)
      throw other_program(fmt::format("the result has no parameter '{}'", wanted.name),
                          fit.origin().source);
    if (found) {
      const auto& has = fit.layout().variables()[static_cast<std::size_t>(*found)];
      if (has.dims != wanted.dims)
        throw other_program(fmt::format("'{}' is {} in the result, and {} in the program",
                                        wanted.name, sizes_text(has.dims), sizes_text(wanted.dims)),
                            fit.origin().source);
    }
    for (Index k = 0; k < wanted.size(); ++k)
      places.push_back(found ? first_output(fit) + fit.layout().first(*found) + k : -1);
  }
  return places;
}

std::vector<std::vector<double>> points_from(const Fit& fit, const density::Model& model,
                                             Index num_chains) {
  const Index num_draws = fit.num_draws(false), known = fit.num_chains();
  if (num_draws == 0 || known == 0)
    throw Error(ErrorCode::data, "the result has no draw to begin at", fit.origin().source,
                "take one that has draws after warm-up");
  if (holds_modes(fit)) {
    const std::span<const double> mode = best_mode(fit);
    if (!mode.empty()) {  // CSV files have the parameters alone
      require_names(fit.origin().free_names, model.free_names(), fit.origin().source);
      return {{mode.begin(), mode.end()}};
    }
  }
  const std::vector<Index> places = places_of_parameters(fit, model);
  if (holds_modes(fit))
    return {point_at(fit, model, places, {static_cast<Index>(modes_of(fit).best), 0})};
  const Index rounds = (num_chains + known - 1) / known;
  std::vector<std::vector<double>> points;
  for (Index c = 0; c < num_chains; ++c) {
    const Index back = (c / known) * (num_draws / rounds);
    points.push_back(point_at(fit, model, places, {c % known, num_draws - 1 - back}));
  }
  return points;
}

std::vector<double> inv_metric_from(const Fit& fit, const density::Names& names) {
  std::size_t chain = 0;
  if (holds_modes(fit)) {
    const Modes modes = modes_of(fit);
    chain = modes.best;
    if (!infer::has_converged(modes.best_start().end))
      throw Error(ErrorCode::data,
                  "the result has no mode, so no curvature at one: " + modes.limits,
                  fit.origin().source, "take a result of credo optimize with a mode");
  }
  const std::vector<infer::ChainResult>& chains = fit.result().chains;
  if (chain >= chains.size() || chains[chain].inv_metric.empty())
    throw Error(ErrorCode::data, "the result has no inverse metric", fit.origin().source,
                "take one of a Hamiltonian sampler, or of credo optimize with a peaked mode");
  const std::vector<double>& found = chains[chain].inv_metric;
  const Index dimension = names.num_continuous();
  if (!fit.origin().free_names.empty())  // CSV files don't have them
    require_names(fit.origin().free_names, names.free_names(), fit.origin().source);
  else if (ssize(found) != dimension && ssize(found) != dimension * dimension)
    throw other_program(fmt::format("the inverse metric has {} values, for {} unconstrained values",
                                    found.size(), dimension),
                        fit.origin().source);
  return found;
}

std::string to_json(const StartPoints& starts) {
  io::JsonWriter writer;
  writer.begin_object().members("free_names__", starts.free_names);
  if (!starts.points.empty())
    writer.line_break().key("points__").lines(starts.points, [&](const std::vector<double>& point) {
      writer.numbers(point);
    });
  if (!starts.inv_metric.empty()) writer.line_break().members("inv_metric__", starts.inv_metric);
  return writer.end_object().text();
}

bool is_start_json(std::string_view text) { return text.starts_with(kHead); }

StartPoints parse_start_json(std::string_view text, const std::string& source,
                             std::span<const std::string> free_names) {
  const io::JsonValue all = io::parse_json_value(text, source);
  StartPoints starts;
  const io::JsonValue* names = all.find("free_names__");
  if (names != nullptr) starts.free_names = names->as_strings("free_names__");
  require_names(starts.free_names, free_names, source);
  if (const io::JsonValue* points = all.find("points__"))
    for (const io::JsonValue& point : points->as_array("points__")) {
      std::vector<double>& values = starts.points.emplace_back();
      for (const io::JsonValue& x : point.as_array("a point"))
        values.push_back(x.kind == io::JsonValue::Kind::number ? x.number : kNaN);  // it is drawn
    }
  if (const io::JsonValue* metric = all.find("inv_metric__"))
    starts.inv_metric = metric->as_numbers("inv_metric__");
  return starts;
}

}  // namespace credo::results
