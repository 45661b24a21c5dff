// Filters and smoothers of state-space programs by other routes, from end to end: the information form and two filters are the Kalman
// filter and smoother, of starts of which nothing is known, too; ensembles and quasi-Monte Carlo come to it within their errors.
#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::filter_methods_test {
namespace {

// Two elements with correlated noise, two outcomes of which single numbers are missing, and one time without any.
const std::string kDensities = R"(
  real initial_lpdf(vector x) { return normal_lpdf(x[1] | 1, 1) + normal_lpdf(x[2] | 0, 2); }
  real transition_lpdf(vector x, vector before, matrix Q) {
    return multi_normal_lpdf(x | [0.7 * before[1] + 0.2 * before[2], 0.5 * before[2]]', Q);
  }
)";
const std::string kDraws = R"(
  vector initial_rng() { return [normal_rng(1, 1), normal_rng(0, 2)]'; }
  vector transition_rng(vector before, matrix Q) {
    return multi_normal_rng([0.7 * before[1] + 0.2 * before[2], 0.5 * before[2]]', Q);
  }
  real observation_lpdf(row_vector y, vector x) {
    return normal_lpdf(y[1] | 2 * x[1] - 1, 0.8) + normal_lpdf(y[2] | x[1] + x[2], 0.9);
  }
)";
const std::string kMaps = R"(
  vector initial_map(vector u) { return [1 + inv_Phi(u[1]), 2 * inv_Phi(u[2])]'; }
  vector transition_map(vector u, vector before, matrix Q) {
    return [0.7 * before[1] + 0.2 * before[2], 0.5 * before[2]]' +
           cholesky_decompose(Q) * [inv_Phi(u[1]), inv_Phi(u[2])]';
  }
)";
std::string program(const std::string& functions) {
  return "functions {" + functions + "}\ndata { int T; matrix[T, 2] y; matrix[2, 2] Q; }\n";
}

class FilterMethods : public testing::CommandRun {
 protected:
  FilterMethods() : CommandRun("filter_methods") {
    write("m.stan", program(kDensities + kDraws));
    write("draws.stan", program(kDraws));
    write("maps.stan", program(kDraws + kMaps));
    write("d.json", R"({"T": 5, "y": [[0.5, 1], [-1.2, 0.3], ["NaN", "NaN"], [0.3, -1], [1.9, 2]],
      "Q": [[0.3, 0.1], [0.1, 0.2]]})");
  }
  std::vector<std::string> words(const std::string& command, const std::string& program,
                                 std::vector<std::string> more) {
    std::vector<std::string> all{command, at(program), "--data", at("d.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string refused(const std::vector<std::string>& given, int status) {
    EXPECT_EQ(run(given), status) << said();
    return on_one_line(said());
  }
};

// What is read off a density has some 1e-12 of its digits left.
void expect_same_distribution(const testing::Json& found, const testing::Json& exact,
                              double within = 1e-9) {
  EXPECT_NEAR(found.at("log_likelihood").number, exact.at("log_likelihood").number, within);
  const auto &times = found.at("times").items, &others = exact.at("times").items;
  ASSERT_EQ(times.size(), others.size());
  for (std::size_t t = 0; t < times.size(); ++t)
    for (const char* what : {"mean", "sd"})
      for (std::size_t e = 0; e < 2; ++e)
        EXPECT_NEAR(times[t].at(what).items[e].number, others[t].at(what).items[e].number, within)
            << what << " at " << t;
}

TEST_F(FilterMethods, in_information_form_and_by_two_filters_are_the_kalman_filter_and_smoother) {
  expect_same_distribution(json(words("filter", "m.stan", {"--method", "information"})),
                           json(words("filter", "m.stan", {"--method", "kalman"})));
  expect_same_distribution(json(words("smooth", "m.stan", {"--method", "two-filter"})),
                           json(words("smooth", "m.stan", {"--method", "kalman"})));
}

// A local level of which nothing is known: smoothed by two filters as by one of a normal start of deviation 1e4, which is off by terms
// of order 1e-8.
TEST_F(FilterMethods, begin_without_any_information) {
  const auto level = [&](const std::string& start) {
    write("level.stan", "functions {\n  real initial_lpdf(vector x) { return " + start + R"(; }
  real transition_lpdf(vector x, vector before) {
    return normal_lpdf(x[1] | before[1] + before[2], 0.5) + normal_lpdf(x[2] | 0.8 * before[2], 0.3);
  }
  vector initial_rng() { return [0, 0]'; }
  vector transition_rng(vector before) { return before; }
  real observation_lpdf(real y, vector x) { return normal_lpdf(y | x[1], 0.7); }
}
data { int T; vector[T] y; }
)");
    write("d.json", R"({"T": 6, "y": [10.2, 11.0, "NaN", 12.1, 11.4, 12.9]})");
  };
  level("0");
  const auto information = json(words("filter", "level.stan", {"--method", "information"})),
             exact = json(words("filter", "level.stan", {"--method", "kalman"})),
             two = json(words("smooth", "level.stan", {"--method", "two-filter"}));
  EXPECT_NEAR(information.at("log_likelihood").number, exact.at("log_likelihood").number, 1e-9);
  EXPECT_NEAR(two.at("log_likelihood").number, exact.at("log_likelihood").number, 1e-9);
  EXPECT_NE(refused(words("smooth", "level.stan", {"--method", "kalman"}), 3)
                .find("take --method two-filter"),
            std::string::npos)
      << said();
  level("normal_lpdf(x | 0, 1e4)");
  const auto wide = json(words("smooth", "level.stan", {"--method", "kalman"}));
  for (std::size_t t = 0; t < 6; ++t)
    for (const char* what : {"mean", "sd"})
      for (std::size_t e = 0; e < 2; ++e)
        EXPECT_NEAR(two.at("times").items[t].at(what).items[e].number,
                    wide.at("times").items[t].at(what).items[e].number, 1e-5);
}

// From 20 runs of 2,000 members: means within 5 standard errors, some of 0.01 of a deviation; log likelihoods the same.
TEST_F(FilterMethods, by_ensembles_need_no_densities_of_the_state) {
  const auto exact = json(words("filter", "m.stan", {"--method", "kalman"}));
  for (const char* update : {"perturbed", "square-root"}) {
    const auto found = json(words(
        "filter", "draws.stan",
        {"--method", "ensemble", "--update", update, "--particles", "2000", "--repeats", "20"}));
    EXPECT_NEAR(found.at("log_likelihood").number, exact.at("log_likelihood").number,
                5.0 * found.at("error").number);
    EXPECT_LT(found.at("error").number, 0.05);
    for (std::size_t e = 0; e < 2; ++e)
      EXPECT_NEAR(found.at("times").items[4].at("mean").items[e].number,
                  exact.at("times").items[4].at("mean").items[e].number, 0.1);
  }
}

// Maps that are read off normal densities are those that a program writes by the same factors: the same particles.
TEST_F(FilterMethods, by_quasi_monte_carlo_make_states_of_uniform_numbers) {
  const auto exact = json(words("filter", "m.stan", {"--method", "kalman"}));
  const auto run = [&](const std::string& program, const std::string& method) {
    return json(
        words("filter", program, {"--method", method, "--particles", "256", "--repeats", "40"}));
  };
  const auto read = run("m.stan", "sqmc"), own = run("maps.stan", "sqmc"),
             random = run("m.stan", "bootstrap");
  EXPECT_NEAR(read.at("log_likelihood").number, exact.at("log_likelihood").number,
              4.0 * read.at("error").number);
  EXPECT_LT(3.0 * read.at("error").number, random.at("error").number);
  EXPECT_NEAR(own.at("log_likelihood").number, read.at("log_likelihood").number, 1e-6);
  EXPECT_NE(refused(words("filter", "draws.stan", {"--method", "sqmc"}), 3)
                .find("the program doesn't say how"),
            std::string::npos)
      << said();
}

TEST_F(FilterMethods, refuse_options_of_others) {
  const auto refuses = [&](const std::string& command, std::vector<std::string> more,
                           const std::string& message) {
    EXPECT_NE(refused(words(command, "m.stan", std::move(more)), 2).find(message),
              std::string::npos)
        << said();
  };
  refuses("filter", {"--update", "square-root"}, "add --method ensemble");
  refuses("filter", {"--inflation", "1.1"}, "add --method ensemble");
  refuses("filter", {"--method", "ensemble", "--resampling", "residual"},
          "needs --method auxiliary or bootstrap or guided or rao-blackwellised");
  refuses("filter", {"--method", "sqmc", "--resample-below", "0.2"},
          "needs --method auxiliary or bootstrap");
  refuses("filter", {"--method", "kalman", "--order", "hilbert"},
          "needs --method auxiliary or bootstrap or guided");
  refuses("smooth", {"--backward-draws", "3"}, "add --method paris");
}

// A state that hardly moves, so that resampling at each of 30 times makes most of the noise: standard deviations of the log likelihood
// are 0.12 and 0.15, each known to 4 % from 400 runs.
TEST_F(FilterMethods, choose_parents_along_a_hilbert_curve_with_less_noise) {
  write("slow.stan", R"(
functions {
  real initial_rng() { return normal_rng(0, 1); }
  real transition_rng(real before) { return normal_rng(before, 0.05); }
  real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 1); }
}
data { int T; vector[T] y; }
)");
  std::string outcomes;
  for (int k = 0; k < 3; ++k)
    outcomes += std::string(k > 0 ? "," : "") + "0.3,-0.8,1.9,0.4,-1.1,0.9,0.2,1.4,-0.3,0.6";
  write("d.json", "{\"T\": 30, \"y\": [" + outcomes + "]}");
  const auto error = [&](const std::string& order) {
    return json(words("filter", "slow.stan",
                      {"--particles", "200", "--resample-below", "1", "--resampling", "stratified",
                       "--order", order, "--repeats", "400", "--seed", "1"}))
        .at("error")
        .number;
  };
  EXPECT_LT(error("hilbert"), 0.92 * error("index"));
}

TEST_F(FilterMethods, say_what_a_map_lacks) {
  write("half.stan", program(kDraws + "  vector initial_map(vector u) { return u; }\n"));
  EXPECT_NE(refused(words("filter", "half.stan", {}), 3).find("transition_map is missing"),
            std::string::npos)
      << said();
}

// Sums over times are those of the smoothed means, which both have.
TEST_F(FilterMethods, by_paris_tell_sums_over_times) {
  const auto exact = json(words("smooth", "m.stan", {"--method", "kalman"}));
  const auto found = json(words(
      "smooth", "m.stan",
      {"--method", "paris", "--particles", "300", "--repeats", "20", "--output", at("s.nc")}));
  for (std::size_t e = 0; e < 2; ++e) {
    double sum = 0.0;
    for (const auto& t : exact.at("times").items) sum += t.at("mean").items[e].number;
    EXPECT_NEAR(found.at("sums").at("states").items[e].number, sum,
                5.0 * found.at("sums").at("states_error").items[e].number);
  }
  EXPECT_EQ(found.at("sums").at("neighbours").items.size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(at("s.nc")));
}

}  // namespace
}  // namespace credo::cli::filter_methods_test
