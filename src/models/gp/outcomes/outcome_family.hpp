// Outcomes of a Gaussian process that aren't normal: a family with a link is a row, with the likelihood of one row of the table as a function
// of the process there.
//
//   y_n ~ p(y | f_n, phi),  f_n = offset_n + h_n' beta + f(x_n);  offset_n is the centre, plus log e_n with rate(e)
//
// The log likelihood has three derivatives by f, and derivatives of these by the family's parameters phi [rasmussen2006, sections 3.3 and 5.5.1].
#pragma once
#include "models/kernels/dual.hpp"
#include "numerics/gaussian_integrals.hpp"
#include "numerics/special.hpp"

namespace credo::models {

struct OutcomeSite {
  double y = 0.0;
  double trials = 1.0;
  double offset = 0.0;
};

// log p(y | f) and its derivatives by f. T: double, or OutcomeDual for derivatives by the parameters.
template <class T>
struct SiteValues {
  T value{}, first{}, second{}, third{};
};
constexpr int kMostOutcomeParameters = 2;
using OutcomeDual = Dual<kMostOutcomeParameters>;

// Prior of a parameter: log-normal around centre (times the outcome's sd if it is in the outcome's unit).
struct OutcomeParameter {
  std::string name;
  double centre = 1.0, spread = 1.0;
  bool is_in_units = false;
};

struct OutcomeFamily {
  std::string_view name, link, summary;
  bool is_log_concave = true;  // in f
  bool is_normal = false;      // has an exact solution, too
  bool is_categorical = false, needs_trials = false, takes_rate = false;
  bool is_scaled =
      false;  // f has the unit of the outcome; else it is a logit or a logarithm of size 1
  std::vector<OutcomeParameter> parameters = {};
  // f: the process with its offset. Null for categorical outcomes, which have several processes.
  SiteValues<double> (*at)(const OutcomeSite&, const double* phi, double f) = nullptr;
  SiteValues<OutcomeDual> (*by_parameters)(const OutcomeSite&, const OutcomeDual* phi,
                                           double f) = nullptr;
  // E log p, E log p' and E log p'' for f ~ normal(mean, variance). Null: by quadrature.
  numerics::NormalExpectations (*expectations)(const OutcomeSite&, const double* phi, double mean,
                                               double variance) = nullptr;
  // Mass, mean and variance of normal(mean, variance) times the likelihood. Null: by quadrature.
  numerics::TiltedNormal (*tilted)(const OutcomeSite&, const double* phi, double mean,
                                   double variance) = nullptr;
  // Mean of the outcome given f, for one trial or a unit of exposure.
  double (*mean_at)(double f) = nullptr;
  // The same averaged over f ~ normal(mean, variance). Null: by quadrature.
  double (*mean_under)(double mean, double variance) = nullptr;
  // f at which the outcome's mean is `mean`, a number inside of its range: the centre of the prior of an intercept.
  double (*inverse)(double mean) = nullptr;
  // Why a number is no outcome of the family; empty: it is.
  std::string (*refusal)(const OutcomeSite&) = nullptr;
};

std::span<const OutcomeFamily* const> outcome_families();
const OutcomeFamily& normal_outcomes();
// By name and link; an empty link is the first one that the family has. Null if no row has both.
const OutcomeFamily* find_outcome_family(std::string_view name, std::string_view link);

// ---- integrals over one site, f ~ normal(mean, variance) without its offset

numerics::NormalExpectations expected_log_likelihood(const OutcomeFamily& family,
                                                     const OutcomeSite& site, const double* phi,
                                                     double mean, double variance);
numerics::TiltedNormal tilted_site(const OutcomeFamily& family, const OutcomeSite& site,
                                   const double* phi, double mean, double variance);
// Derivatives of E log p under normal(mean, variance), and of the tilted log mass, by the parameters.
std::array<double, kMostOutcomeParameters> expected_parameter_slopes(const OutcomeFamily& family,
                                                                     const OutcomeSite& site,
                                                                     const double* phi, double mean,
                                                                     double variance);
std::array<double, kMostOutcomeParameters> tilted_parameter_slopes(const OutcomeFamily& family,
                                                                   const OutcomeSite& site,
                                                                   const double* phi, double mean,
                                                                   double variance);
// Mean of the outcome, for one trial or a unit of exposure, if f ~ normal(mean, variance).
double outcome_mean(const OutcomeFamily& family, double mean, double variance);

// ---- for rows

// log p(y | f) of a struct with a template at(site, phi, f).
template <class Rule>
SiteValues<double> site_values(const OutcomeSite& site, const double* phi, double f) {
  return Rule::template at<double>(site, phi, f);
}
template <class Rule>
SiteValues<OutcomeDual> site_slopes(const OutcomeSite& site, const OutcomeDual* phi, double f) {
  return Rule::template at<OutcomeDual>(site, phi, f);
}
inline OutcomeDual lgamma(const OutcomeDual& x) {
  return chained(x, numerics::lgamma(x.v), numerics::digamma(x.v));
}

}  // namespace credo::models
