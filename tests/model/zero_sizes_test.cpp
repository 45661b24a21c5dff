// Sizes of zero: a regression without predictors, empty arguments of built-ins; density, gradient
// and written draws are those of every other way.
#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::zero_sizes_test {
namespace {

std::unique_ptr<Model> model_with(const std::string& text, const std::string& passes) {
  static const std::string kData = R"({"N": 3, "K": 0, "X": [[], [], []], "y": [1, 2, 3]})";
  ModelOptions options;
  options.passes = passes;
  return model_from(text, kData, std::move(options));
}

// With all passes and without: the density, its gradient, and outputs as the interpreter has them.
void expect_one_answer(const std::string& text) {
  SCOPED_TRACE(text);
  const auto model = model_with(text, "all"), plain = model_with(text, "none");
  std::vector<double> point;
  for (Index d = 0; d < model->dimension(); ++d) point.push_back(0.3 - 0.2 * double(d));
  constexpr double kRounding = 1e-13;  // of some ten additions
  expect_same_density(*model, *plain, point, {kRounding, kRounding});
  const StreamKey key{.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0};
  Rng one(key), other(key);
  std::vector<double> row;
  Writer(model->draw_outputs()).write(point, one, row);
  EXPECT_EQ(row, plain->draw_outputs().write(point, other));
}

const std::string kData = "data { int N; int K; matrix[N, K] X; vector[N] y; }\n";

TEST(sizes_of_zero, a_regression_may_have_no_predictors) {
  expect_one_answer(kData + R"(
parameters { real a; vector[K] b; real<lower=0> s; }
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  s ~ exponential(1);
  y ~ normal(a + X * b, s);
}
generated quantities {
  vector[N] log_lik;
  for (n in 1 : N) log_lik[n] = normal_lpdf(y[n] | a + X[n] * b, s);
})");
}

TEST(sizes_of_zero, every_kind_of_parameter_may_be_empty) {
  expect_one_answer(kData + R"(
parameters {
  real a;
  vector<lower=0>[K] b;
  array[K] simplex[3] p;
  matrix[K, 2] m;
  ordered[K] o;
  array[2] vector[K] v;
  cholesky_factor_corr[K] L;
}
model {
  a ~ normal(sum(b) + sum(m) + sum(o), 1);
  for (k in 1 : K) b[k] ~ normal(a, p[k, 1]);
  for (i in 1 : 2) target += -dot_self(v[i]) + sum(exp(v[i]) .* b) + log_sum_exp(append_row(v[i], a));
}
generated quantities { real u = sum(b) + sum(head(v[1], 0)) + a; vector[K] w = 2 * b[1 : K]; })");
}

TEST(sizes_of_zero, solvers_take_data_alone_in_generated_quantities) {
  expect_one_answer(R"(
functions {
  vector f(vector y, vector c, array[] real xr, array[] int xi) { return y - c; }
  vector g(vector y, vector c) { return y - c; }
}
transformed data { vector[2] c = [1, 2]'; array[0] real xr; array[0] int xi; }
parameters { real a; }
model { a ~ normal(0, 1); }
generated quantities {
  vector[2] u = algebra_solver(f, [0, 0]', c, xr, xi);
  vector[2] v = solve_newton(g, [0, 0]', c);
  vector[2] w = solve_powell(g, [a, 0]', c);
  vector[2] z = solve_newton(g, [0, 0]', c * a);
})");
}

TEST(sizes_of_zero, a_hypergeometric_series_may_have_no_shapes) {
  expect_one_answer(R"(
parameters { real<lower=0, upper=0.5> a; vector[0] q; real<lower=0> b; }
model {
  target += hypergeometric_pFq(q, [1.5]', a) + hypergeometric_pFq([0.5]', q, a);
  target += hypergeometric_pFq(q, q, a) + hypergeometric_pFq(q, q, 0.25);
  target += hypergeometric_pFq(q, [b]', 0.25);
}
generated quantities { vector[0] e; real u = hypergeometric_pFq(e, q, a); })");
}

}  // namespace
}  // namespace credo::model::zero_sizes_test
