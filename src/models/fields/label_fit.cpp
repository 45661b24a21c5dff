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
  for (const double w : weights) sum += prior.is_laplace ? std::abs(w) / prior.scale
                                                         : 0.5 * w * w / (prior.scale * prior.scale);
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

void fit_with_normal_prior(FieldLikelihood& likelihood, const LabelFitOptions& options, LabelFit& fit) {
  const auto posterior = normal_posterior(likelihood, ssize(fit.weights), options.prior.scale);
  Index iteration = 0;
  infer::ModeOptions search{.max_iterations = options.max_iterations, .start = fit.weights};
  if (options.on_iteration)
    search.on_iteration = [&](double height, double /*step*/, double gradient, Index /*count*/) {
      options.on_iteration(++iteration, height, gradient);
    };
  const infer::Mode mode = infer::find_mode(*posterior, search);
  fit.weights = mode.position;
  fit.has_converged = mode.converged;
  fit.num_iterations = mode.num_iterations;
  fit.num_evaluations = mode.num_evaluations;
  if (options.is_laplace) fit.covariance = infer::inverse_hessian(*posterior, fit.weights);
}

void fit_with_laplace_prior(FieldLikelihood& likelihood, const LabelFitOptions& options, LabelFit& fit) {
  const SparseClimb climb = climb_sparsely(
      [&](std::span<const double> w, std::span<double> gradient) {
        return likelihood.evaluate(w, gradient);
      },
      fit.weights,
      {.rate = 1.0 / options.prior.scale,
       .max_iterations = options.max_iterations,
       .on_iteration = options.on_iteration});
  fit.weights = climb.position;
  fit.has_converged = climb.has_converged;
  fit.num_iterations = climb.num_iterations;
  fit.num_evaluations = climb.num_evaluations;
}

void check_fit_options(const LabelModel& model, const LabelFitOptions& options) {
  if (!options.is_laplace) return;
  if (options.prior.is_laplace)
    throw Error(ErrorCode::usage, "a Laplace prior has no curvature at 0", "--method",
                "--prior normal(1) with --method laplace");
  if (model.num_weights() > kMostApproximated)
    throw Error(ErrorCode::usage,
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

LabelFit fit_labels(const LabelModel& model, const LabelData& data, const LabelFitOptions& options) {
  check_fit_options(model, options);
  FieldLikelihood likelihood(model, data, options.num_threads);
  LabelFit fit;
  fit.weights.assign(static_cast<std::size_t>(model.num_weights()), 0.0);
  fit.engine_words = likelihood.engines().words;
  if (options.prior.is_laplace)
    fit_with_laplace_prior(likelihood, options, fit);
  else
    fit_with_normal_prior(likelihood, options, fit);
  fit.log_likelihood = likelihood.evaluate(fit.weights, {});
  fit.log_posterior = fit.log_likelihood + log_prior_of(fit.weights, options.prior);
  fit.num_zero = std::ranges::count(fit.weights, 0.0);
  return fit;
}

}  // namespace credo::models
