// Definition of rows by the program's own log_lik, density statements and survival functions; comparisons and checks
// of rows and replicates.
#include <gtest/gtest.h>

#include <set>

#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::own_rows_test {
namespace {

class OwnRows : public testing::CommandRun {
 protected:
  OwnRows() : CommandRun("own_rows") {}
  static std::string input(const std::string& name) {
    return std::string(CREDO_SOURCE_DIR) + "/tests/inputs/" + name;
  }
  std::string fitted(const std::string& program, const std::string& data, const std::string& name,
                     std::vector<std::string> more = {}) {
    std::vector<std::string> words{"sample", program,   "-d", data,    "--seed",
                                   "1",      "--quiet", "-o", at(name)};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
    return at(name);
  }
  std::string fit_of_input(const std::string& name, const std::string& data) {
    return fitted(input(name + ".stan"), input(data), name + ".nc");
  }
  std::string refusal(std::vector<std::string> words) {
    EXPECT_NE(run(std::move(words)), 0) << printed();
    return on_one_line(said());
  }
};

// ---- the program's own log_lik

// 8 units of 5 values each: m ~ normal(0, 3) for each unit and y ~ normal(m, 1). If a unit is left out, it is
// predicted by the prior alone, N(0, 1 + 9 J) in 5 dimensions, which gives -61.447 with an error of 2.095 over units.
// Importance weights can't bridge that: smoothed weights of 4,000 independent posterior draws give -54.28, with a
// spread of 0.30 over 30 sets by the package loo, and k of 0.7 to 1, which must be reported.
constexpr double kUnits = -61.447, kUnitsError = 2.095, kSmoothed = -54.28, kSmoothedSpread = 0.30;
constexpr double kStated = -51.877;  // values left out one by one
TEST_F(OwnRows, loo_takes_the_log_lik_of_the_program) {
  const std::string fit = fit_of_input("loo_own_log_lik", "loo_own_log_lik.json");
  const testing::Json own = json({"loo", fit});
  EXPECT_EQ(own.at("rows").items.size(), 8u);
  EXPECT_EQ(own.at("rows_by").text, "log_lik");
  EXPECT_NEAR(own.at("elpd_loo").at("value").number, kSmoothed, 4.0 * kSmoothedSpread);
  EXPECT_NEAR(own.at("elpd_loo").at("error").number, kUnitsError, 0.3);
  ASSERT_EQ(run({"loo", fit}), 0);
  EXPECT_NE(printed().find("the program's own log_lik"), std::string::npos) << printed();
  const testing::Json stated = json({"loo", fit, "--rows", "statements"});
  EXPECT_EQ(stated.at("rows").items.size(), 40u);
  EXPECT_EQ(stated.at("rows_by").text, "statements");
  EXPECT_NEAR(stated.at("elpd_loo").at("value").number, kStated, 0.5);
  ASSERT_EQ(run({"loo", fit, "--rows", "statements"}), 0);
  EXPECT_NE(printed().find("of the density statements"), std::string::npos) << printed();
}

// Units are left out of the target, too.
TEST_F(OwnRows, fits_without_units_that_log_lik_has) {
  const std::string fit = fit_of_input("loo_own_log_lik", "loo_own_log_lik.json");
  const testing::Json folds =
      json({"loo", fit, "--folds", "8", "--warmup", "200", "--draws", "300", "--chains", "2"});
  EXPECT_EQ(folds.at("rows").items.size(), 8u);
  // 600 draws a fold; the spread over three seeds is 0.3
  EXPECT_NEAR(folds.at("elpd_kfold").at("value").number, kUnits, 1.2);
}

// The draws reach no unit that is left out, and k may come out below the limit by chance: with the error of k all are fitted.
TEST_F(OwnRows, refits_take_rows_whose_k_may_be_too_large) {
  const std::string fit = fit_of_input("loo_own_log_lik", "loo_own_log_lik.json");
  const testing::Json loo =
      json({"loo", fit, "--refit", "bad", "--warmup", "200", "--draws", "500", "--chains", "2"});
  for (const testing::Json& row : loo.at("rows").items)
    EXPECT_EQ(row.at("by").text, "fit without the row");
  EXPECT_NEAR(loo.at("elpd_loo").at("value").number, kUnits, 1.0);  // 1,000 draws a unit
}

TEST_F(OwnRows, comparisons_say_whose_rows_they_are) {
  const std::string fit = fit_of_input("loo_own_log_lik", "loo_own_log_lik.json");
  const testing::Json own = json({"compare", fit, fit});
  EXPECT_EQ(own.at("models").items.at(0).at("rows_by").text, "log_lik");
  const testing::Json stated = json({"compare", fit, fit, "--rows", "statements"});
  EXPECT_EQ(stated.at("models").items.at(0).at("rows_by").text, "statements");
}

// Likelihood by `target +=`: the program's log_lik gives the same figures as the density.
TEST_F(OwnRows, sensitivity_takes_log_lik_where_statements_do_not_tell) {
  const std::string data =
      "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 1); ";
  write("hand.stan",
        data +
            "target += -0.5 * dot_self(y - m); } generated quantities { vector[N] log_lik; "
            "for (n in 1:N) log_lik[n] = -0.5 * square(y[n] - m); }");
  write("stated.stan", data + "y ~ normal(m, 1); }");
  write("d.json", R"({"N": 4, "y": [1, 2, 0.5, 3]})");
  const testing::Json hand = json({"sensitivity", fitted(at("hand.stan"), at("d.json"), "h.nc")}),
                      stated =
                          json({"sensitivity", fitted(at("stated.stan"), at("d.json"), "s.nc")});
  EXPECT_EQ(hand.at("likelihood_by").text, "log_lik");
  EXPECT_EQ(stated.at("likelihood_by").text, "statements");
  const auto distance = [](const testing::Json& found, const char* part) {
    return found.at("quantities").items.at(0).at(part).at("distance").number;
  };
  for (const char* part : {"prior", "likelihood"})  // the same draws up to rounding
    EXPECT_NEAR(distance(hand, part), distance(stated, part), 0.01) << part;
}

// Elements that aren't assigned, or that make a draw impossible, have no leave-one-out figures.
TEST_F(OwnRows, a_log_lik_without_a_value_is_refused) {
  for (const char* mode : {"2", "3", "5"}) {
    write("d.json", std::string(R"({"N": 3, "y": [1, 2, 0.5], "mode": )") + mode + "}");
    const std::string fit = fitted(input("adv_ll.stan"), at("d.json"), "d.nc");
    EXPECT_NE(refusal({"loo", fit}).find("the log likelihood of row 1 is"), std::string::npos)
        << said();
    EXPECT_EQ(run({"loo", fit, "--rows", "statements"}), 0) << said();
  }
}

// ---- comparisons

TEST_F(OwnRows, models_of_other_data_are_not_compared) {
  const std::string one = fitted(input("adv_ll.stan"), input("adv_ll0.json"), "a.nc"),
                    other = fitted(input("adv_ll.stan"), input("adv_lls.json"), "b.nc");
  EXPECT_NE(refusal({"compare", one, other}).find("of other data"), std::string::npos) << said();
  EXPECT_NE(refusal({"compare", one, other, "--rows", "statements"}).find("of other data"),
            std::string::npos);
  ASSERT_EQ(run({"loo", one, "-o", at("a.json")}), 0);
  ASSERT_EQ(run({"loo", other, "-o", at("b.json")}), 0);
  EXPECT_NE(refusal({"compare", at("a.json"), at("b.json")}).find("of other data"),
            std::string::npos);
  EXPECT_NE(refusal({"compare", one, at("b.json")}).find("of other data"), std::string::npos);
}

// The same numbers in another file format, in another order and under another name.
TEST_F(OwnRows, the_same_data_in_other_files_are_compared) {
  write("a.stan",
        "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 5); y ~ "
        "normal(m, 1); }");
  write("b.stan",
        "data { int N; array[N] real z; } parameters { real m; } model { m ~ normal(0, 5); z ~ "
        "student_t(4, m, 1); }");
  write("a.json", R"({"N": 3, "y": [1, 2.5, 0.1]})");
  write("b.csv", "z\n1.0\n2.5\n1e-1\n");
  const std::string a = fitted(at("a.stan"), at("a.json"), "a.nc"),
                    b = fitted(at("b.stan"), at("b.csv"), "b.nc");
  EXPECT_EQ(run({"compare", a, b}), 0) << said();
}

TEST_F(OwnRows, a_fit_that_is_compared_with_itself_is_no_better) {
  const std::string fit = fitted(input("adv_ll.stan"), input("adv_ll0.json"), "a.nc");
  ASSERT_EQ(run({"compare", fit, fit}), 0) << said();
  EXPECT_EQ(printed().find("nan"), std::string::npos) << printed();
  EXPECT_NE(printed().find("no difference"), std::string::npos) << printed();
}

// ---- censored outcomes

TEST_F(OwnRows, a_censored_row_behind_a_branch_is_a_row) {
  const std::string fit = fit_of_input("censored_by_branch", "rows.json");
  EXPECT_EQ(json({"loo", fit}).at("rows").items.size(), 8u);
  // With all rows in the likelihood, the prior is that of m and s alone; 8 values then dominate it.
  write("prior.stan",
        "data { int N; vector[N] y; array[N] int k; vector[N] x; } parameters { real m; "
        "real<lower=0> s; } model { m ~ normal(0, 2); s ~ exponential(1); }");
  write("at.json", R"([{"m": 0.4, "s": 1.3}])");
  const auto prior = [&](const std::string& program) {
    EXPECT_EQ(run({"log-prob", program, "-d", input("rows.json"), "--constrained", at("at.json"),
                   "--terms", "prior"}),
              0)
        << said();
    return testing::parse_json(printed()).items.at(0).at("log_density").number;
  };
  EXPECT_NEAR(prior(input("censored_by_branch.stan")), prior(at("prior.stan")), 1e-12);
  EXPECT_EQ(run({"sensitivity", fit}), 0) << said();
}

TEST_F(OwnRows, survival_functions_of_data_have_rows_and_replicates) {
  const std::string fit = fit_of_input("censored", "censored.json");
  EXPECT_EQ(json({"loo", fit}).at("rows").items.size(), 40u);
  const testing::Json check = json({"ppc", fit});
  const testing::Json& y = check.at("variables").items.at(0);
  EXPECT_EQ(y.at("num_censored").number, 8.0);
  for (const testing::Json& s : y.at("statistics").items)
    if (s.at("name").text == "max") {  // all are censored at 4
      EXPECT_LE(s.at("q95").number, 4.0);
    }
  EXPECT_EQ(check.at("sentence").text.find("doesn't"), std::string::npos)
      << check.at("sentence").text;
}

TEST_F(OwnRows, survival_functions_of_one_bound_are_rows_each) {
  const std::string fit = fit_of_input("counted_censored", "counted_censored.json");
  EXPECT_EQ(json({"loo", fit}).at("rows").items.size(), 11u);
}

TEST_F(OwnRows, priors_of_several_densities_leave_the_rows_alone) {
  for (const char* name : {"random_walk_vectorised", "mixture_prior"}) {
    const std::string fit = fit_of_input(name, "rows.json");
    EXPECT_EQ(json({"loo", fit}).at("rows").items.size(), 8u) << name;
  }
}

// ---- rounded draws

// The figures equal those of the result within the Monte Carlo error, which is far above rounding to 6 digits.
TEST_F(OwnRows, draws_of_a_file_with_six_digits_are_rounded_and_not_wrong) {
  const std::string program = input("csv_six_digits.stan"), data = input("csv_six_digits.json");
  const std::string exact = fitted(program, data, "exact.nc");
  ASSERT_EQ(run({"sample", program, "-d", data, "--seed", "1", "--quiet", "--format", "csv",
                 "--sig-figs", "6", "-o", at("s")}),
            0)
      << said();
  const std::vector<std::string> files{at("s_1.csv"), at("s_2.csv"), at("s_3.csv"), at("s_4.csv")};
  std::vector<std::string> words{"loo"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), {"--model", program, "-d", data});
  const testing::Json found = json(words);
  EXPECT_NE(said().find("6 digits"), std::string::npos) << said();
  EXPECT_EQ(said().find("6 digits"), said().rfind("6 digits")) << said();
  EXPECT_NEAR(found.at("elpd_loo").at("value").number,
              json({"loo", exact}).at("elpd_loo").at("value").number, 1e-3);
}

// Rounding doesn't excuse larger errors.
TEST_F(OwnRows, a_simplex_that_does_not_add_up_is_refused) {
  write("s.stan",
        "data { int K; array[K] int y; } parameters { simplex[K] th; } model { y ~ "
        "multinomial(th); }");
  write("s.json", R"({"K": 3, "y": [5, 3, 1]})");
  std::string text = "lp__,th.1,th.2,th.3\n";
  for (int k = 0; k < 50; ++k)
    text += "-3.5,0.5" + std::to_string(k) + "123,0.3,0.1" + std::to_string(k) + "\n";
  write("s.csv", text);
  EXPECT_NE(
      refusal({"loo", at("s.csv"), "--model", at("s.stan"), "-d", at("s.json")}).find("sum of"),
      std::string::npos)
      << said();
}

// ---- replicates

TEST_F(OwnRows, recurrences_of_length_200_have_replicates) {
  const std::string fit = fit_of_input("ppc_recurrence", "ppc_recurrence.json");
  const testing::Json check = json({"ppc", fit});
  EXPECT_EQ(check.at("variables").items.at(0).at("num_draws").number, 1000.0);
  EXPECT_EQ(check.at("sentence").text.find("doesn't"), std::string::npos)
      << check.at("sentence").text;
}

// ---- little at hand

TEST_F(OwnRows, data_without_rows_are_said_to_have_none) {
  write("none.json", R"({"N": 0, "y": [], "mode": 0})");
  const std::string fit = fitted(input("adv_ll.stan"), at("none.json"), "none.nc");
  EXPECT_NE(refusal({"loo", fit}).find("there are no rows: y has no elements"), std::string::npos)
      << said();
}

TEST_F(OwnRows, one_draw_is_said_to_be_too_few) {
  const std::string fit = fitted(input("adv_ll.stan"), input("adv_ll0.json"), "one.nc",
                                 {"--chains", "1", "--draws", "1", "--warmup", "100"});
  ASSERT_EQ(run({"ppc", fit}), 0) << said();
  EXPECT_NE(printed().find("1 replicate is too few"), std::string::npos) << printed();
  EXPECT_NE(refusal({"sensitivity", fit}).find("there is one draw"), std::string::npos) << said();
}

// ---- levels of the checks

// One statistic of six has p = 0.017 on one side, as happens for one in five right models.
LONG_TEST_F(OwnRows, replicates_are_judged_by_all_statistics_together) {
  write("m.stan",
        "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 2); y ~ "
        "normal(m, 1); }");
  int accused = 0;
  for (int k = 0; k < 20; ++k) {
    write("at.json", R"({"m": 0.4})");
    write("n.json", R"({"N": 12, "y": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]})");
    ASSERT_EQ(run({"simulate", at("m.stan"), "-d", at("n.json"), "--at", at("at.json"), "--seed",
                   std::to_string(k + 1), "-o", at("d.json")}),
              0)
        << said();
    const std::string fit =
        fitted(at("m.stan"), at("d.json"), "m.nc", {"--draws", "250", "--warmup", "200"});
    accused += json({"ppc", fit}).at("sentence").text.find("doesn't") != std::string::npos ? 1 : 0;
  }
  EXPECT_LE(accused, 4);  // 5 % at most: 5 of 20 happen once in 400
  // A value that no right model produces; the check must find it.
  write("d.json", R"({"N": 12, "y": [0, 1, -1, 0.5, -0.5, 0.2, 9, 0.3, -0.2, 0.8, -0.9, 0.1]})");
  const std::string fit = fitted(at("m.stan"), at("d.json"), "wrong.nc");
  EXPECT_NE(json({"ppc", fit}).at("sentence").text.find("doesn't"), std::string::npos);
}

// Non-centred effects: their standard distribution is no choice of prior, so that it isn't scaled.
TEST_F(OwnRows, priors_that_are_scaled_are_those_of_top_level_parameters) {
  write(
      "e.stan",
      "data { int N; int J; array[N] int g; vector[N] y; } parameters { real m; real<lower=0> tau; "
      "vector[J] z; } model { m ~ normal(0, 5); tau ~ normal(0, 2); z ~ std_normal(); y ~ normal(m "
      "+ tau * z[g], 1); }");
  std::string g, y;
  for (int n = 0; n < 80; ++n) {
    g += (n > 0 ? "," : "") + std::to_string(n % 20 + 1);
    const double group = 1.5 * std::sin(1.7 * (n % 20)), noise = std::sin(2.9 * n + 0.3);
    y += (n > 0 ? "," : "") + std::to_string(1.0 + group + noise);
  }
  write("e.json", "{\"N\": 80, \"J\": 20, \"g\": [" + g + "], \"y\": [" + y + "]}");
  const std::string fit = fitted(at("e.stan"), at("e.json"), "e.nc");
  const auto conflicts = [&](std::vector<std::string> words) {
    const testing::Json found = json(std::move(words));
    std::set<std::string> names;
    for (const testing::Json& q : found.at("quantities").items)
      if (q.at("words").text == "prior and data may be in conflict")
        names.insert(q.at("name").text);
    return names.size();
  };
  EXPECT_EQ(conflicts({"sensitivity", fit}), 0u);
  EXPECT_GT(conflicts({"sensitivity", fit, "--all-priors"}), 10u);
  ASSERT_EQ(run({"sensitivity", fit}), 0);
  EXPECT_NE(printed().find("how z varies is part of the model"), std::string::npos) << printed();
}

// ---- bars and groups

TEST_F(OwnRows, whole_numbers_are_checked_by_bars) {
  write("c.stan",
        "data { int N; array[N] int y; array[N] int site; } parameters { real<lower=0> rate; } "
        "model { rate ~ gamma(2, 1); y ~ poisson(rate); }");
  write("c.json", R"({"N": 8, "y": [0, 1, 0, 2, 3, 1, 0, 2], "site": [1, 1, 1, 1, 2, 2, 2, 2]})");
  const std::string fit = fitted(at("c.stan"), at("c.json"), "c.nc");
  const testing::Json check = json({"ppc", fit});
  const testing::Json& bars = check.at("variables").items.at(0).at("bars");
  double observed = 0.0, mean = 0.0;
  for (const testing::Json& bar : bars.items) {
    observed += bar.at("observed").number, mean += bar.at("mean").number;
    if (bar.at("value").number == 0.0) {
      EXPECT_EQ(bar.at("observed").number, 3.0);
    }
  }
  EXPECT_EQ(observed, 8.0);
  EXPECT_NEAR(mean, 8.0, 1e-9);  // each replicate has 8 values
  ASSERT_EQ(run({"ppc", fit, "--bars"}), 0) << said();
  EXPECT_NE(printed().find("value"), std::string::npos) << printed();
  const testing::Json groups = json({"ppc", fit, "--group", "site"});
  ASSERT_EQ(groups.at("variables").items.size(), 2u);
  const testing::Json& first = groups.at("variables").items.at(0);
  EXPECT_EQ(first.at("name").text, "y[site = 1]");
  EXPECT_EQ(first.at("statistics").items.at(0).at("name").text, "mean");
  EXPECT_EQ(first.at("statistics").items.at(0).at("observed").number, 0.75);
  EXPECT_NE(refusal({"ppc", fit, "--group", "N"}).find("y has 8 that are drawn"), std::string::npos)
      << said();
  EXPECT_NE(refusal({"ppc", fit, "--group", "nothing"}).find("no variable nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::cli::own_rows_test
