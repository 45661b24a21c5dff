// Loops by columns against the same loops traced round by round: density, gradient, terms, dropped
// constants, refusals; and what each loop becomes.
#include "base/error.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"

namespace credo::model::columns_test {
namespace {

const char* const kData = R"({"N": 12, "K": 3, "G": 4,
  "y": [0.3, -0.8, 1.1, 0.2, 0.9, -1.3, 0.4, 0.1, -0.6, 1.7, 0.5, -0.2],
  "x": [1.2, 0.4, -0.7, 0.6, -1.1, 0.8, 0.2, -0.3, 1.4, -0.9, 0.5, 0.1],
  "z": [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1],
  "c": [0, 2, 5, 1, 3, 0, 4, 2, 1, 7, 0, 3],
  "g": [1, 2, 3, 4, 1, 2, 3, 4, 4, 3, 2, 1],
  "p": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  "k": [1, 2, 3, 2, 1, 3, 2, 3, 1, 1, 2, 3],
  "len": [2, 1, 3, 0, 2, 2, 1, 3, 1, 2, 3, 2],
  "X": [[1.0, 0.2, -0.4], [0.3, -1.2, 0.8], [-0.6, 0.5, 0.1], [0.9, 1.1, -0.2],
        [0.4, -0.3, 0.7], [-1.4, 0.6, 0.2], [0.1, 0.8, -0.9], [1.3, -0.7, 0.5],
        [-0.2, 0.4, 1.6], [0.7, -0.1, -0.5], [0.2, 0.3, 0.6], [-0.8, 1.5, 0.4]],
  "W": [[1, 2, 3], [2, 3, 4], [3, 4, 1], [4, 1, 2], [1, 3, 4], [2, 4, 1],
        [3, 1, 2], [4, 2, 3], [1, 2, 4], [2, 3, 1], [3, 4, 2], [4, 1, 3]]})";

const char* const kHead = R"(
functions {
  real hill(real t, real a, real b) { real u = exp(b * t); return a * u / (1 + u); }
  real pick(int which, real a, real b) { if (which == 1) return a; return square(b); }
  real chain(real s, int times, real f) {
    real r = s;
    for (i in 1:times) r = tanh(r * f + i);
    return r;
  }
  real zip_lpmf(int n, real theta, real mu) {
    if (n == 0) return log_sum_exp(log(theta), log1m(theta) + poisson_lpmf(0 | mu));
    return log1m(theta) + poisson_lpmf(n | mu);
  }
  real guarded(real v) { if (is_nan(v)) reject("not a number"); return v^2; }
  void add_lp(real v, real s) { target += normal_lpdf(v | 0, s); }
  real late_lccdf(real t, real rate) { return -t * exp(rate); }
}
data {
  int N; int K; int G;
  array[N] real y; vector[N] x; array[N] int z; array[N] int c; array[N] int g; array[N] int p;
  array[N] int k; array[N] int len; matrix[N, K] X; array[N, K] int W;
}
transformed data {
  array[N] vector[K] V; array[N] row_vector[K] R;
  for (n in 1:N) { V[n] = X[n]'; R[n] = X[n]; }
}
parameters {
  real a; real b; real<lower=0> s; real<lower=0, upper=1> th;
  vector[K] beta; vector[G] u; vector[N] w; simplex[K] pi; ordered[2] cut; matrix[G, K] M;
  array[K] real<lower=0> sc;
}
)";

struct Case {
  const char* name;
  const char* body;     // of the model block
  const char* outcome;  // of each loop that runs outside of columns: 'c' columns, 'i' instances
};

const Case kCases[] = {
    {"plain", "for (n in 1:N) y[n] ~ normal(a + x[n] * b, s);", "c"},
    {"logistic_rows", "for (n in 1:N) z[n] ~ bernoulli_logit(a + X[n] * beta);", "c"},
    {"rows_by_dot", "for (n in 1:N) z[n] ~ bernoulli_logit(a + dot_product(X[n], beta));", "c"},
    {"rows_of_arrays",
     "for (n in 1:N) { y[n] ~ normal(dot_product(V[n], beta), s);"
     " y[n] ~ normal(R[n] * beta, s); }",
     "c"},
    {"row_function",
     "for (n in 2:N) z[n] ~ bernoulli_logit(row(X, n) * beta + row(X, n - 1) * beta);", "c"},
    {"permuted_rows", "for (n in 1:N) y[n] ~ normal(X[p[n]] * beta, s);", "c"},
    {"elements_of_rows", "for (n in 1:N) y[n] ~ normal(X[n, 1] * beta[1] + X[n][2] * beta[2], s);",
     "c"},
    {"groups", "for (n in 1:N) c[n] ~ poisson_log(a + u[g[n]] + x[n] * M[g[n], k[n]]);", "c"},
    {"rows_of_parameters", "for (n in 1:N) y[n] ~ normal(X[n] * M[g[n]]', s);", "c"},
    {"partial_range", "for (n in 2:N - 1) y[n] ~ normal(a + b * y[n - 1] + x[n + 1], s);", "c"},
    {"uniform_statement", "for (n in 1:N) { a ~ normal(0, 2); y[n] ~ normal(a, s); target += b; }",
     "c"},
    {"data_if", "for (n in 1:N) if (z[n] == 1) y[n] ~ normal(a, s); else y[n] ~ cauchy(b, s);",
     "c"},
    {"data_if_with_locals",
     "for (n in 1:N) { real m = a * x[n]; real v; if (x[n] > 0) { m += b; v = s; }"
     " else { v = s + 1; } y[n] ~ normal(m, v); }",
     "c"},
    {"nested_ifs",
     "for (n in 1:N) { real m = 0; if (z[n]) { if (c[n] > 1 && x[n] > 0) m = a; }"
     " else m = b; y[n] ~ normal(m, s); }",
     "c"},
    {"short_circuit", "for (n in 1:N) if (n > 1 && z[n - 1] == 1 || n == N) y[n] ~ normal(a, s);",
     "c"},
    {"conditional", "for (n in 1:N) y[n] ~ normal(z[n] ? a * x[n] : b, g[n] > 2 ? s : s + 1);",
     "c"},
    {"accumulator",
     "real t = 0; int m = 0; for (n in 1:N) { t += a * x[n]; m += c[n]; t -= b; }"
     " target += t * m;",
     "c"},
    {"accumulator_in_if",
     "real t = 1; for (n in 1:N) if (z[n]) t = t + square(a - x[n]); target += -t;", "c"},
    {"group_sums",
     "vector[G] t = rep_vector(0, G); for (n in 1:N) t[g[n]] += a * x[n] + b;"
     " t ~ normal(0, s);",
     "c"},
    {"local_array",
     "for (n in 1:N) { array[K] real lp; for (j in 1:K) lp[j] = log(pi[j]) +"
     " normal_lpdf(y[n] | beta[j], sc[j]); target += log_sum_exp(lp); }",
     "c"},
    {"outer_array",
     "vector[K] lp; for (n in 1:N) { for (j in 1:K) lp[j] = log(pi[j]) +"
     " normal_lpdf(y[n] | beta[j] * x[n], sc[j]); target += log_sum_exp(lp); }"
     " target += sum(lp);",
     "c"},
    {"log_mix",
     "for (n in 1:N) target += log_mix(th, normal_lpdf(y[n] | a, s),"
     " student_t_lpdf(y[n] | 4, b, s));",
     "c"},
    {"log_sum_exp_literal",
     "for (n in 1:N) target += log_sum_exp({log(th) + normal_lpdf(y[n] | a, s),"
     " log1m(th) + cauchy_lpdf(y[n] | b, s), -1.0 * n});",
     "c"},
    {"user_density", "for (n in 1:N) c[n] ~ zip(th, exp(0.3 * a + 0.2 * x[n]));", "c"},
    {"user_function", "for (n in 1:N) y[n] ~ normal(hill(x[n], a, b), s);", "c"},
    {"function_with_paths", "for (n in 1:N) { real q = pick(z[n], a, x[n]); y[n] ~ normal(q, s); }",
     "c"},
    {"function_with_loop",
     "for (n in 1:N) y[n] ~ normal(chain(x[n], 4, a) + chain(b, len[n], a), s);", "c"},
    {"function_with_reject", "for (n in 1:N) target += -guarded(y[n]);", "c"},
    {"function_adding_to_target", "for (n in 1:N) add_lp(a * x[n], s);", "c"},
    {"int_arithmetic",
     "for (n in 1:N) y[n] ~ normal(u[(n * 3) % G + 1] + w[N - n + 1] * (n - 1), s);", "c"},
    {"int_vector",
     "array[N] int q; for (n in 1:N) q[n] = (c[n] + 1) * 2; for (n in 1:N) target += -q[n] * "
     "square(w[n]);",
     "cc"},
    {"written_vector", "vector[N] m; for (n in 1:N) m[n] = a + b * x[n]; y ~ normal(m, s);", "c"},
    {"written_partly",
     "vector[N] m = rep_vector(b, N); for (n in 3:N) m[n] = a * x[n - 2]; y ~ normal(m, s);", "c"},
    {"written_permuted",
     "vector[N] m; for (n in 1:N) { m[p[n]] = a * x[n]; m[p[n]] += b; target += -square(m[p[n]]); }"
     " y ~ normal(m, s);",
     "c"},
    {"written_by_branches",
     "vector[N] m; for (n in 1:N) { m[n] = w[n]; if (z[n]) m[n] = a; } y ~ normal(m, s);", "c"},
    {"written_rows",
     "matrix[N, K] m; for (n in 1:N) m[n] = X[n] * a; for (n in 1:N) y[n] ~ normal(m[n] * beta, "
     "s);",
     "cc"},
    {"written_array_of_vectors",
     "array[N] vector[K] m; for (n in 1:N) m[n] = softmax(beta * x[n]);"
     " for (n in 1:N) target += log(m[n][k[n]]);",
     "cc"},
    {"read_ahead",
     "vector[N] m = w; for (n in 1:N - 1) m[n] = m[n + 1] * a; target += -dot_self(m);", "c"},
    {"last_value", "real q; for (n in 1:N) { q = a * x[n]; y[n] ~ normal(q, s); } target += q;",
     "c"},
    {"nested_fixed", "for (n in 1:N) for (j in 1:K) X[n, j] ~ normal(a + beta[j] * x[n], s);", "c"},
    {"nested_long",
     "matrix[N, N] D; for (i in 1:N) for (j in 1:N) D[i, j] = a * x[i] - w[j];"
     " for (i in 1:N) for (j in (i + 1):N) target += -square(D[i, j]);",
     "cc"},
    {"nested_sum",
     "for (n in 1:N) { real t = b; for (j in 1:N) t += a * X[j, k[n]] * w[j]; y[n] ~ normal(t, s); "
     "}",
     "c"},
    {"inner_sums_of_a_written_element",
     "vector[N] m; for (n in 1:N) { m[n] = a; for (j in 1:N) m[n] += b * x[j] * n; }"
     " target += log_sum_exp(m);",
     "c"},
    {"inner_sums_of_a_written_row",
     "matrix[N, N] D = rep_matrix(b, N, N); for (n in 1:N) { D[n, 1] = a; D[n, 2] += s;"
     " for (j in 1:N) D[n, j] += w[j] * x[n]; } target += sum(tanh(D));",
     "c"},
    {"inner_sums_of_a_written_element_before",
     "vector[N + 1] m; m[1] = b; for (n in 1:N) { m[n + 1] = a; for (j in 1:N) m[n + 1] += w[j] * "
     "x[n]; } target += log_sum_exp(m);",
     "c"},
    {"ragged_inner", "for (n in 1:N) for (j in 1:len[n]) target += -square(a * X[n, j] - w[n]);",
     "c"},
    {"ragged_recurrence",
     "for (n in 1:N) { real t = w[n]; for (j in 1:len[n]) t = tanh(t * a + j); target += t; }",
     "c"},
    {"ragged_slices", "for (n in 1:N) target += -sum(square(w[1:len[n]]));", "c"},
    {"ragged_local",
     "for (n in 1:N) { vector[len[n] + 1] q; for (j in 1:len[n] + 1) q[j] = a * j; target += "
     "sum(q) * x[n]; }",
     "c"},
    {"lists_of_indices", "for (n in 1:N) y[n] ~ normal(sum(u[W[n]]), s);", "c"},
    {"fixed_slices", "for (n in 1:N - 2) y[n] ~ normal(sum(w[n:n + 2]) + mean(X[n, 1:2]), s);",
     "c"},
    {"truncation",
     "for (n in 1:N) { y[n] ~ normal(a + x[n], s) T[-9, 9]; y[n] ~ normal(a, s) T[-2, ];"
     " y[n] ~ normal(b, s) T[, x[n] + 5]; c[n] ~ poisson(s) T[, 20]; }",
     "c"},
    {"tails",
     "for (n in 1:N) target += z[n] ? normal_lccdf(y[n] | a, s) : normal_lcdf(y[n] | b * x[n], s);",
     "c"},
    {"categories",
     "for (n in 1:N) { k[n] ~ categorical(pi); k[n] ~ ordered_logistic(a * x[n], cut);"
     " k[n] ~ categorical_logit(beta); }",
     "c"},
    {"vectors_by_row",
     "for (n in 1:N) { V[n] ~ normal(beta, s); V[n] ~ std_normal();"
     " V[n] ~ multi_normal(beta, diag_matrix(rep_vector(1.5, K))); }",
     "c"},
    {"mixture_of_vectors",
     "matrix[K, K] S = add_diag(rep_matrix(0.2 * s, K, K), 0.5); for (n in 1:N) target += "
     "log_mix(th, multi_normal_lpdf(V[n] | beta, S), multi_normal_prec_lpdf(V[n] | a * V[p[n]], "
     "S));",
     "c"},
    {"mixture_of_factors_and_t",
     "matrix[K, K] S = add_diag(rep_matrix(0.2 * s, K, K), 0.5); for (n in 1:N) target += "
     "log_mix(th, multi_normal_cholesky_lpdf(R[n] | beta, cholesky_decompose(S)), "
     "multi_student_t_lpdf(beta | 4 + s, V[n], S));",
     "c"},
    {"vector_against_an_array",
     "array[2] vector[K] m = {beta, 2 * beta}; for (n in 1:N) V[n] ~ multi_normal(m, "
     "diag_matrix(rep_vector(1.5, K)));",
     "i"},
    {"each_element", "for (v in x) target += -square(v - a);", "c"},
    {"each_vector", "for (v in V) target += -square(dot_product(v, beta) - a);", "c"},
    {"jacobian_kinds", "for (n in 1:N) { target += a * x[n]; w[n] ~ normal(y[n], s); }", "c"},
    {"dropped_constants",
     "for (n in 1:N) { y[n] ~ normal(a, 2); w[n] ~ normal(0, x[n]^2 + 1); c[n] ~ poisson(s); }",
     "c"},
    {"own_tail", "for (n in 1:N) target += late_lccdf(square(x[n]) | a);", "c"},
    {"matrix_times_rows", "for (n in 1:N) target += -dot_self(M * V[n]) + sum(R[n] * M');", "c"},
    {"print_is_silent", "for (n in 1:N) { print(n); y[n] ~ normal(a, s); }", "c"},
    {"read_of_a_list",
     "vector[N] m = w; m[2] = a; m[5] = b; for (n in 1:N) y[n] ~ normal(m[n] + m[p[n]], s);"
     " y ~ normal(m, s);",
     "c"},
    {"list_written_partly",
     "vector[N] m = w; m[1] = a; for (n in 3:N) m[n] = b * x[n]; y ~ normal(m, s); target += m[1];",
     "c"},
    // loops that must run round by round
    {"list_packed_and_taken_back",
     "vector[K] q; q[1] = a; q[2] = b; q[3] = s; real r = 0;"
     " for (n in 1:N) { y[n] ~ normal(X[n] * q, s); r = r * (X[n] * q) + a; } target += r + "
     "sum(q);",
     "i"},
    {"list_read_and_taken_back",
     "vector[N] m = w; m[1] = a; m[2] = b;"
     " for (n in 3:N) m[n] = sum(m[1:2]) * m[n - 1] * x[n]; y ~ normal(m, s);",
     "i"},
    {"recurrence",
     "vector[N] m; m[1] = a; for (n in 2:N) m[n] = b * m[n - 1] + x[n]; y ~ normal(m, s);", "i"},
    {"carried_scalar",
     "real q = a; for (n in 1:N) { q = tanh(q * b + x[n]); y[n] ~ normal(q, s); }", "i"},
    {"sum_used_inside", "real q = 0; for (n in 1:N) { q += w[n]; y[n] ~ normal(q, s); }", "i"},
    {"two_writes", "vector[G] m = u; for (n in 1:N) m[g[n]] = a * x[n]; target += -dot_self(m);",
     "i"},
    {"carried_in_branch", "real q = a; for (n in 1:N) { if (z[n]) q = x[n]; y[n] ~ normal(q, s); }",
     "i"},
    {"assigned_in_some_rounds", "real q = a; for (n in 1:N) if (z[n]) q = b * x[n]; target += q;",
     "i"},
    {"read_before_written",
     "vector[N] m = w; for (n in 2:N) { target += -square(m[n - 1]); m[n] = a * x[n]; }", "i"},
    {"read_through_indices",
     "vector[N] m = w; for (n in 1:N) { m[n] = m[p[n]] * a; } target += -dot_self(m);", "i"},
    {"read_whole", "vector[N] m = w; for (n in 1:N) { m[n] = a * x[n]; target += -0.1 * sum(m); }",
     "i"},
    {"through_functions",
     "vector[N] m = w; for (n in 2:N) m[n] = hill(m[n - 1], a, b); target += sum(m);", "i"},
    {"own_array_carried",
     "vector[K] q = beta; for (n in 1:N) { target += -square(q[1] - x[n]); q[1] = a * x[n]; }",
     "i"},
    {"same_element", "vector[K] q = beta; for (n in 1:N) { q[2] = q[2] * a; } target += sum(q);",
     "i"},
    {"breaks", "for (n in 1:N) { if (n == 7) break; y[n] ~ normal(a, s); }", "i"},
    {"target_is_read", "for (n in 1:N) { y[n] ~ normal(a, s); target += 0.01 * target(); }", "i"},
    {"decisions_on_parameters",
     "for (n in 1:N) if (w[n] > a) y[n] ~ normal(a, s); else y[n] ~ normal(b, s);", "i"},
    {"counter", "int m = 1; for (n in 1:N) { m = m + c[n]; target += -m * square(w[n]); }", "i"},
    {"inner_writes_outer_twice",
     "vector[K] q = beta; for (n in 1:N) for (j in 1:K) q[j] = q[j] + x[n] * a; q ~ normal(0, s);",
     "i"},
};

std::unique_ptr<Model> model_of(const Case& c, const std::string& passes) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("loop.stan", std::string(kHead) + "model {\n" + c.body + "\n}\n",
                              diagnostics, source);
  if (program == nullptr) {
    ADD_FAILURE() << c.name << lang::render(source, diagnostics);
    return nullptr;
  }
  ModelOptions options;
  options.passes = passes;
  return std::make_unique<Model>(program, io::parse_json_data(kData, "data"), options);
}

std::vector<double> point_for(const Model& model, double phase) {
  std::vector<double> point(static_cast<std::size_t>(model.dimension()));
  for (std::size_t i = 0; i < point.size(); ++i) point[i] = 0.7 * std::sin(phase + double(i) * 1.3);
  return point;
}

// Sums of a few hundred terms in another order differ by some 1e-14 of the largest term; terms here
// are up to about 10 times the sum.
void expect_equal(const PointEvaluation& a, const PointEvaluation& b, const char* name) {
  ASSERT_EQ(a.status.ok(), b.status.ok()) << name;
  const auto close = [&](double x, double y, double scale) {
    EXPECT_NEAR(x, y, 1e-12 * std::max(scale, 1.0)) << name;
  };
  close(a.log_density, b.log_density, std::abs(b.log_density));
  close(a.log_density_no_jacobian, b.log_density_no_jacobian, std::abs(b.log_density));
  close(a.dropped, b.dropped, std::abs(b.dropped));
  double scale = 0.0;
  for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
  for (std::size_t i = 0; i < b.gradient.size(); ++i) close(a.gradient[i], b.gradient[i], scale);
}

std::string outcomes(const TracedDensity& traced) {
  std::string text;
  for (const lang::LoopReport& loop : traced.loops) text += loop.by_columns ? 'c' : 'i';
  return text;
}
std::string reasons(const TracedDensity& traced) {
  std::string text;
  for (const lang::LoopReport& loop : traced.loops) text += loop.reason + "\n";
  return text;
}

TEST(columns, agree_with_the_same_loops_round_by_round) {
  for (const Case& c : kCases) {
    const auto with = model_of(c, "columns"), without = model_of(c, "none");
    if (!with || !without) continue;
    for (const double phase : {0.3, 1.9}) {
      const auto point = point_for(*with, phase);
      const PointEvaluation a = with->evaluate_in_full(point), b = without->evaluate_in_full(point);
      EXPECT_TRUE(b.status.ok()) << c.name << ": " << without->describe(b.status);
      expect_equal(a, b, c.name);
    }
  }
}

TEST(columns, become_what_the_loop_allows) {
  for (const Case& c : kCases) {
    const auto model = model_of(c, "columns");
    if (!model) continue;
    const auto traced = model->trace(point_for(*model, 0.3));
    EXPECT_EQ(outcomes(*traced), c.outcome) << c.name << ": " << reasons(*traced);
  }
}

// By statement: which kinds of terms there are, whether they are tails, and the constants that ~ drops.
using TermKey = std::tuple<std::int32_t, lang::TermKind, bool>;
std::map<TermKey, double> terms_of(const TracedDensity& traced) {
  std::map<TermKey, double> terms;
  for (const TermSummary& t : traced.terms) {
    if (!t.is_constant || t.dropped != 0.0) terms[{t.statement, t.kind, t.is_tail}] += t.dropped;
  }
  return terms;
}

TEST(columns, keep_the_statements_and_kinds_of_terms) {
  for (const Case& c : kCases) {
    const auto with = model_of(c, "columns"), without = model_of(c, "none");
    if (!with || !without) continue;
    const auto point = point_for(*with, 0.3);
    const auto a = terms_of(*with->trace(point)), b = terms_of(*without->trace(point));
    ASSERT_EQ(a.size(), b.size()) << c.name;
    for (const auto& [key, dropped] : b) {
      ASSERT_TRUE(a.contains(key)) << c.name << " statement " << std::get<0>(key);
      EXPECT_NEAR(a.at(key), dropped, 1e-12 * std::max(1.0, std::abs(dropped))) << c.name;
    }
  }
}

TEST(columns, leave_a_graph_that_does_not_grow_with_the_rounds) {
  const auto nodes = [](Index rounds) {
    lang::Diagnostics diagnostics;
    lang::SourceMap source;
    auto program = compile_text(
        "grow.stan",
        "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; } model {"
        " for (n in 1:N) y[n] ~ bernoulli_logit(a + b * x[n]); }",
        diagnostics, source);
    std::string x = "0.5", y = "1";
    for (Index i = 1; i < rounds; ++i) x += i % 3 == 0 ? ", 1.5" : ", -0.25", y += ", 0";
    const std::string data =
        "{\"N\": " + std::to_string(rounds) + ", \"x\": [" + x + "], \"y\": [" + y + "]}";
    ModelOptions options;
    options.passes = "columns";
    const Model model(program, io::parse_json_data(data, "data"), options);
    return model.trace(std::array{0.1, 0.2})->num_nodes;
  };
  EXPECT_EQ(nodes(20), nodes(2000));
}

// A statement that refuses the point in one round refuses it in a column.
TEST(columns, refuse_what_a_round_refuses) {
  const Case refused{"refused", "for (n in 1:N) y[n] ~ normal(a, w[n]);", "c"};
  const auto with = model_of(refused, "columns"), without = model_of(refused, "none");
  const auto point = point_for(*with, 0.3);
  const PointEvaluation a = with->evaluate_in_full(point), b = without->evaluate_in_full(point);
  EXPECT_FALSE(a.status.ok());
  EXPECT_EQ(with->describe(a.status), without->describe(b.status));
}

TEST(columns, leave_errors_to_the_machine) {
  const Case outside{"outside", "for (n in 1:N) y[n] ~ normal(w[n + 1], s);", ""};
  const auto with = model_of(outside, "columns");
  try {
    with->trace(point_for(*with, 0.3));
    ADD_FAILURE() << "index 13 of 12 was accepted";
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("index 13"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace credo::model::columns_test
