// Parameters integrated out by Laplace's approximation: likelihoods of mixed models against lme4 and glmmTMB, closed forms, gradients
// against differences, NUTS on all parameters, grids, designs and draws, and refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "infer/latent/run_marginal.hpp"
#include "infer/variational/fits/outer_points.hpp"
#include "support/json_tree.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"
#include "support/text_model.hpp"

namespace credo::cli::marginal_test {
namespace {
namespace fs = std::filesystem;
using testing::Json;

// ---- data, which R can make, too:
//   n <- 1:120; g <- (n*7) %% 12 + 1; h <- (n*n) %% 7 + 1; x <- round(sin(n), 3)
struct Rows {
  static constexpr Index kCount = 120;
  static double g(double n) { return std::fmod(7.0 * n, 12.0) + 1.0; }
  static double h(double n) { return std::fmod(n * n, 7.0) + 1.0; }
  static double rounded(double v) { return std::round(1000.0 * v) / 1000.0; }
  static double x(double n) { return rounded(std::sin(n)); }
};

template <class F>
std::string numbers_of(F f) {
  std::string text = "[";
  for (Index n = 1; n <= Rows::kCount; ++n) {
    char number[40];
    std::snprintf(number, sizeof number, "%.10g", f(static_cast<double>(n)));
    text += (n > 1 ? "," : "") + std::string(number);
  }
  return text + "]";
}

template <class F>
std::string data_with(F y) {
  return R"({"N":120,"y":)" + numbers_of(y) + R"(,"x":)" + numbers_of(Rows::x) + R"(,"g":)" +
         numbers_of(Rows::g) + R"(,"h":)" + numbers_of(Rows::h) + "}";
}

double inv_logit(double v) { return 1.0 / (1.0 + std::exp(-v)); }

// y <- round(2 + 1.5*x + cos(3*g) + 0.6*sin(4*g)*x + 0.7*sin(5*h) + 0.4*cos(11*n), 3)
std::string normal_data() {
  return data_with([](double n) {
    const double g = Rows::g(n), x = Rows::x(n);
    return Rows::rounded(2.0 + 1.5 * x + std::cos(3 * g) + 0.6 * std::sin(4 * g) * x +
                         0.7 * std::sin(5 * Rows::h(n)) + 0.4 * std::cos(11 * n));
  });
}
// k <- floor(exp(0.3 + 0.5*x + 0.8*cos(3*g) + 0.7*sin(5*h)) + 1.5*abs(cos(11*n)))
std::string count_data() {
  return data_with([](double n) {
    return std::floor(std::exp(0.3 + 0.5 * Rows::x(n) + 0.8 * std::cos(3 * Rows::g(n)) +
                               0.7 * std::sin(5 * Rows::h(n))) +
                      1.5 * std::fabs(std::cos(11 * n)));
  });
}
// b <- floor(5*plogis(0.2 + x + 1.3*cos(3*g)) + 0.9*abs(cos(11*n)))
std::string binomial_data() {
  return data_with([](double n) {
    return std::floor(5.0 * inv_logit(0.2 + Rows::x(n) + 1.3 * std::cos(3 * Rows::g(n))) +
                      0.9 * std::fabs(std::cos(11 * n)));
  });
}
// m <- floor(exp(1.2 + 0.5*x + 0.8*cos(3*g) + 2.2*cos(1.7*n*n)))
std::string overdispersed_data() {
  return data_with([](double n) {
    return std::floor(std::exp(1.2 + 0.5 * Rows::x(n) + 0.8 * std::cos(3 * Rows::g(n)) +
                               2.2 * std::cos(1.7 * n * n)));
  });
}

constexpr const char* kDataOfReals =
    "data { int N; vector[N] y; vector[N] x; array[N] int g; array[N] int h; } ";
constexpr const char* kDataOfCounts =
    "data { int N; array[N] int y; vector[N] x; array[N] int g; array[N] int h; } ";
const std::string kCrossedNormal =
    std::string(kDataOfReals) +
    "parameters { real a; real b; real<lower=0> su; real<lower=0> sv; real<lower=0> s; vector[12] "
    "u; vector[7] v; }"
    "model { u ~ normal(0, su); v ~ normal(0, sv); y ~ normal(a + b * x + u[g] + v[h], s); }";
// The same rows as kSlopes, as programs of regressions are written: standard normal values times scales.
const std::string kScaledSlopes =
    "data { int N; vector[N] y; vector[N] x; array[N] int g; } parameters { real a; real b; vector<lower=0>[2] sds; "
    "cholesky_factor_corr[2] L; matrix[2, 12] z; real<lower=0> s; } "
    "transformed parameters { matrix[2, 12] r = diag_pre_multiply(sds, L) * z; } "
    "model { to_vector(z) ~ std_normal(); y ~ normal(a + b * x + r[1, g]' + r[2, g]' .* x, s); }";
const std::string kSlopes =
    std::string(kDataOfReals) +
    "parameters { real a; real b; real<lower=0> su; real<lower=0> sv; real<lower=-1, upper=1> rho; "
    "real<lower=0> s;"
    "  array[12] vector[2] u; }"
    "model { matrix[2, 2] L = [[su, 0], [rho * sv, sv * sqrt(1 - square(rho))]];"
    "  u ~ multi_normal_cholesky(rep_vector(0, 2), L);"
    "  for (n in 1:N) y[n] ~ normal(a + b * x[n] + u[g[n]][1] + u[g[n]][2] * x[n], s); }";
const std::string kCrossedCounts =
    std::string(kDataOfCounts) +
    "parameters { real a; real b; real<lower=0> su; real<lower=0> sv; vector[12] u; vector[7] v; }"
    "model { u ~ normal(0, su); v ~ normal(0, sv); y ~ poisson_log(a + b * x + u[g] + v[h]); }";
const std::string kBinomial =
    std::string(kDataOfCounts) +
    "parameters { real a; real b; real<lower=0> su; vector[12] u; }"
    "model { u ~ normal(0, su); y ~ binomial_logit(5, a + b * x + u[g]); }";
const std::string kOverdispersed =
    std::string(kDataOfCounts) +
    "parameters { real a; real b; real<lower=0> su; real<lower=0> phi; vector[12] u; }"
    "model { u ~ normal(0, su); y ~ neg_binomial_2_log(a + b * x + u[g], phi); }";

class Marginal : public ::testing::Test {
 protected:
  Marginal() { fs::create_directories(folder_); }
  ~Marginal() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    printed_ = ::testing::internal::GetCapturedStdout();
    said_ = on_one_line(::testing::internal::GetCapturedStderr());
    return status;
  }
  Json optimize(const std::string& program, const std::string& data, const std::string& names,
                std::vector<std::string> more = {}) {
    write("m.stan", program), write("m.json", data);
    more.insert(more.begin(), {"optimize", at("m.stan"), "--data", at("m.json"), "--marginal",
                               names, "--json", "--seed", "3"});
    EXPECT_EQ(run(more), 0) << said_ << printed_;
    return testing::parse_json(printed_);
  }
  static double log_likelihood(const Json& all) {
    return all.at("starts").items.at(0).at("log_density").value();
  }
  static double value(const Json& all, const std::string& name, const char* what = "value") {
    for (const Json& row : all.at("mode").items)
      if (row.at("name").text == name) return row.at(what).value();
    ADD_FAILURE() << "no " << name;
    return 0.0;
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_marginal_" + std::to_string(getpid()));
  std::string printed_, said_;
};

// lmer(y ~ x + (1|g) + (1|h), REML=FALSE, control=lmerControl(optimizer="bobyqa", optCtrl=list(rhoend=1e-12))), logLik, fixef, VarCorr
// and vcov; lmer(y ~ x + (x|g), ...) with lme4 1.1-31. Rows are normal, so that Laplace's approximation is exact; the climb ends within
// 1e-12 nats.
TEST_F(Marginal, likelihoods_of_normal_rows_are_those_of_lme4) {
  const Json crossed = optimize(kCrossedNormal, normal_data(), "u,v");
  EXPECT_NEAR(log_likelihood(crossed), -64.103814498892, 1e-6);
  EXPECT_NEAR(value(crossed, "a"), 1.77291438723044, 1e-5);
  EXPECT_NEAR(value(crossed, "b"), 1.44409365237855, 1e-5);
  EXPECT_NEAR(value(crossed, "su"), 0.6620150842620, 1e-5);
  EXPECT_NEAR(value(crossed, "sv"), 0.4487077965851, 1e-5);
  EXPECT_NEAR(value(crossed, "s"), 0.3243692971732, 1e-5);
  const Json slopes = optimize(kSlopes, normal_data(), "auto");
  EXPECT_NEAR(log_likelihood(slopes), -101.188866705822, 1e-6);
  EXPECT_NEAR(value(slopes, "rho"), 0.15477879308, 1e-4);
  const Json scaled = optimize(kScaledSlopes, normal_data(), "auto");
  EXPECT_NEAR(log_likelihood(scaled), -101.188866705822, 1e-6);
}

// glmmTMB(k ~ x + (1|g) + (1|h), family=poisson), glmmTMB(cbind(b, 5-b) ~ x + (1|g), family=binomial) and
// glmmTMB(m ~ x + (1|g), family=nbinom2), version 1.1.5: logLik, and standard errors of summary().
TEST_F(Marginal, likelihoods_of_counts_are_those_of_glmmtmb) {
  const Json counts = optimize(kCrossedCounts, count_data(), "u,v");
  EXPECT_NEAR(log_likelihood(counts), -166.239516223943, 1e-6);
  EXPECT_NEAR(value(counts, "su"), std::exp(-2.092849768501460), 1e-5);
  EXPECT_NEAR(value(counts, "a", "sd"), 0.1789045778562827, 1e-5);
  EXPECT_NEAR(value(counts, "b", "sd"), 0.0957277017778859, 1e-5);
  EXPECT_NEAR(log_likelihood(optimize(kBinomial, binomial_data(), "u")), -137.342357994024, 1e-6);
  const Json wide = optimize(kOverdispersed, overdispersed_data(), "u");
  EXPECT_NEAR(log_likelihood(wide), -379.661439468643, 1e-6);
  EXPECT_NEAR(value(wide, "phi"), std::exp(-0.720363865133261), 1e-5);
}

// ---- the collapsed density

const std::string kSchools =
    "data { int J; vector[J] y; vector[J] s; } parameters { real mu; real<lower=0> tau; vector[J] "
    "theta; }"
    "model { mu ~ normal(0, 5); tau ~ normal(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, s); "
    "}";
const std::vector<double> kSchoolsY{28, 8, -3, 7, -1, 1, 18, 12},
    kSchoolsS{15, 10, 16, 11, 9, 11, 10, 18};
constexpr const char* kSchoolsData =
    R"({"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "s": [15, 10, 16, 11, 9, 11, 10, 18]})";

double normal_log(double x, double mean, double variance) {
  return -0.5 * std::log(2.0 * std::numbers::pi * variance) -
         0.5 * (x - mean) * (x - mean) / variance;
}
// Log density of mu and log tau, with effects integrated out in closed form.
double schools_marginal(double mu, double log_tau) {
  const double tau = std::exp(log_tau);
  double sum = normal_log(mu, 0.0, 25.0) + normal_log(tau, 0.0, 25.0) + log_tau;
  for (std::size_t j = 0; j < kSchoolsY.size(); ++j)
    sum += normal_log(kSchoolsY[j], mu, tau * tau + kSchoolsS[j] * kSchoolsS[j]);
  return sum;
}

density::Status ask(const density::LogDensity& density, std::span<const double> x, double& value,
                    std::span<double> gradient) {
  density::Request request{.position = x, .gradient = gradient, .status = {}};
  density::Request* batch[] = {&request};
  density.make_evaluator()->evaluate(density::Want::gradient, batch);
  value = request.log_density;
  return request.status;
}

TEST(collapsed_density, of_normal_rows_is_the_exact_marginal_density) {
  const auto model = model::model_from(kSchools, kSchoolsData);
  const infer::CollapsedDensity collapsed(*model, "theta");
  ASSERT_EQ(collapsed.dimension(), 2);
  infer::InnerMode inner(collapsed.model());
  for (const double mu : {-3.0, 0.0, 4.0}) {
    for (const double log_tau : {-2.0, 0.5, 2.5}) {
      const std::vector<double> x{mu, log_tau};
      double value = 0.0;
      std::vector<double> gradient(2);
      ASSERT_TRUE(ask(collapsed, x, value, gradient).ok());
      EXPECT_NEAR(value, schools_marginal(mu, log_tau), 1e-10);
      // The mutant forgets the log determinant.
      ASSERT_TRUE(inner.find(x).ok());
      const double mutant = value + 0.5 * inner.normal().log_determinant();
      EXPECT_GT(std::fabs(mutant - schools_marginal(mu, log_tau)), 0.1);
    }
  }
}

// The mutant that forgets the implicit term: the gradient at a fixed inner mode, log |H| included.
std::vector<double> without_implicit_term(const infer::LatentModel& model,
                                          std::span<const double> position,
                                          std::span<const double> gradient) {
  const auto at = model.curvature->make();
  const numerics::SparsePattern& pattern = *model.curvature->pattern();
  std::vector<numerics::SparseElement> elements;
  std::vector<double> values(pattern.rows.size()), slope(position.size());
  EXPECT_TRUE(at->matrix(position, values).ok());
  for (Index j = 0; j < pattern.size; ++j)
    for (Index k = pattern.starts[std::size_t(j)]; k < pattern.starts[std::size_t(j + 1)]; ++k)
      elements.push_back({pattern.rows[std::size_t(k)], j, -values[std::size_t(k)]});
  const numerics::SparseSymmetric curvature(pattern.size, elements);
  numerics::SparseFactor factor(curvature);
  EXPECT_FALSE(factor.refactor(curvature).has_value());
  EXPECT_TRUE(at->slope(position, factor.log_determinant_gradient(), slope).ok());
  for (std::size_t d = 0; d < slope.size(); ++d) slope[d] = gradient[d] + 0.5 * slope[d];
  return infer::values_at(slope, model.block.outer);
}

// Central differences of step 1e-4: 1e-8 times third derivatives, of size one here, and rounding of some 1e-13 over the step.
TEST(collapsed_density, gradient_is_that_of_differences_and_of_no_mutant) {
  const auto check = [](const std::string& program, const std::string& data, const char* names,
                        std::vector<double> x) {
    const auto model = model::model_from(program, data);
    const infer::CollapsedDensity collapsed(*model, names);
    std::vector<double> gradient(x.size()), scratch(x.size());
    double value = 0.0;
    ASSERT_TRUE(ask(collapsed, x, value, gradient).ok());
    // Mutants: without the derivative of log |H|, and with that at a fixed inner mode.
    infer::InnerMode inner(collapsed.model());
    ASSERT_TRUE(inner.find(x).ok());
    const auto position = inner.normal().position();
    std::vector<double> whole(position.size());
    double log_density = 0.0;
    ASSERT_TRUE(ask(*model, position, log_density, whole).ok());
    const std::vector<double> without = infer::values_at(whole, collapsed.model().block.outer),
                              fixed = without_implicit_term(collapsed.model(), position, whole);
    constexpr double kStep = 1e-4;
    double largest_error = 0.0, error_without = 0.0, error_fixed = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      double above = 0.0, below = 0.0;
      const double centre = x[d];
      x[d] = centre + kStep;
      ASSERT_TRUE(ask(collapsed, x, above, scratch).ok());
      x[d] = centre - kStep;
      ASSERT_TRUE(ask(collapsed, x, below, scratch).ok());
      x[d] = centre;
      const double difference = (above - below) / (2.0 * kStep);
      largest_error = std::max(largest_error, std::fabs(gradient[d] - difference));
      error_without = std::max(error_without, std::fabs(without[d] - difference));
      error_fixed = std::max(error_fixed, std::fabs(fixed[d] - difference));
    }
    EXPECT_LT(largest_error, 3e-6);
    EXPECT_GT(error_without, 1e-2);
    // H of normal rows doesn't depend on the inner values, so that there is no implicit term.
    if (names != std::string("auto")) {
      EXPECT_GT(error_fixed, 1e-3);
    }
  };
  check(kCrossedCounts, count_data(), "u,v", {0.4, 0.3, -0.5, -0.8});
  check(kBinomial, binomial_data(), "u", {0.2, 0.6, -0.4});
  check(kOverdispersed, overdispersed_data(), "u", {1.0, 0.4, -0.7, 0.3});
  check(kSlopes, normal_data(), "auto", {1.0, 0.5, -0.3, -0.6, 0.2, -0.4});
}

// The value at a point is a function of the point alone, to the last bit.
TEST(collapsed_density, doesnt_depend_on_points_that_were_evaluated_before) {
  const auto model = model::model_from(kOverdispersed, overdispersed_data());
  const infer::CollapsedDensity collapsed(*model, "u");
  const auto evaluator = collapsed.make_evaluator();
  const std::vector<std::vector<double>> points{
      {1.0, 0.4, -0.7, 0.3}, {2.5, -1.0, 1.0, -1.0}, {1.0, 0.4, -0.7, 0.3}, {0.0, 0.0, 0.0, 0.0}};
  for (const std::vector<double>& x : points) {
    double fresh = 0.0;
    std::vector<double> gradient(x.size()), again(x.size());
    ASSERT_TRUE(ask(collapsed, x, fresh, gradient).ok());
    density::Request request{.position = x, .gradient = again, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::gradient, batch);
    EXPECT_EQ(request.log_density, fresh);
    EXPECT_EQ(again, gradient);
  }
}

// y = f + noise with a Gaussian process f: the marginal density of the kernel's scale and the noise is that of N(0, K + s² I).
TEST(collapsed_density, of_a_gaussian_process_is_that_of_the_outcomes_covariance) {
  const std::string head = "data { array[8] real x; vector[8] y; } parameters { real a; real s; ",
                    kernel = " matrix[8, 8] K = gp_exp_quad_cov(x, exp(a), 0.6); ";
  const std::string data =
      R"({"x": [0, 0.2, 0.5, 0.7, 1.1, 1.3, 1.8, 2.5], "y": [0.3, 0.6, 0.9, 0.7, -0.2, -0.5, -0.9, 0.4]})";
  const auto latent = model::model_from(
      head + "vector[8] f; } model {" + kernel +
          "f ~ multi_normal(rep_vector(0, 8), add_diag(K, 1e-6)); y ~ normal(f, exp(s)); }",
      data);
  const auto direct =
      model::model_from(head + "} model {" + kernel +
                            "y ~ multi_normal(rep_vector(0, 8), add_diag(K, 1e-6 + exp(2 * s))); }",
                        data);
  const infer::CollapsedDensity collapsed(*latent, "f");
  for (const std::vector<double>& x : {std::vector<double>{0.0, -1.0}, {0.5, 0.2}, {-1.0, -2.0}}) {
    double found = 0.0, exact = 0.0;
    std::vector<double> gradient(2), exact_gradient(2);
    ASSERT_TRUE(ask(collapsed, x, found, gradient).ok());
    ASSERT_TRUE(ask(*direct, x, exact, exact_gradient).ok());
    EXPECT_NEAR(found, exact, 1e-6);  // K has a condition number of 1e6 or more
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(gradient[d], exact_gradient[d], 1e-4);
  }
}

// ---- draws

struct Moments2 {
  double mean = 0.0, sd = 0.0;
};
// Mean of a function of mu and log tau, by a grid that is fine and wide enough for 1e-6.
template <class F>
Moments2 exact_moments(F f) {
  double mass = 0.0, first = 0.0, second = 0.0;
  for (double mu = -20.0; mu <= 30.0; mu += 0.1) {
    for (double log_tau = -14.0; log_tau <= 4.5; log_tau += 0.05) {
      const double p = std::exp(schools_marginal(mu, log_tau) + 30.0), v = f(mu, log_tau);
      mass += p, first += p * v, second += p * v * v;
    }
  }
  const double mean = first / mass;
  return {mean, std::sqrt(second / mass - mean * mean)};
}

infer::SampleOptions short_run(std::string names, std::uint64_t seed) {
  infer::SampleOptions options{.num_chains = 4, .num_warmup = 500, .num_draws = 1000, .seed = seed};
  options.num_threads = 1;
  options.marginal = std::move(names);
  return options;
}

// Rows are normal, so that the draws are those of the posterior. The error of a mean of 4,000 draws of NUTS is at most sd / sqrt(400).
TEST(marginal_draws, of_normal_rows_are_those_of_the_posterior) {
  const auto model = model::model_from(kSchools, kSchoolsData);
  infer::StoredDraws store;
  infer::run_chains(*model, short_run("theta", 11), store);
  ASSERT_EQ(store.draws.num_quantities(), 10);
  const auto check = [&](Index quantity, const Moments2& exact) {
    double sum = 0.0;
    const auto draws = store.draws.quantity(quantity);
    for (const double x : draws) sum += x;
    EXPECT_NEAR(sum / static_cast<double>(draws.size()), exact.mean, 4.5 * exact.sd / 20.0);
  };
  check(0, exact_moments([](double mu, double) { return mu; }));
  check(1, exact_moments([](double, double log_tau) { return log_tau; }));
  const Moments2 given = exact_moments([](double mu, double log_tau) {
    const double a = std::exp(-2.0 * log_tau), b = 1.0 / (15.0 * 15.0);
    return (a * mu + b * 28.0) / (a + b);
  });
  const Moments2 spread = exact_moments([](double, double log_tau) {
    return 1.0 / (std::exp(-2.0 * log_tau) + 1.0 / (15.0 * 15.0));
  });
  check(2, {given.mean, std::sqrt(given.sd * given.sd + spread.mean)});
}

TEST(marginal_draws, dont_depend_on_threads) {
  const auto model = model::model_from(kSchools, kSchoolsData);
  infer::SampleOptions options = short_run("theta", 5);
  options.num_warmup = options.num_draws = 50;
  infer::StoredDraws one, two;
  infer::run_chains(*model, options, one);
  options.num_threads = 2;
  infer::run_chains(*model, options, two);
  for (Index d = 0; d < one.draws.num_quantities(); ++d)
    EXPECT_TRUE(std::ranges::equal(one.draws.quantity(d), two.draws.quantity(d)));
}

double mean_of(const density::Draws& draws, Index quantity) {
  double sum = 0.0;
  const auto values = draws.quantity(quantity);
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

// Counts: Laplace's approximation is off by less than a tenth of a standard deviation here, and the errors of means are below that, too.
LONG_TEST(marginal_draws, of_counts_agree_with_nuts_on_all_parameters) {
  std::string program = kCrossedCounts;
  program.insert(program.find("u ~"),
                 "a ~ normal(0, 2); b ~ normal(0, 2); su ~ exponential(1); sv ~ exponential(1); ");
  const auto model = model::model_from(program, count_data());
  infer::StoredDraws collapsed, whole;
  infer::run_chains(*model, short_run("u,v", 4), collapsed);
  infer::run_chains(*model, short_run("", 5), whole);
  for (Index d = 0; d < model->dimension(); ++d) {
    const double centre = mean_of(whole.draws, d);
    double square = 0.0;
    for (const double x : whole.draws.quantity(d)) square += (x - centre) * (x - centre);
    const double sd = std::sqrt(square / static_cast<double>(whole.draws.quantity(d).size()));
    EXPECT_NEAR(mean_of(collapsed.draws, d), centre, 0.3 * sd) << d;
  }
}

// ---- outer points

TEST(outer_points, corners_keep_main_effects_and_interactions_apart) {
  for (Index m = 1; m <= 16; ++m) {
    const std::vector<double> corners = infer::corners_of_design(m);
    const auto n = corners.size() / static_cast<std::size_t>(m);
    std::vector<std::vector<double>> effects;
    const auto column = [&](Index d, std::size_t run) {
      return corners[run * static_cast<std::size_t>(m) + static_cast<std::size_t>(d)];
    };
    for (Index a = 0; a < m; ++a) {
      for (Index b = a; b < m; ++b) {
        effects.emplace_back(n);
        for (std::size_t run = 0; run < n; ++run)
          effects.back()[run] = a == b ? column(a, run) : column(a, run) * column(b, run);
      }
    }
    for (std::size_t e = 0; e < effects.size(); ++e) {
      for (std::size_t f = 0; f < e; ++f) {
        double sum = 0.0;
        for (std::size_t run = 0; run < n; ++run) sum += effects[e][run] * effects[f][run];
        ASSERT_EQ(sum, 0.0) << m << " coordinates, effects " << e << " and " << f;
      }
    }
  }
}

const std::string kLinear =
    "data { int N; vector[N] y; vector[N] x; array[N] int g; array[N] int h; }"
    "parameters { real a; real b; vector[12] u; }"
    "model { a ~ normal(0, 3); b ~ normal(0, 2); u ~ normal(0.3 * a, 0.8); y ~ normal(a + b * x + "
    "u[g], 0.5); }";

// With known variances p̂ is normal, and all methods have its mass; the design its mean and covariance, too.
TEST(outer_points, of_a_normal_density_have_its_mass_mean_and_covariance) {
  const auto model = model::model_from(kLinear, normal_data());
  const infer::CollapsedDensity collapsed(*model, "u");
  const infer::OuterPoints mode = infer::outer_points(collapsed, {}),
                           design =
                               infer::outer_points(collapsed, {.method = infer::OuterMethod::ccd}),
                           grid =
                               infer::outer_points(collapsed, {.method = infer::OuterMethod::grid});
  EXPECT_NEAR(design.log_evidence, mode.log_evidence, 1e-6);
  // The mass beyond 6 nats is exp(-6) of two coordinates, and steps of 0.75 lose less.
  EXPECT_NEAR(grid.log_evidence, mode.log_evidence, 4e-3);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0.0, total = 0.0;
      for (const infer::OuterPoint& point : design.points) {
        const std::vector<double> x =
            infer::values_at(point.inner.position(), collapsed.model().block.outer);
        sum += point.mass * (x[i] - design.mode[i]) * (x[j] - design.mode[j]);
        total += point.mass;
      }
      EXPECT_NEAR(total, 1.0, 1e-12);
      EXPECT_NEAR(sum, design.covariance[i + 2 * j], 1e-6);
    }
  }
}

TEST(outer_points, of_a_grid_have_the_evidence_of_quadrature) {
  const auto model = model::model_from(kSchools, kSchoolsData);
  const infer::CollapsedDensity collapsed(*model, "theta");
  double mass = 0.0;
  for (double mu = -20.0; mu <= 30.0; mu += 0.1)
    for (double log_tau = -14.0; log_tau <= 4.5; log_tau += 0.05)
      mass += 0.1 * 0.05 * std::exp(schools_marginal(mu, log_tau) + 30.0);
  const infer::OuterPoints grid =
      infer::outer_points(collapsed, {.method = infer::OuterMethod::grid, .step = 0.5});
  EXPECT_NEAR(grid.log_evidence, std::log(mass) - 30.0, 0.02);
  EXPECT_GT(grid.points.size(), 30u);
}

TEST_F(Marginal, approximations_with_inner_and_outer_parameters_have_weighted_draws) {
  write("m.stan", kSchools), write("m.json", kSchoolsData);
  for (const std::string outer : {"mode", "grid", "ccd", "sample"}) {
    SCOPED_TRACE(outer);
    ASSERT_EQ(run({"approximate", at("m.stan"), "--data", at("m.json"), "--method", "laplace",
                   "--inner", "auto", "--outer", outer, "--draws", "500", "--seed", "2", "-o",
                   at(outer + ".nc"), "--quiet", "--no-check"}),
              0)
        << said_ << printed_;
    const std::string path = at(outer + ".nc");
    const auto fit = open_fit(std::span(&path, 1));
    EXPECT_EQ(fit->num_draws(false), 500);
    // Rows are normal: given the outer values draws are exact, and weights are equal.
    const auto place = results::find_quantity(*fit, "log_weight");
    ASSERT_TRUE(place.has_value());
    const density::Draws weights = fit->quantities(false, *place, 1);
    const auto all = weights.quantity(0);
    const auto [low, high] = std::ranges::minmax(all);
    EXPECT_NEAR(high - low, 0.0, 1e-8);
  }
}

// ---- refusals

TEST_F(Marginal, parameters_that_cant_be_integrated_out_are_refused_with_the_reason) {
  const auto refused = [&](const std::string& program, const std::string& names) {
    write("m.stan", program), write("m.json", kSchoolsData);
    const int status =
        run({"optimize", at("m.stan"), "--data", at("m.json"), "--marginal", names, "--quiet"});
    EXPECT_NE(status, 0) << names;
    return said_;
  };
  const auto says = [](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  says(refused(kSchools, "thetta"), "there is no parameter 'thetta'");
  says(refused(kSchools, "tau"), "tau has bounds");
  says(refused(kSchools, "mu,tau,theta"), "tau has bounds");
  says(refused("data { int J; vector[J] y; vector[J] s; } parameters { real m; } model { y ~ "
               "normal(m, s); }",
               "m"),
       "none is left");
  says(refused("data { int J; vector[J] y; vector[J] s; } parameters { real m; real<lower=0> t; "
               "vector<multiplier=t>[J] u; }"
               " model { u ~ normal(0, t); y ~ normal(m + u, s); }",
               "u"),
       "offset or multiplier");
  says(refused("data { int J; vector[J] y; vector[J] s; } parameters { real m; } model { y ~ "
               "normal(m, s); }",
               "auto"),
       "no parameter without bounds that is normal given");
  // A density with two peaks and a dip between them, at which the climb from 0 ends.
  says(refused("data { int J; vector[J] y; vector[J] s; } parameters { real m; vector[2] u; }"
               " model { m ~ std_normal(); target += square(u[1]) - u[1]^4 - square(u[2]); u[2] ~ "
               "normal(m, 1); }",
               "u"),
       "along u[1]");
}

}  // namespace
}  // namespace credo::cli::marginal_test
