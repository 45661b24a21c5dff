#include "results/estimates/savage_dickey.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "infer/evidence/point_density.hpp"
#include "infer/evidence/points.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
constexpr double kReliable = 0.7;  // Pareto k [vehtari2024psis]

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "theta = 0"; none where it is something else.
std::optional<std::pair<std::string, double>> value_in(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  if (std::string_view("<>!=").find(text[at - 1]) != std::string_view::npos) return std::nullopt;
  const std::optional<double> value = io::parse_number(trimmed(text.substr(at + 1)));
  if (!value) return std::nullopt;
  return std::pair{std::string(trimmed(text.substr(0, at))), *value};
}

Error not_nested(const std::string& name, const std::string& why, const std::string& hint) {
  return Error(ErrorCode::usage, fmt::format("{}: {}", name, why), "--at", hint);
}

// An element of a parameter that is an unconstrained coordinate by itself.
struct FixedElement {
  Index output, coordinate;
  double value;
};

FixedElement fixed_element(const density::Names& names, const std::string& name, double value) {
  const std::optional<Index> output = names.outputs().find(density::dotted_name(name)),
                             coordinate = names.unconstrained().find(density::dotted_name(name));
  if (!output || names.outputs().variable_of(*output).block != density::Block::parameters)
    throw not_nested(name, "there is no parameter of this name that is one number",
                     "name an element of a parameter: --at \"beta[2] = 0\"");
  if (!coordinate || names.outputs().variable_of(*output).size() !=
                         names.unconstrained().variable_of(*coordinate).size())
    throw not_nested(name,
                     "its elements depend on each other, so that one can't be fixed by itself",
                     "state what holds instead, as --at \"theta[1] > 0.5\"");
  return {*output, *coordinate, value};
}

// The free position at which the elements have their values, and the others what this draw has.
std::vector<double> with_values(const density::Model& model, std::span<const FixedElement> elements,
                                std::span<const double> position, Rng& rng) {
  std::vector<double> row =
      model.writers()
          .require(model.name())
          .write(position, rng, nullptr,
                 {.last = density::Block::parameters, .density_prints = false});
  for (const FixedElement& element : elements)
    row[static_cast<std::size_t>(element.output)] = element.value;
  return model.inverse().require(model.name()).unconstrain_row(row);
}

// Fixed unconstrained values must not depend on the others, nor the others on them: else bounds of one depend on another.
std::vector<infer::FixedCoordinate> fixed_coordinates(const density::Model& model,
                                                      const NestedModel& nested,
                                                      const density::Draws& posterior,
                                                      std::uint64_t seed) {
  std::vector<FixedElement> elements;
  for (const auto& [name, value] : nested.values)
    elements.push_back(fixed_element(model, name, value));
  std::vector<infer::FixedCoordinate> fixed;
  std::vector<double> position(static_cast<std::size_t>(model.dimension()));
  Rng rng({.seed = seed, .purpose = purpose::kReplicate});
  for (const Index draw : {Index{0}, posterior.num_draws() / 2, posterior.num_draws() - 1}) {
    posterior.get(draw, 0, position);
    const std::vector<double> moved = with_values(model, elements, position, rng);
    if (fixed.empty())
      for (std::size_t k = 0; k < elements.size(); ++k) {
        const double value = moved[static_cast<std::size_t>(elements[k].coordinate)];
        if (!std::isfinite(value))
          throw not_nested(nested.values[k].first,
                           fmt::format("{} is the end of its range, where densities are no numbers",
                                       nested.values[k].second),
                           "state a part of the range instead, as --at \"sigma < 0.1\"");
        fixed.push_back({elements[k].coordinate, value});
      }
    std::vector<double> expected = position;
    for (const infer::FixedCoordinate& f : fixed)
      expected[static_cast<std::size_t>(f.coordinate)] = f.value;
    for (std::size_t d = 0; d < expected.size(); ++d)
      if (std::abs(moved[d] - expected[d]) > 1e-6 * (1.0 + std::abs(expected[d])))
        throw not_nested(nested.text, "the range of a parameter depends on another one",
                         "state what holds instead, as --at \"theta[1] > 0.5\"");
  }
  return fixed;
}

// The logarithm of a ratio of two figures, posterior's over prior's.
infer::LogEvidence log_ratio(const infer::LogEvidence& posterior, const infer::LogEvidence& prior) {
  return {.value = posterior.value - prior.value,
          .error = std::hypot(posterior.error, prior.error)};
}

// ---- a statement

infer::LogEvidence log_share(const density::Model& model, const NestedModel& nested,
                             const density::Draws& draws, const char* of) {
  const density::OutputWriters& writers = model.writers().require(model.name());
  std::vector<double> holds, position(static_cast<std::size_t>(model.dimension()));
  for (Index c = 0; c < draws.num_chains(); ++c) {
    std::vector<std::vector<double>> rows;
    for (Index s = 0; s < draws.num_draws(); ++s) {
      draws.get(s, c, position);
      Rng rng({.seed = 1,
               .purpose = purpose::kReplicate,
               .chain = static_cast<std::uint32_t>(c),
               .iteration = static_cast<std::uint32_t>(s)});
      rows.push_back(writers.write(position, rng, nullptr, {.density_prints = false}));
    }
    for (const double value : nested.holds(rows)) holds.push_back(value);
  }
  const double share = diagnose::mean(holds);
  if (!(share > 0.0))
    throw Error(
        ErrorCode::evaluation,
        fmt::format("of {} draws of the {} none fulfils '{}'", holds.size(), of, nested.text),
        "--at", "draw more (--draws), or state a larger part");
  const bool always = diagnose::is_degenerate(holds);
  const double error =
      always ? 0.0 : diagnose::mcse_mean({holds, draws.num_draws(), draws.num_chains()});
  return {.value = std::log(share), .error = error / share};
}
}  // namespace

NestedModel parse_nested(const std::string& text) {
  NestedModel nested{.text = std::string(trimmed(text))};
  if (nested.text.empty())
    throw Error(ErrorCode::usage, "it isn't said where the nested model is", "--at",
                "--at \"theta = 0\", or --at \"theta > 0\"");
  std::string_view rest = nested.text;
  while (!rest.empty()) {
    std::size_t comma = 0;  // outside of brackets
    for (int depth = 0; comma < rest.size() && (rest[comma] != ',' || depth > 0); ++comma)
      depth += rest[comma] == '[' ? 1 : rest[comma] == ']' ? -1 : 0;
    const auto value = value_in(rest.substr(0, comma));
    if (!value) return {.text = nested.text};
    nested.values.push_back(*value);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return nested;
}

SavageDickey savage_dickey(const density::Model& model, const NestedModel& nested,
                           const density::Draws& posterior, std::uint64_t seed) {
  const auto prior = model.prior();
  const density::Capability can = prior->can_draw();
  if (!can.can)
    throw Error(ErrorCode::usage, "the prior can't be drawn from: " + can.reason, can.where,
                can.hint);
  const density::Draws drawn = infer::draws_of_distribution(*prior, posterior, seed);
  if (nested.values.empty())
    return {.log_factor = log_ratio(log_share(model, nested, posterior, "posterior"),
                                    log_share(model, nested, drawn, "prior"))};
  const auto fixed = fixed_coordinates(model, nested, posterior, seed);
  const infer::PointDensity after = infer::density_at_point(model, posterior, fixed),
                            before = infer::density_at_point(*prior, drawn, fixed);
  for (const auto& [density, name] : {std::pair{&after, "posterior"}, std::pair{&before, "prior"}})
    if (!std::isfinite(density->log_density.value))
      throw Error(
          ErrorCode::evaluation,
          fmt::format("the log density of the {} where '{}' is {}, so that the ratio doesn't exist",
                      name, nested.text, density->log_density.value),
          "--at", "name a value nearer to where the parameter can be");
  SavageDickey found{.log_factor = log_ratio(after.log_density, before.log_density),
                     .num_evaluations = after.num_evaluations + before.num_evaluations};
  found.notes.push_back(
      fmt::format("log density at the point: posterior {:.3f} ± {:.3f}, prior "
                  "{:.3f} ± {:.3f}, on the unconstrained space",
                  after.log_density.value, after.log_density.error, before.log_density.value,
                  before.log_density.error));
  for (const auto& [density, name] : {std::pair{&after, "posterior"}, std::pair{&before, "prior"}})
    if (density->pareto_k > kReliable) {
      found.log_factor.error = kNaN;
      found.notes.push_back(fmt::format(
          "Pareto k of the weights of the {} is {:.2f}, above {}: its density there isn't known",
          name, density->pareto_k, kReliable));
    }
  return found;
}

}  // namespace credo::results
