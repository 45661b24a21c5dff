// Four ways to write one model give one log density, one gradient, one posterior.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/support.hpp"
#include "base/types.hpp"
#include "support/share.hpp"

namespace credo::models_test {
namespace {

const std::vector<double> kPoint{0.3, -0.7, 0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8};

void expect_same(const Evaluation& a, const Evaluation& b) {
  // Sums of about 30 terms of size up to 10: rounding is below 1e-12.
  EXPECT_NEAR(a.log_density, b.log_density, 1e-12);
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  for (std::size_t d = 0; d < a.gradient.size(); ++d)
    EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-12) << d;
}

TEST(models, the_four_kinds_have_one_log_density_and_gradient) {
  const Evaluation stan = stan_text(kSchoolsProgram, kSchoolsData).evaluate(kPoint);
  ASSERT_TRUE(stan.ok());
  expect_same(stan, traced_schools().evaluate(kPoint));
  expect_same(stan, traced_schools({.passes = "none"}).evaluate(kPoint));
  expect_same(stan, hand_written_schools().evaluate(kPoint));
  EXPECT_NEAR(stan.log_density, plain_schools().log_density(kPoint), 1e-12);
}

TEST(models, a_traced_callable_is_the_stan_program_one_would_write) {
  EXPECT_EQ(traced_schools().program(), R"(data {
  vector[8] data_1;
  vector[8] data_2;
}
parameters {
  real mu;
  real<lower=0.0> tau;
  vector[8] eta;
}
transformed parameters {
  vector[8] theta;
  {
    theta = mu + tau * eta;
  }
}
model {
  target += normal_lpdf(mu | 0, 5);
  target += normal_lpdf(tau | 0, 5);
  target += normal_lpdf(eta | 0, 1);
  target += normal_lpdf(data_1 | theta, data_2);
}
)");
}

TEST(models, names_follow_the_declarations) {
  const Model model = traced_schools({.name = "schools"});
  EXPECT_EQ(model.name(), "schools");
  EXPECT_EQ(model.dimension(), 10);
  EXPECT_EQ(model.names().size(), 18u);
  EXPECT_EQ(model.names()[2], "eta.1");
  EXPECT_EQ(model.names()[10], "theta.1");
  EXPECT_EQ(hand_written_schools().names().size(), 10u);
}

TEST(models, unconstrain_undoes_constrain) {
  for (const Model& model : {traced_schools(), hand_written_schools(), plain_schools()}) {
    const std::vector<double> theta = model.constrain(kPoint);
    EXPECT_DOUBLE_EQ(theta[1], std::exp(-0.7));
    const std::vector<double> free = model.unconstrain(theta);
    for (std::size_t d = 0; d < free.size(); ++d) EXPECT_NEAR(free[d], kPoint[d], 1e-15) << d;
  }
}

// A Dirichlet density over a simplex, a covariance matrix with a Wishart prior: the chain rule goes
// through constraints that mix elements.
struct Mixed {
  Parameters parameters;
  Parameter<Vector> share = parameters.simplex("share", 3);
  Parameter<Matrix> factor = parameters.cholesky_factor_corr("factor", 3);
  Parameter<Vector> cut = parameters.ordered("cut", 2);
  Parameter<Real> angle = parameters.real("angle", interval(-1, 2));
};

TEST(models, gradients_cross_every_constraint) {
  const Mixed m;
  const Model by_trace = traced(m.parameters, [&](Trace& at) {
    const Vector share = at[m.share], cut = at[m.cut];
    const Matrix factor = at[m.factor];
    return 2.0 * log(share[0]) + log(share[2]) + 3.0 * factor(2, 0) * factor(1, 1) - dot_self(cut) +
           at[m.angle];
  });
  const Model by_hand = with_gradient(m.parameters, [&](auto theta, auto gradient) {
    const auto share = m.share.in(theta), cut = m.cut.in(theta);
    const auto factor = m.factor.in(theta);
    m.share.in(gradient)[0] = 2.0 / share[0];
    m.share.in(gradient)[2] = 1.0 / share[2];
    m.factor.in(gradient)[2] = 3.0 * factor[4];  // column by column: (2, 0) and (1, 1)
    m.factor.in(gradient)[4] = 3.0 * factor[2];
    for (std::size_t k = 0; k < 2; ++k) m.cut.in(gradient)[k] = -2.0 * cut[k];
    m.angle.in(gradient)[0] = 1.0;
    return 2.0 * std::log(share[0]) + std::log(share[2]) + 3.0 * factor[2] * factor[4] -
           cut[0] * cut[0] - cut[1] * cut[1] + m.angle.in(theta)[0];
  });
  ASSERT_EQ(by_hand.dimension(), 2 + 3 + 2 + 1);
  const std::vector<double> point{0.2, -0.4, 0.3, 0.6, -0.5, 0.1, -0.9, 0.4};
  expect_same(by_trace.evaluate(point), by_hand.evaluate(point));
  EXPECT_TRUE(check_gradient(by_hand).ok()) << check_gradient(by_hand).text();
}

// The map of each declared type beside the program's own, which the language writes.
TEST(models, the_map_of_a_callable_is_that_of_the_language) {
  Parameters p;
  p.real("a", lower(-1)), p.real("b", upper(2)), p.vector("c", 2, interval(0, 3));
  p.vector("d", 2, affine(1, 3)), p.matrix("e", 2, 3), p.simplex("f", 3), p.ordered("g", 2);
  p.positive_ordered("h", 2), p.unit_vector("i", 3), p.sum_to_zero_vector("j", 3);
  p.corr_matrix("k", 3), p.cov_matrix("l", 2), p.cholesky_factor_corr("m", 2);
  p.cholesky_factor_cov("n", 2), p.vector("o", 0), p.real("q");
  const Model callable = with_gradient(p, [](auto, auto) { return 0.0; });
  const Model program = stan_text(
      "parameters { real<lower=-1> a; real<upper=2> b; vector<lower=0, upper=3>[2] c; "
      "vector<offset=1, multiplier=3>[2] d; matrix[2, 3] e; simplex[3] f; ordered[2] g; "
      "positive_ordered[2] h; unit_vector[3] i; sum_to_zero_vector[3] j; corr_matrix[3] k; "
      "cov_matrix[2] l; cholesky_factor_corr[2] m; cholesky_factor_cov[2] n; vector[0] o; real q; "
      "}");
  EXPECT_EQ(callable.names(), program.names());
  EXPECT_EQ(callable.free_names(), program.free_names());
  std::vector<double> free(static_cast<std::size_t>(callable.dimension()));
  for (std::size_t d = 0; d < free.size(); ++d) free[d] = std::sin(1.0 + 3.0 * double(d));
  const std::vector<double> numbers = callable.constrain(free);
  EXPECT_EQ(numbers, program.constrain(free));
  EXPECT_EQ(callable.unconstrain(numbers), program.unconstrain(numbers));
  expect_same(callable.evaluate(free), program.evaluate(free));  // the Jacobian alone
}

// A chain of sums of any length: no recursion in writing or freeing it.
LONG_TEST(models, a_hundred_thousand_sums_are_a_program) {
  Parameters parameters;
  const auto x = parameters.real("x");
  constexpr int kTerms = 20'000;
  const Model model = traced(parameters, [&](Trace& at) {
    Real inner, total;
    for (int k = 0; k < 100'000; ++k) inner += 1e-5;
    for (int k = 0; k < kTerms; ++k) total += normal_lpdf(at[x], k % 7, 1);
    (void)inner;
    return total;
  });
  const Evaluation at = model.evaluate(std::vector<double>{1.0});
  double expected = 0.0, slope = 0.0;
  for (int k = 0; k < kTerms; ++k) {
    expected += log_normal_density(1.0, k % 7, 1);
    slope += k % 7 - 1.0;
  }
  EXPECT_NEAR(at.log_density / expected, 1.0, 1e-12);
  EXPECT_NEAR(at.gradient[0] / slope, 1.0, 1e-12);
}

TEST(models, what_is_used_twice_is_computed_once) {
  Parameters parameters;
  const auto x = parameters.real("x");
  const Model model = traced(parameters, [&](Trace& at) {
    Real power = at[x] + 1.0;
    for (int k = 0; k < 40; ++k) power = power * power;  // 2^40 factors as a tree
    return -0.0 * power - at[x] * at[x];
  });
  EXPECT_NEAR(model.log_density(std::vector<double>{-0.5}), -0.25, 1e-15);
}

TEST(models, where_takes_a_side_and_its_gradient) {
  Parameters parameters;
  const auto x = parameters.real("x");
  const Model model = traced(parameters, [&](Trace& at) {
    const Real size = where(at[x] < 0, -at[x], 2.0 * at[x]);
    return where(both(at[x] > -1, at[x] <= 1), -size, -square(size));
  });
  const auto at = [&](double point) { return model.evaluate(std::vector<double>{point}); };
  EXPECT_EQ(at(-0.5).log_density, -0.5);
  EXPECT_EQ(at(-0.5).gradient[0], 1.0);
  EXPECT_EQ(at(0.5).log_density, -1.0);
  EXPECT_EQ(at(0.5).gradient[0], -2.0);
  EXPECT_EQ(at(2.0).log_density, -16.0);
}

TEST(models, indices_count_from_zero) {
  Parameters parameters;
  const auto theta = parameters.vector("theta", 3);
  const std::vector<int> group{2, 0, 0, 1};
  const Model model = traced(parameters, [&](Trace& at) {
    const Vector t = at[theta];
    const Matrix m(2, 2, std::vector<double>{1, 2, 3, 4});
    return sum(elt_multiply(t.at(group), Vector{1, 10, 100, 1000})) + 1e5 * t.tail(1)[0] +
           0.0 * square(t[0]) + m(0, 1) * t[1] + m.col(1)[1] + m.row(1)[0];
  });
  // t[2] + 110 t[0] + 1000 t[1] + 1e5 t[2] + 3 t[1] + 4 + 2
  EXPECT_DOUBLE_EQ(model.log_density(std::vector<double>{1, 2, 3}),
                   3 + 110 + 2000 + 3e5 + 6 + 4 + 2);
}

TEST(models, counts_are_whole_numbers_and_equal_data_one_variable) {
  Parameters parameters;
  const auto p = parameters.real("p", interval(0, 1));
  const std::vector<int> successes{3, 4};
  const Model model = traced(parameters, [&](Trace& at) {
    return binomial_lpmf(successes, 10, at[p]) + binomial_lpmf(successes, 10, at[p]) +
           poisson_lpmf(data("n", std::vector<int>{1, 2}), at[p]);
  });
  const std::string program = model.program();
  EXPECT_NE(program.find("array[2] int n;"), std::string::npos) << program;
  EXPECT_EQ(program.find("data_2"), std::string::npos) << program;
}

TEST(models, every_function_of_the_headers_has_the_sizes_it_says) {
  Parameters parameters;
  const auto v = parameters.vector("v", 3);
  const auto m = parameters.matrix("m", 3, 2);
  const auto s = parameters.cov_matrix("s", 3);
  const Model model = traced(parameters, [&](Trace& at) {
    const Vector x = at[v];
    const Matrix a = at[m], k = at[s];
    at.output("o1", transpose(a) * x);
    at.output("o2", crossprod(a));
    at.output("o3", tcrossprod(a));
    at.output("o4", mdivide_left_spd(k, a));
    at.output("o5", quad_form_sym(k, a));
    at.output("o6", cholesky_decompose(k));
    at.output("o7", diag_pre_multiply(x, a));
    at.output("o8", softmax(x));
    at.output("o9", append_row(x, x));
    at.output("o10", append_col(a, x));
    at.output("o11", to_vector(a));
    at.output("o12", eigenvalues_sym(k));
    at.output("o13", diag_matrix(x));
    at.output("o14", rows_dot_product(a, a));
    at.output("o15", columns_dot_self(a));
    at.output("o16", mdivide_right_spd(transpose(a), k));
    at.output("o17", exp(x) + log1p_exp(x));
    at.output("o18", diagonal(k));
    return -dot_self(x) - sum(square(to_vector(a))) +
           wishart_lpdf(k, 5, diag_matrix(Vector{1, 1, 1}));
  });
  const std::vector<double> point(static_cast<std::size_t>(model.dimension()), 0.3);
  EXPECT_TRUE(model.evaluate(point).ok()) << model.evaluate(point).refusal;
  const std::vector<double> row = model.constrain(point);
  for (const double x : row) EXPECT_TRUE(std::isfinite(x));
}

// ---- mistakes

TEST(models, sizes_that_do_not_fit_are_said_at_once) {
  Parameters parameters;
  const auto v = parameters.vector("v", 3);
  const auto run = [&](auto f) { return message_of([&] { traced(parameters, f); }); };
  EXPECT_NE(run([&](Trace& at) {
              return sum(at[v] + Vector{1, 2});
            }).find("3 x 1 and 2 x 1"),
            std::string::npos);
  EXPECT_NE(run([&](Trace& at) { return at[v][3]; }).find("row 3 of 3"), std::string::npos);
  EXPECT_NE(run([&](Trace& at) { return sum(at[v].segment(2, 2)); }).find("2 elements from 2 of 3"),
            std::string::npos);
  EXPECT_NE(run([&](Trace& at) { return binomial_lpmf(at[v][0], 3, 0.5); }).find("error"),
            std::string::npos);
}

TEST(models, names_that_cannot_be_are_refused) {
  Parameters parameters;
  const auto x = parameters.real("x");
  EXPECT_NE(message_of([&] { parameters.real("x"); }).find("a parameter of this name"),
            std::string::npos);
  EXPECT_NE(message_of([&] { parameters.real("2x"); }).find("the name '2x'"), std::string::npos);
  EXPECT_NE(message_of([&] { parameters.real("y", interval(1, 1)); }).find("less than the upper"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              traced(parameters, [&](Trace& at) {
                at.output("x", 2.0 * at[x]);
                return -at[x] * at[x];
              });
            }).find("the name is used twice"),
            std::string::npos);
  Parameters other;
  other.vector("z", 2);
  EXPECT_NE(message_of([&] {
              traced(other, [&](Trace& at) { return at[x]; });
            }).find("declared for another model"),
            std::string::npos);
}

TEST(models, a_wrong_program_is_an_error_with_its_diagnostics) {
  const std::string said =
      message_of([] { stan_text("parameters { real x; } model { y ~ normal(0, 1); }"); });
  EXPECT_NE(said.find("1 error"), std::string::npos) << said;
  EXPECT_NE(said.find("variable y is not declared"), std::string::npos) << said;
  try {
    stan_file("there_is_none.stan");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
}

TEST(models, of_files_take_tables) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("credo_api_tables_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string program =
      "data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }";
  std::ofstream(folder / "m.stan") << program;
  std::ofstream(folder / "t.csv") << "y\n0.5\n1.5\n";
  const Model from_table = stan_file((folder / "m.stan").string(), (folder / "t.csv").string());
  const Model from_text = stan_text(program, R"({"N": 2, "y": [0.5, 1.5]})");
  const std::vector<double> at{0.3};
  EXPECT_EQ(from_table.log_density(at), from_text.log_density(at));
  // The table goes with the model into what a run keeps.
  EXPECT_GT(sample(from_table).num_draws(), 0);
  std::filesystem::remove_all(folder);
}

TEST(models, what_a_callable_says_of_a_point_is_carried) {
  Parameters parameters;
  const auto x = parameters.real("x", lower(0));
  const Model model = with_gradient(parameters, [&](auto theta, auto gradient) -> double {
    const double value = x.in(theta)[0];
    if (value > 100.0) throw std::runtime_error("the simulator broke");
    if (value > 10.0) throw Rejection("x is beyond ten");
    if (value > 5.0) return -kInfinity;
    gradient[0] = value > 3.0 ? kNaN : -value;
    return value > 4.0 ? kNaN : -0.5 * value * value;
  });
  const auto at = [&](double value) {
    return model.evaluate(std::vector<double>{std::log(value)});
  };
  EXPECT_TRUE(at(2.0).ok());
  EXPECT_NEAR(at(2.0).log_density, -2.0 + std::log(2.0), 1e-14);
  EXPECT_NEAR(at(2.0).gradient[0], -4.0 + 1.0, 1e-14);
  EXPECT_EQ(at(3.5).refusal, "the gradient is not finite");
  EXPECT_EQ(at(4.5).refusal, "the log density is not a number");
  EXPECT_EQ(at(6.0).refusal, "the log density is -infinity");
  EXPECT_EQ(at(20.0).refusal, "x is beyond ten");
  EXPECT_EQ(at(20.0).log_density, -kInfinity);
  try {
    at(200.0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::evaluation);
    EXPECT_NE(std::string(error.what()).find("the simulator broke"), std::string::npos);
    EXPECT_THROW(std::rethrow_if_nested(error), std::runtime_error);
  }
  EXPECT_TRUE(at(2.0).ok());
}

}  // namespace
}  // namespace credo::models_test
