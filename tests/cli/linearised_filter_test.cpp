// Extended and unscented Kalman filters from end to end: on a linear model they are the Kalman filter, on a pendulum they are another
// implementation's, and outliers pull them off where a bootstrap filter of the true distribution follows.
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::linearised_filter_test {
namespace {

const std::string kExamples = std::string(CREDO_SOURCE_DIR) + "/examples/filters/";

class LinearisedFilters : public testing::CommandRun {
 protected:
  LinearisedFilters() : CommandRun("linearised") {}
};

testing::Json printed_by(std::vector<std::string> words) {
  words.push_back("--json");
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_command_line(words), 0);
  return testing::parse_json(::testing::internal::GetCapturedStdout());
}
std::vector<std::string> pendulum(const std::string& command, const std::string& data,
                                  std::vector<std::string> more) {
  std::vector<std::string> words{command, kExamples + "pendulum.stan", "--data", data};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Of a linear model whose noises are correlated and of which an outcome is missing: means, deviations and the likelihood are those of
// the Kalman filter and smoother. What is read off a density has some 1e-12 of its digits left.
TEST_F(LinearisedFilters, are_the_kalman_filter_of_linear_models) {
  write("m.stan", R"(
functions {
  vector initial_rng() { return [normal_rng(1, 1), normal_rng(0, 2)]'; }
  real initial_lpdf(vector x) { return normal_lpdf(x[1] | 1, 1) + normal_lpdf(x[2] | 0, 2); }
  vector transition_rng(vector before, real u, matrix Q) {
    return multi_normal_rng([0.7 * before[1] + 0.2 * before[2] + u, 0.5 * before[2]]', Q);
  }
  real transition_lpdf(vector x, vector before, real u, matrix Q) {
    return multi_normal_lpdf(x | [0.7 * before[1] + 0.2 * before[2] + u, 0.5 * before[2]]', Q);
  }
  real observation_lpdf(row_vector y, vector x) {
    return normal_lpdf(y[1] | 2 * x[1] - 1, 0.5) + normal_lpdf(y[2] | x[1] + x[2], 0.1);
  }
}
data { int T; matrix[T, 2] y; vector[T] u; matrix[2, 2] Q; }
)");
  write("d.json", R"({"T": 5, "y": [[0.5, 1], [-1.2, 0.3], ["NaN", "NaN"], [0.3, -1], [1.9, 2]],
    "u": [0, 0.1, 0.2, 0, 0.3], "Q": [[0.3, 0.1], [0.1, 0.2]]})");
  for (const char* command : {"filter", "smooth"}) {
    const auto run = [&](std::vector<std::string> more) {
      std::vector<std::string> words{command, at("m.stan"), "--data", at("d.json")};
      words.insert(words.end(), more.begin(), more.end());
      return printed_by(words);
    };
    const auto exact = run({"--method", "kalman"});
    for (const auto& more : std::vector<std::vector<std::string>>{
             {"--method", "ekf"}, {"--method", "ukf"}, {"--method", "ukf", "--kappa", "1.5"}}) {
      const auto found = run(more);
      EXPECT_NEAR(found.at("log_likelihood").number, exact.at("log_likelihood").number, 1e-9);
      for (std::size_t t = 0; t < 5; ++t)
        for (const char* what : {"mean", "sd"})
          for (std::size_t e = 0; e < 2; ++e)
            EXPECT_NEAR(found.at("times").items[t].at(what).items[e].number,
                        exact.at("times").items[t].at(what).items[e].number, 1e-9)
                << command << " " << more[1] << " " << t;
    }
  }
}

// The figures are those of a plain implementation with full covariances (200 times; log likelihood, the last mean and the last
// deviation of the angle, the angle at time 50), given to 10 digits.
TEST_F(LinearisedFilters, are_those_of_another_implementation) {
  struct Row {
    std::string data;
    std::vector<std::string> method;
    double log_likelihood, angle, velocity, sd, angle_50;
  };
  const std::vector<Row> rows{{"pendulum",
                               {"--method", "ekf"},
                               -60.8591362238,
                               2.3991574022,
                               0.2342887211,
                               0.1412429155,
                               -1.1582532520},
                              {"pendulum",
                               {"--method", "ukf"},
                               -60.9703615641,
                               2.3660969577,
                               0.1998208194,
                               0.1441231249,
                               -1.1693539303},
                              {"pendulum",
                               {"--method", "ukf", "--kappa", "1"},
                               -60.9068728750,
                               2.3658467545,
                               0.1987635131,
                               0.1445000597,
                               -1.1682937308}};
  for (const Row& row : rows) {
    const auto run = printed_by(pendulum("filter", kExamples + row.data + ".json", row.method));
    const auto &last = run.at("times").items[199], &middle = run.at("times").items[49];
    EXPECT_NEAR(run.at("log_likelihood").number, row.log_likelihood, 1e-6);
    EXPECT_NEAR(last.at("mean").items[0].number, row.angle, 1e-7);
    EXPECT_NEAR(last.at("mean").items[1].number, row.velocity, 1e-7);
    EXPECT_NEAR(last.at("sd").items[0].number, row.sd, 1e-7);
    EXPECT_NEAR(middle.at("mean").items[0].number, row.angle_50, 1e-7);
  }
}

// The root mean square error of the angle.
double error_of(const testing::Json& run, const testing::Json& data) {
  double sum = 0.0;
  for (std::size_t t = 0; t < 200; ++t) {
    const double off =
        run.at("times").items[t].at("mean").items[0].number - data.at("true_angle").items[t].number;
    sum += off * off / 200.0;
  }
  return std::sqrt(sum);
}
testing::Json read_data(const std::string& name) {
  return testing::parse_json(
      (std::stringstream() << std::ifstream(kExamples + name).rdbuf()).str());
}

// Without outliers the three agree; with 40 % of outcomes replaced, those that take all noise for normal are pulled off. Errors of
// the angle were 0.16, 0.16 and 0.16 without, 0.84, 0.83 and 0.26 with outliers.
TEST_F(LinearisedFilters, lose_a_pendulum_where_outcomes_are_outliers) {
  const auto clean = read_data("pendulum.json"), outliers = read_data("pendulum_outliers.json");
  const auto filtered = [&](const std::string& name, std::vector<std::string> more) {
    return printed_by(pendulum("filter", name, std::move(more)));
  };
  const std::vector<std::string> bootstrap{"--particles", "2000", "--repeats", "1"};
  const double right = error_of(filtered(kExamples + "pendulum.json", bootstrap), clean),
               robust =
                   error_of(filtered(kExamples + "pendulum_outliers.json", bootstrap), outliers);
  // The same outcomes with p = 0: as if there were no outliers.
  std::string text =
      (std::stringstream() << std::ifstream(kExamples + "pendulum_outliers.json").rdbuf()).str();
  const std::string share = "\"p\": 0.4";
  ASSERT_NE(text.find(share), std::string::npos);
  write("blind.json", text.replace(text.find(share), share.size(), "\"p\": 0"));
  for (const char* method : {"ekf", "ukf"}) {
    EXPECT_NEAR(
        error_of(filtered(kExamples + "pendulum.json", {"--method", method}), clean) / right, 1.0,
        0.2)
        << method;
    EXPECT_GT(error_of(filtered(at("blind.json"), {"--method", method}), outliers), 2.0 * robust)
        << method;
  }
}

TEST_F(LinearisedFilters, refuse_what_is_not_normal) {
  EXPECT_EQ(run(pendulum("filter", kExamples + "pendulum_outliers.json", {"--method", "ekf"})), 3);
  EXPECT_NE(on_one_line(said()).find(
                "at time 1, observation_lpdf isn't a normal density of its first argument"),
            std::string::npos)
      << said();
}

}  // namespace
}  // namespace credo::cli::linearised_filter_test
