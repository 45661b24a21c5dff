#include "results/files/earlier_result.hpp"

#include <fmt/format.h>

#include "base/rng.hpp"
#include "density/model.hpp"
#include "infer/variational/approximation.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "results/files/data_digest.hpp"
#include "results/files/facts.hpp"

namespace credo::results {
using density::EarlierPosterior;

namespace {
constexpr std::string_view kEarlierHead = "{\"earlier_names__\":";

std::vector<double> earlier_setting(const infer::RunResult& result, std::string_view name) {
  if (result.chains.empty()) return {};
  for (const infer::TunedSetting& setting : result.chains.front().tuned)
    if (setting.name == name) return setting.values;
  return {};
}

Error no_normal(const std::string& why, const std::string& source, const std::string& hint) {
  return Error(ErrorCode::usage, why, source, hint);
}

std::string projection_of(const std::string& source) {
  return fmt::format(
      "credo approximate MODEL --method moments --from {} -o NEW.nc fits one to its draws", source);
}

void require_normal_fit(const FitOrigin& origin) {
  if (!infer::is_approximation(origin.sampler))
    throw no_normal("the result has draws, and no normal distribution", origin.source,
                    projection_of(origin.source));
  const auto dof = origin.settings.find("dof");
  if (dof != origin.settings.end() && dof->second != "0")
    throw no_normal("the approximation is Student's t, not normal", origin.source,
                    "fit it without --dof");
  if (origin.free_names.empty())
    throw no_normal("the file doesn't name the unconstrained values", origin.source,
                    "write the result as NetCDF: -o FIT.nc");
}

// The declared values of these names at a position.
std::vector<double> declared_at(const density::Model& model, std::span<const double> position) {
  Rng rng({.seed = 1});
  return model.writers()
      .require(model.name())
      .write(position, rng, nullptr, {.last = density::Block::parameters});
}

std::vector<std::string> declared_names(const density::Model& model) {
  std::vector<std::string> names;
  const density::Layout& outputs = model.outputs();
  for (Index v = 0; v < ssize(outputs.variables()); ++v) {
    const density::Variable& variable = outputs.variables()[static_cast<std::size_t>(v)];
    if (variable.block != density::Block::parameters) break;
    for (Index k = outputs.first(v); k < outputs.first(v) + variable.size(); ++k)
      names.push_back(outputs.element_name(k));
  }
  return names;
}

std::vector<double> one_above(std::vector<double> position) {
  for (double& x : position) x += 1.0;
  return position;
}

// The earlier values at their places in a position of the model, others 0.
std::vector<double> placed(const EarlierPosterior& earlier, std::span<const double> values,
                           const density::Model& model) {
  std::vector<double> position(static_cast<std::size_t>(model.num_continuous()), 0.0);
  for (std::size_t k = 0; k < earlier.names.size(); ++k) {
    const auto place = model.continuous().find(earlier.names[k]);
    if (place) position[static_cast<std::size_t>(*place)] = values[k];
  }
  return position;
}

void require_known_values(const EarlierPosterior& earlier, const density::Model& model,
                          const std::string& source) {
  for (const std::string& name : earlier.names)
    if (!model.continuous().find(name))
      throw Error(
          ErrorCode::usage,
          fmt::format("the program has no unconstrained value {}", density::bracketed_name(name)),
          source,
          "the parameters of an earlier posterior must be parameters of the program, of "
          "the same sizes or larger");
}

// Equal unconstrained values must mean equal parameters.
void require_same_constraints(const EarlierPosterior& earlier, const density::Model& model,
                              const std::string& source) {
  constexpr double kRounding = 1e-9;
  const std::vector<std::string> names = declared_names(model);
  for (const bool is_above : {false, true}) {
    const std::vector<double> values = is_above ? one_above(earlier.mean) : earlier.mean;
    const std::vector<double> now = declared_at(model, placed(earlier, values, model));
    const std::vector<double>& then = is_above ? earlier.at_one_off : earlier.at_mean;
    for (std::size_t k = 0; k < earlier.parameters.size() && k < then.size(); ++k) {
      const auto known = std::ranges::find(names, earlier.parameters[k]);
      const bool is_same =
          known != names.end() && std::fabs(now[static_cast<std::size_t>(known - names.begin())] -
                                            then[k]) <= kRounding * (1.0 + std::fabs(then[k]));
      if (!is_same)
        throw Error(ErrorCode::usage,
                    fmt::format("{} has another constraint, or other bounds, than in the earlier "
                                "program",
                                density::bracketed_name(earlier.parameters[k])),
                    source,
                    "an earlier posterior is one of unconstrained values: declare the parameter "
                    "as it was");
    }
  }
}
}  // namespace

std::string digest_of_values(const density::Model& model) {
  std::string all;
  for (const DataDigest& one : digests_of_all(model))
    all += fmt::format("{} {}\n", one.name, one.digest);
  return hash_of(all);
}

EarlierPosterior earlier_from(const Fit& fit, const density::Model& model,
                              std::span<const std::string> seen) {
  const FitOrigin& origin = fit.origin();
  require_normal_fit(origin);
  return earlier_of(fit.result(), {origin.free_names, origin.source}, model, seen);
}

EarlierPosterior earlier_of(const infer::RunResult& result, const EarlierSource& from,
                            const density::Model& model, std::span<const std::string> seen) {
  EarlierPosterior earlier{.names = from.names};
  earlier.mean = earlier_setting(result, "mean");
  if (earlier.mean.empty()) earlier.mean = earlier_setting(result, "mode");
  earlier.covariance = earlier_setting(result, "covariance");
  earlier.scales = earlier_setting(result, "scales");
  earlier.loadings = earlier_setting(result, "loadings");
  if (earlier.covariance.empty() && earlier.scales.empty())
    throw no_normal("the result has no normal distribution", from.source,
                    projection_of(from.source));
  const std::size_t n = earlier.names.size();
  const bool is_complete =
      earlier.mean.size() == n && (earlier.covariance.empty() ? earlier.scales.size() == n
                                                              : earlier.covariance.size() == n * n);
  if (!is_complete)
    throw Error(ErrorCode::data, "the normal distribution in the file is damaged", from.source,
                "write the result anew");
  earlier.data.assign(seen.begin(), seen.end());
  earlier.data.push_back(digest_of_values(model));
  earlier.parameters = declared_names(model);
  earlier.at_mean = declared_at(model, earlier.mean);
  earlier.at_one_off = declared_at(model, one_above(earlier.mean));
  return earlier;
}

namespace {
bool is_value_of(const std::string& value, const std::string& parameter) {
  return value == parameter || value.starts_with(parameter + ".");
}

bool is_value_of_any(const std::string& value, std::span<const std::string> parameters) {
  return std::ranges::any_of(parameters,
                             [&](const std::string& name) { return is_value_of(value, name); });
}
}  // namespace

EarlierPosterior without(const EarlierPosterior& earlier, std::span<const std::string> parameters,
                         const std::string& source) {
  for (const std::string& name : parameters)
    if (std::ranges::none_of(earlier.names, [&](const auto& v) { return is_value_of(v, name); }))
      throw Error(ErrorCode::usage, fmt::format("the earlier result has no parameter {}", name),
                  source, "--forget names parameters of that result");
  EarlierPosterior kept{.data = earlier.data};
  const std::size_t n = earlier.names.size(), rank = static_cast<std::size_t>(earlier.rank());
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < n; ++k)
    if (!is_value_of_any(earlier.names[k], parameters)) places.push_back(k);
  for (const std::size_t k : places) {
    kept.names.push_back(earlier.names[k]), kept.mean.push_back(earlier.mean[k]);
    if (!earlier.scales.empty()) kept.scales.push_back(earlier.scales[k]);
    for (const std::size_t j : places)
      if (!earlier.covariance.empty()) kept.covariance.push_back(earlier.covariance[k * n + j]);
  }
  for (std::size_t r = 0; r < rank; ++r)
    for (const std::size_t k : places) kept.loadings.push_back(earlier.loadings[r * n + k]);
  for (std::size_t k = 0; k < earlier.parameters.size(); ++k) {
    if (is_value_of_any(earlier.parameters[k], parameters)) continue;
    kept.parameters.push_back(earlier.parameters[k]);
    kept.at_mean.push_back(earlier.at_mean[k]), kept.at_one_off.push_back(earlier.at_one_off[k]);
  }
  return kept;
}

void require_next(const EarlierPosterior& earlier, const density::Model& model,
                  const std::string& source, bool has_equal_data) {
  require_known_values(earlier, model, source);
  require_same_constraints(earlier, model, source);
  if (!has_equal_data &&
      std::ranges::find(earlier.data, digest_of_values(model)) != earlier.data.end())
    throw Error(
        ErrorCode::data, "the earlier posterior has seen these data already", source,
        "give the next data, or --equal-data if these are new observations with equal values");
}

std::string to_json(const EarlierPosterior& earlier) {
  io::JsonWriter writer;
  writer.begin_object().members("earlier_names__", earlier.names);
  writer.members("mean", earlier.mean, "covariance", earlier.covariance, "scales", earlier.scales,
                 "loadings", earlier.loadings, "data", earlier.data, "parameters",
                 earlier.parameters, "at_mean", earlier.at_mean, "at_one_off", earlier.at_one_off);
  return writer.end_object().text();
}

bool is_earlier_json(std::string_view text) { return text.starts_with(kEarlierHead); }

EarlierPosterior parse_earlier_json(std::string_view text, const std::string& source) {
  const io::JsonValue all = io::parse_json_value(text, source);
  EarlierPosterior earlier;
  for (const auto& [name, to] : {std::pair("earlier_names__", &EarlierPosterior::names),
                                 std::pair("data", &EarlierPosterior::data),
                                 std::pair("parameters", &EarlierPosterior::parameters)})
    if (const io::JsonValue* found = all.find(name)) earlier.*to = found->as_strings(name);
  for (const auto& [name, to] : {std::pair("mean", &EarlierPosterior::mean),
                                 std::pair("covariance", &EarlierPosterior::covariance),
                                 std::pair("scales", &EarlierPosterior::scales),
                                 std::pair("loadings", &EarlierPosterior::loadings),
                                 std::pair("at_mean", &EarlierPosterior::at_mean),
                                 std::pair("at_one_off", &EarlierPosterior::at_one_off)})
    if (const io::JsonValue* found = all.find(name)) earlier.*to = found->as_numbers(name);
  return earlier;
}

}  // namespace credo::results
