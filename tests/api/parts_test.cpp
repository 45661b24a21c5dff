// Models by callables whose parts are known reach the samplers that need them, and give the answers of the Stan program that
// states the same.

#include "api/support.hpp"

namespace credo::parts_test {
namespace {

double log_normal_prior(std::span<const double> theta, std::span<double> gradient) {
  gradient[0] += -theta[0] / 4.0;
  return log_normal_density(theta[0], 0.0, 2.0);
}
const Prior kPrior{
    .log_density = log_normal_prior,
    .draw = [](Random& random, std::span<double> theta) { theta[0] = 2.0 * random.normal(); }};
const std::vector<double> kData{0.8, -0.1, 1.9, 0.4, 1.2, 0.6};

Parameters one_number() {
  Parameters parameters;
  parameters.real("mu");
  return parameters;
}

// mu | y is normal; its precision is 1/4 + n.
struct Exact {
  double mean = 0.0, sd = 0.0;
};
Exact exact() {
  double sum = 0.0;
  for (const double y : kData) sum += y;
  const double precision = 0.25 + static_cast<double>(kData.size());
  return {sum / precision, 1.0 / std::sqrt(precision)};
}

Model model_of_rows() {
  const Rows rows{
      .count = static_cast<Index>(kData.size()),
      .log_density = [](std::span<const double> theta, Index row, std::span<double> gradient) {
        const double y = kData[static_cast<std::size_t>(row)];
        gradient[0] += y - theta[0];
        return log_normal_density(y, theta[0], 1.0);
      }};
  return with_rows(one_number(), kPrior, rows);
}

TEST(parts, rows_add_up_to_the_log_density_and_its_gradient) {
  const Model whole = stan_text(
      "data { vector[6] y; } parameters { real mu; } model { target += normal_lpdf(mu | 0, 2); "
      "target += normal_lpdf(y | mu, 1); }",
      R"({"y": [0.8, -0.1, 1.9, 0.4, 1.2, 0.6]})");
  const std::vector<double> point{0.3};
  const Evaluation expected = whole.evaluate(point), found = model_of_rows().evaluate(point);
  EXPECT_NEAR(found.log_density, expected.log_density, 1e-12);
  EXPECT_NEAR(found.gradient[0], expected.gradient[0], 1e-12);
}

TEST(parts, rows_reach_sequential_monte_carlo_row_by_row) {
  for (const bool core : {false, true}) {
    SampleOptions options{.sampler = "ibis", .chains = 2, .draws = 1000, .seed = 3};
    if (core) options.options = {{"core-set", 4}};
    const Fit fit = sample(model_of_rows(), options);
    // 2,000 particles: 6 standard errors; a core set is an approximation.
    EXPECT_NEAR(fit.summary("mu").mean, exact().mean, core ? 0.2 : 6.0 * exact().sd / 44.0);
    EXPECT_NEAR(fit.summary("mu").sd, exact().sd, core ? 0.2 : 0.06);
  }
}

// The gradient of the rows alone lacks the slope of the Jacobian.
TEST(parts, rows_of_constrained_parameters_leave_the_jacobian_to_the_prior) {
  Parameters parameters;
  parameters.real("tau", lower(0));
  const Prior prior{
      .log_density =
          [](std::span<const double> theta, std::span<double> gradient) {
            gradient[0] += -1.0;
            return -theta[0];
          },
      .draw = [](Random& random, std::span<double> theta) { theta[0] = random.exponential(); }};
  const Rows rows{
      .count = 4,
      .log_density = [](std::span<const double> theta, Index row, std::span<double> gradient) {
        const double y = 0.5 + 0.25 * static_cast<double>(row);
        gradient[0] += 1.0 / theta[0] - y;
        return std::log(theta[0]) - y * theta[0];
      }};
  const Model model = with_rows(parameters, prior, rows);
  EXPECT_TRUE(check_gradient(model).ok()) << check_gradient(model).text();
  // tau | y ~ gamma(5, 1 + 3.5)
  for (const bool core : {false, true}) {
    SampleOptions options{.sampler = "ibis", .chains = 2, .draws = 1000, .seed = 4};
    options.options = {{"mover", "hmc_static"}};
    if (core) options.options["core-set"] = 4;
    const Fit fit = sample(model, options);
    EXPECT_NEAR(fit.summary("tau").mean, 5.0 / 4.5, 0.08);
  }
}

TEST(parts, a_simulator_reaches_approximate_bayesian_computation) {
  const Simulator simulator{
      .observed = {0.8, 1.0},
      .draw = [](std::span<const double> theta, Random& random, std::span<double> simulated) {
        for (double& y : simulated) y = theta[0] + 0.1 * random.normal();
      }};
  const Model model = with_simulator(one_number(), kPrior, simulator);
  EXPECT_EQ(model.names(), (std::vector<std::string>{"mu", "y_sim.1", "y_sim.2"}));
  SampleOptions options{.sampler = "abc_smc", .chains = 2, .draws = 200, .seed = 1};
  options.options = {{"simulated", "y_sim"}, {"observed", "y"}};
  const Fit fit = sample(model, options);
  EXPECT_NEAR(fit.summary("mu").mean, 0.9, 0.1);
  EXPECT_NE(message_of([&] { sample(model); }).find("abc_smc"), std::string::npos);
}

// A random walk that starts at mu, with noise 0.5, seen with noise 1; refuses mu above `highest`.
Model model_of_states(double highest = 1e9) {
  const StateSpace states{
      .num_times = static_cast<Index>(kData.size()),
      .draw_initial = [](std::span<const double> theta, Random& random,
                         std::span<double> state) { state[0] = theta[0] + 0.5 * random.normal(); },
      .draw_transition =
          [](std::span<const double>, Index, std::span<const double> previous, Random& random,
             std::span<double> state) { state[0] = previous[0] + 0.5 * random.normal(); },
      .log_observation =
          [highest](std::span<const double> theta, Index time, std::span<const double> state) {
            if (theta[0] > highest) throw Rejection("mu is too large");
            return log_normal_density(kData[static_cast<std::size_t>(time)], state[0], 1.0);
          }};
  return with_states(one_number(), kPrior, states);
}

TEST(parts, a_state_space_reaches_particle_markov_chains) {
  SampleOptions options{.sampler = "pmmh", .chains = 2, .warmup = 500, .draws = 2000, .seed = 5};
  const Fit fit = sample(model_of_states(), options);
  // y is normal with covariance 1_{i=j} + 0.25 min(i, j) given mu, by which mu | y is normal.
  const std::size_t n = kData.size();
  std::vector<double> lower(n * n, 0.0), y = kData, ones(n, 1.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.25 * static_cast<double>(j + 1) + (i == j ? 1.0 : 0.0);
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = i == j ? std::sqrt(sum) : sum / lower[j * n + j];
    }
  for (auto* v : {&y, &ones})
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) (*v)[i] -= lower[i * n + k] * (*v)[k];
      (*v)[i] /= lower[i * n + i];
    }
  double precision = 0.25, weighed = 0.0;
  for (std::size_t i = 0; i < n; ++i) precision += ones[i] * ones[i], weighed += ones[i] * y[i];
  const SummaryRow mu = fit.summary("mu");
  EXPECT_NEAR(mu.mean, weighed / precision, 6.0 * mu.mcse_mean + 0.01);
  EXPECT_NEAR(mu.sd, 1.0 / std::sqrt(precision), 6.0 * mu.mcse_sd + 0.01);
  EXPECT_NE(message_of([&] { sample(model_of_states()); }).find("pmmh"), std::string::npos);
}

TEST(parts, the_draws_are_the_same_for_any_number_of_threads) {
  SampleOptions options{.sampler = "pmmh", .chains = 2, .warmup = 20, .draws = 50, .seed = 5};
  options.threads = 1;
  const Fit one = sample(model_of_states(), options);
  options.threads = 2;
  const Fit two = sample(model_of_states(), options);
  const Draws a = one.draws("mu"), b = two.draws("mu");
  ASSERT_TRUE(std::ranges::equal(a.element(0), b.element(0)));
}

// Points above 1.5 are refused: the posterior is cut there.
TEST(parts, a_state_space_that_refuses_a_point_refuses_that_point_alone) {
  SampleOptions options{.sampler = "pmmh", .chains = 2, .warmup = 100, .draws = 500, .seed = 5};
  const Fit whole = sample(model_of_states(), options);
  const Fit cut = sample(model_of_states(1.5), options);
  const Draws all = whole.draws("mu"), below = cut.draws("mu");
  EXPECT_GT(std::ranges::max(all.element(0)), 1.5);
  EXPECT_LE(std::ranges::max(below.element(0)), 1.5);
}

TEST(parts, refuses_models_that_lack_a_part) {
  EXPECT_NE(message_of([] { with_rows(one_number(), kPrior, {}); }).find("row is empty"),
            std::string::npos);
  EXPECT_NE(message_of([] { with_states(one_number(), kPrior, {}); }).find("draw_initial"),
            std::string::npos);
  const Prior no_draws{.log_density = log_normal_prior};
  const Rows rows{.count = 1, .log_density = [](std::span<const double>, Index, std::span<double>) {
                    return 0.0;
                  }};
  SampleOptions options{.sampler = "ibis", .chains = 1, .draws = 100};
  EXPECT_NE(message_of([&] {
              sample(with_rows(one_number(), no_draws, rows), options);
            }).find("draws from it"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::parts_test
