#include "models/series/series_family.hpp"

#include "base/error.hpp"
#include "dist/samplers.hpp"

namespace credo::models {
namespace {
// Zeros have a finite logarithm, half a count from 0.
double log_of_count(double outcome) { return std::log(outcome + 0.5); }
// A quarter and three quarters: logits ±1.1.
double logit_of_event(double outcome) { return outcome > 0.5 ? std::log(3.0) : -std::log(3.0); }
double inverse_logit(double predictor) { return 1.0 / (1.0 + std::exp(-predictor)); }
double exponential_of(double predictor) { return std::exp(predictor); }

double draw_count(double predictor, double, Rng& rng) {
  return dist::draw_poisson(rng, std::exp(predictor));
}
// The parameter is 1 / sqrt(shape), so 0 is Poisson.
double draw_dispersed(double predictor, double spread, Rng& rng) {
  const double mean = std::exp(predictor), shape = 1.0 / (spread * spread);
  return std::isfinite(shape) ? dist::draw_neg_binomial(rng, shape, mean)
                              : dist::draw_poisson(rng, mean);
}
double draw_event(double predictor, double, Rng& rng) {
  return rng.uniform() < inverse_logit(predictor) ? 1.0 : 0.0;
}

constexpr double kMostCount = 2147483647.0;  // int of programs
constexpr std::array kFamilies{
    SeriesFamily{.name = "normal",
                 .words = "normal",
                 .distribution = "normal",
                 .argument = "sigma",
                 .scale = "sigma"},
    SeriesFamily{.name = "student",
                 .words = "t with 4 degrees of freedom",
                 .distribution = "student_t",
                 .argument = "sigma",
                 .scale = "sigma"},
    SeriesFamily{.name = "poisson",
                 .words = "Poisson, of the logarithm of the mean",
                 .is_count = true,
                 .largest = kMostCount,
                 .distribution = "poisson_log",
                 .predictor = log_of_count,
                 .mean = exponential_of,
                 .draw = draw_count},
    SeriesFamily{.name = "negbinomial",
                 .words = "negative binomial, of the logarithm of the mean",
                 .is_count = true,
                 .largest = kMostCount,
                 .distribution = "neg_binomial_2_log",
                 .argument = "spread",
                 .scale = "inv_square(spread)",
                 .predictor = log_of_count,
                 .mean = exponential_of,
                 .draw = draw_dispersed},
    SeriesFamily{.name = "bernoulli",
                 .words = "0 or 1, of the logit of the probability",
                 .is_count = true,
                 .largest = 1.0,
                 .distribution = "bernoulli_logit",
                 .predictor = logit_of_event,
                 .mean = inverse_logit,
                 .draw = draw_event}};
}  // namespace

std::vector<std::string> series_family_names() {
  std::vector<std::string> names;
  for (const SeriesFamily& family : kFamilies) names.emplace_back(family.name);
  return names;
}

const SeriesFamily& series_family(std::string_view name) {
  for (const SeriesFamily& family : kFamilies)
    if (family.name == name) return family;
  throw Error(ErrorCode::internal, "there is no such family of a series", std::string(name));
}

}  // namespace credo::models
