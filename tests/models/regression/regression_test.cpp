#include "models/regression/regression.hpp"

#include <gtest/gtest.h>

#include "made_regression.hpp"
#include "models/regression/prediction.hpp"

namespace credo::models {
namespace {
using testing::has;
using testing::kTable;
using testing::Made;
using testing::made;

TEST(regression, writes_a_program_that_can_be_read) {
  const Made one = made("y ~ x + (x | g)");
  ASSERT_EQ(one.faults, "");
  const std::string& text = one.regression.program;
  EXPECT_TRUE(has(text, "  vector[N] x;\n")) << text;
  EXPECT_TRUE(has(text, "array[N] int<lower=1, upper=K_g> g;")) << text;
  EXPECT_TRUE(has(text, "matrix[2, K_g] r_g = diag_pre_multiply(sd_g, L_g) * z_g;")) << text;
  EXPECT_TRUE(has(
      text, "y ~ normal(intercept + b_x * (x - mean_x) + r_g[1, g]' + r_g[2, g]' .* x, sigma);"))
      << text;
  EXPECT_EQ(one.regression.constants, "{\"mean_x\":4}");
}

// By hand: sd(y) = sqrt(21 / 6) = 1.871, its inverse 0.535; sd(x) = 2.160; 2.5 sd(y) / sd(x) = 2.165; sd(x) / sd(y) = 1.155; the median
// is 3.5, the MAD 2.2.
TEST(regression, has_priors_on_the_scale_of_the_data) {
  const Made one = made("y ~ x");
  EXPECT_EQ(prior_words(one.regression),
            "priors: intercept at the means student_t(3, 3.5, 2.5); x normal(0, 2.17); sigma "
            "exponential(0.535)\n");
  const Made logit = made("flag ~ x");
  EXPECT_TRUE(has(prior_words(logit.regression), "intercept at the means normal(0, 1.5)"));
  EXPECT_EQ(logit.regression.family->name, "bernoulli");
  EXPECT_EQ(logit.regression.outcome.level, "yes");
  // The sd of slopes has the scale of the column: a thousandth of the units, a thousand times the rate.
  const Made small = made("y ~ I(x / 1000) + (0 + I(x / 1000) | g)");
  const Made large = made("y ~ x + (0 + x | g)");
  EXPECT_TRUE(has(prior_words(large.regression), "exponential(1.15)"))
      << prior_words(large.regression);
  EXPECT_TRUE(has(prior_words(small.regression), "exponential(0.00115)"))
      << prior_words(small.regression);
}

// By hand: the logarithm of sd(y) is 0.626; sd(x) = 2.160, and a parameter changes by a factor of e with one of it.
TEST(regression, gives_parameters_of_the_family_formulas_of_their_own) {
  const Made one = made("y ~ x + (1 | i | g); sigma ~ x + (1 | i | g)",
                        {.formula = {}, .priors = {"sigma_x ~ normal(0, 3)"}});
  ASSERT_EQ(one.faults, "");
  const std::string& text = one.regression.program;
  EXPECT_TRUE(has(text, "intercept_sigma ~ normal(0.626, 1);")) << text;
  EXPECT_TRUE(has(text, "b_sigma_x ~ normal(0, 3);")) << text;
  EXPECT_TRUE(has(text, "matrix[2, K_g] r_g")) << text;
  EXPECT_TRUE(has(
      text,
      "vector[N] sigma = exp(intercept_sigma\n                  + b_sigma_x * (x - mean_sigma_x)"
      "\n                  + r_g[2, g]');"))
      << text;
  EXPECT_TRUE(has(text, "r_g[1, g]', sigma);")) << text;
  EXPECT_FALSE(has(text, "real<lower=0> sigma")) << text;
  EXPECT_TRUE(has(prior_words(made("y ~ x; sigma ~ x").regression), "sigma_x normal(0, 0.463)"));
  const Made apart = made("y ~ x + (1 | g); sigma ~ x + (1 | g)");
  EXPECT_TRUE(has(apart.regression.program, "vector[K_g] r_sigma_g = sd_sigma_g * z_sigma_g;"))
      << apart.regression.program;
}

// By hand: sd(x) = 2.160, sd(z) = 1.087, sd(y) = 1.871; their quotients are the scales.
TEST(regression, gives_categories_columns_and_components_formulas_of_their_own) {
  const Made one = made("f ~ x; muc ~ z", {.formula = {}, .family = "categorical"});
  ASSERT_EQ(one.faults, "");
  EXPECT_TRUE(has(one.regression.program, "b_mub_x * (x - mean_mub_x)")) << one.regression.program;
  EXPECT_TRUE(has(one.regression.program, "b_muc_z * (z - mean_muc_z)"));
  EXPECT_FALSE(has(one.regression.program, "b_muc_x"));
  EXPECT_TRUE(has(made("f ~ x; mud ~ z", {.formula = {}, .family = "categorical"}).faults,
                  "mud has a formula"));
  const Made two = made("y ~ x + (1 | i | g); z ~ (1 | i | g)");
  ASSERT_EQ(two.faults, "");
  EXPECT_TRUE(has(two.regression.program,
                  "y_z ~ multi_normal_cholesky(mean_y_z, "
                  "diag_pre_multiply([sigma_y, sigma_z]', L_rescor));"))
      << two.regression.program;
  EXPECT_TRUE(has(two.regression.program, "matrix[2, K_g] r_y_g"));
  // The sds of y and z are 1.871 and 1.059.
  EXPECT_TRUE(
      has(prior_words(two.regression), "sigma_y exponential(0.535); sigma_z exponential(0.944)"))
      << prior_words(two.regression);
  const Made mixed = made("y ~ 1", {.formula = {}, .family = "mixture(normal, normal)"});
  ASSERT_EQ(mixed.faults, "");
  EXPECT_TRUE(has(mixed.regression.program, "ordered[2] intercept_mu;"));
  EXPECT_FALSE(
      has(made("y ~ 1", {.formula = {}, .family = "mixture(normal, student)"}).regression.program,
          "ordered"));
}

TEST(regression, has_priors_of_several_terms) {
  const Made one = made("y ~ horseshoe(x + f, number = 1) + z");
  ASSERT_EQ(one.faults, "");
  const std::string& text = one.regression.program;
  EXPECT_TRUE(has(text, "real b_x = b_horseshoe[1];")) << text;
  EXPECT_TRUE(has(text, "vector[2] b_f = b_horseshoe[2:3];")) << text;
  EXPECT_TRUE(has(text, "b_z ~ normal(0, ")) << text;
  EXPECT_FALSE(has(text, "b_x ~")) << text;
  // One of three matters: 1 / 2 / sqrt(7).
  EXPECT_TRUE(has(text, "global_horseshoe ~ student_t(1, 0, 0.189);")) << text;
  EXPECT_TRUE(has(text, "slab2_horseshoe ~ inv_gamma(2, 8);")) << text;
  EXPECT_TRUE(has(one.regression.constants, "\"scales_horseshoe\":[0.866"))
      << one.regression.constants;
  EXPECT_TRUE(has(made("y ~ lasso(x + z)").regression.program,
                  "b_z ~ double_exponential(0, width_lasso * scales_lasso[2]);"));
  EXPECT_TRUE(has(made("y ~ group_lasso(x + f)").regression.program,
                  "squares_group_lasso[2] ~ gamma(1.5, 0.5);"));
  EXPECT_TRUE(has(made("y ~ ard(x + z)").regression.program,
                  "b_z ~ normal(0, scales_ard[2] / sqrt(precisions_ard[2]));"));
  EXPECT_TRUE(
      has(made("y ~ empcov(x + z)").regression.program,
          "append_row([b_x]', [b_z]') ~ multi_normal(rep_vector(0, 2), covariance_empcov);"));
  EXPECT_TRUE(has(made("y ~ horseshoe(x, width = 1)").faults, "horseshoe() has no option width"));
  EXPECT_TRUE(has(made("y ~ horseshoe(x) + lasso(x)").faults, "has the prior horseshoe(), too"));
  EXPECT_TRUE(has(made("y ~ lasso(x)", {.formula = {}, .priors = {"x ~ normal(0, 1)"}}).faults,
                  "nothing here is called x"));
}

TEST(regression, bounds_coefficients_whose_priors_are_of_positive_numbers) {
  EXPECT_TRUE(
      has(made("y ~ x", {.formula = {}, .priors = {"x ~ lognormal(0, 1)"}}).regression.program,
          "real<lower=0> b_x;"));
  EXPECT_TRUE(has(made("y ~ f", {.formula = {}, .priors = {"f ~ gamma(2, 1)"}}).regression.program,
                  "vector<lower=0>[2] b_f;"));
  EXPECT_TRUE(has(made("y ~ f", {.formula = {}, .priors = {"fc ~ gamma(2, 1)"}}).faults,
                  "of positive numbers"));
}

TEST(regression, has_monotonic_effects_whose_levels_are_known) {
  const Made one = made("y ~ mo(x) + z");
  ASSERT_EQ(one.faults, "");
  EXPECT_TRUE(has(one.regression.program, "simplex[6] shares_x;")) << one.regression.program;
  EXPECT_TRUE(has(one.regression.program, "b_mo_x * monotonic(x, shares_x)"));
  EXPECT_TRUE(one.regression.fixed_factors.contains("x"));
}

TEST(regression, replaces_priors_by_name) {
  const Made one = made(
      "y ~ x + f + (1 | g)",
      {.formula = {},
       .priors = {"x ~ normal(0, 20)", "fc ~ student_t(3, 0, 1)", "sd(g) ~ exponential(0.1)"}});
  ASSERT_EQ(one.faults, "");
  EXPECT_TRUE(has(one.regression.program, "b_x ~ normal(0, 20);"));
  EXPECT_TRUE(has(one.regression.program, "b_f[2] ~ student_t(3, 0, 1);"));
  EXPECT_TRUE(has(one.regression.program, "sd_g ~ exponential(0.1);"));
  EXPECT_TRUE(has(made("y ~ x", {.formula = {}, .priors = {"xx ~ normal(0, 1)"}}).faults,
                  "nothing here is called xx\n  hint: did you mean x?"));
  EXPECT_TRUE(
      has(made("y ~ x", {.formula = {}, .priors = {"x ~ normal(0, 1); target += 1"}}).faults,
          "is no prior"));
}

TEST(regression, has_the_priors_of_brms_and_rstanarm) {
  // As their manuals state them: brms takes max(2.5, MAD) for intercept and sigma and leaves slopes flat; rstanarm scales normal(0, 2.5)
  // by the outcome's sd and the column's, and centres the intercept at the mean.
  EXPECT_EQ(prior_words(made("y ~ x", {.formula = {}, .preset = "brms"}).regression),
            "priors: intercept at the means student_t(3, 3.5, 2.5); x flat; sigma student_t(3, 0, "
            "2.5)\n");
  EXPECT_EQ(prior_words(made("y ~ x", {.formula = {}, .preset = "rstanarm"}).regression),
            "priors: intercept at the means normal(3.5, 4.68); x normal(0, 2.17); sigma "
            "exponential(0.535)\n");
  const std::string decov =
      made("y ~ x + (x | g)", {.formula = {}, .preset = "rstanarm"}).regression.program;
  EXPECT_TRUE(has(decov, "vector[2] sd_g = sigma * root_trace_sd_g * sqrt(2 * shares_sd_g);"))
      << decov;
  EXPECT_TRUE(has(decov, "root_trace_sd_g ~ exponential(1);")) << decov;
  EXPECT_TRUE(has(decov, "L_g ~ lkj_corr_cholesky(1);")) << decov;
  EXPECT_TRUE(has(made("flag ~ (1 | g)", {.formula = {}, .preset = "rstanarm"}).regression.program,
                  "real sd_g = root_trace_sd_g;"));
  const Made flat = made("y ~ x", {.formula = {}, .preset = "flat"});
  EXPECT_FALSE(has(flat.regression.program, "b_x ~"));
}

TEST(regression, reads_numbers_as_levels_where_the_formula_says_so) {
  const Made one = made("y ~ factor(rating) + rating");
  EXPECT_TRUE(has(one.faults, "rating is used as a number and as levels")) << one.faults;
  const Made two = made("y ~ factor(rating) + (1 | rating)");
  ASSERT_EQ(two.faults, "");
  EXPECT_EQ(two.regression.recipe.columns, std::vector<std::string>{"rating=factor(\"rating\")"});
}

TEST(regression, avoids_names_that_programs_cannot_use) {
  const Made one = made("y ~ size", {}, "y,size\n1,2\n2,3\n4,5\n");
  ASSERT_EQ(one.faults, "");
  EXPECT_TRUE(has(one.regression.program, "vector[N] size_2;")) << one.regression.program;
  EXPECT_EQ(one.regression.recipe.columns, std::vector<std::string>{"size_2=\"size\""});
}

TEST(regression, divides_whole_numbers_as_numbers) {
  const Made one = made("y ~ I(x * (1 / 2))");
  EXPECT_TRUE(has(one.regression.program, "x * 0.5")) << one.regression.program;
}

// Every fault has its place, its reason and a way out; all of a formula and its table appear together.
TEST(regression, reports_faults_of_formula_and_table) {
  const auto faults = [](const std::string& formula, RegressionRequest request = {},
                         const std::string& table = kTable) {
    return made(formula, std::move(request), table).faults;
  };
  const std::string two = faults("y ~ xx + (1 | gg)");
  EXPECT_TRUE(has(two, "there is no column xx\n  hint: did you mean x?")) << two;
  EXPECT_TRUE(has(two, "there is no column gg")) << two;
  EXPECT_TRUE(has(two, "  y ~ xx + (1 | gg)\n      ^~\n")) << two;
  EXPECT_TRUE(has(faults("y ~ x + I(2 * x)"), "I(2 * x) = 2 * x"));
  EXPECT_TRUE(has(faults("y ~ log(z)"), "log(z) is -inf in row 6") ||
              has(faults("y ~ log(z)"), "log(z) is nan in row 2") ||
              has(faults("y ~ log(z)"), "log(z) is -nan in row 2"));
  EXPECT_TRUE(has(faults("y ~ I(f * 2)"), "f has texts (a, b, c), and a number is needed here"));
  EXPECT_TRUE(has(faults("y ~ x; sigm ~ x"),
                  "the family normal has no parameter sigm\n  hint: did you mean sigma?"));
  EXPECT_TRUE(has(faults("y ~ x; sigma ~ x; sigma ~ z"), "sigma has two formulas"));
  EXPECT_TRUE(has(faults("y ~ mo(x, 2)"), "mo() is of one column"));
  EXPECT_TRUE(has(faults("y ~ mo(f)"), "f has texts, whose order isn't known"));
  EXPECT_TRUE(has(faults("y ~ mo(x):z"), "a special term can't be multiplied"));
  EXPECT_TRUE(has(faults("y | mi(k) ~ x"), "mi() is not there yet"));
  EXPECT_TRUE(has(faults("y | trails(k) ~ x"), "did you mean trials?"));
  EXPECT_TRUE(
      has(faults("k ~ x", {.formula = {}, .family = "binomial"}), "needs the number of trials"));
  EXPECT_TRUE(has(faults("y ~ x", {.formula = {}, .family = "poisson"}),
                  "t.csv:2: y is 2.5 in row 1, and the family poisson takes whole numbers"));
  EXPECT_TRUE(
      has(faults("n | trials(k) ~ x"), "n is 10 in row 1, and it is more than the 3 trials"));
  EXPECT_TRUE(has(faults("z ~ x", {.formula = {}, .family = "gamma"}),
                  "z is -1 in row 2, and it must be positive"));
  EXPECT_TRUE(
      has(faults("z ~ x", {.formula = {}, .family = "beta"}), "it must be between 0 and 1"));
  EXPECT_TRUE(
      has(faults("f ~ x", {.formula = {}, .family = "cumulative"}), "whose order isn't known"));
  EXPECT_TRUE(has(faults("f ~ x"), "f has texts"));
  EXPECT_TRUE(has(faults("y ~ x", {.formula = {}, .family = "normal", .link = "logit"}),
                  "has no link logit"));
  EXPECT_TRUE(has(faults("y ~ x", {.formula = {}, .family = "gauss"}), "there is no family gauss"));
  EXPECT_TRUE(has(faults("y ~ poly(x, 9)"), "needs 10 different values, and there are 7"));
  EXPECT_TRUE(has(faults("y ~ lg(x)"), "there is no function lg() in formulas"));
  EXPECT_TRUE(has(faults("y ~ poly(x, 2, row = TRUE)"), "poly() has no argument row"));
  EXPECT_TRUE(has(faults("y ~ factor(f, ref = \"d\")"), "d is no level"));
  EXPECT_TRUE(has(faults("y ~ C(f, treat)"), "there are no contrasts treat"));
  EXPECT_TRUE(has(faults("y ~ (f || g)"), "not there yet"));
  EXPECT_TRUE(
      has(faults("y ~ x", {}, "y,x\n1,2\n2,\n3,NA\n4,5\n"), "2 of 4 rows have no value in x (2)"));
  EXPECT_TRUE(has(faults("y ~ f", {}, "y,f\n1,a\n2,a\n3,a\n"), "f has one level, a,"));
  EXPECT_TRUE(has(faults("y ~ x", {}, "y,x\n1,2\n2,b\n3,4\n"), "x"));
}

TEST(regression, leaves_rows_out_only_where_that_is_asked_for) {
  RegressionRequest request;
  request.data.missing = "drop";
  const Made one = made("y ~ x", request, "y,x\n1,2\n2,\n3,NA\n4,5\n5,7\n");
  ASSERT_EQ(one.faults, "");
  EXPECT_EQ(one.regression.num_rows, 3);
  EXPECT_EQ(one.regression.num_dropped, 2);
  EXPECT_TRUE(has(words_of(one.regression), "3 rows (2 left out)"));
}

TEST(regression, keeps_its_request_as_a_text) {
  RegressionRequest request{.formula = "y ~ x",
                            .family = "student",
                            .priors = {"x ~ normal(0, 1)"},
                            .centred = true,
                            .nonlinear = true};
  request.data.files = {"a b.csv"};
  request.data.missing = "drop";
  const RegressionRequest again = parse_request(to_json(request), "request");
  EXPECT_EQ(to_json(again), to_json(request));
  EXPECT_EQ(again.data.files, request.data.files);
}

Prediction predicted(const Regression& regression, const std::string& table, NewLevels news,
                     std::string& words) {
  FormulaFaults faults;
  const std::map<std::string, std::string> texts{{"new.csv", table}};
  io::DataRecipe recipe{.files = {"new.csv"}};
  Prediction made = make_prediction(
      regression, recipe, news,
      [&](const std::string& path) -> const std::string& { return texts.at(path); }, faults);
  words = faults.text(regression.formula);
  return made;
}

TEST(regression_prediction, has_levels_by_name_and_new_ones_behind_them) {
  const Made one = made("y ~ f + (1 | g)");
  std::string faults;
  const Prediction made =
      predicted(one.regression, "g,f\nw,c\nnew,a\nu,b\nother,a\nnew,c\n", NewLevels::draw, faults);
  ASSERT_EQ(faults, "");
  EXPECT_TRUE(has(made.data, "\"g\":[3,4,1,5,4]")) << made.data;
  EXPECT_TRUE(has(made.data, "\"f\":[3,1,2,1,3]")) << made.data;
  EXPECT_TRUE(has(made.data, "\"new_g\":2")) << made.data;
  ASSERT_EQ(made.notes.size(), 1u);
  EXPECT_TRUE(has(made.notes[0], "2 new levels of g: new, other"));
  predicted(one.regression, "g,f\nnew,a\n", NewLevels::refuse, faults);
  EXPECT_TRUE(has(faults, "g has levels that the fit has not: new"));
  predicted(one.regression, "g,f\nu,d\n", NewLevels::draw, faults);
  EXPECT_TRUE(has(faults, "new.csv:2: 'd' in row 1 is no level of f in the fit"));
  predicted(one.regression, "g\nu\n", NewLevels::draw, faults);
  EXPECT_TRUE(has(faults, "there is no column f"));
  predicted(one.regression, "g,f\nu,\n", NewLevels::draw, faults);
  EXPECT_TRUE(has(faults, "f has no value in row 1"));
}
}  // namespace
}  // namespace credo::models
