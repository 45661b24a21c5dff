// Leave-one-out figures with little memory: rows by batches, or by several passes, as with all rows at once.
#include "results/loo/loo.hpp"

#include <gtest/gtest.h>

#include "results/files/run_store.hpp"
#include "support/text_model.hpp"

namespace credo::results::loo_test {
namespace {
using model::model_from;

constexpr const char* kData =
    R"({"N": 7, "x": [0.1, 0.5, -1.0, 2.0, 0.3, 1.1, -0.4], "y": [1, 2, -1, 4, 0, 3, 1], "z": [0, 1, 1, 3, 0, 2, 0]})";

std::string program(const std::string& likelihood) {
  return "data { int N; vector[N] x; vector[N] y; array[N] int z; } parameters { real a; real b; } "
         "model { a ~ "
         "normal(0, 2); b ~ normal(0, 2); " +
         likelihood + " }";
}

class LooInParts : public ::testing::TestWithParam<std::string> {};

TEST_P(LooInParts, is_that_of_all_rows_at_once) {
  const auto model = model_from(program(GetParam()), kData);
  const infer::SampleOptions options{
      .num_chains = 2, .num_warmup = 200, .num_draws = 150, .seed = 2};
  RunStore store(*model, options);
  store.keep(infer::run_chains(*model, options, store));
  store.close();
  const Loo whole = loo_of(store, *model);
  for (const Index rows : {1, 3, 6}) {
    const Loo parts = loo_of(store, *model, {.most_bytes = rows * 300 * 8});
    ASSERT_EQ(parts.rows.size(), whole.rows.size());
    for (std::size_t i = 0; i < whole.rows.size(); ++i) {
      // The same density in another order of operations.
      EXPECT_NEAR(parts.rows[i].elpd_loo, whole.rows[i].elpd_loo, 1e-9) << rows << " " << i;
      EXPECT_NEAR(parts.rows[i].pareto_k, whole.rows[i].pareto_k, 1e-6) << rows << " " << i;
    }
    EXPECT_NEAR(parts.elpd_loo.value, whole.elpd_loo.value, 1e-8);
  }
  // Rows differ by far more, so that a wrong place would be seen.
  EXPECT_GT(std::abs(whole.rows[0].elpd_loo - whole.rows[3].elpd_loo), 1e-3);
}

// The second row doesn't depend on parameters: its weights are all the same, which no distribution is fitted to (k is
// infinite), and its density is known exactly.
TEST(loo, relies_on_a_row_that_no_parameter_enters) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real a; } model { a ~ normal(0, 1); for (n in "
      "1:N) "
      "y[n] ~ normal(n == 2 ? 0 : a, 1); }",
      R"({"N": 3, "y": [0.1, 0.7, -0.2]})");
  const infer::SampleOptions options{
      .num_chains = 2, .num_warmup = 200, .num_draws = 500, .seed = 2};
  RunStore store(*model, options);
  store.keep(infer::run_chains(*model, options, store));
  store.close();
  const Loo loo = loo_of(store, *model);
  EXPECT_EQ(loo.rows[1].pareto_k, kInfinity);
  EXPECT_NEAR(loo.rows[1].elpd_loo, -0.5 * std::log(2.0 * M_PI) - 0.5 * 0.49, 1e-12);
  EXPECT_TRUE(loo.unreliable().empty());
}

// Statements of the same rows go by batches; of other lengths, and constant rows among them, by passes.
INSTANTIATE_TEST_SUITE_P(
    likelihoods, LooInParts,
    ::testing::Values("y ~ normal(a + b * x, 1);",
                      "y ~ normal(a + b * x, 1); z ~ poisson_log(0.3 * a + 0.1 * b * x);",
                      "for (n in 1:N) y[n] ~ normal(a + b * x[n], 1);",
                      "y ~ normal(a + b * x, 1); z[1:3] ~ poisson_log(0.3 * a);"));

}  // namespace
}  // namespace credo::results::loo_test
