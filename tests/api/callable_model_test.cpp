// Densities of models by C++ callables: their queries, their memory, and parameters that aren't finite.
#include "api/callable_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "density/state_space.hpp"
#include "support/alloc_count.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::callable_model_test {
namespace {
using density::Request;
using density::Terms;
using density::Want;
constexpr double kRounding = 1e-13;  // sums of a few numbers of size 1

// tau > 0 is exponential, and y_i = 0.5 + 0.25 i given tau is exponential with rate tau.
double outcome(Index row) { return 0.5 + 0.25 * static_cast<double>(row); }
Callable exponential_rows() {
  Callable callable;
  callable.with_gradient = [](std::span<const double> theta, std::span<double> gradient) {
    gradient[0] += -1.0;
    return -theta[0];
  };
  callable.rows =
      Rows{.count = 4,
           .log_density = [](std::span<const double> theta, Index row, std::span<double> gradient) {
             gradient[0] += 1.0 / theta[0] - outcome(row);
             return std::log(theta[0]) - outcome(row) * theta[0];
           }};
  return callable;
}
std::shared_ptr<const density::Model> positive_model(Callable callable) {
  Parameters parameters;
  parameters.real("tau", lower(0));
  return make_callable_model("callable", parameters, std::move(callable));
}

struct Found {
  double log_density, slope;
};
Found at(const density::LogDensity& density, double x) {
  double slope = 0.0;
  Request request{.position = std::span(&x, 1), .gradient = std::span(&slope, 1), .status = {}};
  density.make_evaluator()->evaluate(Want::gradient, std::array{&request});
  EXPECT_TRUE(request.status.ok());
  return {request.log_density, slope};
}

TEST(callable_model, a_gradient_of_the_likelihood_alone_allocates_nothing) {
  const auto model = positive_model(exponential_rows());
  const auto likelihood = model->asking({.terms = Terms::likelihood});
  const auto evaluator = likelihood->make_evaluator();
  std::vector<double> x{0.1, -0.4}, slopes(2, 0.0);
  std::vector<Request> requests;
  for (std::size_t k = 0; k < 2; ++k)
    requests.push_back(
        {.position = std::span(&x[k], 1), .gradient = std::span(&slopes[k], 1), .status = {}});
  const std::array<Request*, 2> batch{&requests[0], &requests[1]};
  evaluator->evaluate(Want::gradient, batch);
  const testing::AllocationCount count;
  evaluator->evaluate(Want::gradient, batch);
  EXPECT_EQ(count.value(), 0);
  for (std::size_t k = 0; k < 2; ++k)  // d/dx (4 x - 3.5 e^x)
    EXPECT_NEAR(slopes[k], 4.0 - 3.5 * std::exp(x[k]), 10.0 * kRounding);
}

TEST(callable_model, a_density_without_some_rows_reports_none) {
  const auto model = positive_model(exponential_rows());
  const auto rest = model->asking({.without = {1, 3}});
  EXPECT_EQ(model->num_rows(), 4);
  EXPECT_EQ(rest->num_rows(), 0);
  const double x = 0.2, tau = std::exp(x);  // rows 0 and 2, the prior and the Jacobian
  EXPECT_NEAR(at(*rest, x).log_density, 3.0 * x - (1.0 + outcome(0) + outcome(2)) * tau, kRounding);
  std::vector<double> rows(4, 0.0);
  Request request{.position = std::span(&x, 1), .gradient = {}, .status = {}, .pointwise = rows};
  model->make_evaluator()->evaluate(Want::pointwise, std::array{&request});
  for (Index row = 0; row < 4; ++row)
    EXPECT_NEAR(rows[static_cast<std::size_t>(row)], x - outcome(row) * tau, kRounding);
  EXPECT_THROW(rest->make_evaluator()->evaluate(Want::pointwise, std::array{&request}), Error);
}

// The Jacobian counts once whatever the power.
TEST(callable_model, a_query_that_states_no_power_keeps_that_of_its_model) {
  const auto model = positive_model(exponential_rows());
  const auto half = model->asking({.power = 0.5});
  const auto of_half = half->asking({.terms = Terms::likelihood});
  EXPECT_EQ(of_half->query().power, 0.5);
  EXPECT_EQ(half->asking({.power = 0.25})->query().power, 0.25);
  const double x = 0.2, tau = std::exp(x);
  EXPECT_NEAR(at(*of_half, x).log_density, 0.5 * (4.0 * x - 3.5 * tau), kRounding);
  EXPECT_NEAR(at(*half->prior(), x).log_density, x - 0.5 * tau, kRounding);
}

TEST(callable_model, a_state_space_never_sees_parameters_that_are_not_finite) {
  Callable callable;
  callable.with_gradient = exponential_rows().with_gradient;
  const auto nothing = [](std::span<const double>, Random&, std::span<double>) {};
  callable.states =
      StateSpace{.num_times = 2,
                 .draw_initial = nothing,
                 .draw_transition = [](std::span<const double>, Index, std::span<const double>,
                                       Random&, std::span<double>) {},
                 .log_observation = [](std::span<const double>, Index,
                                       std::span<const double>) { return 0.0; }};
  const auto model = positive_model(std::move(callable));
  const auto space = model->make_state_space();
  EXPECT_EQ(space->at(std::array{0.0}).num_times(), 2);
  for (const double x : {800.0, std::nan("")}) try {  // exp(800) overflows
      space->at(std::array{x});
      ADD_FAILURE() << "takes " << x;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::evaluation);
      EXPECT_NE(std::string(error.what()).find("parameter number 1 is"), std::string::npos);
    }
}

}  // namespace
}  // namespace credo::callable_model_test
