// Successes among trials, one trial with bernoulli, with the logit or the probit link [rasmussen2006, eqs. 3.5 and 3.6; table 3.1].
#include "models/gp/outcomes/outcome_family.hpp"

namespace credo::models {
namespace {

double sigmoid(double f) {
  if (f >= 0.0) return 1.0 / (1.0 + std::exp(-f));
  const double e = std::exp(f);
  return e / (1.0 + e);
}
double log_sigmoid(double f) {
  return f >= 0.0 ? -std::log1p(std::exp(-f)) : f - std::log1p(std::exp(f));
}

double log_choose(const OutcomeSite& site) {
  if (site.trials == 1.0) return 0.0;
  return numerics::lgamma(site.trials + 1.0) - numerics::lgamma(site.y + 1.0) -
         numerics::lgamma(site.trials - site.y + 1.0);
}

struct LogitSite {
  template <class T>
  static SiteValues<T> at(const OutcomeSite& site, const T*, double without) {
    const double f = without + site.offset, p = sigmoid(f), spread = p * sigmoid(-f);
    return {.value = log_choose(site) + site.y * log_sigmoid(f) +
                     (site.trials - site.y) * log_sigmoid(-f),
            .first = site.y - site.trials * p,
            .second = -site.trials * spread,
            .third = -site.trials * spread * (1.0 - 2.0 * p)};
  }
};

// log Phi(z) with derivatives r, -r (z + r) and r ((z + r) (z + 2 r) - 1), where r = N(z) / Phi(z).
std::array<double, 4> log_phi_values(double z) {
  const double r = numerics::inverse_mills(z), sum = z + r;
  return {numerics::log_phi(z), r, -r * sum, r * (sum * (z + 2.0 * r) - 1.0)};
}
struct ProbitSite {
  template <class T>
  static SiteValues<T> at(const OutcomeSite& site, const T*, double without) {
    const double f = without + site.offset, failures = site.trials - site.y;
    std::array<double, 4> sum{log_choose(site)};
    if (site.y > 0.0) {
      const auto own = log_phi_values(f);
      for (std::size_t k = 0; k < 4; ++k) sum[k] += site.y * own[k];
    }
    if (failures > 0.0) {
      const auto own = log_phi_values(-f);
      for (std::size_t k = 0; k < 4; ++k) sum[k] += (k % 2 == 0 ? failures : -failures) * own[k];
    }
    return {.value = sum[0], .first = sum[1], .second = sum[2], .third = sum[3]};
  }
};

numerics::TiltedNormal probit_tilted(const OutcomeSite& site, const double*, double mean,
                                     double variance) {
  const double sign = site.y > 0.0 ? 1.0 : -1.0;
  return numerics::tilted_by_probit(mean, variance, sign, sign * site.offset);
}
double probit_mean(double f) { return numerics::phi(f); }
double probit_mean_under(double mean, double variance) {
  return numerics::phi(mean / std::sqrt(1.0 + variance));
}
double logit(double p) { return std::log(p / (1.0 - p)); }

bool is_whole(double y) { return y == std::floor(y); }
std::string not_binary(const OutcomeSite& site) {
  return site.y == 0.0 || site.y == 1.0 ? "" : "outcomes of the family bernoulli are 0 or 1";
}
std::string not_successes(const OutcomeSite& site) {
  if (!(site.trials >= 1.0) || !is_whole(site.trials)) return "numbers of trials are 1, 2, ...";
  return is_whole(site.y) && site.y >= 0.0 && site.y <= site.trials
             ? ""
             : "successes are whole numbers from 0 to the number of trials";
}

OutcomeFamily logit_row() {
  OutcomeFamily row{.name = "bernoulli", .link = "logit", .summary = "0 or 1, by the logit"};
  row.at = site_values<LogitSite>, row.by_parameters = site_slopes<LogitSite>;
  row.mean_at = sigmoid, row.inverse = logit, row.refusal = not_binary;
  return row;
}
OutcomeFamily probit_row() {
  OutcomeFamily row{.name = "bernoulli", .link = "probit", .summary = "0 or 1, by the probit"};
  row.at = site_values<ProbitSite>, row.by_parameters = site_slopes<ProbitSite>;
  row.mean_at = probit_mean, row.inverse = numerics::inv_phi, row.refusal = not_binary;
  row.tilted = probit_tilted, row.mean_under = probit_mean_under;
  return row;
}
OutcomeFamily of_trials(OutcomeFamily row, std::string_view summary) {
  row.name = "binomial", row.summary = summary;
  row.needs_trials = true, row.refusal = not_successes;
  row.tilted = nullptr;  // its closed form is that of one trial
  return row;
}
}  // namespace

extern const OutcomeFamily kBernoulliLogit, kBernoulliProbit, kBinomialLogit, kBinomialProbit;
const OutcomeFamily kBernoulliLogit = logit_row();
const OutcomeFamily kBernoulliProbit = probit_row();
const OutcomeFamily kBinomialLogit = of_trials(logit_row(), "successes among trials, by the logit");
const OutcomeFamily kBinomialProbit =
    of_trials(probit_row(), "successes among trials, by the probit");

}  // namespace credo::models
