// Second derivatives in a block as a sparse matrix: against the dense matrix and its slope, and their patterns.
#include "density/sparse_curvature.hpp"

#include "base/rng.hpp"
#include "support/text_model.hpp"

namespace credo::model::sparse_curvature_test {
namespace {
using density::Request;
using density::Want;

struct Case {
  const char* name;
  std::string program, data;
  std::vector<Index> block;
  Index most_values;  // elements of the lower triangle that may differ from 0, counted by hand
};

const char* const kCrossedData =
    R"({"N": 6, "y": [0, 2, 1, 4, 0, 3], "a": [1, 2, 3, 1, 2, 3], "b": [1, 1, 2, 2, 3, 3], "x": [0.1, -0.4, 0.7, 1.2, -0.9, 0.2]})";

std::vector<Case> cases() {
  return {
      {"crossed",
       "data { int N; array[N] int y, a, b; vector[N] x; } parameters { real m; real<lower=0> s; "
       "vector[3] u; vector[3] v; }"
       "model { u ~ normal(0, s); v ~ std_normal(); y ~ poisson_log(m + u[a] + s * v[b] + 0.5 * "
       "x); }",
       kCrossedData,
       {2, 3, 4, 5, 6, 7},
       6 + 6},
      {"loop",
       "data { int N; array[N] int y, a, b; vector[N] x; } parameters { real<lower=0> s; vector[4] "
       "u; }"
       "model { u[1] ~ normal(0, s); for (t in 2:4) u[t] ~ normal(sin(u[t - 1]), s);"
       "  for (n in 1:N) y[n] ~ poisson_log(u[a[n]] * x[n]); }",
       kCrossedData,
       {1, 2, 3, 4},
       4 + 3},
      {"pairs",
       "data { int N; array[N] int y, a, b; vector[N] x; }"
       "parameters { real<lower=0> s; real r; array[3] vector[2] u; }"
       "model { u ~ multi_normal_cholesky(rep_vector(0, 2), [[s, 0], [r, 1]]);"
       "  for (n in 1:N) y[n] ~ poisson_log(u[a[n]][1] + u[a[n]][2] * x[n]); }",
       kCrossedData,
       {2, 3, 4, 5, 6, 7},
       6 + 3},
      {"products",
       "data { int N; array[N] int y, a, b; vector[N] x; }"
       "parameters { matrix[2, 3] z; vector<lower=0>[2] s; }"
       "model { matrix[2, 3] u = diag_pre_multiply(s, [[1, 0], [0.5, 1]]) * z; to_vector(z) ~ "
       "std_normal();"
       "  for (n in 1:N) y[n] ~ poisson_log(u[1, a[n]] + u[2, a[n]] * x[n]); }",
       kCrossedData,
       {0, 1, 2, 3, 4, 5},
       6 + 3},
      {"field",
       "data { int N; array[N] int y, a, b; vector[N] x; } parameters { real<lower=0> s; vector[6] "
       "f; }"
       "model { matrix[6, 6] K = gp_exp_quad_cov({0.1, 0.3, 0.5, 0.9, 1.4, 2.0}, s, 0.7);"
       "  f ~ multi_normal(rep_vector(0, 6), add_diag(K, 0.1)); y ~ poisson_log(f); }",
       kCrossedData,
       {1, 2, 3, 4, 5, 6},
       21},
  };
}

void ask(density::Evaluator& evaluator, Want want, Request& request) {
  Request* const batch[] = {&request};
  evaluator.evaluate(want, batch);
  ASSERT_TRUE(request.status.ok());
}

std::vector<double> some_point(Index d, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  std::vector<double> x(static_cast<std::size_t>(d));
  for (double& value : x) value = 0.5 * rng.normal();
  return x;
}

// Both are sums of the same program's outputs, in another order: 1e-12 of their sizes.
TEST(sparse_curvature, matrix_product_and_slope_are_those_of_the_dense_matrix) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto model = model_from(c.program, c.data);
    const auto d = static_cast<std::size_t>(model->dimension());
    const std::vector<double> origin(d, 0.0), x = some_point(model->dimension(), 3);
    const auto sparse = model->sparse_curvature(c.block, origin);
    ASSERT_NE(sparse, nullptr);
    const auto at = sparse->make();
    const numerics::SparsePattern& pattern = *sparse->pattern();
    std::vector<double> values(pattern.rows.size()), dense(d * d), weights(d * d, 0.0);
    ASSERT_TRUE(at->matrix(x, values).ok());
    Request matrix{.position = x, .gradient = {}, .status = {}, .matrix = dense};
    const auto evaluator = model->make_evaluator();
    ask(*evaluator, Want::hessian, matrix);
    std::vector<double> found(d * d, 0.0), place_weights(pattern.rows.size());
    for (Index j = 0; j < pattern.size; ++j) {
      for (Index k = pattern.starts[std::size_t(j)]; k < pattern.starts[std::size_t(j + 1)]; ++k) {
        const auto row = std::size_t(c.block[std::size_t(pattern.rows[std::size_t(k)])]),
                   col = std::size_t(c.block[std::size_t(j)]);
        found[row + col * d] = found[col + row * d] = values[std::size_t(k)];
        place_weights[std::size_t(k)] = 0.3 + 0.1 * double(k % 7);
        weights[row + col * d] += 0.5 * place_weights[std::size_t(k)];
        weights[col + row * d] += 0.5 * place_weights[std::size_t(k)];
      }
    }
    for (const Index row : c.block)
      for (const Index col : c.block)
        EXPECT_NEAR(found[std::size_t(row) + std::size_t(col) * d],
                    dense[std::size_t(row) + std::size_t(col) * d], 1e-11);
    std::vector<double> slope(d), exact(d), product(d), direction = some_point(Index(d), 5);
    ASSERT_TRUE(at->slope(x, place_weights, slope).ok());
    Request wanted{.position = x, .gradient = exact, .status = {}, .weights = weights};
    ask(*evaluator, Want::hessian_slope, wanted);
    ASSERT_TRUE(at->multiply(x, direction, product).ok());
    for (std::size_t k = 0; k < d; ++k) {
      EXPECT_NEAR(slope[k], exact[k], 1e-11 * (1.0 + std::fabs(exact[k])));
      double sum = 0.0;
      for (std::size_t j = 0; j < d; ++j) sum += dense[k + j * d] * direction[j];
      EXPECT_NEAR(product[k], sum, 1e-11 * (1.0 + std::fabs(sum)));
    }
  }
}

TEST(sparse_curvature, the_pattern_has_no_more_places_than_pairs_that_meet_in_a_summand) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto model = model_from(c.program, c.data);
    const std::vector<double> origin(static_cast<std::size_t>(model->dimension()), 0.0);
    EXPECT_EQ(model->sparse_curvature(c.block, origin)->pattern()->num_values(), c.most_values);
  }
}

TEST(sparse_curvature, a_point_on_another_path_is_refused_with_its_statement) {
  const auto model = model_from(
      "parameters { real s; vector[2] u; } model { int k = s > 0 ? 2 : 1; u ~ normal(0, exp(s));"
      "  for (i in 1:k) target += -square(u[i]); }");
  const std::vector<double> origin(3, 0.0), other{1.0, 0.2, 0.1};
  const std::vector<Index> block{1, 2};
  const auto sparse = model->sparse_curvature(block, origin);
  std::vector<double> values(sparse->pattern()->rows.size());
  try {
    (void)sparse->make()->matrix(other, values);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("takes another path"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace credo::model::sparse_curvature_test
