// Values have a program of their own; the default path of decisions is the one that points take;
// lp__ leaves out the constants of each draw's own path.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/rng.hpp"
#include "model/majority.hpp"
#include "support/text_model.hpp"

namespace credo::model::values_test {
namespace {

// A normal distribution on one side and a Cauchy distribution on the other: their constants differ.
constexpr const char* kTwoPaths = R"(
  data { int N; vector[N] y; }
  parameters { real mu; real<lower=0> s; }
  model {
    s ~ exponential(1);
    if (mu > 0.5) { for (n in 1:N) y[n] ~ normal(mu, s); }
    else { for (n in 1:N) y[n] ~ cauchy(mu, s); }
  })";
constexpr const char* kData = R"({"N": 3, "y": [0.3, 1.2, -0.4]})";

density::Request asked(density::Evaluator& evaluator, density::Want want,
                       std::span<const double> point, std::span<double> gradient) {
  density::Request request{.position = point, .gradient = gradient, .status = {}};
  evaluator.evaluate(want, std::array{&request});
  return request;
}

// Both are sums of the same terms; passes may round their parts differently.
void expect_equal_values(const Model& model, std::uint64_t seed) {
  const auto evaluator = model.make_evaluator();
  std::vector<double> point(static_cast<std::size_t>(model.dimension())), gradient(point.size());
  Rng rng({.seed = seed, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (int k = 0; k < 20; ++k) {
    for (double& x : point) x = 4.0 * rng.uniform() - 2.0;
    const auto value = asked(*evaluator, density::Want::value, point, {});
    const auto both = asked(*evaluator, density::Want::gradient, point, gradient);
    ASSERT_EQ(value.status.ok(), both.status.ok());
    if (!value.status.ok()) continue;
    EXPECT_NEAR(value.log_density, both.log_density, 1e-11 * (1.0 + std::fabs(both.log_density)));
    EXPECT_EQ(value.dropped, both.dropped);
  }
}

// More rows than a block of sums has; X and the slopes are large enough for outcomes that are
// certain.
constexpr const char* kLogistic = R"(
  transformed data {
    matrix[2000, 2] X;
    array[2000] int y;
    for (n in 1:2000) { X[n] = [20 * sin(1.7 * n), cos(0.3 * n)]; y[n] = X[n, 1] > 0.4; }
  }
  parameters { real a; vector[2] b; }
  model { a ~ normal(0, 3); b ~ normal(0, 1); y ~ bernoulli_logit(a + X * b); })";

TEST(values, equal_those_beside_gradients) {
  expect_equal_values(*model_from(kTwoPaths, kData), 1);
  expect_equal_values(*model_from(kLogistic), 3);
  for (const auto& entry : std::filesystem::directory_iterator(CREDO_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".stan") continue;
    lang::Diagnostics diagnostics;
    lang::SourceMap source;
    auto program = compile_file(entry.path().string(), diagnostics, source);
    const std::string data = entry.path().string().substr(0, entry.path().string().size() - 5);
    SCOPED_TRACE(entry.path().string());
    const Model model(program, io::read_json_data(data + ".data.json"), {});
    if (model.discrete_block().size() == 0) expect_equal_values(model, 2);
  }
}

TEST(values, are_traced_without_a_gradient) {
  const auto model = model_from(kTwoPaths, kData);
  const std::vector<double> point{1.0, 0.0};
  const auto value = model->trace(point, Model::Order::value);
  const auto gradient = model->trace(point, Model::Order::gradient);
  EXPECT_FALSE(value->has_gradient);
  EXPECT_LT(value->num_nodes, gradient->num_nodes);
}

TEST(values, of_logistic_regressions_take_one_logarithm_for_many_rows) {
  const auto model = model_from(kLogistic);
  const std::vector<double> point(3, 0.1);
  const auto dump_of = [&](Model::Order order) {
    return model->trace(point, order)->program->dump();
  };
  EXPECT_NE(dump_of(Model::Order::value).find("sum_log1p_exp"), std::string::npos);
  EXPECT_EQ(dump_of(Model::Order::gradient).find("sum_log1p_exp"), std::string::npos);
}

TEST(values, tell_the_constants_of_each_path) {
  const auto model = model_from(kTwoPaths, kData);
  const auto evaluator = model->make_evaluator();
  EXPECT_FALSE(model->densities().dropped(std::vector<double>{0.0, 0.0}));
  for (const double mu : {1.0, -1.0, 2.0}) {
    const std::vector<double> point{mu, 0.3};
    const auto value = asked(*evaluator, density::Want::value, point, {});
    EXPECT_EQ(value.dropped, model->evaluate_in_full(point).dropped) << mu;
  }
  const double normal = -1.5 * std::log(2.0 * M_PI), cauchy = -3.0 * std::log(M_PI);
  EXPECT_NEAR(asked(*evaluator, density::Want::value, std::vector<double>{1.0, 0.0}, {}).dropped,
              normal, 1e-12);
  EXPECT_NEAR(asked(*evaluator, density::Want::value, std::vector<double>{0.0, 0.0}, {}).dropped,
              cauchy, 1e-12);
}

TEST(values, one_path_has_one_constant) {
  const auto model = model_from("parameters { real x; } model { x ~ std_normal(); }");
  const auto dropped = model->densities().dropped(std::vector<double>{0.0});
  ASSERT_TRUE(dropped);
  EXPECT_NEAR(*dropped, -0.5 * std::log(2.0 * M_PI), 1e-12);
}

// The first path answers for points beyond it as long as it has the lead.
TEST(default_path, is_replaced_when_most_points_take_another) {
  Majority path;
  for (Index k = 0; k < Majority::kLead; ++k) path.count(false);
  EXPECT_FALSE(path.is_lost());
  path.count(false);
  EXPECT_TRUE(path.is_lost());
}

TEST(default_path, stays_where_it_has_its_share) {
  Majority path;
  for (int k = 0; k < 10000; ++k) path.count(k % 5 != 0);
  EXPECT_FALSE(path.is_lost());
  for (Index k = 0; k < Majority::kLead + 1; ++k) path.count(false);
  EXPECT_TRUE(path.is_lost());  // the past doesn't count
}

TEST(default_path, changes_no_value) {
  const auto model = model_from(kTwoPaths, kData);
  const auto used = model->make_evaluator();
  for (const double side : {1.0, -1.0, 1.0}) {
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> point{side * (0.6 + 0.01 * k), 0.1 * k};
      std::vector<double> gradient(2), fresh_gradient(2);
      const auto late = asked(*used, density::Want::gradient, point, gradient);
      const auto fresh =
          asked(*model->make_evaluator(), density::Want::gradient, point, fresh_gradient);
      EXPECT_EQ(late.log_density, fresh.log_density);
      EXPECT_EQ(gradient, fresh_gradient);
    }
  }
}

}  // namespace
}  // namespace credo::model::values_test
