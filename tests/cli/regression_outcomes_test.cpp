// Outcomes of several columns and mixtures, against scipy (tools/make_outcome_reference.py), closed forms and programs written by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "io/file.hpp"
#include "support/command_run.hpp"

namespace credo::cli::regression_outcomes_test {
namespace {
const std::string kReferences = CREDO_SOURCE_DIR "/tests/data/regression/";
const std::string kTable = kReferences + "outcomes.csv";

struct Figure {
  double mean = kNaN, sd = kNaN, error = kNaN;
};
using Words = std::vector<std::string>;

// The command line of each model of the reference.
const std::map<std::string, Words, std::less<>>& models() {
  static const std::map<std::string, Words, std::less<>> kModels{
      {"multinomial", {"cbind(a, b, c) | trials(total) ~ x"}},
      {"dirichlet_multinomial",
       {"cbind(a, b, c) | trials(total) ~ x", "--family", "dirichlet_multinomial"}},
      {"dirichlet", {"cbind(p, q, r) ~ x", "--family", "dirichlet"}},
      {"mv", {"u ~ x; v ~ x + z"}},
      {"mv_sigma", {"mv(u, v) ~ x; v ~ x + z; sigma_u ~ z"}},
      {"poissons", {"events ~ x; mu2 ~ 1; theta2 ~ z", "--family", "mixture(poisson, poisson)"}},
      {"normals", {"w ~ 1", "--family", "mixture(normal, normal, normal)"}},
      {"normal_student", {"w ~ 1; mu1 ~ x", "--family", "mixture(normal, student)"}}};
  return kModels;
}

class Outcomes : public testing::CommandRun {
 protected:
  Outcomes() : CommandRun("regression_outcomes") {}

  void fit(const std::string& name, Words words) {
    words.insert(words.begin(), "regression");
    words.insert(words.end(), {"--seed", "1", "--quiet", "-o", at(name)});
    ASSERT_EQ(run(words) & ~8, 0) << said();
  }
  std::map<std::string, Figure> figures(Words words) {
    std::map<std::string, Figure> all;
    for (const testing::Json& row : json(std::move(words)).items)
      all[row.at("name").text] = {row.at("mean").number, row.at("sd").number,
                                  row.at("mcse_mean").number};
    return all;
  }
  double log_likelihood(const std::string& name, const std::string& point) {
    Words words = models().at(name);
    words.insert(words.begin(), "regression");
    words.insert(words.end(), {"--data", kTable, "--write", at(name)});
    if (!std::filesystem::exists(at(name))) {
      EXPECT_EQ(run(words), 0) << said();
    }
    write("point.json", "[" + point + "]");
    Words asked{"log-prob",      at(name) + "/program.stan", "--data",  kTable,
                "--constrained", at("point.json"),           "--terms", "likelihood"};
    if (const std::string constants = at(name) + "/constants.json";
        std::filesystem::exists(constants))
      asked.insert(asked.end(), {"--data", constants});
    return json(asked).items.at(0).at("log_density").number;
  }
};

// Sums of 80 terms of double precision; the table has shares of 9 digits, which scipy scales to the sum 1.
TEST_F(Outcomes, have_the_densities_of_independent_formulas) {
  std::istringstream lines(io::read_file(kReferences + "outcomes.tsv"));
  std::string line;
  std::getline(lines, line);
  std::size_t number = 0;
  for (; std::getline(lines, line); ++number) {
    std::istringstream cells(line);
    std::string name, point, value;
    std::getline(cells, name, '\t'), std::getline(cells, point, '\t');
    std::getline(cells, value, '\t');
    const double expected = std::stod(value), own = log_likelihood(name, point);
    const double tolerance = (name == "dirichlet" ? 1e-7 : 1e-10) * std::abs(expected);
    EXPECT_NEAR(own, expected, tolerance) << name;
    const std::size_t digit = point.find("0.");  // a planted error of a tenth in one parameter
    const double wrong = log_likelihood(name, std::string(point).replace(digit, 2, "0.1"));
    EXPECT_GT(std::abs(wrong - expected), tolerance) << name;
  }
  EXPECT_EQ(number, models().size());
}

// R 4.2, nnet::multinom(as.matrix(d[, c("a", "b", "c")]) ~ x, d, reltol = 1e-12), which has six digits.
TEST_F(Outcomes, of_counts_have_the_estimates_of_multinom) {
  const testing::Json answer =
      json({"regression", "cbind(a, b, c) | trials(total) ~ x", "--data", kTable, "--priors",
            "flat", "--method", "optimize", "--seed", "1"});
  const std::map<std::string, double> peer{{"intercept_mub_at_zero", 0.3058703},
                                           {"b_mub_x", 0.7517319},
                                           {"intercept_muc_at_zero", -0.3497991},
                                           {"b_muc_x", -0.6979713}};
  std::size_t found = 0;
  for (const testing::Json& row : answer.at("mode").items)
    if (const auto own = peer.find(row.at("name").text); own != peer.end()) {
      ++found;
      EXPECT_NEAR(row.at("value").number, own->second, 1e-5);
    }
  EXPECT_EQ(found, peer.size());
}

// With one design and flat priors the maximum has the coefficients of lm, root mean squares of residuals, and their correlation:
// R 4.2, lm(cbind(u, v) ~ x, d).
TEST_F(Outcomes, of_one_design_have_the_closed_form_of_least_squares) {
  std::map<std::string, double> own;
  const testing::Json answer = json({"regression", "mv(u, v) ~ x", "--data", kTable, "--priors",
                                     "flat", "--method", "optimize", "--seed", "1"});
  for (const testing::Json& row : answer.at("mode").items)
    own[row.at("name").text] = row.at("value").number;
  const std::map<std::string, double> peer{{"intercept_u_at_zero", 1.2233142555},
                                           {"b_u_x", 0.4765134544},
                                           {"intercept_v_at_zero", 2.5119516432},
                                           {"b_v_x", -0.6596209212},
                                           {"sigma_u", 1.532660922},
                                           {"sigma_v", 1.774528790},
                                           {"L_rescor.2.1", 0.5463034145}};
  for (const auto& [name, value] : peer)
    EXPECT_NEAR(own.at(name), value, 1e-5 * std::abs(value)) << name;
}

// Effects of groups that two outcomes share, against a program written by hand with effects that aren't scaled.
TEST_F(Outcomes, share_correlated_effects_of_groups) {
  fit("own.nc",
      {"mv(u, v) ~ x + (1 | i | g)", "--data", kTable, "--prior", "u_intercept ~ normal(1, 2)",
       "--prior", "v_intercept ~ normal(2, 2)", "--prior", "u_x ~ normal(0, 1)", "--prior",
       "v_x ~ normal(0, 1)", "--prior", "sigma_u ~ exponential(1)", "--prior",
       "sigma_v ~ exponential(1)", "--prior", "sd(g) ~ exponential(1)"});
  write("hand.stan", R"(data {
  int N;
  vector[N] x;
  vector[N] u;
  vector[N] v;
  int K_g;
  array[N] int<lower=1, upper=K_g> g;
}
parameters {
  vector[2] a;
  vector[2] b;
  vector<lower=0>[2] sigma;
  vector<lower=0>[2] tau;
  corr_matrix[2] R;
  corr_matrix[2] G;
  array[K_g] vector[2] r;
}
model {
  a[1] ~ normal(1, 2);
  a[2] ~ normal(2, 2);
  b ~ normal(0, 1);
  sigma ~ exponential(1);
  tau ~ exponential(1);
  R ~ lkj_corr(2);
  G ~ lkj_corr(2);
  r ~ multi_normal(rep_vector(0, 2), quad_form_diag(G, tau));
  for (n in 1:N)
    [u[n], v[n]]' ~ multi_normal(a + b * (x[n] - mean(x)) + r[g[n]], quad_form_diag(R, sigma));
}
)");
  ASSERT_EQ(run({"sample", at("hand.stan"), "--data", kTable, "--columns", "g=factor(g)", "--seed",
                 "2", "--quiet", "-o", at("hand.nc")}) &
                ~8,
            0)
      << said();
  const auto own = figures({"summary", at("own.nc")}), hand = figures({"summary", at("hand.nc")});
  const std::map<std::string, std::string> names{{"intercept_u", "a.1"},  {"intercept_v", "a.2"},
                                                 {"b_u_x", "b.1"},        {"b_v_x", "b.2"},
                                                 {"sigma_u", "sigma.1"},  {"sigma_v", "sigma.2"},
                                                 {"sd_u_g.1", "tau.1"},   {"sd_u_g.2", "tau.2"},
                                                 {"rescor.2.1", "R.2.1"}, {"cor_u_g.2.1", "G.2.1"}};
  for (const auto& [one, two] : names) {
    ASSERT_TRUE(own.contains(one)) << one;
    ASSERT_TRUE(hand.contains(two)) << two;
    const Figure &p = own.at(one), &q = hand.at(two);
    EXPECT_NEAR(p.mean, q.mean, 4.0 * std::hypot(p.error, q.error)) << one;
    EXPECT_NEAR(p.sd, q.sd, 0.15 * q.sd) << one;
  }
  // Outcomes that are exchanged are seen.
  EXPECT_GT(std::abs(own.at("b_u_x").mean - hand.at("b.2").mean),
            4.0 * std::hypot(own.at("b_u_x").error, hand.at("b.2").error));
}

// Predictions of each model at the rows of its table: the means of draws are the expected outcomes, loo has a term for each row, and
// replicates are drawn.
TEST_F(Outcomes, are_predicted_left_out_and_replicated) {
  write("new.csv", "x,z,total\n0.5,-1,20\n");
  for (const auto& [name, words] : models()) {
    SCOPED_TRACE(name);
    Words all = words;
    all.insert(all.end(), {"--data", kTable, "--draws", "250"});
    const std::string file = name + ".nc";
    fit(file, all);
    const auto p = figures({"predict", at(file), "--data", at("new.csv"), "--seed", "3"});
    std::size_t number = 0;
    double sum = 0.0;
    for (const auto& [row, mean] : p) {
      if (!row.starts_with("mean_outcome")) continue;
      const Figure& drawn = p.at("outcome" + row.substr(12));
      ++number, sum += mean.mean;
      EXPECT_NEAR(drawn.mean, mean.mean, 4.5 * std::hypot(drawn.error, mean.error)) << row;
      EXPECT_GT(drawn.sd, mean.sd) << row;  // the outcome's own variation
    }
    EXPECT_EQ(number, name.starts_with("mv") ? 2u : words[0].starts_with("cbind") ? 3u : 1u);
    if (name.ends_with("multinomial")) {
      EXPECT_NEAR(sum, 20.0, 1e-9);
    }
    if (name == "dirichlet") {
      EXPECT_NEAR(sum, 1.0, 1e-9);
    }
    EXPECT_EQ(json({"loo", at(file)}).at("rows").items.size(), 80u);
    EXPECT_EQ(run({"ppc", at(file), "--seed", "3"}) & ~8, 0) << said();
    if (name == "mv" || name == "multinomial") {
      EXPECT_EQ(run({"effects", at(file), "--of", "x"}), 0) << said();
    }
  }
}

// The same posterior by a program that sums over the components by itself.
TEST_F(Outcomes, of_mixtures_have_the_posterior_of_a_program_by_hand) {
  std::string table = "w,x\n";
  for (int n = 0; n < 120; ++n)
    table += fmt::format("{},{}\n", (n % 3 == 0 ? 0.0 : 5.0) + std::sin(37.0 * n) + 0.5 * (n % 7),
                         std::cos(11.0 * n));
  write("t.csv", table);
  fit("own.nc", {"w ~ x", "--family", "mixture(normal, normal)", "--data", at("t.csv"), "--prior",
                 "mu1_intercept ~ normal(3, 4)", "--prior", "mu2_intercept ~ normal(3, 4)",
                 "--prior", "mu1_x ~ normal(0, 1)", "--prior", "mu2_x ~ normal(0, 1)", "--prior",
                 "sigma1 ~ exponential(1)", "--prior", "sigma2 ~ exponential(1)"});
  write("hand.stan", R"(data { int N; vector[N] w; vector[N] x; }
parameters {
  real low;
  real<lower=low> high;
  vector[2] b;
  vector<lower=0>[2] sigma;
  simplex[2] share;
}
model {
  low ~ normal(3, 4);
  high ~ normal(3, 4);
  b ~ normal(0, 1);
  sigma ~ exponential(1);
  for (n in 1:N) {
    real c = x[n] - mean(x);
    target += log_mix(share[1], normal_lpdf(w[n] | low + b[1] * c, sigma[1]),
                      normal_lpdf(w[n] | high + b[2] * c, sigma[2]));
  }
}
)");
  ASSERT_EQ(run({"sample", at("hand.stan"), "--data", at("t.csv"), "--seed", "2", "--quiet", "-o",
                 at("hand.nc")}) &
                ~8,
            0)
      << said();
  const auto own = figures({"summary", at("own.nc")}), hand = figures({"summary", at("hand.nc")});
  const std::map<std::string, std::string> names{
      {"intercept_mu.1", "low"}, {"intercept_mu.2", "high"}, {"b_mu1_x", "b.1"},
      {"b_mu2_x", "b.2"},        {"sigma1", "sigma.1"},      {"sigma2", "sigma.2"},
      {"theta2", "share.2"}};
  for (const auto& [one, two] : names) {
    const Figure &p = own.at(one), &q = hand.at(two);
    EXPECT_NEAR(p.mean, q.mean, 4.0 * std::hypot(p.error, q.error)) << one;
    EXPECT_NEAR(p.sd, q.sd, 0.15 * q.sd) << one;
  }
}

TEST_F(Outcomes, are_refused_with_the_row_and_the_rule) {
  write("t.csv", "a,b,c,total,p,q,x\n1,2,3,6,0.5,0.5,1\n1,2,3,7,0.5,0.4,2\n1,2,4,7,0.3,0.7,4\n");
  const auto refused = [&](Words words, const char* message) {
    words.insert(words.begin(), "regression");
    words.insert(words.end(), {"--data", at("t.csv"), "--explain"});
    EXPECT_EQ(run(words), 4);
    EXPECT_NE(said().find(message), std::string::npos) << said();
  };
  refused({"cbind(a, b, c) | trials(total) ~ x"},
          "in row 2: their sum is 6, and the number of trials is 7");
  refused({"cbind(p, q) ~ x", "--family", "dirichlet"}, "in row 2: their sum is 0.9");
  refused({"cbind(a, b, c) ~ x", "--family", "multinomial"}, "needs the number of trials");
  refused({"cbind(a, a) ~ x", "--family", "normal"}, "a stands twice");
  refused({"cbind(a, bb) ~ x"}, "there is no column bb");
  refused({"mv(a, b) ~ x", "--family", "poisson"}, "the family poisson takes one column");
  refused({"a ~ x", "--family", "dirichlet"}, "takes several columns");
  refused({"a ~ x; b ~ a"}, "a is an outcome");
  refused({"mv(a, b) ~ x; rescor ~ x"}, "rescor has no formula");
  refused({"p ~ x", "--family", "mixture(normal)"}, "two components at least");
  refused({"p ~ x", "--family", "mixture(normal, norml)"}, "there is no family norml");
  refused({"p ~ x", "--family", "mixture(normal, poisson)"}, "different kinds");
  refused({"p ~ x; mu3 ~ x", "--family", "mixture(normal, normal)"}, "no parameter mu3");
}
}  // namespace
}  // namespace credo::cli::regression_outcomes_test
