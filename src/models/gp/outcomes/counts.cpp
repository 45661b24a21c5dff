// Counts with the logarithm as their link: poisson, and negbinomial, whose variance is mean + mean² / size [rasmussen2006, section 3.3].
#include "models/gp/outcomes/outcome_family.hpp"

namespace credo::models {
namespace {
struct PoissonSite {
  template <class T>
  static SiteValues<T> at(const OutcomeSite& site, const T*, double without) {
    const double f = without + site.offset, mean = std::exp(f);
    return {.value = site.y * f - mean - numerics::lgamma(site.y + 1.0),
            .first = site.y - mean,
            .second = -mean,
            .third = -mean};
  }
};
// E exp(f) = exp(mean + variance / 2)
numerics::NormalExpectations poisson_expectations(const OutcomeSite& site, const double*,
                                                  double mean, double variance) {
  const double f = mean + site.offset, rate = std::exp(f + 0.5 * variance);
  return {.value = site.y * f - rate - numerics::lgamma(site.y + 1.0),
          .slope = site.y - rate,
          .curvature = -rate};
}

// phi[0]: size.
struct NegBinomialSite {
  template <class T>
  static SiteValues<T> at(const OutcomeSite& site, const T* phi, double without) {
    using credo::models::lgamma, numerics::lgamma, std::log, std::log1p;
    const double f = without + site.offset;
    const T size = phi[0], total = size + site.y;
    // share = mean / (size + mean), by the smaller of the two numbers
    const T ratio = std::exp(-f) * size, share = 1.0 / (1.0 + ratio), rest = ratio * share;
    // log(size + mean) = f + log(1 + size / mean)
    const T value = lgamma(total) - lgamma(size) - numerics::lgamma(site.y + 1.0) +
                    size * log(size) + site.y * f - total * (log1p(ratio) + f);
    return {.value = value,
            .first = site.y - total * share,
            .second = -(total * share * rest),
            .third = -(total * share * rest * (rest - share))};
  }
};

double exponential(double f) { return std::exp(f); }
double log_of(double mean) { return std::log(mean); }
double log_normal_mean(double mean, double variance) { return std::exp(mean + 0.5 * variance); }
std::string not_count(const OutcomeSite& site) {
  return site.y >= 0.0 && site.y == std::floor(site.y) ? "" : "counts are 0, 1, 2, ...";
}

OutcomeFamily poisson_row() {
  OutcomeFamily row{.name = "poisson", .link = "log", .summary = "counts", .takes_rate = true};
  row.at = site_values<PoissonSite>, row.by_parameters = site_slopes<PoissonSite>;
  row.expectations = poisson_expectations;
  row.mean_at = exponential, row.mean_under = log_normal_mean, row.inverse = log_of;
  row.refusal = not_count;
  return row;
}
OutcomeFamily negbinomial_row() {
  OutcomeFamily row{.name = "negbinomial",
                    .link = "log",
                    .summary = "counts of more variance than their mean: mean + mean^2 / size",
                    .takes_rate = true};
  row.parameters = {{.name = "size", .centre = 10.0, .spread = 1.5}};
  row.at = site_values<NegBinomialSite>, row.by_parameters = site_slopes<NegBinomialSite>;
  row.mean_at = exponential, row.mean_under = log_normal_mean, row.inverse = log_of;
  row.refusal = not_count;
  return row;
}
}  // namespace

extern const OutcomeFamily kPoissonLog, kNegBinomialLog;
const OutcomeFamily kPoissonLog = poisson_row();
const OutcomeFamily kNegBinomialLog = negbinomial_row();

}  // namespace credo::models
