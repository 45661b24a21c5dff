// credo approximate --method cavi and credo info --messages: exact posteriors, mixtures, lattices and refusals by command.
#include <fmt/format.h>

#include "base/rng.hpp"
#include "cli/results.hpp"
#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::cavi_test {
namespace {

class Cavi : public testing::CommandRun {
 protected:
  Cavi() : CommandRun("cavi") {
    write("gauss.stan",
          "data { int N; vector[N] y; } parameters { real mu; real<lower=0> tau; }\n"
          "model {\n  tau ~ gamma(1.5, 0.7);\n  mu ~ normal(0.3, inv_sqrt(2.0 * tau));\n"
          "  y ~ normal(mu, inv_sqrt(tau));\n}\n");
    write("gauss.json", R"({"N": 6, "y": [0.4, 1.9, -0.3, 2.2, 1.1, 0.8]})");
    write("mixture.stan",
          "data { int N; vector[N] y; }\n"
          "parameters { simplex[2] p; vector[2] mu; vector<lower=0>[2] tau; array[N] int<lower=1, "
          "upper=2> z; }\n"
          "model {\n  p ~ dirichlet([2, 2]');\n  mu ~ normal(0, 10);\n  tau ~ gamma(2, 1);\n"
          "  z ~ categorical(p);\n  y ~ normal(mu[z], inv_sqrt(tau[z]));\n}\n");
    Rng rng({.seed = testing::test_seed(5), .purpose = purpose::kTest});
    std::string y;
    for (int n = 0; n < 1200; ++n)
      y += fmt::format("{}{:.4f}", n == 0 ? "" : ", ", (n % 3 == 0 ? -3.0 : 2.0) + rng.normal());
    write("mixture.json", fmt::format(R"({{"N": 1200, "y": [{}]}})", y));
  }
  static std::string example(const std::string& name) {
    return CREDO_SOURCE_DIR "/examples/texts/" + name;
  }
  std::vector<double> setting(const std::string& file, std::string_view name) const {
    const std::string path = at(file);
    const auto fit = open_fit(std::span(&path, 1));
    for (const infer::TunedSetting& one : fit->result().chains[0].tuned)
      if (one.name == name) return one.values;
    ADD_FAILURE() << "no " << name;
    return {0.0};
  }
  int fitted(const std::string& model, const std::string& data, const std::string& file,
             std::vector<std::string> more = {}) {
    std::vector<std::string> words{"approximate", model, "--data",  data, "--method", "cavi",
                                   "--seed",      "1",   "--quiet", "-o", at(file)};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

// Log evidence by the usual formulas of the normal-gamma posterior.
double log_evidence_of_six() {
  const std::vector<double> y{0.4, 1.9, -0.3, 2.2, 1.1, 0.8};
  double mean = 0.0, squares = 0.0;
  for (const double v : y) mean += v / 6.0;
  for (const double v : y) squares += (v - mean) * (v - mean);
  const double a = 1.5 + 3.0,
               b = 0.7 + 0.5 * squares + 0.5 * 2.0 * 6.0 / 8.0 * std::pow(mean - 0.3, 2);
  return std::lgamma(a) - std::lgamma(1.5) + 1.5 * std::log(0.7) - a * std::log(b) +
         0.5 * std::log(2.0 / 8.0) - 3.0 * std::log(2.0 * 3.14159265358979323846);
}

// A joint factor is the posterior: every weight is the evidence, which a Jacobian left out would change. Of separate factors the mean
// weight is the evidence.
TEST_F(Cavi, have_weights_whose_mean_is_the_evidence) {
  ASSERT_EQ(fitted(at("gauss.stan"), at("gauss.json"), "joint.nc", {"--join", "mu+tau"}), 0)
      << said();
  EXPECT_NEAR(setting("joint.nc", "bound")[0], log_evidence_of_six(), 1e-9);
  const auto weights = [&](const std::string& file) {
    const std::string path = at(file);
    const auto fit = open_fit(std::span(&path, 1));
    const density::Draws draws =
        fit->quantities(false, *results::find_quantity(*fit, "log_weight"), 1);
    const auto all = draws.quantity(0);
    return std::vector<double>(all.begin(), all.end());
  };
  for (const double w : weights("joint.nc")) ASSERT_NEAR(w, log_evidence_of_six(), 1e-9);
  ASSERT_EQ(fitted(at("gauss.stan"), at("gauss.json"), "apart.nc"), 0) << said();
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (const double w : weights("apart.nc")) {
    const double ratio = std::exp(w - log_evidence_of_six());
    sum += ratio, squares += ratio * ratio, count += 1.0;
  }
  const double mean = sum / count, error = std::sqrt((squares / count - mean * mean) / count);
  EXPECT_NEAR(mean, 1.0, 4.5 * error);
  EXPECT_LT(setting("apart.nc", "bound")[0], log_evidence_of_six());
}

TEST_F(Cavi, of_a_lattice_are_the_mean_field_equations) {
  ASSERT_EQ(fitted(example("lattice.stan"), example("lattice.json"), "l.nc", {"--no-check"}), 0)
      << said();
  const std::vector<double> shares = setting("l.nc", "z_probability");
  ASSERT_EQ(shares.size(), 800u);
  std::vector<double> y;
  testing::parse_json(io::read_file(example("lattice.json"))).at("y").flatten(y);
  const auto mean = [&](int i, int j) {
    if (i < 0 || j < 0 || i == 20 || j == 20) return 0.0;
    const auto k = 2 * static_cast<std::size_t>(20 * i + j);
    return shares[k + 1] - shares[k];
  };
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) {
      const double field =
          0.4 * (mean(i - 1, j) + mean(i + 1, j) + mean(i, j - 1) + mean(i, j + 1)) +
          y.at(static_cast<std::size_t>(20 * i + j)) / (1.5 * 1.5);
      EXPECT_NEAR(mean(i, j), std::tanh(field), 1e-3) << i << " " << j;
    }
  ASSERT_EQ(fitted(example("lattice.stan"), example("lattice.json"), "d.nc",
                   {"--no-check", "--order", "all", "--damping", "0.5"}),
            0)
      << said();
  EXPECT_NEAR(setting("d.nc", "bound")[0], setting("l.nc", "bound")[0], 1.0);
}

// Two of six components keep rows, the others have their prior's share. These underflow in draws, where the density is infinite: the draws
// then have no weights, and a warning says so.
TEST_F(Cavi, of_old_faithful_end_with_two_of_six_components) {
  ASSERT_EQ(fitted(example("faithful.stan"), example("faithful.json"), "f.nc",
                   {"--join", "mu+Lambda", "--no-check", "--draws", "100"}),
            0)
      << said();
  ASSERT_EQ(run({"diagnose", at("f.nc")}), 0) << said();
  EXPECT_NE(on_one_line(printed()).find("wasn't checked by weights"), std::string::npos)
      << printed();
  std::vector<double> shares = setting("f.nc", "theta_alpha");
  std::ranges::sort(shares, std::greater());
  ASSERT_EQ(shares.size(), 6u);
  EXPECT_NEAR(shares[0] + shares[1], 272.0 + 2 * 0.001, 1e-6);
  EXPECT_GT(shares[1], 50.0);
  EXPECT_LT(shares[2], 0.001 + 1e-6);
}

// 3,000 rows with means (2, 0), (-2, -4), (-2, 4), of which a step sees 500: means up to the order of the components, within 4.5 standard
// errors of 1,000 rows, and the bound of all rows.
TEST_F(Cavi, by_batches_come_near_the_bound_of_all_rows) {
  const std::string program = example("three_clusters.stan"), data = example("three_clusters.json");
  ASSERT_EQ(fitted(program, data, "all.nc", {"--no-check", "--draws", "10"}), 0) << said();
  ASSERT_EQ(fitted(program, data, "batch.nc", {"--no-check", "--draws", "10", "--batch", "500"}), 0)
      << said();
  EXPECT_NEAR(setting("batch.nc", "bound")[0], setting("all.nc", "bound")[0], 2.0);
  const std::vector<double> means = setting("batch.nc", "mu_mean");  // by columns
  ASSERT_EQ(means.size(), 6u);
  for (const auto& [x, y] : {std::pair(2.0, 0.0), {-2.0, -4.0}, {-2.0, 4.0}}) {
    double nearest = kInfinity;
    for (std::size_t k = 0; k < 3; ++k)
      nearest = std::min(nearest, std::hypot(means[k] - x, means[k + 3] - y));
    EXPECT_LT(nearest, 4.5 * std::sqrt(2.0 / 900.0)) << x << " " << y;
  }
  EXPECT_EQ(fitted(at("gauss.stan"), at("gauss.json"), "no.nc", {"--batch", "2"}), 2);
  EXPECT_NE(on_one_line(said()).find("no rows that are sums over labels"), std::string::npos)
      << said();
}

// The bound is known without draws; beside points it is one of another density, which a warning says.
TEST_F(Cavi, print_their_bound) {
  const auto fit = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"approximate", at("gauss.stan"), "--data", at("gauss.json"),
                                   "--method",    "cavi",           "--seed", "1",
                                   "-o",          at("bound.nc")};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  };
  fit({"--join", "mu+tau"});
  const std::string bound = fmt::format("log evidence at least {:.3f}", log_evidence_of_six());
  EXPECT_NE(on_one_line(printed()).find(bound), std::string::npos) << printed();
  const testing::Json judged = json({"diagnose", at("bound.nc")});
  EXPECT_NEAR(judged.at("figures").at("bound").at("value").number, log_evidence_of_six(), 1e-9);
  fit({"--point", "tau"});
  const std::string text = on_one_line(printed());
  EXPECT_EQ(text.find("log evidence at least"), std::string::npos) << printed();
  EXPECT_NE(text.find("log density of data and points is at least"), std::string::npos)
      << printed();
}

// --method auto takes joint factors where they are the posterior, and the command's own method where they aren't.
TEST_F(Cavi, are_the_method_of_conjugate_programs) {
  const auto by_auto = [&](const std::string& model, const std::string& data,
                           const std::string& file) {
    return run({"approximate", model, "--data", data, "--method", "auto", "--seed", "1", "--quiet",
                "--no-check", "-o", at(file)});
  };
  const auto method = [&](const std::string& file) {
    const std::string path = at(file);
    return open_fit(std::span(&path, 1))->result().sampler;
  };
  ASSERT_EQ(by_auto(at("gauss.stan"), at("gauss.json"), "auto.nc"), 0) << said();
  EXPECT_EQ(method("auto.nc"), "cavi");
  EXPECT_NEAR(setting("auto.nc", "bound")[0], log_evidence_of_six(), 1e-9);
  write("apart.stan",
        "data { int N; vector[N] y; } parameters { real mu; real<lower=0> tau; }\n"
        "model {\n  tau ~ gamma(1.5, 0.7);\n  mu ~ normal(0.3, 2);\n"
        "  y ~ normal(mu, inv_sqrt(tau));\n}\n");
  ASSERT_EQ(by_auto(at("apart.stan"), at("gauss.json"), "apart.nc"), 0) << said();
  EXPECT_EQ(method("apart.nc"), "normal");
  // More values than the normal method has matrices for: 2,100 conjugate rates.
  write("rates.stan",
        "data { int N; array[N] int c; } parameters { vector<lower=0>[N] r; real<lower=0> s; }\n"
        "model {\n  s ~ gamma(2, 1);\n  r ~ gamma(1.5, s);\n  c ~ poisson(r);\n}\n");
  std::string counts = "0";
  for (int n = 1; n < 2100; ++n) counts += fmt::format(", {}", n % 5);
  write("rates.json", fmt::format(R"({{"N": 2100, "c": [{}]}})", counts));
  ASSERT_EQ(by_auto(at("rates.stan"), at("rates.json"), "rates.nc"), 0) << said();
  EXPECT_EQ(method("rates.nc"), "cavi");
}

// E3: of components without a likelihood one takes all 28 rows.
TEST_F(Cavi, of_shares_alone_end_with_one_component) {
  ASSERT_EQ(fitted(example("shares_alone.stan"), example("shares_alone.json"), "s.nc",
                   {"--no-check", "--draws", "10"}),
            0)
      << said();
  std::vector<double> shares = setting("s.nc", "theta_alpha");
  std::ranges::sort(shares, std::greater());
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_NEAR(shares[0], 28.001, 1e-6);
  EXPECT_NEAR(shares[1], 0.001, 1e-6);
}

TEST_F(Cavi, list_their_messages) {
  ASSERT_EQ(run({"info", at("gauss.stan"), "--data", at("gauss.json"), "--messages"}), 0) << said();
  EXPECT_NE(printed().find("gamma"), std::string::npos) << printed();
  EXPECT_NE(printed().find("y ~ normal(mu, inv_sqrt(tau))"), std::string::npos) << printed();
  ASSERT_EQ(run({"info", at("gauss.stan"), "--data", at("gauss.json"), "--messages", "--json"}), 0)
      << said();
  EXPECT_NE(printed().find("\"family\""), std::string::npos) << printed();
}

TEST_F(Cavi, name_the_statement_that_has_no_conjugate_form) {
  write("bad.stan",
        "data { int N; vector[N] y; } parameters { real mu; real<lower=0> s; }\n"
        "model {\n  mu ~ normal(0, 1);\n  s ~ exponential(1);\n  y ~ normal(mu, s);\n}\n");
  EXPECT_EQ(fitted(at("bad.stan"), at("gauss.json"), "b.nc"), 3);
  EXPECT_NE(on_one_line(said()).find("s ~ exponential(1)"), std::string::npos) << said();
  EXPECT_NE(on_one_line(said()).find("bad.stan:4"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::cavi_test
