// Exact draws from priors: Stein's identities hold under the density they are drawn from, and fail
// under another one; what can't be drawn is refused with the place and the way out.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "support/share.hpp"
#include "support/test_seed.hpp"
#include "support/text_model.hpp"

namespace credo::model::prior_draws_test {
namespace {
using density::Terms;

// Sums of a figure whose mean should be 0, and its largest distance from that in standard errors.
class Zeros {
 public:
  void add(std::span<const double> values) {
    sum_.resize(values.size());
    squares_.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
      sum_[k] += values[k], squares_[k] += values[k] * values[k];
    ++count_;
  }
  double worst() const {
    double worst = 0.0;
    for (std::size_t k = 0; k < sum_.size(); ++k)
      if (squares_[k] > 0.0) worst = std::max(worst, std::abs(sum_[k]) / std::sqrt(squares_[k]));
    return worst;
  }

 private:
  std::vector<double> sum_, squares_;
  Index count_ = 0;
};

// With g the gradient of the log density, E g_i h(x_i) = -E h'(x_i) for bounded h: h = tanh about
// the first draw, and tanh squared, which sees scales.
std::vector<double> stein(std::span<const double> x, std::span<const double> gradient,
                          std::span<const double> centre) {
  std::vector<double> zeros;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = std::tanh(x[i] - centre[i]), slope = 1.0 - t * t;
    zeros.push_back(gradient[i] * t + slope);
    zeros.push_back(gradient[i] * t * t + 2.0 * t * slope);
    zeros.push_back(gradient[i] / std::cosh(x[i] - centre[i]) - t / std::cosh(x[i] - centre[i]));
  }
  return zeros;
}

using Source = std::function<std::optional<density::Start>(Rng&)>;

// How far draws are from the density of `judge`, in standard errors.
double distance(const Model& judge, const Source& draw, Index num_draws = 4000) {
  const auto evaluator = judge.make_evaluator();
  std::vector<double> gradient(static_cast<std::size_t>(judge.dimension())), centre;
  Zeros zeros;
  for (Index k = 0; k < num_draws; ++k) {
    Rng rng({.seed = testing::test_seed(40),
             .purpose = purpose::kTest,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(k)});
    std::optional<density::Start> drawn;
    for (int tries = 0; tries < 1000 && !drawn; ++tries) drawn = draw(rng);
    if (!drawn) return kInfinity;
    density::Request request{.position = drawn->position, .gradient = gradient, .status = {}};
    evaluator->evaluate(density::Want::gradient, std::array{&request});
    if (!request.status.ok()) continue;
    if (centre.empty()) centre = drawn->position;
    zeros.add(stein(drawn->position, gradient, centre));
  }
  return zeros.worst();
}

Source draws_of(const Model& model) {
  return [draws = std::shared_ptr(model.make_exact_draws())](Rng& rng) { return draws->next(rng); };
}

std::unique_ptr<Model> prior_of(const std::string& text, const std::string& data = "{}") {
  return model_from(text, data)->with({.terms = Terms::prior});
}

// Each is drawn right, and isn't a draw of its mutant: the program with one piece in another's place.
struct Program {
  const char *name, *text, *piece, *instead;
};
const Program kPrograms[] = {
    {"levels",
     "parameters { real mu; real<lower=0> tau; vector[3] theta; } "
     "model { theta ~ normal(mu, tau); mu ~ normal(0, 2); tau ~ lognormal(0, 0.5); }",
     "lognormal(0, 0.5)", "lognormal(0, 0.6)"},
    {"many levels",
     "parameters { real a; real b; real c; real d; } model { d ~ normal(c, 1); c ~ normal(b, 1); "
     "b ~ normal(a, 1); a ~ std_normal(); }",
     "c ~ normal(b, 1)", "c ~ normal(b, 1.2)"},
    {"transformed",
     "parameters { real mu; real<lower=0> tau; vector[2] z; real x; } "
     "transformed parameters { vector[2] theta = mu + tau * z; } "
     "model { mu ~ normal(1, 1); tau ~ exponential(2); z ~ std_normal(); x ~ normal(theta[2], 1); "
     "}",
     "exponential(2)", "exponential(1.5)"},
    {"cut by bounds of numbers",
     "parameters { vector<lower=0>[2] s; real<lower=-1, upper=2> u; } "
     "model { s ~ normal(0.5, 1); u ~ cauchy(0, 1); }",
     "normal(0.5, 1)", "normal(0.8, 1)"},
    {"a mass that depends on parameters",
     "parameters { real<lower=0> tau; vector<lower=0>[3] s; } "
     "model { tau ~ gamma(3, 2); s ~ normal(1, tau); }",
     "s ~ normal(1, tau)", "for (n in 1:3) s[n] ~ normal(1, tau) T[0, ]"},
    {"cut by T",
     "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 1); s ~ normal(mu, 1) T[0, "
     "]; }",
     "T[0, ]", ""},
    {"no prior, but a range",
     "parameters { real<lower=1, upper=3> u; simplex[3] p; unit_vector[3] v; corr_matrix[3] R; "
     "cholesky_factor_corr[3] L; real x; } model { x ~ normal(u, 1); }",
     "model { ", "model { L ~ lkj_corr_cholesky(1.4); "},
    {"ordered",
     "parameters { ordered[3] c; positive_ordered[2] d; } model { c ~ normal(0, 2); d ~ normal(0, "
     "1); }",
     "c ~ normal(0, 2)", "c ~ normal(0, 2.3)"},
    {"ordered, one by one",
     "parameters { ordered[2] c; } model { c[1] ~ normal(0, 1); c[2] ~ normal(1, 1); }",
     "normal(1, 1)", "normal(1.3, 1)"},
    {"sum to zero", "parameters { sum_to_zero_vector[4] z; } model { z ~ normal(0, 2); }",
     "normal(0, 2)", "normal(0, 2.2)"},
    {"whole vectors and matrices",
     "data { matrix[2, 2] S; } parameters { cholesky_factor_corr[2] L; vector<lower=0>[2] s; "
     "vector[2] x; simplex[3] p; cov_matrix[2] W; } model { L ~ lkj_corr_cholesky(2); "
     "s ~ exponential(1); x ~ multi_normal_cholesky(rep_vector(0, 2), diag_pre_multiply(s, L)); "
     "p ~ dirichlet([1, 2, 3]'); W ~ inv_wishart(6, S); }",
     "lkj_corr_cholesky(2)", "lkj_corr_cholesky(1)"},
    {"branches, one of which sorts",
     "parameters { real<lower=0, upper=1> u; ordered[2] c; } model { if (u < 0.5) c ~ normal(0, "
     "1); "
     "else { c[1] ~ normal(0, 1); c[2] ~ normal(0, 1); } }",
     "if (u < 0.5)", "if (u < 0.6) c ~ normal(0, 2); else if (u < 0.5)"},
    {"no elements",
     "parameters { vector[0] z; real x; } model { z ~ normal(0, 1); x ~ normal(0, 1); }",
     "x ~ normal(0, 1)", "x ~ normal(0, 1.2)"},
    {"affine",
     "parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[2] theta; } "
     "model { mu ~ std_normal(); tau ~ gamma(4, 4); theta ~ normal(mu, tau); }",
     "theta ~ normal(mu, tau)", "theta ~ normal(mu, 1.2 * tau)"},
    {"random walk",
     "parameters { vector[4] x; real<lower=0> s; } model { s ~ gamma(3, 3); x[1] ~ normal(0, 1); "
     "for (t in 2:4) x[t] ~ normal(0.9 * x[t - 1], s); }",
     "0.9", "0.8"},
    {"random walk in one statement",
     "parameters { vector[4] x; real<lower=0> s; } model { s ~ gamma(3, 3); x[1] ~ normal(0, 1); "
     "x[2:4] ~ normal(0.9 * x[1:3], s); }",
     "0.9", "0.8"},
    {"random walk of second order",
     "parameters { vector[5] x; } model { x[1:2] ~ normal(0, 1); target += normal_lpdf(x[3:] | "
     "1.5 * x[2:4] - 0.7 * x[:3], [0.5, 1, 0.7]'); }",
     "0.7 * x", "0.5 * x"},
    {"mixture",
     "parameters { real m; vector[2] v; } model { target += log_mix(0.3, normal_lpdf(m | 0, 0.3), "
     "normal_lpdf(m | 0.5, 2)); for (i in 1:2) target += log_mix([0.2, 0.5, 0.3]', "
     "{normal_lpdf(v[i] | -1, 0.3), cauchy_lpdf(v[i] | m, 1), normal_lpdf(v[i] | 1, 0.5)}); }",
     "log_mix(0.3", "log_mix(0.7"},
    {"mixture within bounds, of unknown weights",
     "parameters { real<lower=0, upper=1> w; real<lower=0> s; } model { w ~ beta(2, 3); target += "
     "log_sum_exp(log(w) + normal_lpdf(s | 0, 1), log1m(w) + normal_lpdf(s | 1, 0.5)); }",
     "normal_lpdf(s | 1, 0.5)", "normal_lpdf(s | 1.4, 0.5)"},
    {"summed up in a variable",
     "parameters { real b; real<lower=0> s; vector[2] z; } transformed parameters { real p = 0; "
     "vector[2] r = s * z; p += normal_lpdf(b | s, 1); for (k in 1:2) p += normal_lpdf(z[k] | 0, "
     "1); p += student_t_lpdf(s | 3, 0, 1) - 1 * student_t_lccdf(0 | 3, 0, 1); } "
     "model { target += p; }",
     "normal_lpdf(b | s, 1)", "normal_lpdf(b | s, 1.3)"},
    {"likelihood beside it",
     "parameters { real mu; real<lower=0> s; } model { mu ~ student_t(4, 0, 1); s ~ weibull(2, 1); "
     "{ vector[2] y = [0.3, 0.8]'; y ~ normal(mu, s); } }",
     "weibull(2, 1)", "weibull(2, 1.1)"},
    {"a constant by hand",
     "parameters { real<lower=0> s; } model { s ~ normal(0, 1); target += log(2); }",
     "normal(0, 1)", "normal(0, 1.1)"},
    {"constants beside densities",
     "parameters { vector<lower=0>[2] s; real m; } model { target += student_t_lpdf(s | 3, 0, 1) - "
     "2 "
     "* student_t_lccdf(0 | 3, 0, 1); target += log(2) / 3 + normal_lpdf(m | s[1], 1); }",
     "normal_lpdf(m | s[1], 1)", "normal_lpdf(m | s[1], 1.2)"},
    {"an array of vectors",
     "parameters { array[2] vector[2] x; real<lower=0> s; } model { s ~ gamma(4, 4); "
     "x ~ multi_normal([0, 1]', [[s, 0], [0, 1]]); }",
     "[0, 1]'", "[0, 1.3]'"},
};
constexpr const char* kData = R"({"S": [[2, 0.5], [0.5, 1]]})";

std::string mutant_of(const Program& program) {
  std::string text = program.text;
  const std::size_t place = text.find(program.piece);
  EXPECT_NE(place, std::string::npos) << program.name;
  return text.replace(place, std::string_view(program.piece).size(), program.instead);
}

// 100 identities at most, each beyond 4.5 in 7 of a million.
constexpr double kLimit = 4.5;

LONG_TEST(prior_draws, have_the_distribution_of_the_prior_and_not_that_of_a_mutant) {
  for (const Program& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const auto prior = prior_of(program.text, kData), mutant = prior_of(mutant_of(program), kData);
    const density::Capability can = prior->can_draw();
    ASSERT_TRUE(can.can) << can.reason << " " << can.where;
    EXPECT_LT(distance(*prior, draws_of(*prior)), kLimit);
    EXPECT_GT(distance(*mutant, draws_of(*prior)), kLimit);
  }
}

// Starts leave the tails out: as draws they would be wrong.
TEST(prior_draws, are_no_starts) {
  const auto prior = prior_of(kPrograms[0].text);
  const Source starts = [&](Rng& rng) { return prior->draw_start(rng, 2.0); };
  EXPECT_GT(distance(*prior, starts), kLimit);
}

TEST(prior_draws, tell_the_density_they_were_drawn_from) {
  for (const Program& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const auto prior = prior_of(program.text, kData);
    Rng rng({.seed = 3, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
    const auto draws = prior->make_exact_draws();
    std::optional<density::Start> drawn;
    while (!drawn) drawn = draws->next(rng);
    const double there = prior->evaluate_in_full(drawn->position).log_density;
    EXPECT_NEAR(drawn->log_density, there, 1e-9 * (1.0 + std::abs(there)));
  }
}

TEST(prior_draws, map_the_unit_cube_where_every_prior_has_quantiles) {
  const auto prior = prior_of(
      "parameters { real mu; real<lower=0> tau; real theta; ordered[2] c; real<lower=0, upper=4> "
      "u; } "
      "model { mu ~ normal(3, 2); tau ~ exponential(1); theta ~ normal(mu, tau); c ~ normal(0, 1); "
      "}");
  const auto draws = prior->make_exact_draws();
  ASSERT_EQ(draws->cube_dimension(), 6);
  // The flat parameter first, then the statements.
  const auto middle = draws->at(std::vector{0.25, 0.5, 0.5, 0.5, 0.9, 0.1});
  ASSERT_TRUE(middle.has_value());
  const std::vector<double>& x = middle->position;
  EXPECT_NEAR(x[0], 3.0, 1e-12);
  EXPECT_NEAR(x[1], std::log(std::log(2.0)), 1e-12);
  EXPECT_NEAR(x[2], 3.0, 1e-12);
  EXPECT_NEAR(x[3], -1.2815515655446004, 1e-12);
  EXPECT_NEAR(std::exp(x[4]), 2 * 1.2815515655446004, 1e-12);
  EXPECT_NEAR(x[5], std::log(0.25 / 0.75), 1e-12);
  const Source of_cube = [&](Rng& rng) {
    std::vector<double> cube(6);
    for (double& u : cube) u = rng.uniform();
    return draws->at(cube);
  };
  EXPECT_LT(distance(*prior, of_cube), kLimit);
}

TEST(prior_draws, know_no_map_from_the_cube_for_whole_vectors_and_for_masses_that_vary) {
  for (const Program& program : kPrograms) {
    const std::string name = program.name;
    const bool has_no_map =
        name == "whole vectors and matrices" || name == "a mass that depends on parameters";
    if (!has_no_map) continue;
    EXPECT_EQ(prior_of(program.text, kData)->make_exact_draws()->cube_dimension(), 0) << name;
  }
}

// What can't be drawn, and what is said of it.
struct Refused {
  const char *text, *reason, *where;
};
const Refused kRefused[] = {
    {"parameters { real x; real y; } model { x ~ std_normal(); }", "y has no density", ":1:"},
    {"parameters { real x; } model { x ~ std_normal(); x ~ normal(1, 1); }", "x has two densities",
     "test.stan:1:50"},
    {"parameters { real x; real y; } model { x ~ normal(y, 1); y ~ normal(x, 1); }",
     "priors that need each other", ""},
    {"parameters { real<lower=0> s; } model { s ~ gamma(2, 1); target += -0.1 * square(s); }",
     "no parameter can be drawn from it", "test.stan:1:58"},
    {"parameters { real<lower=0> s; } model { log(s) ~ std_normal(); target += -log(s); }",
     "s has no density that can be drawn from", ""},
    {"parameters { vector[2] x; } model { x ~ std_normal(); sum(x) ~ normal(0, 0.1); }",
     "no parameter can be drawn from it", "test.stan:1:55"},
    {"functions { real odd_lpdf(real x, real a) { return normal_lpdf(x | a, 1); } } "
     "parameters { real x; } model { x ~ odd(1); }",
     "x has no density that can be drawn from", ""},
    {"parameters { real<lower=0> s; real<lower=0, upper=s> u; } model { s ~ gamma(2, 1); }",
     "a mass that depends on other parameters", ""},
    {"parameters { real<lower=0> s; sum_to_zero_vector[3] z; } model { s ~ gamma(2, 1); "
     "z ~ normal(0, s); }",
     "a mass that depends on other parameters", ""},
    {"parameters { sum_to_zero_vector[3] z; } model { z ~ cauchy(0, 1); }", "z sums to zero", ""},
    {"parameters { vector[2] x; } model { x[1] ~ std_normal(); }", "elements that no density draws",
     ""},
    // What a statement reads before it is drawn: through elements, locals, branches, T, target().
    {"parameters { vector[4] x; } model { for (t in 2:4) x[t] ~ normal(x[t - 1], 0.5); "
     "x[1] ~ normal(5, 1); }",
     "reads a later parameter", ""},
    {"parameters { vector[2] x; } model { x[1] ~ normal(x[2], 0.1); x[2] ~ normal(10, 1); }",
     "reads a later parameter", ""},
    {"parameters { real x; } transformed parameters { real p = 0; p += normal_lpdf(x | 0, 1); "
     "p += -0.1 * square(x); } model { target += p; }",
     "no parameter can be drawn from it", "test.stan:1:89"},
    {"parameters { real x; } transformed parameters { real p = 0; p += normal_lpdf(x | 0, 1); } "
     "model { target += 2 * p; }",
     "x has no density that can be drawn from", ""},
    {"parameters { vector[3] x; } model { x[3] ~ normal(5, 1); x[1:2] ~ normal(x[2:3], 1); }",
     "reads a later parameter", ""},
    {"parameters { vector[3] x; } model { x[1] ~ std_normal(); x[2:3] ~ normal(sum(x), 1); }",
     "reads a later parameter", ""},
    {"parameters { vector[2] x; } model { x ~ normal(0, abs(x) + 1); }", "reads a later parameter",
     ""},
    {"parameters { vector[2] x; } model { target += log_mix(0.5, normal_lpdf(x[1] | 0, 1), "
     "normal_lpdf(x[2] | 1, 1)); x ~ std_normal(); }",
     "densities are of different elements", ""},
    {"parameters { real x; } model { target += log_mix(0.5, normal_lpdf(x | 0, 1), normal_lpdf(x "
     "| x, 1)); }",
     "x has no density that can be drawn from", ""},
    {"parameters { vector[2] x; } model { vector[2] m = 0.5 * x; x ~ normal(m, 1); }",
     "reads a later parameter", ""},
    {"parameters { real x; } model { x ~ normal(0, 1) T[, x + 1]; }", "reads a later parameter",
     ""},
    {"parameters { real x; } model { if (x > 0) x ~ normal(1, 1); else x ~ normal(-1, 3); }",
     "decides which of its own priors", ""},
    {"parameters { real x; } model { x ~ normal(0, x > 0 ? 1 : 3); }", "reads a later parameter",
     ""},
    {"parameters { real x; real y; } model { y ~ normal(3, 1); x ~ normal(target(), 1); }",
     "reads a later parameter", ""},
    // Several densities of one outcome in one statement.
    {"parameters { real x; } model { x ~ normal({0, 4}, 1); }", "several densities", ""},
    {"parameters { vector[2] x; } model { x ~ multi_normal({[0, 0]', [4, 4]'}, "
     "identity_matrix(2)); }",
     "several densities", ""},
    {"parameters { simplex[2] x; } model { x ~ dirichlet({[1, 2]', [3, 1]'}); }",
     "several densities", ""},
    // A density is there, and no draw is.
    {"parameters { real<lower=0, upper=1> u; sum_to_zero_vector[3] z; } model { "
     "if (u < 0.5) z ~ normal(0, 1); else for (i in 1:3) z[i] ~ normal(0, 1); }",
     "mass where numbers end", ""},
    {"parameters { sum_to_zero_vector[3] z; } model { z ~ normal(0, 1) T[-1, 1]; }",
     "z sums to zero", ""},
    {"parameters { simplex[3] p; } model { p ~ dirichlet([0.001, 0.003, 0.001]'); }",
     "mass where numbers end", ""},
    {"parameters { real<lower=0, upper=1> p; } model { p ~ beta(0.01, 0.01); }",
     "mass where numbers end", ""},
    {"parameters { real<lower=0, upper=6.28> x; } model { x ~ von_mises(1, 1); }", "on the circle",
     ""},
    {"parameters { real s; real<lower=0, upper=(s < 50 ? 1 : positive_infinity())> u; } model { "
     "s ~ normal(100, 1); }",
     "depends on other parameters", ""},
    // Terms that draws hardly ever meet.
    {"parameters { real x; } model { x ~ normal(0, 1); if (x > 4) target += 30 + x; }",
     "no parameter can be drawn from it", "test.stan:1:61"},
    {"parameters { real x; } model { x ~ normal(0, 1); if (x > 4) target += 30; }",
     "no parameter can be drawn from it", "test.stan:1:61"},
    {"parameters { real<lower=5> x; } model { x ~ uniform(0, 4); }", "of 500 draws", ""},
};

TEST(prior_draws, are_refused_with_the_reason_and_the_place) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.text);
    const auto prior = prior_of(refused.text);
    const density::Capability can = prior->can_draw();
    EXPECT_FALSE(can.can);
    EXPECT_NE(can.reason.find(refused.reason), std::string::npos) << can.reason;
    EXPECT_NE(can.where.find(refused.where), std::string::npos) << can.where;
    EXPECT_FALSE(can.hint.empty());
    EXPECT_THROW(prior->make_exact_draws(), Error);
  }
}

TEST(prior_draws, of_all_terms_are_refused_where_data_have_a_likelihood) {
  const auto model = model_from(
      "data { vector[2] y; } parameters { real x; } model { x ~ std_normal(); y ~ normal(x, 1); }",
      R"({"y": [1, 2]})");
  const density::Capability can = model->can_draw();
  EXPECT_FALSE(can.can);
  EXPECT_NE(can.hint.find("--terms prior"), std::string::npos);
  EXPECT_NE(can.where.find("test.stan:1:72"), std::string::npos) << can.where;
}

}  // namespace
}  // namespace credo::model::prior_draws_test
