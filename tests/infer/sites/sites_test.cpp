// Normal distributions by sites against independently computed ones.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/sites/linear_rows.hpp"
#include "infer/sites/site_rounds.hpp"
#include "infer/variational/fits/laplace_fit.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer::sites_test {
namespace {
using namespace credo::testing;

const std::vector<double> kAge = {-1.8, -1.1, -0.7, -0.4, -0.1, 0.2, 0.5, 0.9, 1.3, 1.6, 2.0, 2.4};

LinearRowsSpec regression(RowFunction row) {
  LinearRowsSpec spec{
      .prior_mean = {0.5, 0.0}, .prior_sd = {2.0, 1.5}, .predictors = {}, .row = std::move(row)};
  for (const double x : kAge) spec.predictors.push_back({1.0, x});
  return spec;
}
double sign_of(std::size_t n) {
  constexpr std::array kSuccess = {0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1};
  return kSuccess[n] == 1 ? 1.0 : -1.0;
}
LinearRowsSpec probit_regression() {
  return regression([](std::size_t n, double s) {
    const double z = sign_of(n) * s;
    return RowValue{numerics::log_phi(z), sign_of(n) * numerics::inverse_mills(z)};
  });
}
LinearRowsSpec logistic_regression() {
  return regression([](std::size_t n, double s) {
    const double z = sign_of(n) * s;
    return RowValue{numerics::log_inv_logit(z), sign_of(n) * numerics::inv_logit(-z)};
  });
}
LinearRowsSpec poisson_regression() {
  return regression([](std::size_t n, double s) {
    constexpr std::array kCounts = {0, 1, 0, 2, 1, 1, 3, 2, 4, 3, 6, 9};
    const double y = kCounts[n];
    return RowValue{y * s - std::exp(s) - std::lgamma(y + 1.0), y - std::exp(s)};
  });
}
// Rows of known scale: the posterior is normal.
LinearRowsSpec normal_regression() {
  return regression([](std::size_t n, double s) {
    const double y = 0.3 * static_cast<double>(n) - std::cos(static_cast<double>(n)), sd = 0.7;
    return RowValue{normal_log_density(y, s, sd), (y - s) / (sd * sd)};
  });
}

const SiteUpdateRow* update_of(std::string_view name) { return &site_update_named(name); }

SiteFit fit_of(const LinearRowsSpec& spec, const SiteRoundOptions& options = {}) {
  const LinearRows model(spec);
  SitePosterior posterior = find_sites(model);
  return fit_sites(posterior, options);
}

struct KnownFit {
  std::vector<double> mean, covariance;  // the latter: of 11, 12, 22
  double log_evidence;
};
double distance_of(const SiteFit& fit, const KnownFit& known) {
  return std::max({std::abs(fit.mean[0] - known.mean[0]), std::abs(fit.mean[1] - known.mean[1]),
                   std::abs(fit.covariance[0] - known.covariance[0]),
                   std::abs(fit.covariance[1] - known.covariance[1]),
                   std::abs(fit.covariance[3] - known.covariance[2]),
                   std::abs(fit.log_evidence - known.log_evidence)});
}

// Fixed points that an R script found by dense matrices and integrate() (relative tolerance 1e-11 to 1e-12): per site the
// cavity, the moments of dnorm(s, m, sd) exp(alpha log f(s)), and new natural parameters until nothing changes by 1e-11.
constexpr double kOfScript = 2e-6;  // rounds end at changes of 1e-6
const KnownFit kProbitEp{
    {-0.231923388, 0.642475885}, {0.174791724, -0.049914991, 0.129139943}, -9.868900645};
const KnownFit kProbitHalfPower{
    {-0.231837543, 0.642217004}, {0.174035445, -0.049443113, 0.127972948}, -9.871204827};
const KnownFit kLogisticEp{
    {-0.298982637, 0.994729960}, {0.460412794, -0.110686808, 0.337757209}, -9.072965956};
const KnownFit kPoissonEp{
    {0.216982082, 0.779187827}, {0.090421482, -0.042842352, 0.030977469}, -21.251142715};
const KnownFit kProbitCvi{
    {-0.231738071, 0.641930072}, {0.173283131, -0.048971979, 0.126816985}, -9.873505745};
const KnownFit kLogisticCvi{
    {-0.298582421, 0.992659316}, {0.456602481, -0.109163394, 0.331772436}, -9.078029822};
const KnownFit kPoissonCvi{
    {0.217095491, 0.779174219}, {0.089648340, -0.042398716, 0.030619978}, -21.254305620};

TEST(expectation_propagation, ends_where_an_independent_script_ends) {
  EXPECT_LT(distance_of(fit_of(probit_regression()), kProbitEp), kOfScript);
  EXPECT_LT(distance_of(fit_of(probit_regression(), {.power = 0.5}), kProbitHalfPower), kOfScript);
  EXPECT_LT(distance_of(fit_of(logistic_regression()), kLogisticEp), kOfScript);
  EXPECT_LT(distance_of(fit_of(poisson_regression()), kPoissonEp), kOfScript);
}

TEST(conjugate_computation, ends_where_an_independent_script_ends) {
  const SiteRoundOptions options{.update = update_of("expectations")};
  EXPECT_LT(distance_of(fit_of(probit_regression(), options), kProbitCvi), kOfScript);
  EXPECT_LT(distance_of(fit_of(logistic_regression(), options), kLogisticCvi), kOfScript);
  EXPECT_LT(distance_of(fit_of(poisson_regression(), options), kPoissonCvi), kOfScript);
}

TEST(sites, end_at_one_fixed_point_in_every_order_and_with_damping) {
  for (const SiteOrder order : {SiteOrder::sites, SiteOrder::all})
    for (const double damping : {0.0, 0.3}) {
      const SiteFit fit = fit_of(logistic_regression(), {.damping = damping, .order = order});
      EXPECT_TRUE(fit.converged);
      EXPECT_LT(distance_of(fit, kLogisticEp), 5e-6) << static_cast<int>(order) << " " << damping;
    }
}

// Planted faults of the update: all must end elsewhere than the script.
TEST(expectation_propagation, with_a_planted_fault_is_rejected) {
  static const SiteUpdateRow* const right = update_of("moments");
  SiteUpdateRow with_own_factor = *right, other_sign = *right, without_mass = *right;
  with_own_factor.update = [](const SiteAt& site) {  // the marginal in the place of the cavity
    SiteAt whole = site;
    whole.cavity = site.marginal;
    return right->update(whole);
  };
  other_sign.update = [](const SiteAt& site) {
    SiteProposal found = right->update(site);
    found.shift = -found.shift;
    return found;
  };
  without_mass.constant = [](const SiteAt& site, const SiteProposal& found) {
    return right->constant(site, found) - found.value;  // no log Z
  };
  const auto is_right = [](const SiteUpdateRow& row) {
    try {
      return distance_of(fit_of(probit_regression(), {.update = &row}), kProbitEp) < kOfScript;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(is_right(*right));
  EXPECT_FALSE(is_right(with_own_factor));
  EXPECT_FALSE(is_right(other_sign));
  EXPECT_FALSE(is_right(without_mass));
}

// The bound of a variational fit is below the evidence, and EP's estimate isn't far: sums over 1501² points of a grid are the truth.
TEST(conjugate_computation, is_below_the_evidence_that_a_grid_gives) {
  constexpr double kProbit = -9.863853286, kLogistic = -9.059134112, kPoisson = -21.242304983;
  const SiteRoundOptions cvi{.update = update_of("expectations")};
  for (const auto& [spec, evidence] :
       {std::pair(probit_regression(), kProbit), std::pair(logistic_regression(), kLogistic),
        std::pair(poisson_regression(), kPoisson)}) {
    const double bound = fit_of(spec, cvi).log_evidence, estimate = fit_of(spec).log_evidence;
    EXPECT_LT(bound, evidence);
    EXPECT_GT(bound, evidence - 0.03);
    EXPECT_LT(std::abs(estimate - evidence), evidence - bound);
  }
}

// Towards power 0 expectation propagation is conjugate-computation inference; the difference is linear in the power.
TEST(expectation_propagation, of_small_power_ends_where_conjugate_computation_does) {
  const auto gap = [](double power) {
    return distance_of(fit_of(logistic_regression(), {.power = power, .tolerance = 1e-9}),
                       kLogisticCvi);
  };
  const double small = gap(0.004), large = gap(0.04);
  EXPECT_LT(small, 5e-5);
  EXPECT_NEAR(large / small, 10.0, 0.5);
}

// Normal rows: the posterior by matrices, and the evidence as the density of the outcomes; one round is enough.
TEST(expectation_propagation, of_normal_rows_is_exact_after_one_round) {
  const LinearRowsSpec spec = normal_regression();
  const double w = 1.0 / (0.7 * 0.7);
  double p11 = 0.25, p12 = 0.0, p22 = 1.0 / 2.25, h1 = 0.5 * 0.25, h2 = 0.0;
  double constant = normal_log_density(0.0, 0.5, 2.0) + normal_log_density(0.0, 0.0, 1.5);
  for (std::size_t n = 0; n < kAge.size(); ++n) {
    const double y = 0.3 * static_cast<double>(n) - std::cos(static_cast<double>(n)), x = kAge[n];
    p11 += w, p12 += w * x, p22 += w * x * x, h1 += w * y, h2 += w * x * y;
    constant += normal_log_density(y, 0.0, 0.7);
  }
  const double det = p11 * p22 - p12 * p12;
  KnownFit known{{(p22 * h1 - p12 * h2) / det, (p11 * h2 - p12 * h1) / det},
                 {p22 / det, -p12 / det, p11 / det},
                 0.0};
  known.log_evidence = constant + 0.5 * (h1 * known.mean[0] + h2 * known.mean[1]) -
                       0.5 * std::log(det) + std::log(2.0 * std::acos(-1.0));
  for (const char* update : {"moments", "expectations", "laplace"}) {
    const SiteFit fit = fit_of(spec, {.update = update_of(update), .max_rounds = 1});
    EXPECT_LT(distance_of(fit, known), std::string(update) == "laplace" ? 1e-6 : 1e-10) << update;
  }
  const SiteFit settled = fit_of(spec);
  EXPECT_EQ(settled.course.size(), 2u);
  EXPECT_TRUE(settled.converged);
  const LinearRows model(spec);
  SitePosterior posterior = find_sites(model);
  EXPECT_EQ(posterior.sites[0].form->form(), "normal");
  const FilterFit filtered = filter_sites(posterior, *update_of("moments"), false);
  EXPECT_NEAR(filtered.log_evidence, known.log_evidence, 1e-10);
  EXPECT_NEAR(filtered.mean[1], known.mean[1], 1e-10);
}

TEST(laplace_propagation, ends_at_the_mode_with_its_curvature) {
  for (const LinearRowsSpec& spec : {logistic_regression(), poisson_regression()}) {
    const LinearRows model(spec);
    const LaplacePeak peak = find_peaks(model, {.num_starts = 1, .exact = false}).front();
    const SiteFit fit = fit_of(spec, {.update = update_of("laplace")});
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(fit.mean[d], peak.mode.position[d], 1e-5);
    for (std::size_t e = 0; e < 4; ++e)
      EXPECT_NEAR(fit.covariance[e], peak.curvature.covariance[e], 1e-5);
    EXPECT_NEAR(fit.log_evidence, peak.log_mass, 1e-5);
  }
}

// The clutter problem [minka2001]: observations of θ with noise 1, half of which are N(0, 10) instead. By a sum over θ.
LinearRowsSpec clutter() {
  LinearRowsSpec spec{.prior_mean = {0.0}, .prior_sd = {10.0}, .predictors = {}, .row = nullptr};
  const std::vector<double> y = {1.1, 2.9, 2.3, -3.5, 1.6, 0.4, 2.1, 6.8, 2.6, 1.9,
                                 3.1, 0.7, 2.4, -0.9, 1.8, 2.2, 4.4, 1.3, 2.0, 2.7};
  spec.predictors.assign(y.size(), {1.0});
  spec.row = [y](std::size_t n, double s) {
    const double good = std::log(0.5) + normal_log_density(y[n], s, 1.0),
                 bad = std::log(0.5) + normal_log_density(y[n], 0.0, std::sqrt(10.0));
    const double sum = numerics::log_sum_exp(good, bad);
    return RowValue{sum, std::exp(good - sum) * (y[n] - s)};
  };
  return spec;
}
TEST(expectation_propagation, of_the_clutter_problem_is_near_the_sums_over_its_value) {
  const LinearRowsSpec spec = clutter();
  double mass = 0.0, mean = 0.0, square = 0.0;
  for (double x = -20.0; x <= 20.0; x += 1e-3) {
    double log_p = normal_log_density(x, 0.0, 10.0);
    for (std::size_t n = 0; n < spec.predictors.size(); ++n) log_p += spec.row(n, x).log_density;
    const double p = std::exp(log_p + 40.0) * 1e-3;
    mass += p, mean += x * p, square += x * x * p;
  }
  mean /= mass;
  const SiteFit fit = fit_of(spec);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.mean[0], mean, 0.01);
  EXPECT_NEAR(fit.covariance[0], square / mass - mean * mean, 0.003);
  EXPECT_NEAR(fit.log_evidence, std::log(mass) - 40.0, 0.01);
}

// By a script of dense matrices and integrate(), as above; with one factor there is no estimate of the evidence.
TEST(stochastic_propagation, ends_where_an_independent_script_ends) {
  SiteFit fit = fit_of(logistic_regression(), {.stochastic = true});
  EXPECT_TRUE(fit.converged);
  EXPECT_TRUE(std::isnan(fit.log_evidence));
  fit.log_evidence = 0.0;
  const KnownFit known{{-0.248310894, 0.959896672}, {0.557136605, -0.210942770, 0.339243844}, 0.0};
  EXPECT_LT(distance_of(fit, known), kOfScript);
}

// More rows of the same kind: one factor for all becomes as good as one for each.
TEST(stochastic_propagation, is_nearer_to_expectation_propagation_with_more_rows) {
  const auto gap = [](int copies) {
    LinearRowsSpec spec = logistic_regression();
    const std::vector<std::vector<double>> predictors = spec.predictors;
    for (int copy = 1; copy < copies; ++copy)
      spec.predictors.insert(spec.predictors.end(), predictors.begin(), predictors.end());
    spec.row = [row = spec.row](std::size_t n, double s) { return row(n % kAge.size(), s); };
    const SiteFit full = fit_of(spec), tied = fit_of(spec, {.stochastic = true});
    return std::abs(tied.mean[1] - full.mean[1]) / std::sqrt(full.covariance[3]);
  };
  EXPECT_LT(gap(10), 0.5 * gap(1));
}

// By the same script. The rows are sorted, so that the first ones are failures alone.
TEST(assumed_density_filter, ends_where_an_independent_script_ends) {
  const LinearRows model(probit_regression());
  SitePosterior posterior = find_sites(model);
  const auto gap = [&](bool is_diagonal, const KnownFit& known) {
    const FilterFit fit = filter_sites(posterior, *update_of("moments"), is_diagonal);
    SiteFit as_sites;
    as_sites.mean = fit.mean, as_sites.covariance = fit.covariance;
    as_sites.log_evidence = fit.log_evidence;
    return distance_of(as_sites, known);
  };
  constexpr double kDigitsOfScript = 1e-8;
  EXPECT_LT(
      gap(false,
          {{-0.297603040, 0.717799676}, {0.229862354, -0.080137595, 0.166963949}, -10.217298214}),
      kDigitsOfScript);
  EXPECT_LT(
      gap(true, {{-0.300744911, 0.809254344}, {0.245019954, 0.0, 0.175505903}, -10.170061667}),
      kDigitsOfScript);
}

// Rows that read one value each make no correlations, so that leaving them out changes nothing; rows of sums make some, and then the
// predictive densities no longer add up to the evidence.
TEST(assumed_density_filter, without_correlations_has_the_evidence_where_rows_make_none) {
  const auto evidence = [](const LinearRowsSpec& spec, bool is_diagonal) {
    const LinearRows model(spec);
    SitePosterior posterior = find_sites(model);
    return filter_sites(posterior, *update_of("moments"), is_diagonal).log_evidence;
  };
  const LinearRowsSpec sums = probit_regression();
  LinearRowsSpec apart = sums;
  for (std::size_t n = 0; n < apart.predictors.size(); ++n)
    apart.predictors[n] = n % 2 == 0 ? std::vector{1.0, 0.0} : std::vector{0.0, 1.0};
  EXPECT_NEAR(evidence(apart, true), evidence(apart, false), 1e-10);
  EXPECT_GT(std::abs(evidence(sums, true) - evidence(sums, false)), 0.01);
}

TEST(assumed_density_filter, adds_up_predictive_densities) {
  const LinearRows model(probit_regression());
  SitePosterior posterior = find_sites(model);
  const FilterFit fit = filter_sites(posterior, *update_of("moments"), false);
  double sum = 0.0;
  for (const FilteredRow& row : fit.course) sum += row.log_predictive;
  EXPECT_NEAR(fit.log_evidence, sum, 1e-10);
  // Row 1 is a failure at (1, -1.8): m = 0.5, v = 4 + 1.8² 1.5²; the probit integral is Φ(-m / √(1 + v)).
  EXPECT_NEAR(fit.course[0].log_predictive,
              numerics::log_phi(-0.5 / std::sqrt(1.0 + 4.0 + 1.8 * 1.8 * 2.25)), 1e-9);
}

TEST(sites, are_recognised_by_their_form) {
  const auto form_of = [](const LinearRowsSpec& spec) {
    const LinearRows model(spec);
    const SitePosterior posterior = find_sites(model);
    return std::string(posterior.sites[3].function().form());
  };
  EXPECT_EQ(form_of(probit_regression()), "probit");
  EXPECT_EQ(form_of(logistic_regression()), "logistic");
  EXPECT_EQ(form_of(poisson_regression()), "row");
}

// The prior alone is the normal distribution itself; the likelihood alone isn't asked for rows.
TEST(sites, of_the_prior_alone_are_none) {
  const LinearRows prior(logistic_regression(), {.terms = density::Terms::prior});
  SitePosterior posterior = find_sites(prior);
  EXPECT_EQ(posterior.sites.size(), 0u);
  const SiteFit fit = fit_sites(posterior, {});
  EXPECT_NEAR(fit.mean[0], 0.5, 1e-12);
  EXPECT_NEAR(fit.log_evidence, 0.0, 1e-12);
  const LinearRows likelihood(logistic_regression(), {.terms = density::Terms::likelihood});
  EXPECT_THROW((void)find_sites(likelihood), Error);
}

TEST(sites, are_refused_with_the_row_or_the_prior_that_is_none) {
  const auto reason_of = [](double bend, double quartic) -> std::string {
    LinearRowsSpec spec = logistic_regression();
    spec.bend = bend, spec.quartic = quartic;
    const LinearRows model(spec);
    try {
      (void)find_sites(model);
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_EQ(reason_of(0.0, 0.0), "");
  EXPECT_NE(reason_of(0.1, 0.0).find("row 1 of the likelihood depends on more than one"),
            std::string::npos);
  EXPECT_NE(reason_of(0.0, 0.1).find("isn't normal along x.1, x.2, nor"), std::string::npos)
      << reason_of(0.0, 0.1);
}

// A spike and a slab as the prior of the slope, against sums over a grid of 601² points.
TEST(sites, take_priors_of_single_values) {
  LinearRowsSpec spec = logistic_regression();
  spec.prior_sd[1] = kInfinity;
  spec.last_prior = [](double x) {
    const double spike = std::log(0.6) + normal_log_density(x, 0.0, 0.1),
                 slab = std::log(0.4) + normal_log_density(x, 0.0, 2.0);
    const double sum = numerics::log_sum_exp(spike, slab);
    return RowValue{sum, -std::exp(spike - sum) * x / 0.01 - std::exp(slab - sum) * x / 4.0};
  };
  double mass = 0.0, slope = 0.0, square = 0.0;
  for (double b = -6.0; b <= 6.0; b += 0.02)
    for (double a = -6.0; a <= 6.0; a += 0.02) {
      double log_p = normal_log_density(a, 0.5, 2.0) + spec.last_prior(b).log_density;
      for (std::size_t n = 0; n < kAge.size(); ++n)
        log_p += spec.row(n, a + b * kAge[n]).log_density;
      const double p = std::exp(log_p) * 4e-4;
      mass += p, slope += b * p, square += b * b * p;
    }
  slope /= mass;
  const SiteFit fit = fit_of(spec);
  EXPECT_TRUE(fit.converged);
  EXPECT_EQ(fit.num_skipped, 0);
  const double sd = std::sqrt(square / mass - slope * slope);
  EXPECT_NEAR(fit.mean[1], slope, 0.1 * sd);
  EXPECT_NEAR(std::sqrt(fit.covariance[3]), sd, 0.1 * sd);
  EXPECT_NEAR(fit.log_evidence, std::log(mass), 0.1);
  const LinearRows model(spec);
  SitePosterior posterior = find_sites(model);
  EXPECT_TRUE(posterior.sites[0].is_of_prior());
  EXPECT_THROW(filter_sites(posterior, *update_of("moments"), false), Error);
}

// Without a prior the rows alone give a distribution; one pass can't begin.
TEST(sites, take_flat_priors_but_not_in_one_pass) {
  LinearRowsSpec spec = logistic_regression(), wide = spec;
  spec.prior_sd = {kInfinity, kInfinity}, wide.prior_sd = {1e5, 1e5};
  const SiteFit flat = fit_of(spec), known = fit_of(wide);
  EXPECT_TRUE(flat.converged);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(flat.mean[d], known.mean[d], 1e-4);
  const LinearRows model(spec);
  SitePosterior posterior = find_sites(model);
  EXPECT_THROW(filter_sites(posterior, *update_of("moments"), false), Error);
}

}  // namespace
}  // namespace credo::infer::sites_test
