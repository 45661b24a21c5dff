#include "models/regression/families/family_parts.hpp"

#include <fmt/format.h>

namespace credo::models {

std::string any_number(double, double) { return {}; }
std::string only_positive(double y, double) {
  return y > 0.0 ? std::string() : "it must be positive";
}
std::string only_at_least_0(double y, double) {
  return y >= 0.0 ? std::string() : "it must be at least 0";
}
std::string only_counts(double y, double) {
  return y >= 0.0 && y == std::floor(y) ? std::string() : "it must be a whole number, at least 0";
}
std::string only_counts_of_trials(double y, double trials) {
  if (!(y >= 0.0 && y == std::floor(y))) return "it must be a whole number, at least 0";
  return y <= trials ? std::string() : fmt::format("it is more than the {} trials", trials);
}
std::string mean_of(const FamilyText& t) { return t.mean; }

FamilyParameter scale_parameter(std::string name) {
  return {.name = name,
          .declaration = "real<lower=0> " + name,
          .prior = "exponential(1 / {})",
          .brms = "student_t(3, 0, {})",
          .rstanarm = {},
          .intercept_prior = "normal({}, 1)"};
}
FamilyParameter shape_parameter(std::string name, std::string prior) {
  return {.name = name,
          .declaration = "real<lower=0> " + name,
          .prior = std::move(prior),
          .brms = "gamma(0.01, 0.01)",
          .rstanarm = {}};
}
FamilyParameter overdispersion_parameter() {
  return {.name = "phi",
          .declaration = "real<lower=0> phi",
          .prior = "inv_gamma(0.4, 0.3)",
          .brms = "inv_gamma(0.4, 0.3)",
          .rstanarm = {}};
}
FamilyParameter com_poisson_shape() {
  return {.name = "shape",
          .declaration = "real<lower=0> shape",
          .prior = "lognormal(0, 1)",
          .brms = "gamma(0.01, 0.01)",
          .rstanarm = {},
          .intercept_prior = "normal(0, 1)"};
}
FamilyParameter share_parameter(std::string name) {
  return {.name = name,
          .declaration = "real<lower=0, upper=1> " + name,
          .prior = "beta(1, 1)",
          .brms = "beta(1, 1)",
          .rstanarm = {},
          .link = "logit",
          .intercept_prior = "normal(0, 1.5)",
          .brms_intercept = "logistic(0, 1)"};
}

}  // namespace credo::models
