// Densities with parameters integrated out allocate nothing from the second evaluation on, with a sparse factor and with one that has
// a dense tail.
#include <gtest/gtest.h>

#include "infer/latent/collapsed_density.hpp"
#include "support/alloc_count.hpp"
#include "support/text_model.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::cli::latent_allocations_test {
namespace {

// Counts with `levels` × `levels` crossed effects, `rows` of them.
struct Crossed {
  Index rows, levels;
  std::string data() const {
    std::string y, a, b;
    for (Index n = 0; n < rows; ++n) {
      const char* comma = n > 0 ? "," : "";
      y += comma + std::to_string((n * n + 3 * n) % 5);
      a += comma + std::to_string(n % levels + 1);
      b += comma + std::to_string((n / levels + 7 * n) % levels + 1);
    }
    return R"({"N":)" + std::to_string(rows) + R"(,"J":)" + std::to_string(levels) + R"(,"y":[)" +
           y + R"(],"a":[)" + a + R"(],"b":[)" + b + "]}";
  }
};
constexpr const char* kCounts =
    "data { int N; int J; array[N] int y; array[N] int a; array[N] int b; } parameters { real m; "
    "real<lower=0> s; real<lower=0> t; vector[J] u; vector[J] v; } model { m ~ normal(0, 1); "
    "s ~ normal(0, 1); t ~ normal(0, 1); u ~ normal(0, s); v ~ normal(0, t); "
    "y ~ poisson_log(m + u[a] + v[b]); }";

// Allocations of ten evaluations with gradients that need new factors, after two.
long allocations_of(const Crossed& crossed) {
  const auto model = model::model_from(kCounts, crossed.data());
  const infer::CollapsedDensity collapsed(*model, "u,v");
  infer::InnerMode inner(collapsed.model());
  std::vector<double> x{0.4, -0.5, -0.8}, gradient(3);
  double last = 0.0;
  const auto evaluate = [&](int round) {
    x[0] = 0.4 + 0.1 * round, x[1] = -0.5 - 0.05 * round;
    EXPECT_TRUE(inner.find(x).ok());
    EXPECT_TRUE(inner.gradient(gradient).ok());
    EXPECT_NE(inner.normal().log_marginal(), std::exchange(last, inner.normal().log_marginal()));
  };
  for (int round = 0; round < 2; ++round) evaluate(round);
  const Index matrices = inner.num_matrices();
  const testing::AllocationCount count;
  for (int round = 2; round < 12; ++round) evaluate(round);
  const long found = count.value();
  EXPECT_GE(inner.num_matrices() - matrices, 10);
  return found;
}

TEST(collapsed_density, allocates_nothing_in_evaluations) {
  EXPECT_EQ(allocations_of({.rows = 200, .levels = 12}), 0);
  EXPECT_EQ(allocations_of({.rows = 1500, .levels = 110}), 0);
}

// Power: the evaluator that a request makes for itself is seen.
TEST(collapsed_density, allocations_of_a_new_evaluator_are_counted) {
  const auto model = model::model_from(kCounts, Crossed{.rows = 200, .levels = 12}.data());
  const infer::CollapsedDensity collapsed(*model, "u,v");
  const testing::AllocationCount count;
  const auto evaluator = collapsed.make_evaluator();
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_GT(count.value(), 0);
#endif
}

}  // namespace
}  // namespace credo::cli::latent_allocations_test
