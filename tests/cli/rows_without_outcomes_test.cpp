// Predictions of rows that have no outcomes: those of the same rows with any outcomes, bit for bit, or a refusal that names
// what reads the outcome.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::rows_without_outcomes_test {
namespace {

class RowsWithoutOutcomes : public ::credo::testing::CommandRun {
 protected:
  RowsWithoutOutcomes() : CommandRun("rows_without_outcomes") {}

  void fit(const std::string& program, const std::string& table) {
    write("m.stan", program);
    write("fit.csv", table);
    ASSERT_EQ(run({"sample", at("m.stan"), "--data", at("fit.csv"), "--seed", "1", "--chains", "1",
                   "--warmup", "100", "--draws", "50", "--quiet", "-o", at("fit.nc")}) &
                  ~8,
              0)
        << said();
  }
  // The summary of the predictions of a table, or what is said where they are refused.
  std::string predicted(const std::string& table, std::vector<std::string> more = {}) {
    write("new.csv", table);
    std::vector<std::string> words{"predict", at("fit.nc"), "--data", at("new.csv"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words) == 0 ? printed() : "refused: " + on_one_line(printed() + said());
  }
  void expect_refused(const std::string& table, const std::vector<std::string>& parts,
                      std::vector<std::string> more = {}) {
    const std::string text = predicted(table, std::move(more));
    EXPECT_TRUE(text.starts_with("refused: ")) << text;
    for (const std::string& part : parts) EXPECT_NE(text.find(part), text.npos) << part << text;
  }
};

constexpr const char* kLine = R"(data {
  int<lower=0> N;
  vector[N] x;
  vector<lower=0>[N] y;
}
parameters { real a; real b; real<lower=0> s; }
model { a ~ normal(0, 5); b ~ normal(0, 5); s ~ exponential(1); y ~ normal(a + b * x, s); }
)";
constexpr const char* kLineRows = "x,y\n1,1.2\n2,1.9\n3,3.3\n4,3.8\n5,5.1\n";

// Draws may be negative where the data may not: a declared bound is one of data.
TEST_F(RowsWithoutOutcomes, replicates_are_those_of_rows_with_any_outcomes) {
  fit(kLine, kLineRows);
  const std::string without = predicted("x\n-3\n2.5\n");
  EXPECT_NE(without.find("\"y_rep.2\""), without.npos) << without;
  EXPECT_EQ(without.find("null"), without.npos) << "every replicate is a number";
  EXPECT_EQ(without, predicted("x,y\n-3,7\n2.5,0\n"));
  EXPECT_NE(without, predicted("x\n-3\n2.6\n"));
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("new.csv"), "-o", at("p.nc")}), 0);
  EXPECT_NE(said().find("y isn't in the data: it is an outcome"), said().npos) << said();
  EXPECT_EQ(run({"summary", at("p.nc")}), 0) << said();
  EXPECT_NE(printed().find("y_rep.2"), printed().npos);
}

TEST_F(RowsWithoutOutcomes, counts_and_classes_need_no_value_either) {
  fit(R"(data { int<lower=0> N; vector[N] x; array[N] int<lower=0> y; array[N] int<lower=0, upper=1> z; }
parameters { real a; real b; }
model {
  a ~ normal(0, 1); b ~ normal(0, 1);
  for (n in 1:N) { y[n] ~ poisson_log(a + b * x[n]); target += bernoulli_logit_lpmf(z[n] | a * x[n]); }
})",
      "x,y,z\n0.1,1,0\n0.2,2,1\n0.3,1,0\n0.4,3,1\n");
  const std::string without = predicted("x\n0.5\n1\n");
  EXPECT_NE(without.find("\"z_rep.2\""), without.npos) << without;
  EXPECT_EQ(without, predicted("x,y,z\n0.5,4,1\n1,0,0\n"));
  EXPECT_EQ(without, predicted("x,y\n0.5,4\n1,0\n"));  // one of them alone
}

TEST_F(RowsWithoutOutcomes, levels_of_an_outcome_are_those_of_the_fit) {
  fit(R"(data { int<lower=0> N; int<lower=2> K; vector[N] x; array[N] int<lower=1, upper=K> y; }
parameters { real b; ordered[K - 1] c; }
model { b ~ normal(0, 1); c ~ normal(0, 2); y ~ ordered_logistic(b * x, c); })",
      "x,y\n0.1,a\n0.2,b\n0.3,c\n0.4,c\n");
  const std::string without = predicted("x\n0.5\n1\n");
  EXPECT_NE(without.find("\"y_rep.2\""), without.npos) << without;
  EXPECT_EQ(without, predicted("x,y\n0.5,a\n1,b\n"));
}

constexpr const char* kQuantities = R"(
generated quantities {
  vector[N] log_lik;
  vector[N] y_new;
  real<lower=0> misfit = 0;
  real largest = y[1] > 0 ? 1 : 0;
  for (n in 1:N) {
    real r = y[n] - a;
    log_lik[n] = normal_lpdf(y[n] | a + b * x[n], s);
    y_new[n] = normal_rng(a + b * x[n], s);
    if (r > 0) {
      misfit += r;
    }
  }
}
)";

TEST_F(RowsWithoutOutcomes,
       a_generated_quantity_that_needs_the_outcome_is_refused_if_it_is_asked_for) {
  fit(std::string(kLine) + kQuantities, kLineRows);
  const char* const kRows = "x\n1.5\n2.5\n";
  expect_refused(kRows,
                 {"log_lik needs y, which isn't in the data", "m.stan:16:", "--drop log_lik"});
  expect_refused(kRows, {"misfit needs y"}, {"--drop", "log_lik", "--drop", "largest"});
  expect_refused(kRows, {"largest needs y"}, {"--keep", "largest"});
  const std::string without = predicted(kRows, {"--keep", "y_new"});
  EXPECT_NE(without.find("\"y_new.2\""), without.npos) << without;
  EXPECT_EQ(without.find("null"), without.npos);
  EXPECT_EQ(without, predicted("x,y\n1.5,3\n2.5,4\n", {"--keep", "y_new"}));
  EXPECT_NE(predicted(kRows, {"--outcomes"}).find("\"y_rep.2\""), std::string::npos);
}

TEST_F(RowsWithoutOutcomes, a_loop_that_an_outcome_ends_is_left_out_as_a_whole) {
  fit(std::string(kLine) + R"(
generated quantities {
  real count = 0;
  real free = normal_rng(a, s);
  for (n in 1:N) {
    if (y[n] > 100) break;
    count += 1;
  }
})",
      kLineRows);
  expect_refused("x\n1\n", {"count needs y"}, {"--keep", "count"});
  EXPECT_EQ(predicted("x\n1\n", {"--keep", "free"}), predicted("x,y\n1,1\n", {"--keep", "free"}));
}

struct Reader {
  const char* name;
  const char* data;  // and transformed data
  const char* parameters;
  const char* model;
  std::vector<std::string> parts;
};
const Reader kReaders[] = {
    {"transformed_data",
     "transformed data { real m = mean(y); }",
     "",
     "y ~ normal(a + m, 1);",
     {"y is not in the data, and transformed data reads it: ", "m.stan:2:"}},
    {"transformed_parameter",
     "",
     "transformed parameters { real d = a - y[1]; }",
     "y ~ normal(d, 1);",
     {"and a transformed parameter reads it", "m.stan:4:"}},
    {"a_declaration",
     "",
     "parameters { real<lower=max(y)> top; }",
     "top ~ normal(0, 100); y ~ normal(top, 1);",
     {"and the declaration of top reads it", "m.stan:3:"}},
    {"the_next_outcome",
     "",
     "",
     "y[2:N] ~ normal(a * y[1:(N - 1)], 1);",
     {"y isn't in the data, and the model block reads it", "m.stan:5:", "generated quantities"}},
    {"a_condition",
     "",
     "",
     "for (n in 1:N) if (y[n] > 0) y[n] ~ normal(a, 1);",
     {"the model block reads it: y[n] > 0"}},
    {"a_mixture",
     "",
     "",
     "for (n in 1:N) target += log_mix(0.3, normal_lpdf(y[n] | a, 1), normal_lpdf(y[n] | 0, 9));",
     {"the model block reads it"}},
    {"a_part",
     "",
     "",
     "y[2:N] ~ normal(a, 1);",
     {"element 1 of y isn't in the data, and no statement draws it"}},
};

class OutcomesThatAreRead : public RowsWithoutOutcomes,
                            public ::testing::WithParamInterface<Reader> {};

TEST_P(OutcomesThatAreRead, are_refused_by_name_and_place) {
  const Reader& reader = GetParam();
  const std::string parameters = std::string(reader.parameters).starts_with("parameters")
                                     ? std::string(reader.parameters) + "\n"
                                     : std::string("parameters { real a; }\n") + reader.parameters;
  const bool has_a = parameters.find("real a;") != std::string::npos;
  fit("data { int N; vector[N] x; vector[N] y; }\n" + std::string(reader.data) + "\n" + parameters +
          "\nmodel { " + (has_a ? "a ~ normal(0, 1); " : "") + reader.model + " }\n",
      "x,y\n1,1\n2,2\n3,1\n");
  expect_refused("x\n1\n2\n", reader.parts);
}
INSTANTIATE_TEST_SUITE_P(All, OutcomesThatAreRead, ::testing::ValuesIn(kReaders),
                         [](const auto& one) { return std::string(one.param.name); });

// The number of trials is the sum of the outcome.
TEST_F(RowsWithoutOutcomes, a_multinomial_outcome_is_read_by_its_own_distribution) {
  write("data.json", R"({"K": 3, "y": [3, 4, 5]})");
  write("new.json", R"({"K": 3})");
  write(
      "m.stan",
      "data { int K; array[K] int y; } parameters { simplex[K] p; } model { y ~ multinomial(p); }");
  ASSERT_EQ(run({"sample", at("m.stan"), "--data", at("data.json"), "--seed", "1", "--draws", "50",
                 "--chains", "1", "--quiet", "-o", at("fit.nc")}) &
                ~8,
            0)
      << said();
  EXPECT_NE(run({"predict", at("fit.nc"), "--data", at("new.json")}), 0);
  EXPECT_NE(on_one_line(said()).find("y isn't in the data, and the model block reads it"),
            std::string::npos)
      << said();
}

TEST_F(RowsWithoutOutcomes, a_score_needs_them_and_says_so) {
  fit(kLine, kLineRows);
  write("new.csv", "x\n1\n2\n");
  EXPECT_EQ(run({"score", at("fit.nc"), "--test", at("new.csv")}), 4);
  EXPECT_NE(on_one_line(said()).find("new.csv: error: there is no y: a score compares predictions "
                                     "with outcomes"),
            std::string::npos)
      << said();
  write("new.json", R"({"N": 2, "x": [1, 2]})");
  EXPECT_EQ(run({"score", at("fit.nc"), "--test", at("new.json")}), 4);
  EXPECT_NE(on_one_line(said()).find("there is no y: a score"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::rows_without_outcomes_test
