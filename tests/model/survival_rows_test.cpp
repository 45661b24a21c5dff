// Rows and replicates of partly observed outcomes: censored ones, by survival functions, and missing values that
// parameters impute.
#include <gtest/gtest.h>

#include "density/replicates.hpp"
#include "support/test_seed.hpp"
#include "support/text_model.hpp"

namespace credo::model::survival_rows_test {
namespace {
using density::Terms;

std::vector<double> rows_at(const Model& model, std::span<const double> point) {
  std::vector<double> rows(static_cast<std::size_t>(model.num_rows()));
  density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = rows};
  model.make_evaluator()->evaluate(density::Want::pointwise, std::array{&request});
  EXPECT_TRUE(request.status.ok()) << model.describe(request.status);
  return rows;
}

double value_of(const Model& model, Terms terms, std::span<const double> point) {
  const density::Query query{.terms = terms, .jacobian = false};
  const density::Capability can = model.can(query, point);
  EXPECT_TRUE(can.can) << can.reason;
  return model.with(query)->evaluate_in_full(point).log_density;
}

double normal(double y, double m) { return -0.5 * (y - m) * (y - m) - 0.5 * std::log(2 * M_PI); }
double log_above(double y, double m) { return std::log(0.5 * std::erfc((y - m) / std::sqrt(2.0))); }
double log_below(double y, double m) { return log_above(-y, -m); }

constexpr const char* kData = R"({"N": 4, "y": [0.5, 2.0, -1.0, 2.0], "c": [0, 1, 0, 1], "U": 2})";
constexpr double kMean = 0.3;

struct Censored {
  std::string name, model;
  std::vector<double> rows;  // in the order of the statements
};

// In each form the rows are those of the outcomes, and the other terms are the prior.
const std::vector<Censored> kForms = {
    {"by_branch_on_a_flag",
     "for (n in 1:N) if (c[n] == 0) y[n] ~ normal(m, 1); else target += normal_lccdf(y[n] | m, 1);",
     {normal(0.5, kMean), normal(-1, kMean), log_above(2, kMean), log_above(2, kMean)}},
    {"by_branch_on_the_outcome",
     "for (n in 1:N) { if (y[n] < 2) y[n] ~ normal(m, 1); else target += normal_lccdf(2 | m, 1); }",
     {normal(0.5, kMean), normal(-1, kMean), log_above(2, kMean), log_above(2, kMean)}},
    {"from_below",
     "for (n in 1:N) if (c[n] == 0) target += normal_lpdf(y[n] | m, 1); else target += "
     "normal_lcdf(y[n] | m, 1);",
     {normal(0.5, kMean), normal(-1, kMean), log_below(2, kMean), log_below(2, kMean)}},
    {"by_vectors",
     "y[{1, 3}] ~ normal(m, 1); target += normal_lccdf(y[{2, 4}] | m, 1);",
     {normal(0.5, kMean), normal(-1, kMean), log_above(2, kMean), log_above(2, kMean)}},
    {"by_a_common_bound",
     "y[{1, 3}] ~ normal(m, 1); target += normal_lccdf(U | m, 1); target += normal_lccdf(U | m, "
     "1);",
     {normal(0.5, kMean), normal(-1, kMean), log_above(2, kMean), log_above(2, kMean)}},
    {"by_intervals",
     "y[{1, 3}] ~ normal(m, 1); for (n in {2, 4}) target += log_diff_exp(normal_lcdf(y[n] + 1 | m, "
     "1), normal_lcdf(y[n] | m, 1));",
     {normal(0.5, kMean), normal(-1, kMean),
      std::log(std::exp(log_below(3, kMean)) - std::exp(log_below(2, kMean))),
      std::log(std::exp(log_below(3, kMean)) - std::exp(log_below(2, kMean)))}},
};

class CensoredRows : public ::testing::TestWithParam<Censored> {};

std::unique_ptr<Model> censored_model(const std::string& statements) {
  return model_from(
      "data { int N; vector[N] y; array[N] int c; real U; } parameters { real m; } model { m ~ "
      "normal(0, 2); " +
          statements + " }",
      kData);
}

TEST_P(CensoredRows, are_rows_of_the_likelihood) {
  const auto model = censored_model(GetParam().model);
  const std::vector<double> point{kMean}, rows = rows_at(*model, point);
  ASSERT_EQ(rows.size(), GetParam().rows.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i], GetParam().rows[i], 1e-13) << i;
    sum += GetParam().rows[i];
  }
  EXPECT_NEAR(value_of(*model, Terms::likelihood, point), sum, 1e-12);
  EXPECT_NEAR(value_of(*model, Terms::prior, point),
              -0.5 * kMean * kMean / 4 - std::log(2.0) - 0.5 * std::log(2 * M_PI), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(forms, CensoredRows, ::testing::ValuesIn(kForms),
                         [](const auto& one) { return one.param.name; });

// A subtracted survival function normalises the density next to it.
TEST(survival_functions, that_normalise_belong_to_their_densities) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real<lower=0> b; real<lower=0> s; } model { s ~ "
      "exponential(1); target += normal_lpdf(b | 0, s) - normal_lccdf(0 | 0, s); for (n in 1:N) "
      "target += normal_lpdf(y[n] | b, 1) - normal_lccdf(-2 | b, 1); }",
      R"({"N": 2, "y": [1, 2]})");
  const std::vector<double> point{0.0, 0.0}, rows = rows_at(*model, point);  // b = s = 1
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0], normal(1, 1) - log_above(-2, 1), 1e-13);
  EXPECT_NEAR(value_of(*model, Terms::prior, point), -1.0 + normal(1, 0) + std::log(2.0), 1e-13);
}

// A statement under a switch of the program is no row: its normaliser belongs to the prior.
TEST(survival_functions, behind_a_switch_stay_with_the_prior) {
  const auto model = model_from(
      "data { int N; vector[N] y; int with_bound; } parameters { real m; real<lower=0> s; } model "
      "{ "
      "if (with_bound == 1) { target += normal_lpdf(m | 0, s); target += -normal_lccdf(0 | 0, s); "
      "} "
      "y ~ normal(m, 1); }",
      R"({"N": 2, "y": [1, 2], "with_bound": 1})");
  const std::vector<double> point{0.5, 0.0};
  EXPECT_EQ(rows_at(*model, point).size(), 2u);
  EXPECT_NEAR(value_of(*model, Terms::prior, point), normal(0.5, 0) + std::log(2.0), 1e-13);
}

// Terms by `target +=` under a condition on data elements: they read no data themselves, so that it is unknown if
// they are rows.
TEST(terms_by_hand, that_elements_of_the_data_decide_are_refused) {
  const auto model = censored_model(
      "for (n in 1:N) if (c[n] == 0) y[n] ~ normal(m, 1); else target += log1m(Phi(2 - m));");
  EXPECT_FALSE(model->can({.terms = Terms::likelihood}, std::vector{kMean}).can);
}

// A density that the program defines is one row, unless it returns a density whose rows are known.
TEST(own_densities, that_return_a_density_have_its_rows) {
  const auto model = model_from(
      "functions { real own_lpdf(vector y, real m, int form) { if (form == 1) return normal_lpdf(y "
      "| "
      "m, 1); return -0.5 * dot_self(y - m); } } data { int N; vector[N] y; int form; } parameters "
      "{ "
      "real m; } model { m ~ normal(0, 1); y ~ own(m, form); }",
      R"({"N": 3, "y": [1, 2, 4], "form": 1})");
  const std::vector<double> point{0.25}, rows = rows_at(*model, point);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(rows[2], normal(4, 0.25), 1e-13);
  EXPECT_EQ(model->with_data(R"({"N": 3, "y": [1, 2, 4], "form": 2})")->num_rows(), 1);
}

// ---- missing values

constexpr const char* kFilled =
    "data { int N; vector[N] Y; int K; array[K] int miss; } parameters { real m; vector[K] fill; } "
    "model { vector[N] full = Y; full[miss] = fill; m ~ normal(0, 2); LIKELIHOOD }";
constexpr const char* kFilledData = R"({"N": 4, "Y": [0.5, 99, -1.0, 2.0], "K": 1, "miss": [2]})";

std::unique_ptr<Model> filled_model(const std::string& likelihood) {
  std::string text = kFilled;
  return model_from(text.replace(text.find("LIKELIHOOD"), 10, likelihood), kFilledData);
}

TEST(missing_values, that_parameters_fill_have_a_prior_and_the_others_are_rows) {
  for (const char* likelihood : {"target += normal_lpdf(full | m, 1);", "full ~ normal(m, 1);",
                                 "for (n in 1:N) full[n] ~ normal(m, 1);"}) {
    const auto model = filled_model(likelihood);
    const std::vector<double> point{kMean, 1.7}, rows = rows_at(*model, point);
    ASSERT_EQ(rows.size(), 3u) << likelihood;
    EXPECT_NEAR(rows[0], normal(0.5, kMean), 1e-13);
    EXPECT_NEAR(rows[1], normal(-1, kMean), 1e-13);
    EXPECT_NEAR(rows[2], normal(2, kMean), 1e-13);
    EXPECT_NEAR(
        value_of(*model, Terms::prior, point),
        normal(1.7, kMean) - 0.5 * kMean * kMean / 4 - std::log(2.0) - 0.5 * std::log(2 * M_PI),
        1e-13)
        << likelihood;
  }
}

// Observed values are replicated by their statement, here within 4.5 standard errors. The missing value isn't
// replicated.
TEST(missing_values, have_replicates_of_the_observed_ones) {
  const auto model = filled_model("target += normal_lpdf(full | m, 1);");
  const std::vector<double> point{kMean, 1.7};
  const density::Capability can = model->generative().can_replicate(point);
  ASSERT_TRUE(can.can) << can.reason;
  const auto replicates = model->generative().make_replicates(point);
  EXPECT_EQ(std::vector<char>(replicates->is_drawn().begin(), replicates->is_drawn().end()),
            (std::vector<char>{1, 0, 1, 1}));
  double sum = 0.0;
  const int count = 2000;
  for (int k = 0; k < count; ++k)
    sum += replicates->draw(point, testing::test_seed(70) + static_cast<std::uint64_t>(k))[2];
  EXPECT_NEAR(sum / count, kMean, 4.5 / std::sqrt(count));
}

// Values computed from data get no replicates, even if NaN would pass through the computation.
TEST(missing_values, do_not_make_replicates_of_what_was_computed_from_data) {
  const auto model = filled_model("vector[N] rest = full - m; rest ~ normal(0, 1);");
  EXPECT_FALSE(model->generative().can_replicate(std::vector{kMean, 1.7}).can);
}

// ---- replicates of censored outcomes

TEST(censored_replicates, are_cut_where_the_data_are) {
  const auto model = censored_model(kForms[0].model);
  const std::vector<double> point{kMean};
  const auto replicates = model->generative().make_replicates(point);
  EXPECT_EQ(replicates->num_censored(), (std::vector<Index>{2}));
  const int count = 4000;
  int at_bound = 0;
  for (int k = 0; k < count; ++k)
    for (const double y :
         replicates->draw(point, testing::test_seed(80) + static_cast<std::uint64_t>(k))) {
      EXPECT_LE(y, 2.0);
      at_bound += y == 2.0 ? 1 : 0;
    }
  // All are censored at 2, also the observed ones: each is replicated with P(Y > 2).
  const double p = std::exp(log_above(2, kMean)), n = 4.0 * count;
  EXPECT_NEAR(at_bound / n, p, 4.5 * std::sqrt(p * (1 - p) / n));
}

TEST(censored_replicates, from_below_are_cut_from_below) {
  const auto model = censored_model(kForms[2].model);
  const std::vector<double> point{kMean};
  const auto replicates = model->generative().make_replicates(point);
  for (std::uint64_t k = 0; k < 200; ++k) {
    const std::vector<double> y = replicates->draw(point, 300 + k);
    EXPECT_GE(y[1], 2.0);
    EXPECT_GE(y[3], 2.0);
  }
}

// The indicator of censored rows is data that nothing simulates.
TEST(censored_replicates, are_no_simulated_data) {
  const auto model = censored_model(kForms[0].model);
  const std::vector<double> point{kMean};
  EXPECT_THROW(model->generative().make_replicates(point)->data_text(), Error);
}

// Rows with a bound in the program aren't replicated, because their elements are unknown.
TEST(censored_replicates, of_a_bound_of_the_program_are_refused) {
  const auto model = censored_model(kForms[1].model);
  const density::Capability can = model->generative().can_replicate(std::vector{kMean});
  EXPECT_FALSE(can.can);
  EXPECT_FALSE(can.hint.empty());
}

}  // namespace
}  // namespace credo::model::survival_rows_test
