#include "cli/run/fitted_inputs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/results.hpp"
#include "cli/run/repeat.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/fits/flow_fit.hpp"
#include "infer/variational/fits/moments.hpp"
#include "infer/variational/neutra.hpp"
#include "model/remake.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/weights.hpp"

namespace credo::cli {
namespace {
// The draws that an approximation is to be near to, or their moments if these are enough.
void take_moments(infer::SampleOptions& options, const density::Model& model) {
  const auto* own = options.kernel.as<infer::MomentsOptions>();
  if (own == nullptr || own->from.empty() || !own->mean.empty() || !own->points.empty()) return;
  const auto fit = open_fit(std::span(&own->from, 1));
  if (infer::find_sampler(fit->origin().sampler).family == infer::Family::optimum)
    throw Error(ErrorCode::usage, own->from + " has modes, no draws", "--from",
                "name a result of credo sample");
  const results::FitPoints draws(*fit, model);
  std::vector<std::vector<double>> points;
  for (Index c = 0; c < fit->num_chains(); ++c)
    for (std::vector<double>& point : draws.read(c, 0, fit->num_draws(false)))
      points.push_back(std::move(point));
  const std::vector<double> log_weights = results::log_weights_of(*fit);
  infer::MomentsOptions with = *own;
  if (own->layers.empty()) {
    infer::Moments moments = infer::weighted_moments(points, log_weights);
    with.mean = std::move(moments.mean), with.second = std::move(moments.covariance);
    const double log_density = infer::mean_log_density(model, points, log_weights);
    if (std::isfinite(log_density)) with.log_density = {log_density};
  } else {
    for (const std::vector<double>& point : points)
      with.points.insert(with.points.end(), point.begin(), point.end());
    with.log_weights = log_weights;
  }
  options.kernel = with;
}

// Values of a setting of the first chain; empty: it has none.
std::vector<double> tuned_values(const Fit& fit, std::string_view name) {
  if (fit.result().chains.empty()) return {};
  for (const infer::TunedSetting& setting : fit.result().chains.front().tuned)
    if (setting.name == name) return setting.values;
  return {};
}

// diag(scales²) + B Bᵀ, B by columns; empty: the distribution has no directions.
std::vector<double> covariance_of_parts(const Fit& fit, std::size_t n) {
  const std::vector<double> scales = tuned_values(fit, "scales"), b = tuned_values(fit, "loadings");
  if (b.empty() || scales.size() != n) return {};
  std::vector<double> covariance(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    covariance[i * n + i] = scales[i] * scales[i];
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < b.size() / n; ++k)
        covariance[i * n + j] += b[k * n + i] * b[k * n + j];
  }
  return covariance;
}

// A normal distribution: a map without layers.
infer::MapValues normal_map(const Fit& fit, std::vector<double> centre) {
  infer::MapValues map{.map_centre = std::move(centre)};
  const auto n = static_cast<Index>(map.map_centre.size());
  std::vector<double> covariance = tuned_values(fit, "covariance");
  if (covariance.empty()) covariance = covariance_of_parts(fit, map.map_centre.size());
  if (!covariance.empty()) {
    map.map_root = numerics::lower_factor(numerics::RowMatrix(n, n, covariance)).values;
  } else {
    map.map_root = tuned_values(fit, "variances");
    for (double& v : map.map_root) v = std::sqrt(v);
    if (map.map_root.empty()) map.map_root = tuned_values(fit, "scales");
  }
  return map;
}

infer::MapValues map_with(const Fit& fit, const std::string& layers, Index hidden,
                          std::vector<double> centre) {
  return {.map_layers = layers,
          .map_hidden = hidden,
          .map_centre = std::move(centre),
          .map_root = tuned_values(fit, "root"),
          .map_parameters = tuned_values(fit, "parameters")};
}

std::vector<const density::StatedVariable*> parameters_of(const density::ProgramFacts& facts) {
  std::vector<const density::StatedVariable*> parameters;
  for (const density::StatedVariable& variable : facts.variables)
    if (variable.block == density::Block::parameters) parameters.push_back(&variable);
  return parameters;
}

std::string names_in(std::span<const density::StatedVariable* const> parameters) {
  std::string text;
  for (const density::StatedVariable* one : parameters)
    text += (text.empty() ? "" : ", ") + one->name;
  return text;
}

bool has_same_scale(const density::StatedVariable& a, const density::StatedVariable& b) {
  return a.constraint == b.constraint && a.lower.is_stated == b.lower.is_stated &&
         a.upper.is_stated == b.upper.is_stated;
}

// A map is one of values that have names and scales: those of another program may be as many, and mean others.
void require_same_parameters(const Fit& fit, const density::Model& model, const char* option) {
  const io::InputFiles::Contents files = fit.files();
  const auto text = files.find(fit.origin().model_path);
  const auto now = model.program_facts();
  if (now == nullptr || text == files.end()) return;
  const auto then = model::facts_of_text(text->first, text->second);
  if (then == nullptr) return;
  const auto theirs = parameters_of(*then), own = parameters_of(*now);
  const auto is_same_name = [](const auto* a, const auto* b) { return a->name == b->name; };
  if (!std::ranges::equal(theirs, own, is_same_name))
    throw Error(ErrorCode::usage,
                fmt::format("{} is an approximation of another program: its parameters are {}, "
                            "those of {} are {}",
                            fit.origin().source, names_in(theirs), model.name(), names_in(own)),
                option, "name a fit of this program");
  for (std::size_t k = 0; k < own.size(); ++k)
    if (!has_same_scale(*theirs[k], *own[k]))
      throw Error(ErrorCode::usage,
                  fmt::format("{} is an approximation of another program: {} has other constraints "
                              "there, and so another unconstrained scale",
                              fit.origin().source, own[k]->name),
                  option, "name a fit of this program");
}

infer::MapValues map_in(const std::string& path, const density::Model& model, const char* option) {
  const auto fit = open_fit(std::span(&path, 1));
  require_same_parameters(*fit, model, option);
  std::vector<double> centre = tuned_values(*fit, "centre");
  if (!centre.empty()) {
    const infer::KernelOptions kernel = spec_of(*fit).run.kernel;
    if (const auto* moments = kernel.as<infer::MomentsOptions>())
      return map_with(*fit, moments->layers, moments->hidden, std::move(centre));
    const auto* flow = kernel.as<infer::FlowOptions>();
    if (const auto* of_sampler = kernel.as<infer::NeutraOptions>()) flow = &of_sampler->flow;
    if (flow != nullptr) return map_with(*fit, flow->layers, flow->hidden, std::move(centre));
  }
  for (const char* name : {"mean", "mode"})
    if (centre = tuned_values(*fit, name); !centre.empty()) return normal_map(*fit, centre);
  throw Error(ErrorCode::usage,
              fmt::format("{} has no distribution: it was made by {}", path, fit->origin().sampler),
              option, "name a result of credo approximate --method flow, normal or laplace");
}

}  // namespace

void take_fitted_map(infer::KernelOptions& options, const density::Model& model) {
  const auto* own = options.as<infer::NeutraOptions>();
  if (own == nullptr || own->through.empty() || own->map.is_given()) return;
  infer::NeutraOptions with = *own;
  with.map = map_in(own->through, model, "--through");
  options = with;
}

void take_fitted_inputs(infer::SampleOptions& options, const density::Model& model) {
  take_moments(options, model);
  take_fitted_map(options.kernel, model);
}

}  // namespace credo::cli
