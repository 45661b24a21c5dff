// State-space models stated by programs: what their functions are called with, what their particles' weights are, and what is said
// where a function isn't right.
#include "model/states/state_model.hpp"

#include "model/states/kalman_run.hpp"
#include "support/text_model.hpp"

namespace credo::model::state_model_test {
namespace {
using density::Kernel;
constexpr Index kBlock = density::StateSpace::kBlock;

// A vector state with everything that an argument may be: the time, a covariate of each time, data and parameters as they are,
// transformed ones, and a matrix of which each time has a row.
const std::string kFunctions = R"(
functions {
  vector initial_rng(vector s) { return [normal_rng(0.5, 1), normal_rng(0, s[2])]'; }
  real initial_lpdf(vector x, vector s) { return normal_lpdf(x[1] | 0.5, 1) + normal_lpdf(x[2] | 0, s[2]); }
  vector transition_rng(vector before, int t, real u, matrix A, vector s) {
    vector[2] m = A * before;
    return [normal_rng(m[1] + u, s[1]), normal_rng(m[2] + 0.1 * t, s[2])]';
  }
  real transition_lpdf(vector x, vector before, int t, real u, matrix A, vector s) {
    vector[2] m = A * before;
    return normal_lpdf(x[1] | m[1] + u, s[1]) + normal_lpdf(x[2] | m[2] + 0.1 * t, s[2]);
  }
  real observation_lpdf(real y, vector x, row_vector Z, real r) {
    return normal_lpdf(y | Z[1] * x[1] + Z[2] * x[2], r);
  }
}
)";
const std::string kRest = R"(
data { int T; vector[T] y; array[T] real u; matrix[2, 2] A; matrix[T, 2] Z; }
parameters { vector<lower=0>[2] s; real log_r; array[T] vector[2] x; }
transformed parameters { real r = exp(log_r); }
model { s ~ normal(0, 1); }
)";
const std::string kData =
    R"({"T": 4, "y": [0.3, "NaN", 1.2, -0.4], "u": [0, 0.2, 0.4, 0.6], "A": [[0.9, 0.2], [-0.1, 0.7]],
                              "Z": [[1, 0], [1, 0.5], [0.3, 1], [1, 1]]})";
const std::string kAt = R"({"s": [0.5, 0.8], "log_r": -0.5})";

std::vector<double> position_at(const Model& model, const std::string& values) {
  const std::vector<double> none(static_cast<std::size_t>(model.dimension()), kNaN);
  return model.unconstrain(io::parse_json_data(values, "at"), none);
}

double log_normal(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - 0.91893853320467274178;
}

struct Moved {
  std::vector<double> next, log_weights;
};
Moved move(density::StateMover& mover, Index elements, density::ParticleBlock block,
           std::span<const double> previous = {}) {
  Moved moved{std::vector<double>(static_cast<std::size_t>(elements * kBlock)),
              std::vector<double>(static_cast<std::size_t>(kBlock))};
  block.count = kBlock;
  block.previous = previous.empty() ? nullptr : previous.data();
  block.next = moved.next.data();
  block.log_weights = moved.log_weights.data();
  mover.move(block);
  return moved;
}

void expect_mean(std::span<const double> x, double mean, double sd) {
  double sum = 0.0;
  for (const double v : x) sum += v / double(x.size());
  EXPECT_NEAR(sum, mean, 5.0 * sd / std::sqrt(double(x.size())));
}

TEST(state_model, calls_its_functions_with_the_variables_of_their_names) {
  const auto model = model_from(kFunctions + kRest, kData);
  const StateModel states(*model, position_at(*model, kAt));
  EXPECT_EQ(states.num_times(), 4);
  EXPECT_EQ(states.state().element_names(), (std::vector<std::string>{"x.1", "x.2"}));
  EXPECT_EQ(states.parameters_read(), (std::vector<std::string>{"s", "r"}));
  EXPECT_TRUE(states.is_observed(0));
  EXPECT_FALSE(states.is_observed(1));
  const auto mover = states.make_mover(Kernel::bootstrap);
  const Moved first = move(*mover, 2, {.time = 0, .seed = 3});
  expect_mean(std::span(first.next).first(kBlock), 0.5, 1.0);
  expect_mean(std::span(first.next).subspan(kBlock), 0.0, 0.8);
  const double r = std::exp(-0.5);
  for (std::size_t i = 0; i < kBlock; ++i)
    EXPECT_NEAR(first.log_weights[i], log_normal(0.3, first.next[i], r), 1e-12);
  const Moved second = move(*mover, 2, {.time = 1, .seed = 4}, first.next);
  for (std::size_t i = 0; i < kBlock; ++i) EXPECT_EQ(second.log_weights[i], 0.0);  // missing
  const Moved third = move(*mover, 2, {.time = 2, .seed = 5}, second.next);
  std::vector<double> errors[2];
  for (std::size_t i = 0; i < kBlock; ++i) {
    const double a = second.next[i], b = second.next[i + kBlock], x = third.next[i],
                 z = third.next[i + kBlock];
    EXPECT_NEAR(third.log_weights[i], log_normal(1.2, 0.3 * x + z, r), 1e-12);
    errors[0].push_back(x - (0.9 * a + 0.2 * b + 0.4));
    errors[1].push_back(z - (-0.1 * a + 0.7 * b + 0.3));
  }
  expect_mean(errors[0], 0.0, 0.5);
  expect_mean(errors[1], 0.0, 0.8);
  EXPECT_EQ(states.how_it_moves(), "columns of 512 particles");
}

TEST(state_model, draws_by_seed_and_particle_alone) {
  const auto model = model_from(kFunctions + kRest, kData);
  const StateModel states(*model, position_at(*model, kAt));
  const auto a = states.make_mover(Kernel::bootstrap), b = states.make_mover(Kernel::bootstrap);
  const Moved one = move(*a, 2, {.time = 0, .first = 512, .seed = 3});
  move(*b, 2, {.time = 0, .first = 0, .seed = 3});
  EXPECT_EQ(move(*b, 2, {.time = 0, .first = 512, .seed = 3}).next, one.next);
  EXPECT_NE(move(*b, 2, {.time = 0, .first = 0, .seed = 3}).next, one.next);
  EXPECT_NE(move(*b, 2, {.time = 0, .first = 512, .seed = 4}).next, one.next);
}

// A decision on the state makes no columns: particles move eight at a time, by the same distribution.
TEST(state_model, takes_states_that_decide_and_whole_ones) {
  const std::string text = R"(
functions {
  int initial_rng() { return bernoulli_rng(0.5) + 1; }
  int transition_rng(int before, matrix P) { return categorical_rng(P[before]'); }
  real observation_lpmf(int y, int regime, vector rate) {
    if (regime == 1) return poisson_lpmf(y | rate[1]);
    return poisson_lpmf(y | rate[2]);
  }
}
data { int T; array[T] int y; array[T] int y_observed; matrix[2, 2] P; }
parameters { vector<lower=0>[2] rate; }
model { rate ~ normal(0, 9); }
)";
  const auto model = model_from(
      text, R"({"T": 3, "y": [2, 0, 9], "y_observed": [1, 0, 1], "P": [[0.9, 0.1], [0.2, 0.8]]})");
  const StateModel states(*model, position_at(*model, R"({"rate": [1.5, 8]})"));
  EXPECT_FALSE(states.is_observed(1));
  const auto mover = states.make_mover(Kernel::bootstrap);
  Moved moved = move(*mover, 1, {.time = 0, .seed = 1});
  const auto log_poisson = [](double y, double rate) {
    return y * std::log(rate) - rate - std::lgamma(y + 1.0);
  };
  double in_first = 0.0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    in_first += moved.next[i] == 1.0 ? 1.0 : 0.0;
    EXPECT_NEAR(moved.log_weights[i], log_poisson(2.0, moved.next[i] == 1.0 ? 1.5 : 8.0), 1e-12);
  }
  EXPECT_NEAR(in_first / kBlock, 0.5, 5.0 * 0.5 / std::sqrt(double(kBlock)));
  const std::vector<double> ones(kBlock, 1.0);
  moved = move(*mover, 1, {.time = 1, .seed = 2}, ones);
  double stayed = 0.0;
  for (const double x : moved.next) stayed += x == 1.0 ? 1.0 : 0.0;
  EXPECT_NEAR(stayed / kBlock, 0.9, 5.0 * 0.3 / std::sqrt(double(kBlock)));
  EXPECT_NE(states.how_it_moves(), "columns of 512 particles");
}

// Counts and the time are whole numbers that aren't known when the program is traced, and particles are columns all the same.
TEST(state_model, moves_by_columns_where_outcomes_are_counts) {
  const std::string text = R"(
functions {
  real initial_rng() { return normal_rng(1, 0.5); }
  real transition_rng(real before, int t) { return normal_rng(0.5 * before + 0.2 * t, 0.5); }
  real observation_lpmf(int y, real x) { return poisson_log_lpmf(y | x); }
}
data { array[3] int y; }
)";
  const auto model = model_from(text, R"({"y": [2, 0, 7]})");
  const StateModel states(*model, {});
  const auto mover = states.make_mover(Kernel::bootstrap);
  const Moved first = move(*mover, 1, {.time = 0, .seed = 1});
  const Moved second = move(*mover, 1, {.time = 1, .seed = 2}, first.next);
  const Moved third = move(*mover, 1, {.time = 2, .seed = 3}, second.next);
  EXPECT_EQ(states.how_it_moves(), "columns of 512 particles");
  double error = 0.0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const auto log_poisson = [](double y, double log_rate) {
      return y * log_rate - std::exp(log_rate) - std::lgamma(y + 1.0);
    };
    EXPECT_NEAR(second.log_weights[i], log_poisson(0.0, second.next[i]), 1e-12);
    EXPECT_NEAR(third.log_weights[i], log_poisson(7.0, third.next[i]), 1e-12);
    error += (third.next[i] - 0.5 * second.next[i] - 0.6) / double(kBlock);
  }
  EXPECT_NEAR(error, 0.0, 5.0 * 0.5 / std::sqrt(double(kBlock)));
}

// The weight of a proposal: outcome and transition over proposal; where the outcome is missing, the transition draws.
TEST(state_model, weighs_draws_of_a_proposal) {
  const std::string text = R"(
functions {
  real initial_rng() { return normal_rng(0, 2); }
  real initial_lpdf(real x) { return normal_lpdf(x | 0, 2); }
  real transition_rng(real before) { return normal_rng(0.5 * before, 1); }
  real transition_lpdf(real x, real before) { return normal_lpdf(x | 0.5 * before, 1); }
  real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 0.3); }
  real proposal_rng(real before, real y) { return normal_rng(y, 0.4); }
  real proposal_lpdf(real x, real before, real y) { return normal_lpdf(x | y, 0.4); }
  real lookahead_lpdf(real y, real before) { return normal_lpdf(y | 0.5 * before, 1.1); }
}
data { vector[3] y; }
)";
  const auto model = model_from(text, R"({"y": [5, 7, "NaN"]})");
  const StateModel states(*model, {});
  const auto mover = states.make_mover(Kernel::guided);
  const Moved first = move(*mover, 1, {.time = 0, .seed = 1});
  expect_mean(first.next, 0.0, 2.0);
  const Moved second = move(*mover, 1, {.time = 1, .seed = 2}, first.next);
  expect_mean(second.next, 7.0, 0.4);
  std::vector<double> ahead(kBlock);
  mover->look_ahead(
      {.time = 1, .count = kBlock, .previous = first.next.data(), .log_weights = ahead.data()});
  for (std::size_t i = 0; i < kBlock; ++i) {
    const double x = second.next[i], p = first.next[i];
    EXPECT_NEAR(second.log_weights[i],
                log_normal(7.0, x, 0.3) + log_normal(x, 0.5 * p, 1.0) - log_normal(x, 7.0, 0.4),
                1e-11);
    EXPECT_NEAR(ahead[i], log_normal(7.0, 0.5 * p, 1.1), 1e-12);
  }
  const Moved third = move(*mover, 1, {.time = 2, .seed = 3}, second.next);
  expect_mean(third.next, 3.5, 1.1);
}

// Matrices that are read off the densities are those of the program.
TEST(kalman_run, reads_the_matrices_off_the_densities) {
  const auto model = model_from(kFunctions + kRest, kData);
  const StateModel states(*model, position_at(*model, kAt));
  const auto steps = linear_gaussian_steps(states);
  const auto expect_all = [](const std::vector<double>& found,
                             const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
  };
  ASSERT_EQ(steps.size(), 4u);
  expect_all(steps[0].offset, {0.5, 0.0});
  expect_all(steps[0].noise, {1.0, 0.0, 0.0, 0.64});
  expect_all(steps[2].matrix, {0.9, -0.1, 0.2, 0.7});
  expect_all(steps[2].offset, {0.4, 0.3});
  expect_all(steps[2].noise, {0.25, 0.0, 0.0, 0.64});
  expect_all(steps[2].observation, {0.3, 1.0});
  expect_all(steps[2].observation_offset, {0.0});
  expect_all(steps[2].observation_noise, {std::exp(-1.0)});
  EXPECT_TRUE(steps[1].outcome.empty());
}

std::string message_of(const std::string& functions, const std::string& rest = kRest,
                       const std::string& data = kData) {
  try {
    const auto model = model_from(functions + rest, data);
    const StateModel states(*model, position_at(*model, kAt));
    linear_gaussian_steps(states);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}
void expect_says(const std::string& message, const std::string& words) {
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(state_model, says_what_is_wrong_with_a_function) {
  expect_says(message_of(changed(kFunctions, "initial_rng", "inital_rng")),
              "it has no function initial_rng (did you mean inital_rng?)");
  const std::string renamed = changed(kFunctions,
                                      "int t, real u, matrix A, vector s) {\n    vector[2] m = A * "
                                      "before;\n    return [normal_rng(m[1] + u",
                                      "int t, real uu, matrix A, vector s) {\n    vector[2] m = A "
                                      "* before;\n    return [normal_rng(m[1] + uu");
  expect_says(message_of(renamed),
              "transition_rng: argument uu is named as no variable of data or parameters (did you "
              "mean u?)");
  expect_says(message_of(changed(kFunctions, "int t, real u", "int t, int u")),
              "argument u is an int, and the variable of this name an array[] real: neither the "
              "variable nor its element at one time");
  expect_says(
      message_of(changed(kFunctions, "observation_lpdf(real y, vector x, row_vector Z, real r)",
                         "observation_lpdf(real r, vector x, row_vector Z, real y)")),
      "its first argument, r, is the outcome of one time");
  expect_says(message_of(kFunctions, changed(kRest, "array[T] real u", "array[T + 1] real u"),
                         changed(kData, "[0, 0.2", "[9, 0, 0.2")),
              "u has elements for 5 times, and the outcome y for 4");
  expect_says(
      message_of(changed(kFunctions, "functions {",
                         "functions { vector proposal_rng(vector before) { return before; }")),
      "a proposal needs both functions, and proposal_lpdf is missing");
  expect_says(message_of(kFunctions, changed(kRest, "real log_r", "real log_q; real log_r")), "");
  expect_says(message_of(kFunctions, changed(kRest, "exp(log_r)", "exp(log_r) + x[1, 1]")),
              "r is read by the functions of the state-space model, and has no value");
  expect_says(message_of(changed(kFunctions, "Z[1] * x[1]", "Z[1] * x[1]^2")),
              "at time 1, observation_lpdf isn't a normal density whose mean is linear");
  expect_says(message_of(changed(kFunctions, "normal_lpdf(x[1] | m[1] + u, s[1])",
                                 "logistic_lpdf(x[1] | m[1] + u, s[1])")),
              "at time 2, transition_lpdf isn't a normal density");
  expect_says(message_of(changed(kFunctions, "normal_lpdf(x[1] | m[1] + u, s[1])",
                                 "normal_lpdf(x[1] | m[1] + u, s[1]) + 0.1")),
              "at time 2, transition_lpdf isn't a normal density");
}

// Each density of one number given another, as a transition.
bool is_seen_as_quadratic(const std::string& body) {
  const auto model = model_from(
      "functions { real initial_rng() { return 0; } "
      "real initial_lpdf(real x) { return normal_lpdf(x | 0, 1); } "
      "real transition_rng(real p) { return p; } "
      "real transition_lpdf(real x, real p, real s, int t) {" +
          body +
          "} real observation_lpdf(real y, real x) { return "
          "normal_lpdf(y | x, 1); } } "
          "data { vector[3] y; real<lower=0> s; } model { }",
      R"({"y": [1, 2, 3], "s": 0.5})");
  const StateModel states(*model, {});
  EXPECT_TRUE(states.is_quadratic(StateRole::initial_density));
  EXPECT_TRUE(states.is_quadratic(StateRole::observation_density));
  return states.is_quadratic(StateRole::transition_density);
}

TEST(state_model, the_expressions_of_a_density_show_that_it_is_linear_and_gaussian) {
  for (const char* body :
       {"return normal_lpdf(x | 0.9 * (p - 1) + 1, s);",
        "return normal_lpdf(x / 2 | p * t, s * t);", "return -0.5 * square((x - p) / s) - log(s);",
        "return multi_normal_lpdf([x]' | [p]', [[s]]);",
        "return normal_lpdf(x | t > 1 ? p : 2 * p, s);",
        "vector[2] m = [[1, 2], [3, 4]] * [p, 1]'; return std_normal_lpdf(x - m[1] - m[2]);"})
    EXPECT_TRUE(is_seen_as_quadratic(body)) << body;
  for (const char* body :
       {"return normal_lpdf(x | p * p, s);", "return normal_lpdf(x | p, s * exp(p));",
        "return normal_lpdf(x | abs(p), s);", "return normal_lpdf(x | floor(p), s);",
        "return normal_lpdf(x | p > 100 ? 50 : p, s);", "return logistic_lpdf(x | p, s);",
        "return normal_lpdf(x | p, s / p);", "return x < 9 ? normal_lpdf(x | p, s) : -1.0;",
        "return normal_lpdf(x | p, s) + normal_lpdf(x | p, abs(x) + 1);"})
    EXPECT_FALSE(is_seen_as_quadratic(body)) << body;
}

}  // namespace
}  // namespace credo::model::state_model_test
