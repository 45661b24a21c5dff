// credo sample --sampler ibis: the texts' example against quadrature, what its files have, what it refuses.
#include "cli/results.hpp"
#include "io/file.hpp"
#include "results/draws/summary.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::ibis_test {
namespace {
using namespace credo::testing;

const std::string kExample = CREDO_SOURCE_DIR "/examples/ibis/normal";

class Ibis : public CommandRun {
 protected:
  Ibis() : CommandRun("ibis") {}
  int sample(std::vector<std::string> more) {
    std::vector<std::string> words{
        "sample", kExample + ".stan", "--data", kExample + ".json", "--sampler",
        "ibis",   "--seed",           "5",      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::unique_ptr<Fit> open(std::vector<std::string> names) const {
    for (std::string& name : names) name = at(name);
    return open_fit(names);
  }
};

// Of mu ~ N(0, 1), sigma ~ Gamma(1, 1), y ~ N(mu, sigma) after each number of rows, by sums over a fine grid.
struct Known {
  double log_evidence, mu, sigma;
};
std::vector<Known> by_quadrature(const std::vector<double>& y) {
  std::vector<Known> known;
  constexpr double kStep = 0.01;
  for (std::size_t n = 1; n <= y.size(); ++n) {
    double total = 0.0, of_mu = 0.0, of_sigma = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += y[i], squares += y[i] * y[i];
    const double count = static_cast<double>(n);
    for (double mu = -5.0; mu < 8.0; mu += kStep)
      for (double sigma = 0.5 * kStep; sigma < 12.0; sigma += kStep) {
        const double square = squares - 2.0 * mu * sum + count * mu * mu;
        const double log_density = -0.5 * mu * mu - 0.5 * std::log(2.0 * M_PI) - sigma -
                                   0.5 * square / (sigma * sigma) -
                                   count * (std::log(sigma) + 0.5 * std::log(2.0 * M_PI));
        const double p = std::exp(log_density) * kStep * kStep;
        total += p, of_mu += p * mu, of_sigma += p * sigma;
      }
    known.push_back({std::log(total), of_mu / total, of_sigma / total});
  }
  return known;
}

// Combined standard error of the chains' mean, as they report it: of the evidence of all rows, of which that of fewer is a part.
double error_of(const Fit& fit) {
  double squares = 0.0, count = 0.0;
  for (const auto& chain : fit.result().chains)
    for (const infer::TunedSetting& setting : chain.tuned)
      if (setting.name == "log_evidence_error")
        squares += setting.values.at(0) * setting.values.at(0), count += 1.0;
  return std::sqrt(squares) / count;
}

TEST_F(Ibis, ends_at_the_values_of_the_example_with_the_evidence_of_each_row) {
  ASSERT_EQ(sample({"-o", at("fit.nc")}), 0) << said();
  const Json data = parse_json(io::read_file(kExample + ".json"));
  std::vector<double> y;
  for (const Json& value : data.at("y").items) y.push_back(value.number);
  const std::vector<Known> known = by_quadrature(y);
  const auto fit = open({"fit.nc"});
  const auto rows = results::summarise_outputs(*fit);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0].mean, known.back().mu, 5.0 * rows[0].mcse_mean);
  EXPECT_NEAR(rows[1].mean, known.back().sigma, 5.0 * rows[1].mcse_mean);
  // The text's (3.14, 1), within three standard deviations of the posterior.
  EXPECT_NEAR(rows[0].mean, 3.14, 3.0 * rows[0].sd);
  EXPECT_NEAR(rows[1].mean, 1.0, 3.0 * rows[1].sd);
  ASSERT_EQ(fit->tables().size(), 1u);
  const double error = error_of(*fit);
  EXPECT_LT(error, 0.1);
  const RowTable& stages = fit->tables()[0];
  EXPECT_EQ(stages.name, "stages");
  const std::size_t width = stages.columns.size();
  std::vector<double> evidence(30, 0.0), increment(30, 0.0);
  for (Index chain = 0; chain < 4; ++chain) {
    const std::vector<double> table = fit->table_rows(0, chain);
    ASSERT_EQ(table.size(), 30 * width);
    Index moved = 0;
    for (std::size_t n = 0; n < 30; ++n) {
      EXPECT_EQ(table[n * width], static_cast<double>(n + 1));
      increment[n] += table[n * width + 1] / 4.0;
      evidence[n] += table[n * width + 2] / 4.0;
      if (n < 29) moved += static_cast<Index>(table[n * width + 4]);
    }
    // The text's figure has 7; its other data sets have 4 to 9.
    EXPECT_GE(moved, 3);
    EXPECT_LE(moved, 10);
  }
  for (std::size_t n = 0; n < 30; ++n) {
    EXPECT_NEAR(evidence[n], known[n].log_evidence, 4.5 * error) << n;
    const double before = n == 0 ? 0.0 : known[n - 1].log_evidence;
    EXPECT_NEAR(increment[n], known[n].log_evidence - before, 4.5 * error) << n;
  }
}

TEST_F(Ibis, gives_the_same_bits_for_any_number_of_threads) {
  ASSERT_EQ(sample({"--draws", "60", "--threads", "1", "-o", at("a.csv")}), 0) << said();
  ASSERT_EQ(sample({"--draws", "60", "--threads", "3", "-o", at("b.csv")}), 0) << said();
  EXPECT_EQ(io::read_file(at("a.stages.csv")), io::read_file(at("b.stages.csv")));
  const auto a = open({"a_1.csv", "a_2.csv", "a_3.csv", "a_4.csv"});
  const auto b = open({"b_1.csv", "b_2.csv", "b_3.csv", "b_4.csv"});
  const density::Draws of_a = a->quantities(false, *find_quantity(*a, "mu"), 1),
                       of_b = b->quantities(false, *find_quantity(*b, "mu"), 1);
  EXPECT_TRUE(std::ranges::equal(of_a.quantity(0), of_b.quantity(0)));
}

// What a constraint or a check of the density refuses at later rows, and constants beside the rows, are part of the evidence.
TEST_F(Ibis, counts_constants_of_the_likelihood_and_points_without_one) {
  write("m.stan",
        "data { int N; vector[N] y; } parameters { real<lower=0, upper=4> top; }\n"
        "model { top ~ uniform(0, 4); y ~ uniform(0, top); target += 2.0 * N * y[1] / y[1]; }\n");
  write("d.json", R"({"N": 3, "y": [0.5, 2.0, 1.0]})");
  ASSERT_EQ(run({"sample", at("m.stan"), "--data", at("d.json"), "--sampler", "ibis", "--mover",
                 "slice", "--draws", "2000", "--quiet", "-o", at("m.nc")}),
            0)
      << said();
  // The integral of top^-3 / 4 over (2, 4), times exp(6).
  const double truth = std::log((1.0 / 4.0 - 1.0 / 16.0) / 8.0) + 6.0;
  const auto fit = open({"m.nc"});
  double mean = 0.0;
  for (const auto& chain : fit->result().chains)
    for (const infer::TunedSetting& setting : chain.tuned)
      if (setting.name == "log_evidence") mean += setting.values.at(0) / 4.0;
  EXPECT_NEAR(mean, truth, 4.5 * error_of(*fit));
}

TEST_F(Ibis, says_which_sentence_is_missing) {
  const auto refused = [&](const std::string& program, const char* words) {
    write("r.stan", program);
    write("r.json", R"({"N": 2, "y": [1.0, 2.0]})");
    EXPECT_NE(run({"sample", at("r.stan"), "--data", at("r.json"), "--sampler", "ibis"}), 0);
    EXPECT_NE(on_one_line(said()).find(words), std::string::npos) << said();
  };
  refused("data { int N; vector[N] y; } parameters { real x; } model { x ~ normal(0, 1); }",
          "state how the data are distributed: y ~ ...");
  refused("data { int N; vector[N] y; } parameters { real x; } model { y ~ normal(x, 1); }",
          "the prior can't be drawn from");
  refused(
      "data { int N; vector[N] y; } parameters { real x; } model { x ~ normal(0, 1);\n"
      "target += -0.5 * dot_self(y - x); }",
      "the rows of the likelihood aren't known");
  // Rows that log_lik alone tells: nobody knows the prior.
  refused(
      "data { int N; vector[N] y; } parameters { real x; } model { x ~ normal(0, 1);\n"
      "target += -0.5 * dot_self(y - x); }\n"
      "generated quantities { vector[N] log_lik = -0.5 * square(y - x); }",
      "it isn't known whether it is prior or likelihood");
}

}  // namespace
}  // namespace credo::cli::ibis_test
