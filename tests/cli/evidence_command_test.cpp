// credo evidence: every method against evidences that are known, and what the command says of several.
#include "results/estimates/evidence_methods.hpp"

#include <sys/wait.h>

#include <csignal>
#include <regex>

#include "cli/killed_run.hpp"
#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::evidence_command_test {
namespace {
using testing::Json;

// Two unknowns, three outcomes: y = X b + e, b ~ N(0, 1.5²) each, e ~ N(0, 0.8²). The outcomes are normal with the
// covariance 2.25 X Xᵀ + 0.64 I; its determinant and inverse are written out.
constexpr const char* kRegression = R"(data { vector[3] x; vector[3] y; }
parameters { real a; real b; }
model { a ~ normal(0, 1.5); b ~ normal(0, 1.5); y ~ normal(a + b * x, 0.8); })";
constexpr std::array kX = {-1.0, 0.5, 2.0}, kY = {0.3, 1.1, 1.4};
double log_evidence_of_regression() {
  double c[3][3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c[i][j] = 2.25 * (1.0 + kX[i] * kX[j]) + (i == j ? 0.64 : 0.0);
  const auto minor = [&](std::size_t i, std::size_t j) {
    const std::size_t r = (i + 1) % 3, s = (i + 2) % 3, t = (j + 1) % 3, u = (j + 2) % 3;
    return c[r][t] * c[s][u] - c[r][u] * c[s][t];
  };
  const double determinant = c[0][0] * minor(0, 0) + c[0][1] * minor(0, 1) + c[0][2] * minor(0, 2);
  double square = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) square += kY[i] * kY[j] * minor(i, j) / determinant;
  return -0.5 * (square + std::log(determinant) + 3.0 * std::log(2.0 * M_PI));
}

// A half-normal scale, cut by its bound: the prior's mass as written is 1/2. y ~ N(0, s²), s ~ N⁺(0, 1), by the
// midpoint rule in log s.
constexpr const char* kScale = R"(data { vector[3] y; }
parameters { real<lower=0> s; }
model { s ~ normal(0, 1); y ~ normal(0, s); })";
double log_evidence_of_scale() {
  constexpr int kPoints = 20'000;
  double sum = 0.0;
  const double squares = 0.3 * 0.3 + 1.1 * 1.1 + 1.4 * 1.4;
  for (int i = 0; i < kPoints; ++i) {
    const double t = -4.0 + 7.0 * (i + 0.5) / kPoints, s = std::exp(t);
    sum += 7.0 / kPoints * s * 2.0 * std::exp(-0.5 * s * s) / std::sqrt(2.0 * M_PI) *
           std::exp(-0.5 * squares / (s * s) - 3.0 * t - 1.5 * std::log(2.0 * M_PI));
  }
  return std::log(sum);
}

class EvidenceCommandRun : public testing::CommandRun {
 protected:
  EvidenceCommandRun() : CommandRun("evidence_command") {
    write("regression.stan", kRegression);
    write("scale.stan", kScale);
    write("regression.json", R"({"x": [-1, 0.5, 2], "y": [0.3, 1.1, 1.4]})");
    write("scale.json", R"({"y": [0.3, 1.1, 1.4]})");
  }
  std::string at_scale() const { return at("scale.stan"); }
  std::string at_data() const { return at("scale.json"); }
  Json evidence(const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {"evidence", at(name + ".stan"), "--data", at(name + ".json"),
                               "--draws", "400", "--warmup", "400", "--live-points", "200"});
    return json(std::move(more));
  }
};

TEST_F(EvidenceCommandRun, tells_the_known_evidence_by_every_method) {
  const std::vector<std::pair<std::string, double>> models = {
      {"regression", log_evidence_of_regression()}, {"scale", log_evidence_of_scale()}};
  for (const auto& [name, truth] : models) {
    const Json report = evidence(name, {"--method", "all", "--seed", "3"});
    EXPECT_EQ(report.at("methods").items.size(), results::methods_of("all").size());
    Index num_with_error = 0;
    for (const Json& method : report.at("methods").items) {
      const std::string which = method.at("method").text;
      ASSERT_EQ(method.at("refusal").text, "") << which;
      const double value = method.at("log_evidence").number;
      if (which == "laplace") {
        // Exact where the posterior is normal; that of one scale of three outcomes is skewed.
        EXPECT_NEAR(value, truth, name == "regression" ? 1e-6 : 0.3) << which;
        continue;
      }
      if (which == "elbo") {  // a bound; exact in the same way
        const double lower = method.at("lower").number, error = method.at("lower_error").number;
        EXPECT_LT(lower, truth + 1e-5 + 4.0 * error);
        EXPECT_NEAR(lower, truth, name == "regression" ? 1e-5 : 0.1);
        continue;
      }
      ++num_with_error;
      const double error = method.at("error").number;
      EXPECT_NEAR(value, truth, 4.0 * error) << name << " by " << which;
      EXPECT_LT(error, 0.2) << which;  // of a wrong constant, log 2, it would say something
    }
    EXPECT_EQ(num_with_error, 9);
    EXPECT_TRUE(report.at("agree").truth) << report.at("sentence").text;
  }
}

TEST_F(EvidenceCommandRun, has_bounds_around_the_evidence_by_annealing_both_ways) {
  const Json report = evidence("scale", {"--method", "sandwich", "--seed", "4"});
  const Json& method = report.at("methods").items[0];
  const double truth = log_evidence_of_scale();
  EXPECT_NEAR(method.at("lower").number, truth, 4.0 * method.at("lower_error").number);
  EXPECT_NEAR(method.at("upper").number, truth, 4.0 * method.at("upper_error").number);
  EXPECT_LT(method.at("upper_error").number, 0.1);
  EXPECT_NEAR(report.at("log_evidence").number,
              0.5 * (method.at("lower").number + method.at("upper").number), 1e-12);
}

// Of the regression the model without a slope is the point b = 0 of the one with it: the ratio of both evidences, in
// closed form. The posterior and the prior are normal, and the distribution of the densities is cut.
double log_evidence_of_intercept() {
  // (s I + t J)⁻¹ = (I - t / (s + 3 t) J) / s, its determinant s² (s + 3 t)
  const double s = 0.64, t = 2.25, sum = kY[0] + kY[1] + kY[2];
  const double squares = kY[0] * kY[0] + kY[1] * kY[1] + kY[2] * kY[2];
  return -0.5 * ((squares - t / (s + 3.0 * t) * sum * sum) / s + std::log(s * s * (s + 3.0 * t)) +
                 3.0 * std::log(2.0 * M_PI));
}

TEST_F(EvidenceCommandRun, tells_the_bayes_factor_of_a_point_by_its_densities) {
  const double truth = log_evidence_of_intercept() - log_evidence_of_regression();
  const Json report = evidence("regression", {"--method", "savage-dickey", "--at", "b = 0"});
  const Json& method = report.at("methods").items[0];
  const double error = method.at("log_bayes_factor_error").number;
  EXPECT_EQ(method.at("nested").text, "b = 0");
  EXPECT_NEAR(method.at("log_bayes_factor").number, truth, 4.0 * error);
  EXPECT_LT(error, 0.05);
  EXPECT_NE(report.at("sentence_of_nested").text.find("The model with b = 0 over the whole one"),
            std::string::npos);
  // Both at once: two coordinates.
  const Json both = evidence("regression", {"--method", "savage-dickey", "--at", "a = 0, b = 0"});
  double null = 0.0;
  for (const double y : kY) null -= 0.5 * (y * y / 0.64 + std::log(2.0 * M_PI * 0.64));
  EXPECT_NEAR(both.at("methods").items[0].at("log_bayes_factor").number,
              null - log_evidence_of_regression(),
              4.0 * both.at("methods").items[0].at("log_bayes_factor_error").number);
}

// A point of a bounded parameter, where both densities have a Jacobian: s = 1 of s ~ N⁺(0, 1), y ~ N(0, s²). And the part
// s > 1, by quadrature of prior and posterior.
TEST_F(EvidenceCommandRun, tells_the_bayes_factor_of_a_bounded_point_and_of_a_part) {
  double at_one = 0.0, above = 0.0;
  for (const double y : {0.3, 1.1, 1.4}) at_one -= 0.5 * (y * y + std::log(2.0 * M_PI));
  const double squares = 0.3 * 0.3 + 1.1 * 1.1 + 1.4 * 1.4;
  for (int i = 0; i < 20'000; ++i) {
    const double t = 4.0 * (i + 0.5) / 20'000, s = std::exp(t);
    above += 4.0 / 20'000 * s * 2.0 * std::exp(-0.5 * s * s) / std::sqrt(2.0 * M_PI) *
             std::exp(-0.5 * squares / (s * s) - 3.0 * t - 1.5 * std::log(2.0 * M_PI));
  }
  const double whole = log_evidence_of_scale();
  const auto factor = [&](const char* at) {
    return evidence("scale", {"--method", "savage-dickey", "--at", at}).at("methods").items[0];
  };
  const Json point = factor("s = 1"), part = factor("s > 1");
  EXPECT_NEAR(point.at("log_bayes_factor").number, at_one - whole,
              4.0 * point.at("log_bayes_factor_error").number);
  EXPECT_LT(point.at("log_bayes_factor_error").number, 0.05);
  // P(s > 1) = erfc(1 / √2)
  EXPECT_NEAR(part.at("log_bayes_factor").number,
              std::log(above) - whole - std::log(std::erfc(std::sqrt(0.5))),
              4.0 * part.at("log_bayes_factor_error").number);
  EXPECT_LT(part.at("log_bayes_factor_error").number, 0.15);
}

// m² is 16: a chain stays where it begins, at 4 or at -4. With a bound there is one mode.
TEST_F(EvidenceCommandRun, does_not_know_the_error_of_chains_that_lack_a_mode) {
  for (const auto& [name, bound] : {std::pair{"one", "<lower=0>"}, std::pair{"two", ""}})
    write(std::string(name) + ".stan",
          std::string("data { vector[3] y; } parameters { real") + bound +
              " m; } model { m ~ normal(0, 3); y ~ normal(square(m), 0.5); }");
  for (const char* name : {"one", "two"}) {
    write(std::string(name) + ".json", R"({"y": [15.8, 16, 16.3]})");
    const bool is_whole = std::string_view(name) == "one";
    for (const char* method : {"bridge", "sandwich", "savage-dickey"}) {
      std::vector<std::string> asked = {"--method", method, "--chains", "1", "--seed", "3"};
      const bool is_factor = std::string_view(method) == "savage-dickey";
      if (is_factor) asked.insert(asked.end(), {"--at", "m = 3.9"});
      const Json report = evidence(name, asked);
      const Json& found = report.at("methods").items[0];
      const double error = found.at(is_factor ? "log_bayes_factor_error" : "error").number;
      std::string notes;
      for (const Json& note : found.at("notes").items) notes += note.text + "\n";
      EXPECT_EQ(notes.find("they lack a mode") == std::string::npos, is_whole) << method << notes;
      EXPECT_EQ(std::isfinite(error) && error > 0.0, is_whole) << method << ' ' << name << error;
    }
  }
}

TEST_F(EvidenceCommandRun, says_why_there_is_no_nested_model) {
  const auto said_of = [&](const char* at) {
    run({"evidence", at_scale(), "--data", at_data(), "--method", "savage-dickey", "--at", at});
    return said();
  };
  EXPECT_NE(said_of("x = 1").find("there is no parameter of this name"), std::string::npos)
      << said();
  EXPECT_NE(said_of("s = 0").find("is the end of its range"), std::string::npos) << said();
  EXPECT_NE(said_of("s = -1").find("s"), std::string::npos) << said();
  EXPECT_NE(said_of("s > 1000").find("none fulfils 's > 1000'"), std::string::npos) << said();
  EXPECT_NE(said_of("s >").find("isn't an expression"), std::string::npos) << said();
  EXPECT_EQ(run({"evidence", at_scale(), "--data", at_data(), "--method", "savage-dickey"}), 2);
  EXPECT_EQ(run({"evidence", at_scale(), "--data", at_data(), "--at", "s = 1"}), 2);
}

TEST_F(EvidenceCommandRun, names_what_has_no_evidence) {
  write("flat.stan", "data { vector[3] y; } parameters { real m; } model { y ~ normal(m, 1); }");
  EXPECT_EQ(run({"evidence", at("flat.stan"), "--data", at("scale.json")}), 2);
  EXPECT_NE(said().find("m has no prior and an unbounded range"), std::string::npos) << said();
  EXPECT_NE(said().find("m ~ normal(0, 10)"), std::string::npos);
  EXPECT_EQ(run({"evidence", at("scale.stan"), "--data", at("scale.json"), "--method", "x"}), 2);
  EXPECT_EQ(run({"evidence", at("scale.stan"), "--data", at("scale.json"), "--terms", "prior"}), 2);
}

// A prior that nothing can be drawn from leaves the methods that begin at the posterior.
TEST_F(EvidenceCommandRun, goes_on_with_methods_that_can) {
  write("term.stan",
        "data { vector[3] y; } parameters { real m; } model { target += normal_lpdf(2 * m | 0, 1); "
        "y ~ normal(m, 1); }");
  ASSERT_EQ(run({"evidence", at("term.stan"), "--data", at("scale.json"), "--draws", "300",
                 "--warmup", "300"}),
            0)
      << said();
  EXPECT_NE(printed().find("smc            can't: the prior can't be drawn from"),
            std::string::npos)
      << printed();
  EXPECT_NE(printed().find("by one method alone (bridge)"), std::string::npos) << printed();
}

TEST_F(EvidenceCommandRun, writes_its_result_and_repeats_it) {
  const std::string file = at("evidence.json");
  const Json one = evidence("scale", {"--method", "nested", "-o", file, "--threads", "1"});
  std::ifstream in(file);
  const Json kept = testing::parse_json(
      std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()));
  const Json again = evidence("scale", {"--method", "nested", "--threads", "3"});
  EXPECT_EQ(kept.at("log_evidence").number, one.at("log_evidence").number);
  EXPECT_EQ(again.at("log_evidence").number, one.at("log_evidence").number);
}

// A run of several methods that is killed goes on with those that are done; of other options it is refused.
TEST_F(EvidenceCommandRun, that_is_killed_goes_on_to_the_same_result) {
  const auto words = [&](const char* file, const char* threads, const char* seed = "1") {
    return std::vector<std::string>{"evidence", at_scale(),  "--data", at_data(),  "--method",
                                    "all",      "--draws",   "100",    "--warmup", "100",
                                    "--chains", "2",         "--seed", seed,       "--live-points",
                                    "40",       "--threads", threads,  "-o",       at(file)};
  };
  const auto figures = [&](const char* file) {  // all but the time that it took
    std::string text = io::read_file(at(file));
    return std::regex_replace(text, std::regex("\"seconds\":[^,]*"), "");
  };
  ASSERT_EQ(run(words("whole.json", "1")), 0) << said();
  EXPECT_EQ(said().find("resumes with"), std::string::npos);
  const pid_t child = fork();
  if (child == 0) {
    (void)run(words("part.json", "1"));
    _exit(0);
  }
  while (testing::num_pieces(at("part.json.run")) < 3 && waitpid(child, nullptr, WNOHANG) == 0)
    usleep(200);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(at("part.json.run"))) << "it wasn't killed soon enough";
  EXPECT_EQ(run(words("part.json", "1", "2")), 2);  // another seed
  ASSERT_EQ(run(words("part.json", "3")), 0) << said();
  EXPECT_NE(said().find("resumes with "), std::string::npos) << said();
  EXPECT_EQ(figures("part.json"), figures("whole.json"));
  EXPECT_FALSE(std::filesystem::exists(at("part.json.run")));
  // What ends before a method is done leaves nothing.
  write("flat.stan", "data { vector[3] y; } parameters { real m; } model { y ~ normal(m, 1); }");
  EXPECT_EQ(run({"evidence", at("flat.stan"), "--data", at_data(), "-o", at("flat.json")}), 2);
  EXPECT_FALSE(std::filesystem::exists(at("flat.json.run")));
}

// Eight schools: outcomes are normal given mu and tau, so that two integrals are left, by the midpoint rule; 300 and 600
// points a side agree to 1e-9.
constexpr const char* kSchools = R"(data { vector[8] y; vector[8] s; }
parameters { real mu; real<lower=0> tau; vector[8] z; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); z ~ normal(0, 1); y ~ normal(mu + tau * z, s); })";
constexpr std::array kEffects = {28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0},
                     kErrors = {15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0};
double log_evidence_of_schools() {
  constexpr int kPoints = 300;
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = -12.0 + 24.0 * (i + 0.5) / kPoints, tau = std::exp(t);
    for (int j = 0; j < kPoints; ++j) {
      const double mu = -40.0 + 80.0 * (j + 0.5) / kPoints;
      double log_value = std::log(2.0 * tau * 5.0 / M_PI / (25.0 + tau * tau)) - mu * mu / 50.0 -
                         std::log(5.0 * std::sqrt(2.0 * M_PI));
      for (std::size_t k = 0; k < 8; ++k) {
        const double variance = kErrors[k] * kErrors[k] + tau * tau;
        log_value -=
            0.5 * (std::pow(kEffects[k] - mu, 2) / variance + std::log(2.0 * M_PI * variance));
      }
      sum += std::exp(log_value) * (24.0 / kPoints) * (80.0 / kPoints);
    }
  }
  return std::log(sum);
}

TEST_F(EvidenceCommandRun, of_eight_schools_is_that_of_a_quadrature) {
  write("schools.stan", kSchools);
  write("schools.json",
        R"({"y": [28, 8, -3, 7, -1, 1, 18, 12], "s": [15, 10, 16, 11, 9, 11, 10, 18]})");
  const double truth = log_evidence_of_schools();
  const Json report = evidence("schools", {"--method", "all", "--seed", "5"});
  for (const Json& method : report.at("methods").items) {
    const std::string which = method.at("method").text;
    if (which == "laplace") continue;
    if (which == "elbo") {
      EXPECT_LT(method.at("lower").number, truth);
      EXPECT_GT(method.at("lower").number, truth - 0.5);
      continue;
    }
    ASSERT_EQ(method.at("refusal").text, "") << which;
    EXPECT_NEAR(method.at("log_evidence").number, truth, 4.0 * method.at("error").number) << which;
    EXPECT_LT(method.at("error").number, 0.3) << which;
  }
}

// ---- models

// The text's example: outcomes 1 ± 0.343, three each, N(m, 1); A says m = 0, B m ~ uniform(-L, L). O_AB = 2 e⁻³ √(6 / 2π) L =
// 0.0973043 L where the likelihood lies within: here L = 10. A has no parameter that data know of, but one of its own.
constexpr const char* kModelA = R"(data { vector[6] y; } parameters { real z; }
model { z ~ normal(0, 1); y ~ normal(0, 1); })";
constexpr const char* kModelB = R"(data { vector[6] y; } parameters { real<lower=-10, upper=10> m; }
model { m ~ uniform(-10, 10); y ~ normal(m, 1); })";

TEST_F(EvidenceCommandRun, finds_the_odds_of_the_notes_by_every_method) {
  write("a.stan", kModelA);
  write("b.stan", kModelB);
  write("a.json", R"({"y": [1.343, 1.343, 1.343, 0.657, 0.657, 0.657]})");
  write("b.json", R"({"y": [1.343, 1.343, 1.343, 0.657, 0.657, 0.657]})");
  constexpr double kOdds = 0.973043;
  for (const char* method : {"nested", "smc", "bridge", "stepping", "thermodynamic", "ais"}) {
    const std::string a = at(std::string("a_") + method + ".json"),
                      b = at(std::string("b_") + method + ".json");
    evidence("a", {"--method", method, "-o", a});
    evidence("b", {"--method", method, "-o", b});
    const Json odds = json({"compare", "--evidence", a, b});
    double log_a = 0.0, log_b = 0.0, variance = 0.0;
    for (const Json& model : odds.at("models").items) {
      (model.at("file").text == a ? log_a : log_b) = model.at("log_evidence").number;
      variance += std::pow(model.at("error").number, 2);
    }
    EXPECT_NEAR(log_a - log_b, std::log(kOdds), 4.0 * std::sqrt(variance)) << method;
    EXPECT_LT(variance, 0.1 * 0.1) << method;
  }
}

TEST_F(EvidenceCommandRun, compares_models_with_prior_probabilities) {
  write("one.json", R"({"log_evidence": -10, "error": 0.1, "agree": true})");
  write("two.json", R"({"log_evidence": -12, "error": 0.2, "agree": true})");
  write("bad.json", R"({"log_evidence": "NaN", "error": "NaN", "agree": false})");
  const Json odds =
      json({"compare", "--evidence", at("two.json"), at("one.json"), "--prior", "3,1"});
  const double p = std::exp(2.0) / (std::exp(2.0) + 3.0);  // of the first: 1 · e² to 3
  const Json& first = odds.at("models").items[0];
  EXPECT_EQ(first.at("file").text, at("one.json"));
  EXPECT_NEAR(first.at("probability").number, p, 1e-12);
  EXPECT_NEAR(first.at("probability_error").number, p * (1.0 - p) * std::sqrt(0.05), 1e-12);
  EXPECT_NE(odds.at("sentence").text.find("positive evidence"), std::string::npos);
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("bad.json")}), 4);
  EXPECT_NE(said().find("its methods disagree"), std::string::npos) << said();
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("two.json"), "--prior", "1"}), 2);
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("two.json"), "--prior", "1,-1"}), 2);
}

// The same outcomes under another name, with a covariate more, are the same data; other outcomes aren't.
TEST_F(EvidenceCommandRun, compares_evidences_of_the_same_data_only) {
  write("renamed.stan",
        "data { vector[3] w; vector[3] x; } parameters { real m; } model { m ~ normal(0, 1); w ~ "
        "normal(m * x, 1); }");
  write("renamed.json", R"({"w": [0.3, 1.1, 1.4], "x": [1, 2, 3]})");
  write("other.json", R"({"y": [0.3, 1.1, 1.5]})");
  const auto told = [&](const std::string& program, const std::string& data,
                        const std::string& to) {
    return run(
        {"evidence", at(program), "--data", at(data), "--method", "importance", "-o", at(to)});
  };
  ASSERT_EQ(told("scale.stan", "scale.json", "one.json"), 0);
  ASSERT_EQ(told("renamed.stan", "renamed.json", "same.json"), 0);
  ASSERT_EQ(told("scale.stan", "other.json", "different.json"), 0);
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("same.json")}), 0) << said();
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("different.json")}), 4);
  EXPECT_NE(said().find("data: the outcome y of 3 values is that of the first alone"),
            std::string::npos)
      << said();
  // Of a result, too, which has its program and data.
  ASSERT_EQ(run({"sample", at("scale.stan"), "--data", at("other.json"), "--sampler", "importance",
                 "-o", at("other.nc"), "--quiet"}),
            0);
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("other.nc")}), 4) << said();
  write("old.json", R"({"log_evidence": -10, "error": 0.1, "agree": true})");
  EXPECT_EQ(run({"compare", "--evidence", at("one.json"), at("old.json")}), 0);
  EXPECT_NE(said().find("doesn't contain its data"), std::string::npos) << said();
}

// P(m > 5) of the prior N(0, 1) is 2.87e-7; the same event said the other way round.
TEST_F(EvidenceCommandRun, tells_the_probability_of_a_rare_event) {
  write("rare.stan", "parameters { real m; } model { m ~ normal(0, 1); }");
  const double truth = 0.5 * std::erfc(5.0 / std::sqrt(2.0));
  for (const char* event : {"m > 5", "m + 2 < -3"}) {
    const Json found = json({"expect", at("rare.stan"), "--probability", event, "--particles",
                             "500", "--seed", "3", "--populations", "4"});
    EXPECT_NEAR(found.at("probability").number, truth, 3.0 * found.at("error").number) << event;
    EXPECT_LT(found.at("error").number, 0.3 * truth);
  }
  EXPECT_EQ(run({"expect", at("rare.stan"), "--probability", "m"}), 2);
  EXPECT_EQ(run({"expect", at("rare.stan"), "--probability", "m > 5", "--of", "m"}), 2);
}

// Two modes with shares 0.3 and 0.7 between which no chain moves: -10.62592 by quadrature over each coordinate. A
// reported error must match the spread; if the chains of the rungs haven't mixed, no error is reported.
TEST_F(EvidenceCommandRun, of_ladders_between_separate_modes_has_an_honest_error_or_none) {
  const std::string inputs = CREDO_SOURCE_DIR "/tests/inputs/";
  Index num_unknown = 0;
  for (const char* method : {"stepping", "thermodynamic"})
    for (int seed = 1; seed <= 4; ++seed) {
      const Json report =
          json({"evidence", inputs + "bimodal2.stan", "--data", inputs + "bimodal2.json",
                "--method", method, "--seed", std::to_string(seed)});
      const Json& e = report.at("methods").items.at(0);
      const double error = e.at("error").value();
      if (!std::isfinite(error)) {
        ++num_unknown;
        EXPECT_NE(e.at("notes").items.at(0).text.find("haven't mixed (R-hat"), std::string::npos);
        continue;
      }
      EXPECT_NEAR(e.at("log_evidence").number, -10.62592, 4.0 * error) << method << seed;
    }
  EXPECT_GT(num_unknown, 4);
}

// Draws of gamma(0.01, 0.01) are often so small that the gradient there is NaN: a search for modes passes over such
// starts. The evidence by the trapezoid rule over mu in (0.5, 3.5) and log shape in (-15, 9.5).
TEST_F(EvidenceCommandRun, of_a_wide_prior_survives_starts_without_a_gradient) {
  write("wide.stan", R"(data { int N; array[N] int y; }
parameters { real mu; real<lower=0> shape; }
model { mu ~ normal(2, 1); shape ~ gamma(0.01, 0.01); y ~ neg_binomial_2_log(mu, shape); })");
  write("wide.json", R"({"N": 12, "y": [3, 7, 12, 5, 9, 2, 14, 6, 8, 4, 11, 10]})");
  const Json report = json({"evidence", at("wide.stan"), "--data", at("wide.json"), "--method",
                            "bridge", "--draws", "1000"});
  const Json& e = report.at("methods").items.at(0);
  EXPECT_NEAR(e.at("log_evidence").number, -38.03226, 4.0 * e.at("error").value());
  EXPECT_LT(e.at("error").value(), 0.1);
}

TEST_F(EvidenceCommandRun, of_a_nested_model_at_no_density_is_an_error) {
  EXPECT_NE(run({"evidence", at("regression.stan"), "--data", at("regression.json"), "--method",
                 "savage-dickey", "--at", "b = 1e300", "--draws", "100", "--warmup", "100"}),
            0)
      << printed();
  EXPECT_NE(on_one_line(said()).find("the ratio doesn't exist"), std::string::npos) << said();
}

// A likelihood that is 0 everywhere is reported within a second, not after ten thousand draws for each particle.
TEST_F(EvidenceCommandRun, of_impossible_data_ends_soon) {
  write(
      "never.stan",
      "data { real y; } parameters { real m; } model { m ~ normal(0, 1); y ~ uniform(10 + exp(m), "
      "20 + exp(m)); }");
  write("never.json", R"({"y": 0})");
  EXPECT_NE(run({"sample", at("never.stan"), "--data", at("never.json"), "--sampler", "smc",
                 "--chains", "1"}),
            0);
  EXPECT_NE(on_one_line(said()).find("draws of the prior none has a likelihood"), std::string::npos)
      << said();
}

// ---- agreement

results::EvidenceReport report_of(std::vector<results::EvidenceEstimate> estimates) {
  return {.estimates = std::move(estimates)};
}

TEST(evidence_report, says_whether_methods_agree) {
  results::EvidenceReport report = report_of({{"bridge", -10.0, 0.1}, {"nested", -10.2, 0.2}});
  ASSERT_TRUE(report.furthest());
  EXPECT_NEAR(report.furthest()->score, 0.2 / std::sqrt(0.05), 1e-12);
  EXPECT_NEAR(report.limit(), 2.5758293035489, 1e-9);  // of one pair: 1 % on both sides
  EXPECT_TRUE(report.agree());
  EXPECT_EQ(report.best()->method, "bridge");
  report = report_of({{"bridge", -10.0, 0.1}, {"nested", -9.0, 0.2}, {"laplace", -50.0}});
  EXPECT_FALSE(report.agree());
  EXPECT_EQ(report.best(), nullptr);
  EXPECT_NE(
      report.sentence().find("The methods disagree: bridge says -10.000 ± 0.100, nested says"),
      std::string::npos)
      << report.sentence();
  EXPECT_TRUE(report.disagree());
  // Both use their own posterior draws and would miss the same part even if they agree. With one from the prior they
  // agree.
  report = report_of({{"bridge", -9.05, 0.01}, {"tempering", -9.06, 0.03}});
  EXPECT_FALSE(report.disagree());
  EXPECT_FALSE(report.agree());
  EXPECT_NE(report.sentence().find("all of them start from their own draws (bridge, tempering)"),
            std::string::npos)
      << report.sentence();
  ASSERT_NE(report.best(), nullptr);
  EXPECT_EQ(report.best()->method, "bridge");
  report = report_of({{"smc", -9.05, 0.01}, {"nested", -9.06, 0.03}});
  EXPECT_FALSE(report.agree());
  EXPECT_NE(report.sentence().find("all of them start from the prior (smc, nested)"),
            std::string::npos)
      << report.sentence();
  report = report_of({{"bridge", -9.05, 0.01}, {"nested", -9.06, 0.03}});
  EXPECT_TRUE(report.agree());
  EXPECT_NE(report.sentence().find("Starting from the prior: nested; from their own draws: bridge"),
            std::string::npos)
      << report.sentence();
  // Of the same draws: nothing is compared.
  report = report_of({{"stepping", -10.0, 0.01}, {"thermodynamic", -9.0, 0.01}});
  EXPECT_EQ(report.num_pairs(), 0);
}

}  // namespace
}  // namespace credo::cli::evidence_command_test
