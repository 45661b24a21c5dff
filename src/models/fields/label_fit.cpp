#include "models/fields/label_fit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/function_density.hpp"
#include "infer/optimise/mode.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {

double log_prior_of(std::span<const double> weights, const WeightPrior& prior) {
  double sum = 0.0;
  for (const double w : weights)
    sum += prior.is_laplace ? std::abs(w) / prior.scale : 0.5 * w * w / (prior.scale * prior.scale);
  return -sum;
}

std::unique_ptr<density::LogDensity> normal_posterior(FieldLikelihood& likelihood, Index dimension,
                                                      double scale) {
  return density::make_density(
      dimension, [&likelihood, scale](std::span<const double> w, std::span<double> gradient) {
        double value = likelihood.evaluate(w, gradient);
        const double precision = 1.0 / (scale * scale);
        double sum = 0.0;
        for (std::size_t d = 0; d < w.size(); ++d) {
          sum += w[d] * w[d];
          gradient[d] -= precision * w[d];
        }
        return value - 0.5 * precision * sum;
      });
}

// The inverse of the curvature at weights 0, where labels are equally probable, without its entries off the diagonal: features
// of many rows have much smaller variances than those of few, and the climb needs fewer steps.
std::vector<double> first_variances(const LabelModel& model, const LabelData& data,
                                    double precision) {
  std::vector<double> squares(model.features.names.size(), 0.0), variances;
  for (std::size_t k = 0; k < data.rows.features.size(); ++k)
    squares[static_cast<std::size_t>(data.rows.features[k])] +=
        data.rows.values[k] * data.rows.values[k];
  const auto curvature = [](double count) { return (1.0 - 1.0 / count) / count; };
  for (const double square : squares)
    for (const LabelSet& set : model.sets)
      variances.insert(
          variances.end(), set.names.size(),
          1.0 / (precision + square * curvature(static_cast<double>(set.names.size()))));
  std::vector<double> edges(model.types.size(), 0.0);
  for (const FieldGraph& graph : data.graphs) {
    if (model.grammar != nullptr) edges[0] += static_cast<double>(graph.num_nodes() - 1);
    for (const FieldEdge& edge : graph.edges)
      edges[static_cast<std::size_t>(edge.type)] += edge.weight * edge.weight;
  }
  for (std::size_t type = 0; type < edges.size(); ++type) {
    const Index size = model.pair_size(type);
    variances.insert(variances.end(), static_cast<std::size_t>(size),
                     1.0 / (precision + edges[type] * curvature(static_cast<double>(size))));
  }
  return variances;
}

// One climb for both priors: the normal one is part of the smooth function, the Laplace one its kinks.
void climb(const LabelModel& model, const LabelData& data, FieldLikelihood& likelihood,
           const LabelFitOptions& options, LabelFit& fit) {
  const double scale = options.prior.scale, precision = 1.0 / (scale * scale);
  const bool is_normal = !options.prior.is_laplace;
  const SmoothFunction smooth = [&](std::span<const double> w, std::span<double> gradient) {
    const double value = likelihood.evaluate(w, gradient);
    double sum = 0.0;
    for (std::size_t d = 0; is_normal && d < w.size(); ++d) {
      sum += w[d] * w[d];
      gradient[d] -= precision * w[d];
    }
    return value - 0.5 * precision * sum;
  };
  SparseClimbOptions search{.rate = is_normal ? 0.0 : 1.0 / scale,
                            .max_iterations = options.max_iterations,
                            .variances = first_variances(model, data, precision)};
  search.on_iteration = options.on_iteration;
  const SparseClimb made = climb_sparsely(smooth, fit.weights, search);
  fit.weights = made.position;
  fit.has_converged = made.has_converged;
  fit.num_iterations = made.num_iterations;
  fit.num_evaluations = made.num_evaluations;
}

void check_fit_options(const LabelModel& model, const LabelFitOptions& options) {
  if (!options.is_laplace) return;
  if (options.prior.is_laplace)
    throw Error(ErrorCode::usage, "a Laplace prior has no curvature at 0", "--method",
                "--prior normal(1) with --method approximate");
  if (model.num_weights() > kMostApproximated)
    throw Error(
        ErrorCode::usage,
        fmt::format("the field has {} weights, and the normal approximation is for up to {}",
                    model.num_weights(), kMostApproximated),
        "--method", "--method optimize, or fewer features: --min-count");
}
}  // namespace

std::string WeightPrior::text() const {
  return fmt::format("{}({})", is_laplace ? "laplace" : "normal", scale);
}

WeightPrior parse_weight_prior(const std::string& text) {
  WeightPrior prior;
  const std::size_t open = text.find('(');
  const std::string name = text.substr(0, open);
  prior.is_laplace = name == "laplace";
  if ((name == "normal" || name == "laplace") && open != text.npos && text.ends_with(')')) {
    const auto scale = io::parse_number(text.substr(open + 1, text.size() - open - 2));
    if (scale && *scale > 0.0 && std::isfinite(*scale)) {
      prior.scale = *scale;
      return prior;
    }
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is no prior of weights", text), "--prior",
              "normal(SD) or laplace(SCALE) with a positive number: normal(1)");
}

LabelFit fit_labels(const LabelModel& model, const LabelData& data,
                    const LabelFitOptions& options) {
  check_fit_options(model, options);
  FieldLikelihood likelihood(model, data, options.num_threads);
  LabelFit fit;
  fit.weights.assign(static_cast<std::size_t>(model.num_weights()), 0.0);
  fit.engine_words = likelihood.engines().words;
  if (model.request.is_given) {
    fit.has_converged = true;
    return fit;
  }
  climb(model, data, likelihood, options, fit);
  if (options.is_laplace)
    fit.covariance = infer::inverse_hessian(
        *normal_posterior(likelihood, ssize(fit.weights), options.prior.scale), fit.weights);
  fit.log_likelihood = likelihood.evaluate(fit.weights, {});
  fit.log_posterior = fit.log_likelihood + log_prior_of(fit.weights, options.prior);
  fit.num_zero = std::ranges::count(fit.weights, 0.0);
  return fit;
}

}  // namespace credo::models
