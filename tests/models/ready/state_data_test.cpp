// Rows and new data of ready-made models, against sums over all labels and known moments.
#include "models/ready/state_data.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "models/ready/ready_models.hpp"
#include "numerics/log_sum.hpp"

namespace credo::models::state_data_test {
namespace {

std::vector<double> rows_of(const density::Model& model, std::span<const double> state) {
  std::vector<double> rows(static_cast<std::size_t>(model.num_rows()));
  density::Request request{.position = state, .gradient = {}, .status = {}, .pointwise = rows};
  model.make_evaluator()->evaluate(density::Want::pointwise, std::array{&request});
  EXPECT_TRUE(request.status.ok()) << model.describe(request.status);
  return rows;
}

double log_density(const density::Model& model, std::span<const double> state) {
  density::Request request{.position = state, .gradient = {}, .status = {}};
  model.make_evaluator()->evaluate(density::Want::value, std::array{&request});
  return request.log_density;
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Two components in two dimensions; the state with these labels.
std::vector<double> mixture_state(std::span<const double> labels) {
  std::vector<double> state = {0.3, 0.7, -1.0, 1.0, 0.5,  0.0, 1.0,
                               2.0, 0.2, -0.1, 0.2, -0.1, 0.5, 1.0};
  state.insert(state.end(), labels.begin(), labels.end());
  return state;
}
Ready mixture_model() {
  return gaussian_mixture_model({-0.8, 0.1, 1.4, 0.2, 0.3, -0.4},
                                {.concentrations = {1.0, 1.0},
                                 .mean = {0.0, 0.0},
                                 .mean_covariance = RowMatrix(2, 2, {1.0, 0.0, 0.0, 1.0}),
                                 .scale = RowMatrix(2, 2, {1.0, 0.0, 0.0, 1.0}),
                                 .dof = 4.0});
}

// The sum of the complete density over all labels is the likelihood; the prior of the parameters is the same in every term.
TEST(StateData, rows_of_a_mixture_are_its_density_without_labels) {
  const Ready mixture = mixture_model();
  const density::Model& model = *mixture.model;
  ASSERT_EQ(model.num_rows(), 3);
  const auto place = *model.outputs().find("log_complete");
  std::vector<double> complete;
  for (int code = 0; code < 8; ++code) {
    const std::vector<double> labels = {double(code & 1), double(code >> 1 & 1), double(code >> 2)};
    Rng rng({.seed = 1});
    const auto row = model.writers()->write(mixture_state(labels), rng);
    complete.push_back(row[static_cast<std::size_t>(place)]);
  }
  const auto rows = rows_of(model, mixture_state(std::vector{0.0, 1.0, 0.0}));
  EXPECT_NEAR(sum(rows), numerics::log_sum_exp(complete), 1e-12);
  EXPECT_EQ(rows, rows_of(model, mixture_state(std::vector{1.0, 1.0, 1.0})));
  // A planted fault: rows of given labels aren't the density without labels.
  EXPECT_GT(std::abs(complete[2] - numerics::log_sum_exp(complete)), 0.1);
}

TEST(StateData, rows_of_a_normal_differ_from_its_density_by_the_prior) {
  const Ready normal = normal_precision_model(
      {1.2, 0.7, 2.1}, {.mean = 1.0, .mean_precision = 0.5, .shape = 2.0, .rate = 1.5});
  const auto prior = [](double mean, double precision) {
    return std::log(precision) - 1.5 * precision - 0.25 * (mean - 1.0) * (mean - 1.0);
  };
  const auto rest = [&](double mean, double precision) {
    const std::vector<double> state = {mean, precision};
    return log_density(*normal.model, state) - sum(rows_of(*normal.model, state)) -
           prior(mean, precision);
  };
  EXPECT_NEAR(rest(0.4, 0.3), rest(1.9, 2.5), 1e-12);
  EXPECT_NEAR(rest(0.4, 0.3), 1.5 * std::log(2.0 * std::numbers::pi), 1e-12);
}

// Means over replicates, and their z-scores against what the state says.
double largest_z(const density::Model& model, std::span<const double> state,
                 std::span<const double> expected) {
  constexpr int kDraws = 4000;
  const auto replicates = model.generative_side()->make_replicates(state);
  std::vector<double> total(expected.size(), 0.0), squares(expected.size(), 0.0);
  for (int k = 0; k < kDraws; ++k) {
    const auto drawn = replicates->draw(state, static_cast<std::uint64_t>(k));
    for (std::size_t i = 0; i < expected.size(); ++i)
      total[i] += drawn[i], squares[i] += drawn[i] * drawn[i];
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double mean = total[i] / kDraws, variance = squares[i] / kDraws - mean * mean;
    largest = std::max(largest, std::abs(mean - expected[i]) / std::sqrt(variance / kDraws));
  }
  return largest;
}
constexpr double kLimit = 4.5;  // of up to 6 means

TEST(StateData, new_points_of_a_mixture_have_its_mean_whatever_the_labels_are) {
  const Ready mixture = mixture_model();
  const auto state = mixture_state(std::vector{0.0, 0.0, 0.0});
  const double x = 0.3 * -1.0 + 0.7 * 1.0, y = 0.3 * 0.5;
  EXPECT_LT(largest_z(*mixture.model, state, std::vector{x, y, x, y, x, y}), kLimit);
  // A planted fault: the mean of the first component, which the labels name.
  EXPECT_GT(largest_z(*mixture.model, state, std::vector{-1.0, 0.5, -1.0, 0.5, -1.0, 0.5}), kLimit);
}

TEST(StateData, new_numbers_of_a_normal_have_its_mean) {
  const Ready normal = normal_precision_model({1.2, 0.7, 2.1}, {});
  const std::vector<double> state = {0.6, 4.0};
  EXPECT_LT(largest_z(*normal.model, state, std::vector(3, 0.6)), kLimit);
  EXPECT_GT(largest_z(*normal.model, state, std::vector(3, 0.65)), kLimit);
}

// The marginal distributions of the states follow from the initial one and the transitions, not from the path.
TEST(StateData, new_symbols_are_those_of_a_new_path) {
  const Ready hidden = hidden_markov_model({0, 1, 0}, {.num_states = 2, .num_symbols = 2});
  const std::vector<double> state = {0.2, 0.8, 0.9, 0.3, 0.1, 0.7, 0.6, 0.1, 0.4, 0.9, 0, 0, 0};
  std::vector<double> expected;
  for (double first = 0.2; expected.size() < 3; first = 0.9 * first + 0.3 * (1.0 - first))
    expected.push_back(0.4 * first + 0.9 * (1.0 - first));
  EXPECT_LT(largest_z(*hidden.model, state, expected), kLimit);
  EXPECT_GT(largest_z(*hidden.model, state, std::vector(3, 0.4)), kLimit);  // of the state's path
  EXPECT_EQ(hidden.model->num_rows(), 0);
}

TEST(StateData, models_without_it_say_so) {
  const Ready lattice = lattice_model(Lattice::potts({.rows = 2, .cols = 2}), LatticeKernel::sweep);
  EXPECT_FALSE(lattice.model->data_values());
  EXPECT_FALSE(lattice.model->generative_side());
  EXPECT_FALSE(can_replicate(*lattice.model, {}).can);
  EXPECT_NE(lattice.model->generative_side().why_not().reason, "");
  EXPECT_THROW(lattice.model->asking({.terms = density::Terms::prior}), Error);
}

}  // namespace
}  // namespace credo::models::state_data_test
