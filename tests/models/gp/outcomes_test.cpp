// Laplace's approximation, expectation propagation and the variational one: against formulas of another kind, quadrature, and differences.
#include "models/gp/outcome_cases.hpp"

namespace credo::models::gp_outcomes_test {
namespace {
using Real = long double;
using RealMatrix = std::vector<std::vector<Real>>;

std::vector<const OutcomeFamily*> log_concave_families() {
  std::vector<const OutcomeFamily*> all;
  for (const OutcomeFamily* family : single_families())
    if (family->is_log_concave) all.push_back(family);
  return all;
}

// Solution of A x = b and log |det A| by elimination with pivots, in long double.
struct Eliminated {
  std::vector<Real> x;
  Real log_determinant = 0.0L;
};
Eliminated eliminated(RealMatrix a, std::vector<Real> b) {
  Eliminated made;
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]), std::swap(b[k], b[pivot]);
    made.log_determinant += std::log(std::abs(a[k][k]));
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  made.x.assign(n, 0.0L);
  for (std::size_t k = n; k-- > 0;) {
    Real sum = b[k];
    for (std::size_t j = k + 1; j < n; ++j) sum -= a[k][j] * made.x[j];
    made.x[k] = sum / a[k][k];
  }
  return made;
}
RealMatrix dense_covariance(const OutcomeCase& c) {
  const std::vector<double>& x = c.columns[0];
  RealMatrix k(x.size(), std::vector<Real>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Real off = (static_cast<Real>(x[i]) - x[j]) / c.theta[0];
      k[i][j] = static_cast<Real>(c.theta[1]) * c.theta[1] * std::exp(-0.5L * off * off);
    }
  return k;
}

// Newton's steps on (K^-1 f - log p'(f)) as (1 + K W) f = K (W f + log p'), and the evidence with det(1 + K W): no square roots, no factors of B.
Real direct_laplace_evidence(const OutcomeCase& c) {
  const RealMatrix k = dense_covariance(c);
  const std::size_t n = k.size();
  std::vector<Real> f(n, 0.0L);
  Real log_determinant = 0.0L;
  for (int step = 0; step < 60; ++step) {
    RealMatrix a = k;
    std::vector<Real> right(n, 0.0L), moved(n);
    for (std::size_t j = 0; j < n; ++j) {
      const auto at = c.outcome.family->at(c.outcome.sites[j], c.outcome.phi(c.theta),
                                           static_cast<double>(f[j]));
      moved[j] = -static_cast<Real>(at.second) * f[j] + at.first;
      for (std::size_t i = 0; i < n; ++i) a[i][j] *= -at.second;
    }
    for (std::size_t i = 0; i < n; ++i) {
      a[i][i] += 1.0L;
      for (std::size_t j = 0; j < n; ++j) right[i] += k[i][j] * moved[j];
    }
    const Eliminated solved = eliminated(a, right);
    log_determinant = solved.log_determinant;
    // half steps until the last ones: convergence doesn't depend on a search
    for (std::size_t i = 0; i < n; ++i) f[i] += (step < 30 ? 0.5L : 1.0L) * (solved.x[i] - f[i]);
  }
  Real value = -0.5L * log_determinant;
  const Eliminated alpha = eliminated(k, f);
  for (std::size_t i = 0; i < n; ++i)
    value +=
        c.outcome.family->at(c.outcome.sites[i], c.outcome.phi(c.theta), static_cast<double>(f[i]))
            .value -
        0.5L * f[i] * alpha.x[i];
  return value;
}
TEST(gp_laplace, has_the_evidence_of_a_direct_newton_iteration) {
  for (const OutcomeFamily* family : log_concave_families()) {
    const OutcomeCase c = drawn_case(*family, 9, 0, 11);
    const auto solver = make_laplace_solver(c.problem, c.outcome);
    // the mode to 1e-10, and K is a 9 x 9 matrix of condition 1e6 in long double
    EXPECT_NEAR(solver->evidence(c.theta, false).value,
                static_cast<double>(direct_laplace_evidence(c)), 1e-8)
        << family->name << " " << family->link;
  }
}

using Maker = std::unique_ptr<GpSolver> (*)(const GpProblem&, const GpOutcome&);
constexpr std::array<std::pair<const char*, Maker>, 3> kMakers{
    {{"laplace", make_laplace_solver}, {"ep", make_ep_solver}, {"cvi", make_cvi_solver}}};

TEST(gp_outcomes, have_the_derivatives_of_their_evidence) {
  for (const auto& [name, make] : kMakers)
    for (const OutcomeFamily* family : log_concave_families()) {
      const OutcomeCase c = drawn_case(*family, 14, 2, 12);
      const auto solver = make(c.problem, c.outcome);
      const GpEvidence at = solver->evidence(c.theta, true);
      ASSERT_EQ(at.slopes.size(), c.theta.size()) << name << " " << family->name;
      // differences of step 1e-4 have errors of 1e-8 times third derivatives; quadrature of 32 points adds some for cvi
      for (std::size_t p = 0; p < c.theta.size(); ++p)
        EXPECT_NEAR(at.slopes[p], difference(*solver, c.theta, p),
                    2e-6 * (1.0 + std::abs(at.slopes[p])))
            << name << " " << family->name << " " << family->link << " " << p;
    }
}
TEST(gp_outcomes, derivatives_that_hold_the_mode_are_rejected_for_laplace) {
  // a likelihood without a third derivative hides how the mode moves the determinant
  OutcomeFamily mutant = *find_outcome_family("bernoulli", "logit");
  mutant.at = [](const OutcomeSite& site, const double* phi, double f) {
    SiteValues<double> at = find_outcome_family("bernoulli", "logit")->at(site, phi, f);
    at.third = 0.0;
    return at;
  };
  OutcomeCase c = drawn_case(*find_outcome_family("bernoulli", "logit"), 14, 2, 12);
  c.outcome.family = &mutant;
  const auto solver = make_laplace_solver(c.problem, c.outcome);
  const GpEvidence at = solver->evidence(c.theta, true);
  EXPECT_GT(std::abs(at.slopes[1] - difference(*solver, c.theta, 1)), 1e-4);
}

// log of the evidence, and E f_0, by a sum over a grid of two correlated values.
std::array<double, 2> by_grid(const OutcomeCase& c) {
  const RealMatrix k = dense_covariance(c);
  const double a = std::sqrt(static_cast<double>(k[0][0])), b = static_cast<double>(k[1][0]) / a,
               d = std::sqrt(static_cast<double>(k[1][1]) - b * b);
  constexpr int kSide = 600;
  double sum = 0.0, mean = 0.0;
  for (int i = 0; i <= kSide; ++i)
    for (int j = 0; j <= kSide; ++j) {
      const double z = -9.0 + 18.0 * i / kSide, w = -9.0 + 18.0 * j / kSide, f = a * z,
                   g = b * z + d * w;
      const double mass =
          std::exp(-0.5 * (z * z + w * w) +
                   c.outcome.family->at(c.outcome.sites[0], c.outcome.phi(c.theta), f).value +
                   c.outcome.family->at(c.outcome.sites[1], c.outcome.phi(c.theta), g).value) *
          (18.0 / kSide) * (18.0 / kSide) / (2.0 * std::numbers::pi);
      sum += mass, mean += mass * f;
    }
  return {std::log(sum), mean / sum};
}
TEST(gp_ep, is_exact_for_one_row_and_close_for_two) {
  for (const OutcomeFamily* family : log_concave_families()) {
    OutcomeSite site{.y = 1.0, .trials = family->needs_trials ? 3.0 : 1.0};
    const OutcomeCase one = outcome_case(*family, {0.4}, {site});
    const auto solver = make_ep_solver(one.problem, one.outcome);
    const auto tilted = tilted_site(*family, site, one.outcome.phi(one.theta), 0.0, 1.69);
    EXPECT_NEAR(solver->evidence(one.theta, false).value, tilted.log_mass, 1e-9) << family->name;
    site.y = 0.0;
    const OutcomeCase two =
        outcome_case(*family, {0.4, 1.0},
                     {{.y = 1.0, .trials = site.trials}, {.y = 0.0, .trials = site.trials}});
    const auto [evidence, mean] = by_grid(two);
    const auto ep = make_ep_solver(two.problem, two.outcome);
    // the error of expectation propagation itself [rasmussen2006, section 3.7]
    EXPECT_NEAR(ep->evidence(two.theta, false).value, evidence, 5e-3) << family->name;
    const numerics::DenseMatrix h(2, 0);
    EXPECT_NEAR(
        ep->posterior(two.theta)->moments(two.problem.covariance.root(), two.problem.x, &h).mean[0],
        mean, 5e-3)
        << family->name;
    // a lower bound, and not far below
    const double bound =
        make_cvi_solver(two.problem, two.outcome)->evidence(two.theta, false).value;
    EXPECT_LT(bound, evidence + 1e-9) << family->name;
    EXPECT_GT(bound, evidence - 0.05) << family->name;
  }
}
TEST(gp_outcomes, normal_outcomes_have_the_exact_answers_by_all_methods) {
  const OutcomeFamily& normal = *find_outcome_family("normal", "");
  OutcomeCase c = drawn_case(normal, 12, 0, 13);
  const auto exact = make_exact_solver(c.problem);
  const GpEvidence wanted = exact->evidence(c.theta, true);
  const CovariancePoints at =
      c.problem.covariance.points(std::vector<std::vector<double>>{{0.3, 2.2, 5.0}});
  const numerics::DenseMatrix h(3, 0);
  const GpMoments f = exact->posterior(c.theta)->moments(c.problem.covariance.root(), at, &h);
  for (const auto& [name, make] : kMakers) {
    const auto solver = make(c.problem, c.outcome);
    const GpEvidence found = solver->evidence(c.theta, true);
    EXPECT_NEAR(found.value, wanted.value, 1e-9 * (1.0 + std::abs(wanted.value))) << name;
    for (std::size_t p = 0; p < c.theta.size(); ++p)
      EXPECT_NEAR(found.slopes[p], wanted.slopes[p], 1e-7 * (1.0 + std::abs(wanted.slopes[p])))
          << name << " " << p;
    const GpMoments own = solver->posterior(c.theta)->moments(c.problem.covariance.root(), at, &h);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(own.mean[k], f.mean[k], 1e-8) << name;
      EXPECT_NEAR(own.variance[k], f.variance[k], 1e-8) << name;
    }
  }
}
TEST(gp_outcomes, answers_do_not_depend_on_the_number_of_threads) {
  for (const auto& [name, make] : kMakers) {
    OutcomeCase c = drawn_case(*find_outcome_family("negbinomial", ""), 90, 1, 14);
    std::vector<GpEvidence> found;
    for (const Index threads : {1, 2, 3}) {
      c.problem.num_threads = threads;
      found.push_back(make(c.problem, c.outcome)->evidence(c.theta, true));
    }
    for (const GpEvidence& one : found) {
      EXPECT_EQ(one.value, found[0].value) << name;
      EXPECT_EQ(one.slopes, found[0].slopes) << name;
    }
  }
}

// GaussianProcessClassifier(ConstantKernel(s * s) * RBF(length), optimizer=None) of scikit-learn 1.2.1: log_marginal_likelihood with its derivatives
// by the logarithms of s² and the length, latent mean and variance at new points.
struct LibraryAnswer {
  double length, sd, evidence;
  std::array<double, 2> slopes;
  std::array<double, 3> mean, variance;
};
const std::array<LibraryAnswer, 3> kLibraryAnswers{{{0.8,
                                                     1.3,
                                                     -7.543058036981435,
                                                     {-0.41057472, -0.58731344},
                                                     {-0.43742498, 0.24395034, 0.17637335},
                                                     {0.84284855, 0.79218586, 1.61087656}},
                                                    {0.3,
                                                     2.5,
                                                     -7.26872899064792,
                                                     {-0.20980879, -0.65146489},
                                                     {-1.73475613, -0.80523573, 0.00197456},
                                                     {2.67193641, 2.51661151, 6.24999479}},
                                                    {2.0,
                                                     0.7,
                                                     -7.3662754231028265,
                                                     {-0.33744501, -0.03037025},
                                                     {-0.01029903, 0.06355569, -0.01045026},
                                                     {0.31315389, 0.26656215, 0.40624848}}}};

TEST(gp_laplace, has_the_answers_of_a_python_library) {
  const std::array<int, 10> y{0, 0, 1, 1, 1, 0, 1, 0, 0, 1};
  std::vector<OutcomeSite> sites;
  for (const int one : y) sites.push_back({.y = static_cast<double>(one)});
  const OutcomeCase c = outcome_case(*find_outcome_family("bernoulli", "logit"),
                                     {0.1, 0.4, 0.9, 1.3, 1.7, 2.2, 2.6, 3.1, 3.5, 3.9}, sites);
  const CovariancePoints at =
      c.problem.covariance.points(std::vector<std::vector<double>>{{0.3, 2.2, 5.0}});
  const numerics::DenseMatrix h(3, 0);
  for (const LibraryAnswer& wanted : kLibraryAnswers) {
    const std::vector<double> theta{wanted.length, wanted.sd};
    const auto solver = make_laplace_solver(c.problem, c.outcome);
    const GpEvidence found = solver->evidence(theta, true);
    EXPECT_NEAR(found.value, wanted.evidence, 1e-6);
    // the library stops Newton's steps where the evidence changes by 1e-10, which leaves its slopes and means 1e-5
    EXPECT_NEAR(found.slopes[1] * wanted.sd / 2.0, wanted.slopes[0], 2e-5);
    EXPECT_NEAR(found.slopes[0] * wanted.length, wanted.slopes[1], 2e-5);
    const GpMoments f = solver->posterior(theta)->moments(c.problem.covariance.root(), at, &h);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(f.mean[k], wanted.mean[k], 2e-5);
      EXPECT_NEAR(f.variance[k], wanted.variance[k], 2e-5);
    }
  }
}

// ---- classes

OutcomeCase class_case(Index n, Index num, std::uint64_t seed) {
  Rng rng({.seed = testing::test_seed(seed)});
  std::vector<double> x;
  std::vector<OutcomeSite> sites;
  for (Index i = 0; i < n; ++i) {
    x.push_back(rng.uniform(0.0, 4.0));
    sites.push_back(
        {.y = static_cast<double>((static_cast<Index>(x.back()) + (i % 5 == 0 ? 1 : 0)) % num)});
  }
  OutcomeCase made =
      outcome_case(*find_outcome_family("categorical", ""), std::move(x), std::move(sites), 0);
  for (Index c = 0; c < num; ++c)
    made.outcome.classes.push_back(std::string(1, static_cast<char>('a' + c)));
  return made;
}
// All classes' values in one vector, with the whole W, by elimination.
Real direct_class_evidence(const OutcomeCase& c) {
  const RealMatrix k = dense_covariance(c);
  const std::size_t n = k.size(), num = c.outcome.classes.size(), size = n * num;
  std::vector<Real> f(size, 0.0L), p(size);
  Real log_determinant = 0.0L;
  const auto set_probabilities = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      Real sum = 0.0L;
      for (std::size_t a = 0; a < num; ++a) sum += std::exp(f[a * n + i]);
      for (std::size_t a = 0; a < num; ++a) p[a * n + i] = std::exp(f[a * n + i]) / sum;
    }
  };
  for (int step = 0; step < 80; ++step) {
    set_probabilities();
    RealMatrix w(size, std::vector<Real>(size, 0.0L)), a = w;
    std::vector<Real> moved(size), right(size, 0.0L);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t s = 0; s < num; ++s)
        for (std::size_t t = 0; t < num; ++t)
          w[s * n + i][t * n + i] = (s == t ? p[s * n + i] : 0.0L) - p[s * n + i] * p[t * n + i];
    for (std::size_t s = 0; s < size; ++s) {
      moved[s] = (c.outcome.sites[s % n].y == static_cast<double>(s / n) ? 1.0L : 0.0L) - p[s];
      for (std::size_t t = 0; t < size; ++t) moved[s] += w[s][t] * f[t];
    }
    for (std::size_t s = 0; s < size; ++s) {
      a[s][s] = 1.0L;
      for (std::size_t j = 0; j < n; ++j) {
        const Real own = k[s % n][j];
        right[s] += own * moved[s / n * n + j];
        for (std::size_t t = 0; t < size; ++t) a[s][t] += own * w[s / n * n + j][t];
      }
    }
    const Eliminated solved = eliminated(a, right);
    log_determinant = solved.log_determinant;
    for (std::size_t s = 0; s < size; ++s) f[s] += (step < 40 ? 0.5L : 1.0L) * (solved.x[s] - f[s]);
  }
  set_probabilities();
  Real value = -0.5L * log_determinant;
  for (std::size_t a = 0; a < num; ++a) {
    const std::vector<Real> own(f.begin() + static_cast<std::ptrdiff_t>(a * n),
                                f.begin() + static_cast<std::ptrdiff_t>((a + 1) * n));
    const Eliminated alpha = eliminated(k, own);
    for (std::size_t i = 0; i < n; ++i) value -= 0.5L * own[i] * alpha.x[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    value += std::log(p[static_cast<std::size_t>(c.outcome.sites[i].y) * n + i]);
  return value;
}
TEST(gp_classes, have_the_evidence_of_a_direct_newton_iteration) {
  for (const Index num : {2, 3}) {
    const OutcomeCase c = class_case(8, num, 15);
    EXPECT_NEAR(make_classes_solver(c.problem, c.outcome)->evidence(c.theta, false).value,
                static_cast<double>(direct_class_evidence(c)), 1e-8);
  }
}
TEST(gp_classes, have_the_derivatives_of_their_evidence) {
  const OutcomeCase c = class_case(15, 3, 16);
  const auto solver = make_classes_solver(c.problem, c.outcome);
  const GpEvidence at = solver->evidence(c.theta, true);
  for (std::size_t p = 0; p < c.theta.size(); ++p)
    EXPECT_NEAR(at.slopes[p], difference(*solver, c.theta, p),
                2e-6 * (1.0 + std::abs(at.slopes[p])));
}
// The difference of two processes of variance v is one of variance 2 v, and softmax of two is its logit.
TEST(gp_classes, two_of_them_are_a_logit) {
  OutcomeCase c = class_case(12, 2, 17);
  const auto two = make_classes_solver(c.problem, c.outcome);
  OutcomeCase one = c;
  one.outcome.classes.clear();
  one.outcome.family = find_outcome_family("bernoulli", "logit");
  std::vector<double> theta = c.theta;
  theta[1] *= std::sqrt(2.0);
  const auto logit = make_laplace_solver(one.problem, one.outcome);
  EXPECT_NEAR(two->evidence(c.theta, false).value, logit->evidence(theta, false).value, 1e-8);
  const CovariancePoints at =
      c.problem.covariance.points(std::vector<std::vector<double>>{{0.3, 2.2, 5.0}});
  const numerics::DenseMatrix h(3, 0);
  const auto p = two->posterior(c.theta)->outcomes(at, &h),
             q = logit->posterior(theta)->outcomes(at, &h);
  // 2,048 points of a lattice
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(p[1][k], q[0][k], 2e-3);
    EXPECT_NEAR(p[0][k] + p[1][k], 1.0, 1e-12);
  }
}
}  // namespace
}  // namespace credo::models::gp_outcomes_test
