// Terms and rows of a log density: prior and likelihood, statements, rows and batches of rows add up
// to the whole, values and gradients; what can't be told apart is refused with the way out.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/rng.hpp"
#include "support/text_model.hpp"

namespace credo::model::queries_test {
namespace {
using density::Terms;

struct Answer {
  double value = kNaN;
  std::vector<double> gradient;
};

Answer ask(const Model& model, std::span<const double> point, std::span<const double> rows = {},
           double weight = 1.0) {
  Answer answer{.value = kNaN, .gradient = std::vector<double>(point.size())};
  density::Request request{
      .position = point, .gradient = answer.gradient, .status = {}, .rows = rows, .weight = weight};
  model.make_evaluator()->evaluate(density::Want::gradient, std::array{&request});
  EXPECT_TRUE(request.status.ok()) << model.describe(request.status);
  answer.value = request.log_density;
  return answer;
}

Answer operator+(Answer a, const Answer& b) {
  a.value += b.value;
  for (std::size_t k = 0; k < a.gradient.size(); ++k) a.gradient[k] += b.gradient[k];
  return a;
}

// 1e-12 of the sizes that were added.
void expect_equal(const Answer& a, const Answer& b, double size) {
  EXPECT_NEAR(a.value, b.value, 1e-12 * (1.0 + size));
  for (std::size_t k = 0; k < a.gradient.size(); ++k)
    EXPECT_NEAR(a.gradient[k], b.gradient[k], 1e-11 * (1.0 + size));
}

std::vector<double> free_point(Index dimension, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  std::vector<double> point(static_cast<std::size_t>(dimension));
  for (double& x : point) x = rng.uniform(-0.8, 0.8);
  return point;
}

Answer by_statements(const Model& model, std::span<const double> point) {
  std::set<std::int32_t> statements;
  for (const TermSummary& term : model.trace(point)->terms) statements.insert(term.statement);
  Answer sum{.value = 0.0, .gradient = std::vector<double>(point.size())};
  for (const std::int32_t k : statements)
    sum = std::move(sum) + ask(*model.with({.terms = Terms::statement, .statement = k}), point);
  return sum;
}

std::vector<double> pointwise(const Model& model, std::span<const double> point) {
  std::vector<double> rows(static_cast<std::size_t>(model.num_rows()));
  density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = rows};
  model.make_evaluator()->evaluate(density::Want::pointwise, std::array{&request});
  EXPECT_TRUE(request.status.ok());
  return rows;
}

// Batches of 1, and of 3 where that divides the rows; weighed by 2 each, so that the weight counts.
void expect_batches_add_up(const Model& model, std::span<const double> point,
                           const Answer& likelihood, double size) {
  const std::vector<StatementRowCount> rows = model.rows(point);
  const Index count = rows.at(0).count;
  for (const Index batch : {Index{1}, Index{3}}) {
    if (count % batch != 0) continue;
    const auto asked = model.with({.terms = Terms::likelihood, .batch = batch});
    Answer sum{.value = 0.0, .gradient = std::vector<double>(point.size())};
    for (Index first = 0; first < count; first += batch) {
      std::vector<double> numbers;  // from behind, so that their order counts
      for (Index k = 0; k < batch; ++k) numbers.push_back(double(count - 1 - first - k));
      sum = std::move(sum) + ask(*asked, point, numbers, 2.0);
    }
    Answer twice = likelihood + likelihood;
    expect_equal(sum, twice, 2.0 * size);
  }
}

// All terms without the first row, without every second one and without any: what is left is the whole less these rows.
void expect_rows_can_be_left_out(const Model& model, std::span<const double> point,
                                 const Answer& all, double size) {
  const std::vector<double> rows = pointwise(model, point);
  std::vector<std::vector<Index>> some{{0}, {}, {}};
  for (Index i = 0; i < ssize(rows); ++i) {
    if (i % 2 == 1 || rows.size() == 1) some[1].push_back(i);
    some[2].push_back(i);
  }
  const auto prior = ask(*model.with({.terms = Terms::prior}), point);
  for (const std::vector<Index>& without : some) {
    double left_out = 0.0;
    for (const Index i : without) left_out += rows[static_cast<std::size_t>(i)];
    EXPECT_TRUE(model.can({.without = without}, point).can);
    const auto asked = model.with({.without = without});
    const Answer rest = ask(*asked, point);
    EXPECT_NEAR(rest.value, all.value - left_out, 1e-12 * (1.0 + size));
    const Answer likelihood =
        ask(*model.with({.terms = Terms::likelihood, .without = without}), point);
    expect_equal(prior + likelihood, rest, size);
    // By central differences of values, whose error is of the order of the step's square.
    for (std::size_t d = 0; d < point.size(); ++d) {
      constexpr double kStep = 1e-4;
      std::vector<double> up(point.begin(), point.end()), down = up;
      up[d] += kStep, down[d] -= kStep;
      EXPECT_NEAR(rest.gradient[d], (ask(*asked, up).value - ask(*asked, down).value) / (2 * kStep),
                  1e-5 * (1.0 + std::abs(rest.gradient[d])));
    }
  }
}

struct Case {
  std::string_view name, text, data;
  Index num_rows;  // of all statements
  bool in_batches = true;
};

constexpr std::string_view kData = R"({"N": 6, "K": 2, "y": [0.3, 1.2, -0.4, 2.1, 0.9, -1.3],
  "x": [[0.1, 1], [0.4, -1], [-0.2, 0.5], [1, 0.3], [-0.7, 0.2], [0.6, 0.8]], "z": [1, 0, 1, 1, 0, 1],
  "g": [1, 1, 2, 2, 3, 3], "c": [1, 2, 3, 1, 2, 3], "pairs": [[0.1, 0.2], [0.4, -0.3], [1.1, 0.7]]})";
constexpr std::string_view kDeclared = R"(data { int N, K; vector[N] y; matrix[N, K] x;
  array[N] int<lower=0, upper=1> z; array[N] int g; array[N] int c; array[3] vector[2] pairs; }
  parameters { real mu; real<lower=0> s; vector[K] beta; vector[3] theta; ordered[2] cut; }
  model { mu ~ normal(0, 2); s ~ exponential(1); beta ~ std_normal(); theta ~ normal(mu, s); cut ~ normal(0, 2); )";

constexpr std::array kCases{
    Case{"of_a_vector", "y ~ normal(mu, s);", kData, 6},
    Case{"of_an_increment", "target += student_t_lpdf(y | 4, x * beta + mu, s);", kData, 6},
    Case{"of_groups", "y ~ normal(theta[g], s);", kData, 6},
    Case{"of_a_loop", "for (n in 1:N) y[n] ~ normal(theta[g[n]] + x[n] * beta, s);", kData, 6},
    Case{"of_a_mixture",
         "for (n in 1:N) target += log_mix(inv_logit(mu), normal_lpdf(y[n] | 0, s), "
         "cauchy_lpdf(y[n] | 1, 1));",
         kData, 6},
    Case{"of_counts", "z ~ bernoulli_logit_glm(x, mu, beta);", kData, 6},
    Case{"of_ordered_outcomes", "c ~ ordered_logistic(x * beta, cut);", kData, 6},
    Case{"of_categories", "c ~ categorical_logit(theta);", kData, 6},
    Case{"of_counts_together", "z ~ multinomial(softmax(append_row(theta, theta)));", kData, 1},
    Case{"of_vectors", "pairs ~ multi_normal(beta, diag_matrix(rep_vector(s, 2)));", kData, 3},
    Case{"of_one_outcome", "y[1:2] ~ multi_normal(beta, diag_matrix(rep_vector(s, 2)));", kData, 1},
    Case{"of_truncated_outcomes", "for (n in 1:N) y[n] ~ normal(mu, s) T[-3, ];", kData, 6},
    Case{"of_a_truncated_vector", "y ~ normal(mu, s) T[-3, 4];", kData, 6},
    Case{"of_two_statements", "y ~ normal(mu, s); z ~ bernoulli_logit(x * beta);", kData, 12},
    Case{"of_data_in_a_local_variable", "vector[N] w = exp(y); w ~ lognormal(mu, s);", kData, 6},
    Case{"of_decisions_on_data",
         "for (n in 1:N) { if (z[n] == 1) y[n] ~ normal(mu, s); else target += normal_lccdf(y[n] | "
         "mu, s) + "
         "normal_lpdf(0.1 | mu, 1); }",
         kData, 6, false},
    Case{"of_data_and_parameters_side_by_side",
         "vector[N + 1] all = append_row(y, mu); all ~ normal(0, s);", kData, 6},
    Case{"of_sums", "target += sum(beta) + normal_lpdf(y | mu, s);", kData, 1},
    Case{"of_a_weighted_density", "target += K * normal_lpdf(y | mu, s);", kData, 6},
    Case{"of_weighted_rounds",
         "for (n in 1:N) target += c[n] * normal_lpdf(y[n] | theta[g[n]], s) / 3;", kData, 6},
    Case{"of_rounds_that_share_a_weight",
         "for (n in 1:N) { target += -(0.5 * x[1, 1] * student_t_lpdf(y[n] | 3, mu, s)); }", kData,
         6},
    Case{"of_a_difference", "target += 2 * normal_lpdf(y | mu, s) - normal_lpdf(y | 0, s) / K;",
         kData, 6},
    Case{"of_a_weighted_sum_with_a_prior",
         "target += 2 * (normal_lpdf(theta | mu, 1) + normal_lpdf(y | mu, s));", kData, 6},
    Case{"of_a_weight_by_parameters", "target += s * normal_lpdf(y | mu, 2);", kData, 6},
    Case{"of_a_weighted_mixture",
         "for (n in 1:N) target += c[n] * log_mix(0.3, normal_lpdf(y[n] | 0, s), "
         "cauchy_lpdf(y[n] | 1, 1));",
         kData, 6},
    Case{"beside_a_prior_with_its_constant",
         "target += student_t_lpdf(s | 3, 0, 1) - 1 * student_t_lccdf(0 | 3, 0, 1); y ~ normal(mu, "
         "s);",
         kData, 6},
    Case{"of_neighbours", "target += -0.5 * dot_self(theta[g] - theta[c]); y ~ normal(mu, s);",
         kData, 6},
};

class queries : public ::testing::TestWithParam<Case> {};

TEST_P(queries, add_up) {
  const Case& c = GetParam();
  const auto model =
      model_from(std::string(kDeclared) + std::string(c.text) + "}", std::string(c.data));
  const auto prior = model->with({.terms = Terms::prior}),
             likelihood = model->with({.terms = Terms::likelihood});
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<double> point = free_point(model->dimension(), seed);
    const Answer all = ask(*model, point), lik = ask(*likelihood, point),
                 before = ask(*prior, point);
    const double size = std::abs(lik.value) + std::abs(before.value);
    EXPECT_GT(std::abs(lik.value), 1e-3);
    expect_equal(before + lik, all, size);
    expect_equal(by_statements(*model, point), all, size);
    const std::vector<double> rows = pointwise(*model, point);
    EXPECT_EQ(ssize(rows), c.num_rows);
    EXPECT_NEAR(std::accumulate(rows.begin(), rows.end(), 0.0), lik.value, 1e-12 * (1.0 + size));
    if (c.in_batches) expect_batches_add_up(*model, point, lik, size);
    expect_rows_can_be_left_out(*model, point, all, size);
  }
}

INSTANTIATE_TEST_SUITE_P(rows, queries, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// Row by row against the formula, in the order of the loop.
// What a density of the program's own is of is said by its outcome, also where its body calls densities of
// what is made of data and parameters.
TEST(queries, of_a_density_of_the_programs_own_are_told_by_its_outcome) {
  const std::string functions =
      "functions { real near_lpdf(real y, real m) { return -0.5 * square(y - m); } "
      "real rest_lpdf(vector y, real m) { return normal_lpdf(y - m | 0, 1); } } ";
  struct Own {
    const char* statements;
    Index num_rows;
  };
  for (const Own& own :
       {Own{"for (n in 1:N) target += near_lpdf(y[n] | mu);", 6},
        Own{"for (n in 1:N) target += c[n] * near_lpdf(y[n] | mu);", 6},
        Own{"for (n in 1:N) y[n] ~ near(mu);", 6}, Own{"target += 2 * rest_lpdf(y | mu);", 6},
        Own{"y ~ rest(mu);", 6}, Own{"target += near_lpdf(mu | 1); y ~ normal(mu, s);", 6}}) {
    SCOPED_TRACE(own.statements);
    const auto model =
        model_from(functions + std::string(kDeclared) + own.statements + "}", std::string(kData));
    const std::vector<double> point = free_point(model->dimension(), 1);
    const Answer all = ask(*model, point),
                 prior = ask(*model->with({.terms = Terms::prior}), point),
                 likelihood = ask(*model->with({.terms = Terms::likelihood}), point);
    const double size = std::abs(all.value) + std::abs(prior.value) + std::abs(likelihood.value);
    expect_equal(prior + likelihood, all, size);
    const std::vector<double> rows = pointwise(*model, point);
    EXPECT_EQ(ssize(rows), own.num_rows);
    EXPECT_NEAR(std::accumulate(rows.begin(), rows.end(), 0.0), likelihood.value,
                1e-12 * (1.0 + size));
    EXPECT_NE(likelihood.value, 0.0);
  }
}

// It may return what was there before, which then is no density.
TEST(queries, of_a_density_that_returns_its_argument_do_not_make_a_parameter_data) {
  const auto model = model_from("functions { real same_lpdf(real y, real m) { return m; } } " +
                                    std::string(kDeclared) +
                                    "target += same_lpdf(y[1] | mu); target += -square(s); y ~ "
                                    "normal(mu, s); }",
                                std::string(kData));
  const std::vector<double> point = free_point(model->dimension(), 1);
  const density::Capability can = model->can({.terms = Terms::likelihood}, point);
  EXPECT_FALSE(can.can);
  EXPECT_NE(can.reason.find("written by hand reads data"), std::string::npos) << can.reason;
}

TEST(rows, lie_in_the_order_of_the_rounds) {
  const auto model = model_from(
      "data { int N; array[N] int k; matrix[N, 2] y; } parameters { real mu; } model { for (n in "
      "1:N) for "
      "(j in 1:2) y[n, j] ~ normal(mu, k[n]); }",
      R"({"N": 3, "k": [1, 2, 1], "y": [[1, 2], [3, 4], [5, 6]]})");
  const std::vector<double> point{0.5}, rows = pointwise(*model, point);
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const double scale = i / 2 == 1 ? 2.0 : 1.0, z = (double(i) + 0.5) / scale;
    EXPECT_NEAR(rows[i], -0.5 * z * z - std::log(scale) - 0.5 * std::log(2.0 * M_PI), 1e-13);
  }
}

// All examples: what can be asked adds up; the others say why.
TEST(queries, of_the_examples_add_up) {
  int answered = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CREDO_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".stan") continue;
    SCOPED_TRACE(entry.path().string());
    lang::Diagnostics diagnostics;
    lang::SourceMap source;
    auto program = compile_file(entry.path().string(), diagnostics, source);
    const std::string stem = entry.path().string().substr(0, entry.path().string().size() - 5);
    const Model model(program, io::read_json_data(stem + ".data.json"), {});
    const std::vector<double> point = free_point(model.dimension(), 3);
    const density::Capability split = model.can({.terms = Terms::likelihood}, point);
    EXPECT_TRUE(split.can || !split.reason.empty());
    if (!split.can) continue;
    ++answered;
    const Answer lik = ask(*model.with({.terms = Terms::likelihood}), point),
                 before = ask(*model.with({.terms = Terms::prior}), point);
    expect_equal(before + lik, ask(model, point), std::abs(lik.value) + std::abs(before.value));
  }
  EXPECT_GE(answered, 5);
}

struct Refused {
  std::string_view name, text, reason, hint;
  Index batch = 0;
};
constexpr std::array kRefused{
    Refused{"by_hand", "target += -0.5 * dot_self(y - mu);", "written by hand", "_lpdf(y | ...)"},
    Refused{"by_hand_through_a_variable",
            "real w = 0; for (n in 1:N) w += square(y[n] - mu); target += -w;", "written by hand",
            "_lpdf(y | ...)"},
    Refused{"of_residuals", "vector[N] rest = y - mu; rest ~ normal(0, s);",
            "made of data and parameters", "the data alone"},
    Refused{"of_densities_that_meet",
            "target += log_sum_exp(normal_lpdf(y[1] | mu, s), normal_lpdf(mu | 0, s));", "at once",
            "a statement for the data"},
    Refused{"of_other_numbers_of_rows",
            "y ~ normal(mu, s); pairs ~ multi_normal(beta, diag_matrix(rep_vector(1, 2)));",
            "6 and 3 rows", "the same rows", 2},
};
class splits : public ::testing::TestWithParam<Refused> {};

TEST_P(splits, are_refused) {
  const Refused& c = GetParam();
  const auto model =
      model_from(std::string(kDeclared) + std::string(c.text) + "}", std::string(kData));
  const std::vector<double> point = free_point(model->dimension(), 1);
  const density::Query query{.terms = Terms::likelihood, .batch = c.batch};
  const density::Capability can = model->can(query, point);
  EXPECT_FALSE(can.can);
  EXPECT_NE(can.reason.find(c.reason), std::string::npos) << can.reason;
  EXPECT_NE(can.hint.find(c.hint), std::string::npos) << can.hint;
  EXPECT_FALSE(can.where.empty());
  EXPECT_THROW(ask(*model->with(query), point), Error);
}

INSTANTIATE_TEST_SUITE_P(that, splits, ::testing::ValuesIn(kRefused),
                         [](const auto& c) { return std::string(c.param.name); });

constexpr const char* kByHand =
    "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); "
    "target += -0.5 * dot_self(y - mu); } generated quantities { real z = normal_rng(mu, 1); "
    "vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | MEAN, 1); }";

std::unique_ptr<Model> with_log_lik(const std::string& mean) {
  std::string text = kByHand;
  return model_from(text.replace(text.find("MEAN"), 4, mean), R"({"N": 3, "y": [1, 2, 4]})");
}

TEST(rows, of_terms_by_hand_are_those_of_log_lik) {
  const auto model = with_log_lik("mu");
  const std::vector<double> point{0.25}, rows = pointwise(*model, point);
  ASSERT_EQ(rows.size(), 3u);
  const std::array<double, 3> y{1, 2, 4};
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_NEAR(rows[n], -0.5 * (y[n] - 0.25) * (y[n] - 0.25) - 0.5 * std::log(2 * M_PI), 1e-13);
  EXPECT_EQ(model->rows(point)[0].count, 3);
}

// The generated quantities of a program whose likelihood is written by hand.
std::unique_ptr<Model> with_generated(const std::string& text) {
  return model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { "
      "target += -0.5 * dot_self(y - mu); } generated quantities { " +
          text + " }",
      R"({"N": 3, "y": [1, 2, 4]})");
}
constexpr const char* kLoop = "for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1);";

// What other generated quantities are, or refuse, is no concern of the rows.
TEST(rows, of_log_lik_stand_beside_random_outputs_with_bounds) {
  const auto model = with_generated(
      std::string("vector[N] log_lik; array[N] int<lower=0> z = poisson_rng(rep_vector(3, N)); "
                  "real<lower=0> w = abs(normal_rng(0, 1)); ") +
      kLoop);
  EXPECT_EQ(pointwise(*model, std::vector<double>{0.5}).size(), 3u);
}

TEST(rows, of_log_lik_that_has_no_value_are_no_random_ones) {
  const auto model = with_generated("vector[N] log_lik; log_lik[1] = mu; log_lik[2] = mu;");
  const std::vector<double> rows = pointwise(*model, std::vector<double>{0.5});
  EXPECT_EQ(rows[0], 0.5);
  EXPECT_TRUE(std::isnan(rows[2]));
}

TEST(rows, of_log_lik_that_random_numbers_decide_are_refused_for_every_seed) {
  const auto model = with_generated(
      std::string("vector[N] log_lik; ") + kLoop +
      " for (i in 1:2) { int b = bernoulli_rng(0.01); if (b == 1) log_lik[1] += 1; }");
  EXPECT_THROW(pointwise(*model, std::vector<double>{0.5}), Error);
}

TEST(rows, of_log_lik_that_is_refused_have_a_status) {
  const auto model = with_generated(std::string("vector<upper=0>[N] log_lik; ") + kLoop +
                                    " log_lik[1] = 1 - exp(mu);");
  EXPECT_EQ(pointwise(*model, std::vector<double>{0.5}).size(), 3u);
  std::vector<double> rows(3), point{-0.5};
  density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = rows};
  model->make_evaluator()->evaluate(density::Want::pointwise, std::array{&request});
  EXPECT_FALSE(request.status.ok());
}

TEST(rows, of_log_lik_serve_where_no_statement_adds_a_density_of_data) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ std_normal(); } "
      "generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | "
      "mu, "
      "1); }",
      R"({"N": 2, "y": [1, 2]})");
  EXPECT_EQ(pointwise(*model, std::vector<double>{0.5}).size(), 2u);
}

TEST(rows, of_terms_by_hand_are_refused_without_log_lik_and_with_random_ones) {
  const auto random = with_log_lik("z");
  EXPECT_THROW(pointwise(*random, std::vector<double>{0.25}), Error);
  try {
    random->rows(std::vector<double>{0.25});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("random numbers enter log_lik"), std::string::npos);
  }
  const auto none = model_from(
      "data { vector[2] y; } parameters { real mu; } model { target += -dot_self(y - mu); }",
      R"({"y": [1, 2]})");
  try {
    none->rows(std::vector<double>{0.0});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("log_lik"), std::string::npos) << error.hint();
  }
}

// Where discrete parameters are drawn, a row is the density of its outcome given them.
TEST(rows, are_those_given_discrete_parameters_that_are_drawn) {
  ModelOptions options;
  options.discrete = DiscreteUse::gibbs;
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real m; array[N] int<lower=0, upper=1> z; } model "
      "{ m ~ normal(0, 1); z ~ "
      "bernoulli(0.3); for (n in 1:N) y[n] ~ normal(m + 5 * z[n], 1); }",
      R"({"N": 3, "y": [0.5, 5.5, 1.0]})", options);
  const std::vector<double> point = {0.2, 0.0, 1.0, 1.0};
  const std::vector<double> rows = pointwise(*model, point);
  ASSERT_EQ(rows.size(), 3u);
  const std::vector<double> residuals = {0.3, 0.3, -4.2};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(rows[k], -0.5 * std::log(2.0 * M_PI) - 0.5 * residuals[k] * residuals[k], 1e-12);
}

TEST(rows, that_depend_on_parameters_are_refused) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { if (mu > 0) y ~ normal(mu, 1); "
      "else "
      "y[1] ~ normal(mu, 1); }",
      R"({"N": 3, "y": [1, 2, 3]})");
  EXPECT_EQ(model->rows(std::vector<double>{1.0})[0].count, 3);
  EXPECT_EQ(pointwise(*model, std::vector<double>{0.5}).size(), 3u);
  EXPECT_THROW(pointwise(*model, std::vector<double>{-0.5}), Error);
}

TEST(queries, of_batches_are_of_the_likelihood) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ "
      "normal(mu, 1); }",
      R"({"N": 2, "y": [1, 2]})");
  const std::vector<double> point{0.5};
  EXPECT_TRUE(model->can({.batch = 1}, point).can);
  for (const Terms terms : {Terms::prior, Terms::statement})
    EXPECT_FALSE(model->can({.terms = terms, .statement = 1, .batch = 1}, point).can);
}

TEST(queries, without_rows_of_log_lik_are_the_target_less_these) {
  const auto model = with_log_lik("mu");
  const std::vector<double> point{0.25}, rows = pointwise(*model, point);
  const Answer all = ask(*model, point);
  const density::Query query{.without = {0, 2}};
  EXPECT_TRUE(model->can(query, point).can);
  const Answer rest = ask(*model->with(query), point);
  EXPECT_NEAR(rest.value, all.value - rows[0] - rows[2], 1e-13);
  EXPECT_NEAR(rest.gradient[0], all.gradient[0] - (1 - 0.25) - (4 - 0.25), 1e-13);
  EXPECT_THROW(ask(*with_log_lik("z")->with(query), point), Error);  // random numbers enter it
}

TEST(queries, without_rows_are_refused_where_there_are_none_or_a_part_of_them) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ "
      "normal(mu, 1); }",
      R"({"N": 2, "y": [1, 2]})");
  const std::vector<double> point{0.5};
  EXPECT_THROW(ask(*model->with({.without = {2}}), point), Error);
  EXPECT_FALSE(model->can({.batch = 1, .without = {0}}, point).can);
  EXPECT_FALSE(model->can({.terms = Terms::prior, .without = {0}}, point).can);
  EXPECT_EQ(model->with({.without = {0}})->num_rows(), 0);
  const auto hand = model_from(
      "data { vector[2] y; } parameters { real mu; } model { target += -dot_self(y - mu); }",
      R"({"y": [1, 2]})");
  const density::Capability can = hand->can({.without = {0}}, point);
  EXPECT_FALSE(can.can);
  EXPECT_NE(can.reason.find("written by hand"), std::string::npos) << can.reason;
}

TEST(model, with_other_observations_is_that_of_these_data) {
  const std::string text =
      "data { int N; matrix[N, 2] y; array[N] int z; real x; } parameters { real mu; } model { "
      "to_vector(y) ~ normal(mu + x, 1); z ~ poisson_log(mu); }";
  const auto model = model_from(text, R"({"N": 2, "y": [[1, 2], [3, 4]], "z": [5, 6], "x": 0.5})"),
             other = model_from(text, R"({"N": 2, "y": [[7, 8], [9, 10]], "z": [1, 0], "x": 0.5})");
  std::vector<density::ObservedVariable> data = model->data().observed();
  const std::vector<density::ObservedVariable> wanted = other->data().observed();
  ASSERT_EQ(data.size(), wanted.size());
  for (std::size_t k = 0; k < data.size(); ++k) data[k].values = wanted[k].values;
  const auto made = model->with_observed(data);
  const std::vector<double> point{0.3};
  density::Request request{.position = point, .gradient = {}, .status = {}};
  made->make_evaluator()->evaluate(density::Want::value, std::array{&request});
  EXPECT_EQ(request.log_density, ask(*other, point).value);
}

// What a likelihood requires of its arguments is no concern of the prior.
TEST(queries, of_the_prior_leave_the_checks_of_the_likelihood) {
  const auto model =
      model_from("parameters { real s; } model { s ~ normal(0, 1); 2.0 ~ normal(0, s); }", "{}");
  const std::vector<double> point{-1.0};
  EXPECT_NEAR(ask(*model->with({.terms = Terms::prior}), point).value, -0.5 - 0.91893853320467274,
              1e-14);
}

}  // namespace
}  // namespace credo::model::queries_test
