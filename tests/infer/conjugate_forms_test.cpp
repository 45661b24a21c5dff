// Every form of a number's posterior against its formula and quadrature, with families whose carrier or log partition is wrong; and real numbers
// with a standard deviation against closed forms and quadrature.
#include <gtest/gtest.h>

#include "infer/conjugate/fits.hpp"
#include "numerics/special.hpp"

namespace credo::infer::conjugate::conjugate_forms_test {
namespace {

// Relative: natural parameters have the rounding of least squares, sums over the grid that of a smooth function that vanishes at both ends.
constexpr double kExact = 1e-8;
constexpr double kEvidence = -3.25;  // log of the constant by which a density is multiplied
constexpr double kA = 3.7, kB = 2.1;

bool is_near(double found, double expected) {
  return std::abs(found - expected) <= kExact * (1.0 + std::abs(expected));
}

// ---- one number

// Log densities of y, from their formulas.
double gamma(double y) {
  return kA * std::log(kB) - numerics::lgamma(kA) + (kA - 1.0) * std::log(y) - kB * y;
}
double inv_gamma(double y) {
  return kA * std::log(kB) - numerics::lgamma(kA) - (kA + 1.0) * std::log(y) - kB / y;
}
double lognormal(double y) {
  const double z = (std::log(y) - kA) / kB;
  return -0.5 * z * z - std::log(kB * y) - 0.5 * std::log(2.0 * std::numbers::pi);
}
double beta(double y) {
  return (kA - 1.0) * std::log(y) + (kB - 1.0) * std::log1p(-y) - numerics::lbeta(kA, kB);
}

double formula(const ScalarRow& row, double x) {
  static const std::map<std::string_view, double (*)(double)> all{
      {"gamma", gamma}, {"inv_gamma", inv_gamma}, {"lognormal", lognormal}, {"beta", beta}};
  const double power = row.power;
  return all.at(row.family)(std::pow(x, power)) + std::log(power) + (power - 1.0) * std::log(x);
}

// The sum of exp(f(x)) x^k over x, by the trapezoidal rule in log x or logit x, whose error falls faster than any power of the step.
double moment(Domain domain, const std::function<double(double)>& f, int k) {
  constexpr double kEnd = 40.0, kStep = 0.02;
  double sum = 0.0;
  for (double u = -kEnd; u <= kEnd; u += kStep) {
    const double x = from_free(domain, u), slope = domain == Domain::unit ? x * (1.0 - x) : x;
    if (slope > 0.0) sum += std::exp(f(x)) * slope * std::pow(x, k);
  }
  return sum * kStep;
}

// Returns the faults, in words, of the posterior of a number whose density is the row's with shape or location kA and scale kB.
std::vector<std::string> faults(Domain domain, const ScalarRow& row,
                                const dist::ExponentialFamily& family) {
  const auto f = [&](double x) { return kEvidence + formula(row, x); };
  const ScalarFit fit =
      fit_scalar(row, family, sample(domain, domain == Domain::unit ? 0.6 : 1.1, f));
  if (!fit.is_proper) return {"refused"};
  std::vector<std::string> all;
  const auto posterior = [&](double x) { return log_density_of(fit, x); };
  for (const double x : {0.1, 0.5, 0.9})
    if (!is_near(f(x) - posterior(x), kEvidence)) all.push_back("evidence at " + std::to_string(x));
  const Marginal marginal = marginal_of(fit, 0);
  if (!is_near(marginal.arguments.at(0).value, kA) || !is_near(marginal.arguments.at(1).value, kB))
    all.emplace_back("arguments");
  if (!is_near(moment(domain, posterior, 0), 1.0)) all.emplace_back("integral");
  const double mean = moment(domain, posterior, 1), second = moment(domain, posterior, 2);
  if (!is_near(marginal.mean, mean)) all.emplace_back("mean");
  if (!is_near(marginal.sd, std::sqrt(second - mean * mean))) all.emplace_back("sd");
  return all;
}

struct Form {
  Domain domain;
  const ScalarRow* row;
};
std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Domain domain : {Domain::positive, Domain::unit})
    for (const ScalarRow& row : scalar_rows(domain)) all.push_back({domain, &row});
  return all;
}

std::string name_of(const Form& form) {
  return std::string(form.row->family) + "^" + std::to_string(form.row->power);
}

TEST(ConjugateForms, agree_with_their_formulas_and_with_quadrature) {
  for (const Form& form : forms())
    EXPECT_EQ(faults(form.domain, *form.row, *dist::find_family(form.row->family)),
              std::vector<std::string>())
        << name_of(form);
}

// ---- planted faults

const dist::ExponentialFamily* honest = nullptr;  // the family that a mutant is made of

using Known = dist::Params;
const std::vector<std::pair<std::string, void (*)(dist::ExponentialFamily&)>> kMutants{
    {"a constant in the carrier",
     [](auto& family) {
       family.log_carrier = [](dist::Params x, Known known) {
         return honest->log_carrier(x, known) + 0.1;
       };
     }},
    {"a statistic in the carrier",
     [](auto& family) {
       family.log_carrier = [](dist::Params x, Known known) {
         return honest->log_carrier(x, known) + 0.01 * honest->statistic(x, known)[0];
       };
     }},
    {"another function in the carrier",
     [](auto& family) {
       family.log_carrier = [](dist::Params x, Known known) {
         return honest->log_carrier(x, known) + 1e-3 * std::sqrt(x[0]);
       };
     }},
    {"a constant in the log partition",
     [](auto& family) {
       family.log_partition = [](dist::Params natural, Known known) {
         return honest->log_partition(natural, known) + 1e-6;
       };
     }},
    {"half of the last natural parameter's share",
     [](auto& family) {
       family.log_partition = [](dist::Params natural, Known known) {
         std::vector<double> half(natural.begin(), natural.end());
         half.back() *= 0.5;
         return honest->log_partition(half, known);
       };
     }},
};

TEST(ConjugateForms, wrong_carriers_and_log_partitions_are_rejected) {
  for (const Form& form : forms())
    for (const auto& [fault, plant] : kMutants) {
      honest = dist::find_family(form.row->family);
      dist::ExponentialFamily family = *honest;
      plant(family);
      EXPECT_FALSE(faults(form.domain, *form.row, family).empty())
          << name_of(form) << ": " << fault;
    }
}

// ---- real numbers and a standard deviation

// n outcomes with an intercept and a slope; coefficients are normal(m, sd / sqrt(k)) and the square of sd is inv_gamma(a, b), whose density is stated for
// sd itself.
struct Regression {
  std::vector<double> x{-1.5, -0.5, 0.0, 0.7, 1.1, 2.3}, y{0.4, 1.1, 0.9, 2.2, 2.0, 3.9};
  double k = 0.5, m = 0.3, a = 2.5, b = 1.7;

  double operator()(double intercept, double slope, double sd) const {
    const double precision = 1.0 / (sd * sd), log_sd = std::log(sd);
    const double constant = -0.5 * std::log(2.0 * std::numbers::pi);
    double sum = a * std::log(b) - numerics::lgamma(a) - 2.0 * (a + 1.0) * log_sd - b * precision +
                 std::log(2.0) + log_sd;
    for (const double c : {intercept, slope})
      sum += constant - log_sd + 0.5 * std::log(k) - 0.5 * k * precision * (c - m) * (c - m);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double gap = y[i] - intercept - slope * x[i];
      sum += constant - log_sd - 0.5 * precision * gap * gap;
    }
    return sum;
  }
};

// The posterior as textbooks have it: precision K, mean and the square's a and b, by the normal equations of two columns.
struct ClosedForm {
  double k11, k12, k22, mean1, mean2, a, b, det;
  explicit ClosedForm(const Regression& r) {
    double s1 = 0.0, sx = 0.0, sxx = 0.0, sy = 0.0, sxy = 0.0, syy = 0.0;
    for (std::size_t i = 0; i < r.y.size(); ++i) {
      s1 += 1.0, sx += r.x[i], sxx += r.x[i] * r.x[i];
      sy += r.y[i], sxy += r.x[i] * r.y[i], syy += r.y[i] * r.y[i];
    }
    k11 = r.k + s1, k12 = sx, k22 = r.k + sxx, det = k11 * k22 - k12 * k12;
    const double c1 = r.k * r.m + sy, c2 = r.k * r.m + sxy;
    mean1 = (k22 * c1 - k12 * c2) / det, mean2 = (k11 * c2 - k12 * c1) / det;
    a = r.a + 0.5 * s1;
    b = r.b + 0.5 * (syy + 2.0 * r.k * r.m * r.m - c1 * mean1 - c2 * mean2);
  }
  double log_evidence(const Regression& r) const {
    return numerics::lgamma(a) - numerics::lgamma(r.a) + r.a * std::log(r.b) - a * std::log(b) +
           std::log(r.k) - 0.5 * std::log(det) -
           0.5 * static_cast<double>(r.y.size()) * std::log(2.0 * std::numbers::pi);
  }
};

Problem problem_of(std::vector<Unit> units, const LogDensityAt& log_density) {
  const auto size = ssize(units);
  return {.units = std::move(units),
          .num_values = size,
          .log_density = log_density,
          .statements = {{log_density, true}}};
}

TEST(ConjugateForms, coefficients_and_a_standard_deviation_have_their_closed_form) {
  const Regression r;
  const ClosedForm expected(r);
  const Answer answer =
      solve(problem_of({{"intercept", Domain::real, {0}},
                        {"slope", Domain::real, {1}},
                        {"sd", Domain::positive, {2}}},
                       [&](std::span<const double> v) { return r(v[0], v[1], v[2]); }));
  ASSERT_FALSE(answer.refusal) << answer.refusal->reason;
  ASSERT_EQ(answer.blocks.size(), 1u);
  EXPECT_EQ(answer.blocks[0]->family(), "normal_inv_gamma");
  EXPECT_PRED2(is_near, answer.log_evidence, expected.log_evidence(r));
  const std::vector<Marginal> all = answer.blocks[0]->marginals();
  const double means[] = {expected.mean1, expected.mean2},
               variances[] = {expected.k22 / expected.det, expected.k11 / expected.det};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(all.at(k).family, "student_t");
    EXPECT_PRED2(is_near, all[k].arguments[0].value, 2.0 * expected.a);
    EXPECT_PRED2(is_near, all[k].mean, means[k]);
    EXPECT_PRED2(is_near, all[k].arguments[2].value,
                 std::sqrt(expected.b / expected.a * variances[k]));
    EXPECT_PRED2(is_near, all[k].sd, std::sqrt(expected.b / (expected.a - 1.0) * variances[k]));
  }
  EXPECT_EQ(all.at(2).family, "square_inv_gamma");
  EXPECT_PRED2(is_near, all[2].arguments[0].value, expected.a);
  EXPECT_PRED2(is_near, all[2].arguments[1].value, expected.b);
  const double mean = std::sqrt(expected.b) *
                      std::exp(numerics::lgamma(expected.a - 0.5) - numerics::lgamma(expected.a));
  EXPECT_PRED2(is_near, all[2].mean, mean);
  EXPECT_PRED2(is_near, all[2].sd, std::sqrt(expected.b / (expected.a - 1.0) - mean * mean));
  std::vector<double> covariance(9);
  answer.blocks[0]->add_covariance(covariance);
  EXPECT_PRED2(is_near, covariance[1],
               -expected.b / (expected.a - 1.0) * expected.k12 / expected.det);
  EXPECT_EQ(covariance[2], 0.0);  // means don't depend on the standard deviation
}

// The mean alone, so that the integral over both numbers is a sum over a grid: another way to the evidence than that of the test above.
TEST(ConjugateForms, evidence_of_a_mean_and_a_standard_deviation_is_the_integral) {
  const Regression r{.x = {0.0, 0.0, 0.0, 0.0}, .y = {0.4, 1.1, 0.9, 2.2}};
  const auto at = [&](double mean, double sd) {
    return r(mean, 0.3, sd);
  };  // the slope is at its prior's mean
  const Answer answer =
      solve(problem_of({{"mean", Domain::real, {0}}, {"sd", Domain::positive, {1}}},
                       [&](std::span<const double> v) { return at(v[0], v[1]); }));
  ASSERT_FALSE(answer.refusal) << answer.refusal->reason;
  double sum = 0.0;
  constexpr double kStep = 0.1, kStepOfLog = 0.05;
  for (double log_sd = -6.0; log_sd < 12.0; log_sd += kStepOfLog) {
    const double sd = std::exp(log_sd), step = kStep * sd;  // as wide as the normal is
    for (double z = -20.0; z <= 20.0; z += kStep)
      sum += std::exp(at(1.0 + z * sd, sd)) * step * sd * kStepOfLog;
  }
  EXPECT_PRED2(is_near, answer.log_evidence, std::log(sum));
}

TEST(ConjugateForms, a_prior_that_does_not_scale_with_the_standard_deviation_is_refused) {
  const Regression r{.x = {0.0, 0.0}, .y = {0.4, 1.1}};
  const Answer answer = solve(problem_of(
      {{"mean", Domain::real, {0}}, {"sd", Domain::positive, {1}}},
      [&](std::span<const double> v) { return r(v[0], 0.3, v[1]) - 0.005 * v[0] * v[0]; }));
  EXPECT_TRUE(answer.refusal);
}

}  // namespace
}  // namespace credo::infer::conjugate::conjugate_forms_test
