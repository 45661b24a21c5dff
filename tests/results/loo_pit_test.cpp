// LOO-PIT: which row is of which element, and the closed form of a normal mean.
#include "results/checks/loo_pit.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "results/draws/quiet_run.hpp"
#include "support/text_model.hpp"

namespace credo::results::loo_pit_test {
namespace {
using model::model_from;

// Which element each value of y is the outcome of, by rows.
std::vector<Index> rows_for(const std::string& text, const std::string& data,
                            const std::vector<std::vector<double>>& other) {
  const auto model = model_from(text, data);
  const std::vector<double> point(static_cast<std::size_t>(model->dimension()), 0.3);
  return rows_of_elements(*model, model->data().observed()[0], other, point);
}

const std::string kVector = "data { int N; vector[N] y; } parameters { real m; } model { ";
constexpr const char* kFive = R"({"N": 5, "y": [1, 2, 3, 4, 5]})";
const std::vector<std::vector<double>> kOther{{9, 9, 9, 9, 9}};

TEST(rows_of_elements, are_those_of_a_vector_in_its_order) {
  EXPECT_EQ(rows_for(kVector + "y ~ normal(m, 1); }", kFive, kOther),
            (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(rows_of_elements, follow_a_loop_that_runs_backwards) {
  EXPECT_EQ(rows_for(kVector + "for (n in 1:N) y[N + 1 - n] ~ normal(m, 1); }", kFive, kOther),
            (std::vector<Index>{4, 3, 2, 1, 0}));
}

// Elements of a matrix lie with the first index fastest, rows of a loop with the last one.
TEST(rows_of_elements, of_a_matrix_are_those_of_its_loops) {
  EXPECT_EQ(
      rows_for("data { matrix[2, 3] y; } parameters { real m; } model { for (i in 1:2) for (j in "
               "1:3) y[i, j] ~ normal(m, 1); }",
               R"({"y": [[1, 2, 3], [4, 5, 6]]})", {{9, 9, 9, 9, 9, 9}}),
      (std::vector<Index>{0, 3, 1, 4, 2, 5}));
}

TEST(rows_of_elements, are_unknown_where_a_row_is_of_several) {
  EXPECT_EQ(rows_for(kVector + "y[2:5] ~ normal(m * y[1:4], 1); }", kFive, kOther),
            (std::vector<Index>{-1, -1, -1, -1, -1}));
  EXPECT_EQ(rows_for(kVector + "y ~ normal(m, 1); y ~ normal(0, exp(m)); }", kFive, kOther),
            (std::vector<Index>{-1, -1, -1, -1, -1}));  // two rows are of each
}

TEST(rows_of_elements, are_unknown_where_no_other_value_is_known) {
  EXPECT_EQ(rows_for("data { array[3] int z; } parameters { real m; } model { z ~ "
                     "bernoulli_logit(m); }",
                     R"({"z": [1, 0, 1]})", {{1, 1, 1}, {0, 1, 1}}),
            (std::vector<Index>{0, 1, -1}));
}

// y_i given the others is normal(their mean, 1 + 1 / 9): its place there, with the error of a share of 4,000 weighted draws,
// some 0.01.
const std::vector<double> kY = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5};
constexpr const char* kData =
    R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5]})";

double exact_place(std::size_t i) {
  const double sum = std::accumulate(kY.begin(), kY.end(), 0.0);
  const double z = (kY[i] - (sum - kY[i]) / 9.0) / std::sqrt(1.0 + 1.0 / 9.0);
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

struct Checked {
  LooPit pit;
  PredictiveCheck check;
};
Checked check_normal(const std::string& scale) {
  const auto model = model_from(kVector + "y ~ normal(m, " + scale + "); }", kData);
  const QuietRun run(*model, {.num_chains = 4, .num_warmup = 500, .num_draws = 1000, .seed = 3});
  const CheckOptions options{.num_draws = 4000, .seed = 2};
  const std::vector<Replicated> all = replicate_fit(run.fit(), *model, options);
  return {loo_pit(run.fit(), *model, all[0], options), check_replicated(all[0], 4, {})};
}

TEST(loo_pit, is_the_place_of_each_value_given_the_others) {
  const Checked checked = check_normal("1");
  ASSERT_EQ(checked.pit.places.size(), kY.size());
  double distance = 0.0, without_weights = 0.0;
  for (std::size_t i = 0; i < kY.size(); ++i) {
    EXPECT_NEAR(checked.pit.places[i], exact_place(i), 0.04) << i;
    distance += std::abs(checked.pit.places[i] - exact_place(i));
    without_weights += std::abs(checked.check.places[i] - exact_place(i));
  }
  EXPECT_GT(without_weights, 2.0 * distance);  // a mutant that doesn't weigh is further off
  EXPECT_EQ(checked.pit.num_unmatched, 0);
  EXPECT_EQ(checked.pit.num_unreliable, 0);
  EXPECT_GT(checked.pit.figures.p_value, 0.01);
}

TEST(loo_pit, accuses_predictions_that_are_too_narrow) {
  const LooPit pit = check_normal("0.3").pit;
  EXPECT_LT(pit.figures.p_value, 0.01);
  EXPECT_EQ(pit.figures.fault(), "too narrow");
}

}  // namespace
}  // namespace credo::results::loo_pit_test
