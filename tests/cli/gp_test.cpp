// credo gp beside scikit-learn 1.2.1 (tools/make_gp_reference.py), on data that are hard, and its answers in words.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::gp_test {
namespace {
class Gp : public testing::CommandRun {
 protected:
  Gp() : CommandRun("gp") {
    write("d.csv",
          "x,y,z,g\n0.1,0.3,1,a\n0.5,0.9,2,b\n0.9,1.2,3,a\n1.4,1.4,1,b\n2.0,1.1,2,a\n2.6,0.6,3,"
          "b\n3.1,0.1,1,a\n"
          "3.5,-0.2,2,b\n4.2,-0.9,3,a\n4.8,-1.1,1,b\n5.5,-0.8,2,a\n");
    write("new.csv", "x,z,g\n2.3,1.5,a\n7,2,c\n");
  }
  testing::Json fit(const std::string& formula, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"gp",        formula,     "--data",
                                   at("d.csv"), "--predict", at("new.csv")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  static double point(const testing::Json& answer, const char* field, std::size_t k = 0) {
    return answer.at("predictions").items.at(k).at(field).number;
  }
  static double hyper(const testing::Json& answer, const std::string& term,
                      const std::string& name) {
    for (const testing::Json& one : answer.at("hyperparameters").items)
      if (one.at("term").text == term && one.at("name").text == name) return one.at("value").number;
    ADD_FAILURE() << term << " " << name;
    return 0.0;
  }
  std::string refused(std::vector<std::string> words, int status) {
    EXPECT_EQ(run(std::move(words)), status) << printed();
    return credo::on_one_line(said());
  }
};

// GaussianProcessRegressor(kernel, alpha = 0.04, optimizer = None): log_marginal_likelihood_value_, predict([[2.3]], return_std).
TEST_F(Gp, of_stated_kernels_has_the_evidence_and_predictions_of_scikit_learn) {
  struct Row {
    const char* kernels;
    double evidence, mean, sd;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"se(x, length = 1.3, sd = 0.9)", -3.706822499045, 0.900302698240, 0.130812530555},
           {"matern12(x, length = 1.3, sd = 0.9)", -9.130005118997, 0.811384831822, 0.448874593782},
           {"matern32(x, length = 1.3, sd = 0.9)", -6.151659461838, 0.854451512827, 0.203908298995},
           {"matern52(x, length = 1.3, sd = 0.9)", -5.070211490332, 0.857875989302, 0.163950291360},
           {"matern(x, 3.5, length = 1.3, sd = 0.9)", -4.600060455535, 0.861511337273,
            0.152626006186},
           {"rq(x, length = 1.3, alpha = 0.7, sd = 0.9)", -4.904063250186, 0.856165619321,
            0.150001774869},
           {"periodic(x, 4.5, length = 1.3, sd = 0.9)", -61.001929235288, 0.909356733512,
            0.164049336992},
           {"0.81 * linear(x) + 0.25 * constant", -31.798963564972, 0.337267662949, 0.060556195028},
           {"0.01 * poly(x, 2, 1.5)", -30.857621787905, 0.578303964096, 0.080521368804},
           {"0.5 * se(x, length = 2) * periodic(x, 4.5, length = 1.1) + 0.3 * matern32(x, length = "
            "0.8)",
            -7.714736928979, 0.847122797365, 0.231025738304}}) {
    const testing::Json answer = fit(std::string("y ~ 0 | ") + row.kernels, {"--noise", "0.2"});
    EXPECT_NEAR(answer.at("log_evidence").number, row.evidence, 2e-8) << row.kernels;
    EXPECT_NEAR(point(answer, "mean"), row.mean, 1e-8) << row.kernels;
    EXPECT_NEAR(point(answer, "sd"), row.sd, 1e-7) << row.kernels;
    EXPECT_NEAR(point(answer, "sd_outcome"), std::hypot(row.sd, 0.2), 1e-7) << row.kernels;
    const std::string_view kernels = row.kernels;  // products of inputs change with their origin
    const bool has_products = kernels.find("linear") != kernels.npos || kernels.find("poly") != kernels.npos;
    EXPECT_EQ(answer.at("stationary").truth, !has_products) << row.kernels;
  }
}

// ConstantKernel * RBF + WhiteKernel, ten restarts: 0.8130133620230158 at variance 0.90710155, length 1.36975751, noise 0.00212569.
TEST_F(Gp, has_the_optimum_of_scikit_learn) {
  const testing::Json answer = fit("y ~ 0 | se(x) + noise");
  EXPECT_NEAR(answer.at("log_evidence").number, 0.8130133620230158, 1e-6);
  EXPECT_NEAR(hyper(answer, "se(x)", "sd"), std::sqrt(0.90710155), 2e-3);
  EXPECT_NEAR(hyper(answer, "se(x)", "length"), 1.36975751, 2e-3);
  EXPECT_NEAR(hyper(answer, "noise", "sd"), std::sqrt(0.00212569), 1e-3);
}

// KernelRidge(alpha = 0.04) with this Gram matrix: prediction, alpha' K alpha, sum of squared residuals.
TEST_F(Gp, by_ridge_is_the_kernel_ridge_regression_of_scikit_learn) {
  const testing::Json answer =
      fit("y ~ 0 | se(x, length = 1.3, sd = 0.9)", {"--noise", "0.2", "--method", "ridge"});
  EXPECT_NEAR(point(answer, "mean"), 0.9003027, 1e-7);
  EXPECT_NEAR(answer.at("squared_norm").number, 4.31908003350843, 1e-9);
  EXPECT_NEAR(answer.at("squared_residuals").number, 0.042340325696744834, 1e-10);
}

// The constant of the kernel becomes the intercept as its variance grows.
TEST_F(Gp, with_an_intercept_is_the_limit_of_a_wide_constant) {
  const testing::Json flat = fit("y ~ 1 | se(x, length = 1.3, sd = 0.9)", {"--noise", "0.2"}),
                      wide = fit("y ~ 0 | se(x, length = 1.3, sd = 0.9) + 1e7 * constant",
                                 {"--noise", "0.2"});
  EXPECT_NEAR(point(flat, "mean"), point(wide, "mean"), 1e-6);
  EXPECT_NEAR(point(flat, "sd"), point(wide, "sd"), 1e-6);
  EXPECT_NEAR(flat.at("log_evidence").number,
              wide.at("log_evidence").number + 0.5 * std::log(2e7 * std::numbers::pi), 1e-5);
}

TEST_F(Gp, averaged_over_hyperparameters_is_wider_than_at_the_largest_evidence) {
  const std::string formula = "y ~ 0 | se(x) + noise";
  const double known = point(fit(formula), "sd", 1);
  const double grid = point(fit(formula, {"--hyper", "grid"}), "sd", 1),
               ccd = point(fit(formula, {"--hyper", "ccd"}), "sd", 1);
  const testing::Json drawn = fit(formula, {"--hyper", "mcmc", "--seed", "3"});
  EXPECT_GT(grid, known);
  EXPECT_NEAR(ccd, grid, 0.25 * grid);
  EXPECT_NEAR(point(drawn, "sd", 1), grid, 0.2 * grid);
  EXPECT_NEAR(point(drawn, "mean", 0), point(fit(formula, {"--hyper", "grid"}), "mean", 0), 0.02);
}

TEST_F(Gp, by_cross_validation_has_the_best_leave_one_out_density_of_its_grid) {
  const testing::Json answer = fit("y ~ 0 | se(x, sd = 0.9)", {"--noise", "0.1", "--hyper", "cv"});
  const double best = hyper(answer, "se(x, sd = 0.9)", "length");
  // refits without each row, at the chosen length and its neighbours on the grid
  const auto left_out = [&](double length) {
    const std::vector<std::pair<double, double>> rows{
        {0.1, 0.3}, {0.5, 0.9},  {0.9, 1.2},  {1.4, 1.4},  {2.0, 1.1}, {2.6, 0.6},
        {3.1, 0.1}, {3.5, -0.2}, {4.2, -0.9}, {4.8, -1.1}, {5.5, -0.8}};
    double sum = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::string table = "x,y\n";
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (i != k)
          table += std::to_string(rows[i].first) + "," + std::to_string(rows[i].second) + "\n";
      write("rest.csv", table);
      write("one.csv", "x\n" + std::to_string(rows[k].first) + "\n");
      const testing::Json one =
          json({"gp", "y ~ 0 | se(x, sd = 0.9, length = " + std::to_string(length) + ")", "--noise",
                "0.1", "--data", at("rest.csv"), "--predict", at("one.csv")});
      const double sd = point(one, "sd_outcome"), off = (rows[k].second - point(one, "mean")) / sd;
      sum += -0.5 * off * off - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
    }
    return sum;
  };
  EXPECT_GT(left_out(best), left_out(best * std::exp(0.5)));
  EXPECT_GT(left_out(best), left_out(best * std::exp(-0.5)));
  EXPECT_NE(answer.at("findings").items[0].text.find(std::to_string(left_out(best)).substr(0, 5)),
            std::string::npos)
      << answer.at("findings").items[0].text;
}

TEST_F(Gp, continues_the_last_input_and_gives_derivatives_and_draws) {
  const testing::Json answer =
      json({"gp", "y ~ 1 + x | se(x, length = 1.5, sd = 1)", "--noise", "0.1", "--data",
            at("d.csv"), "--ahead", "3", "--derivative", "x", "--draws", "400"});
  EXPECT_NEAR(point(answer, "x", 0), 6.1, 1e-9);
  EXPECT_NEAR(point(answer, "x", 2), 7.3, 1e-9);
  EXPECT_TRUE(std::isfinite(point(answer, "slope", 0)));
  double sum = 0.0, squares = 0.0;
  for (const testing::Json& draw : answer.at("predictions").items[1].at("draws").items)
    sum += draw.number, squares += draw.number * draw.number;
  const double mean = sum / 400, sd = std::sqrt(squares / 400 - mean * mean);
  EXPECT_NEAR(mean, point(answer, "mean", 1), 4.5 * point(answer, "sd", 1) / 20);
  EXPECT_NEAR(sd, point(answer, "sd", 1), 0.16 * point(answer, "sd", 1));
  const testing::Json prior = json({"gp", "y ~ 0 | se(x, length = 1.5, sd = 2)", "--noise", "0.1",
                                    "--data", at("d.csv"), "--prior-draws", "400"});
  sum = squares = 0.0;
  for (const testing::Json& draw : prior.at("predictions").items[4].at("draws").items)
    squares += draw.number * draw.number;
  EXPECT_NEAR(std::sqrt(squares / 400), 2.0, 0.32);
}

// Features of the eigenvectors give the same means as the rows; weights of outcomes give the prediction again.
TEST_F(Gp, checks_the_eigenvalues_and_the_weights_of_its_predictions) {
  const testing::Json answer =
      fit("y ~ 1 | se(x, length = 1.3, sd = 0.9)", {"--noise", "0.2", "--check", "--spectrum"});
  double trace = 0.0, effective = 0.0;
  for (const testing::Json& value : answer.at("eigenvalues").items)
    trace += value.number, effective += value.number / (value.number + 0.04);
  EXPECT_NEAR(trace, 11 * 0.81, 1e-10);
  EXPECT_NEAR(answer.at("effective_parameters").number, effective, 1e-10);
  EXPECT_LT(answer.at("feature_error").number, 1e-9);
  EXPECT_NEAR(answer.at("weight_sum").number, 1.0, 1e-10);  // an intercept is reproduced
  EXPECT_TRUE(answer.at("positive").truth);
  const testing::Json plain =
      fit("y ~ 0 | se(x, length = 0.05, sd = 0.9)", {"--noise", "0.2", "--check"});
  EXPECT_NEAR(plain.at("row_weights").items[0].number, std::exp(-0.5 * 36) * 0.81 / 0.85,
              1e-12);  // rows are independent
  // int k(r) exp(2 pi i f r) dr = sd^2 length sqrt(2 pi) exp(-2 pi^2 f^2 length^2)
  for (const testing::Json& cell : answer.at("spectrum").items) {
    const double f = cell.at("frequency").number;
    EXPECT_NEAR(cell.at("density").number,
                0.81 * 1.3 * std::sqrt(2 * std::numbers::pi) *
                    std::exp(-2 * std::pow(std::numbers::pi * f * 1.3, 2)),
                1e-12);
  }
  EXPECT_GT(answer.at("spectrum").items.size(), 10u);
}

TEST_F(Gp, of_levels_has_a_curve_for_each) {
  const testing::Json answer =
      fit("y ~ 0 | category(g, share = 0.5) * se(x, length = 1.3, sd = 0.9)", {"--noise", "0.2"});
  EXPECT_TRUE(std::isfinite(point(answer, "sd", 1)));  // level c is a new one
  EXPECT_GT(point(answer, "sd", 1), point(answer, "sd", 0));
}

TEST_F(Gp, by_states_is_exact) {
  const std::string formula =
      "y ~ 1 | matern32(x, length = 1.3, sd = 0.9) + matern12(x, length = 3, sd = 0.4)";
  const testing::Json a = fit(formula, {"--noise", "0.2", "--solver", "states"}),
                      b = fit(formula, {"--noise", "0.2", "--solver", "exact"});
  EXPECT_NEAR(a.at("log_evidence").number, b.at("log_evidence").number, 1e-10);
  EXPECT_NEAR(point(a, "sd", 1), point(b, "sd", 1), 1e-9);
}

TEST_F(Gp, by_inducing_points_says_that_it_is_an_approximation) {
  for (const char* solver : {"subset", "ivm", "nystrom", "sor", "dtc", "fitc", "sgpr"}) {
    ASSERT_EQ(run({"gp", "y ~ se(x)", "--data", at("d.csv"), "--solver", solver, "--inducing", "6",
                   "--starts", "2"}),
              0)
        << solver << said();
    EXPECT_NE(printed().find("6"), std::string::npos) << solver;
    EXPECT_EQ(printed().find("No fault found"), std::string::npos) << solver;
  }
}

TEST_F(Gp, answers_hard_data_in_words) {
  write("twice.csv", "x,y\n1,0.5\n2,0.7\n2,0.9\n3,1.1\n4,0.3\n");
  const std::string twice =
      refused({"gp", "y ~ se(x)", "--noise", "0", "--data", at("twice.csv")}, 5);
  EXPECT_NE(twice.find("row 3"), std::string::npos) << twice;
  EXPECT_NE(twice.find("row 2"), std::string::npos) << twice;
  EXPECT_NE(twice.find("--noise"), std::string::npos) << twice;
  write("same.csv", "x,y\n1,0.5\n2,0.5\n3,0.5\n4,0.5\n");
  EXPECT_NE(refused({"gp", "y ~ se(x)", "--data", at("same.csv")}, 4).find("same in all rows"),
            std::string::npos);
  write("few.csv", "x,y\n1,0.5\n2,0.9\n3,0.1\n");
  ASSERT_EQ(run({"gp", "y ~ se(x)", "--data", at("few.csv")}), 0) << said();
  EXPECT_NE(printed().find("3 rows for 3 hyperparameters"), std::string::npos) << printed();
  write("large.csv",
        "x,y\n1e6,0.3\n5e6,0.9\n9e6,1.2\n14e6,1.4\n20e6,1.1\n26e6,0.6\n31e6,0.1\n35e6,-0.2\n42e6,-"
        "0.9\n48e6,-1.1\n55e6,-0.8\n");
  const testing::Json large = json({"gp", "y ~ 0 | se(x) + noise", "--data", at("large.csv")});
  EXPECT_NEAR(large.at("log_evidence").number, 0.8130133620230158, 1e-6);
  EXPECT_NEAR(hyper(large, "se(x)", "length"), 1.36975751e7, 2e4);
}

TEST_F(Gp, names_what_is_wrong_in_a_formula) {
  const auto said_of = [&](const std::string& formula) {
    return refused({"gp", formula, "--data", at("d.csv")}, 4);
  };
  EXPECT_NE(said_of("y ~ see(x)").find("did you mean se?"), std::string::npos) << said();
  EXPECT_NE(said_of("y ~ se(x, lenght = 2)").find("did you mean length?"), std::string::npos)
      << said();
  EXPECT_NE(said_of("y ~ se(w)").find("no column w"), std::string::npos) << said();
  EXPECT_NE(said_of("y ~ matern(x, 2)").find("half-integer"), std::string::npos) << said();
  EXPECT_NE(said_of("y ~ se(x) - rq(x)").find("added and multiplied"), std::string::npos) << said();
  EXPECT_NE(said_of("y ~ se(x) * noise").find("noise"), std::string::npos) << said();
  EXPECT_NE(said_of("y ~ brownian(I(x - 3))").find("begins at 0"), std::string::npos) << said();
  EXPECT_NE(said_of("y ~ periodic(x, z)").find("it takes 1"), std::string::npos) << said();
  EXPECT_NE(refused({"gp", "y ~ matern12(x)", "--data", at("d.csv"), "--derivative", "x"}, 2)
                .find("no derivative"),
            std::string::npos);
  EXPECT_NE(refused({"gp", "y ~ se(x)", "--data", at("d.csv"), "--solver", "states"}, 2)
                .find("se(x) has no states"),
            std::string::npos);
}

// The variance doesn't depend on the outcomes, and the prior of the intercept is flat: a level of 2.45 million changes the mean alone.
TEST_F(Gp, of_outcomes_far_from_zero_keeps_its_bands) {
  write("far.csv",
        "x,y\n0.1,2450000.3\n0.5,2450000.9\n0.9,2450001.2\n1.4,2450001.4\n2.0,2450001.1\n"
        "2.6,2450000.6\n3.1,2450000.1\n3.5,2449999.8\n4.2,2449999.1\n4.8,2449998.9\n"
        "5.5,2449999.2\n");
  const auto far = [&](const std::string& formula, const char* noise) {
    return json(
        {"gp", formula, "--noise", noise, "--data", at("far.csv"), "--predict", at("new.csv")});
  };
  const std::string wide = "y ~ se(x, length = 1.3, sd = 0.9)",
                    narrow = "y ~ se(x, length = 1.3, sd = 0.0001)";
  const testing::Json near = fit(wide, {"--noise", "0.2"}), moved = far(wide, "0.2");
  EXPECT_NEAR(moved.at("log_evidence").number, near.at("log_evidence").number, 1e-6);
  for (const std::size_t k : {0u, 1u}) {
    EXPECT_NEAR(point(moved, "mean", k) - 2450000.0, point(near, "mean", k), 1e-6);
    EXPECT_NEAR(point(moved, "sd", k), point(near, "sd", k), 1e-10);
  }
  const std::vector<std::string> ridge{"--noise", "0.2", "--method", "ridge"};
  const testing::Json ridge_moved =
      json({"gp", wide, "--noise", "0.2", "--method", "ridge", "--data", at("far.csv")});
  EXPECT_NEAR(ridge_moved.at("squared_norm").number, fit(wide, ridge).at("squared_norm").number,
              1e-5);
  const double sd = point(fit(narrow, {"--noise", "0.00002"}), "sd", 1);
  EXPECT_GT(sd, 1e-6);
  EXPECT_NEAR(point(far(narrow, "0.00002"), "sd", 1), sd, 1e-12);
}

TEST_F(Gp, refuses_points_outside_the_domain_of_a_kernel) {
  write("before.csv", "x\n2\n-1\n");
  const std::string said_of = refused({"gp", "y ~ brownian(x)", "--noise", "0.2", "--starts", "1",
                                       "--data", at("d.csv"), "--predict", at("before.csv")},
                                      4);
  EXPECT_NE(said_of.find("row 2"), std::string::npos) << said_of;
  EXPECT_NE(said_of.find("begins at 0"), std::string::npos) << said_of;
}

TEST_F(Gp, by_ridge_needs_all_rows_and_one_set_of_hyperparameters) {
  const auto said_of = [&](const char* option, const char* value) {
    return refused({"gp", "y ~ se(x)", "--data", at("d.csv"), "--method", "ridge", option, value},
                   2);
  };
  for (const char* solver : {"subset", "ivm", "sgpr", "states"})
    EXPECT_NE(said_of("--solver", solver).find("weights of all rows"), std::string::npos) << said();
  for (const char* hyper : {"grid", "ccd", "mcmc"})
    EXPECT_NE(said_of("--hyper", hyper).find("averages over several"), std::string::npos) << said();
}

TEST_F(Gp, refuses_a_derivative_by_a_column_of_two_inputs) {
  const std::string said_of =
      refused({"gp", "y ~ se(x, length = 1.3, sd = 0.9) + 0.5 * linear(log(x))", "--noise", "0.2",
               "--data", at("d.csv"), "--derivative", "x"},
              2);
  EXPECT_NE(said_of.find("log(x) also has the column x"), std::string::npos) << said_of;
}

TEST_F(Gp, that_averages_is_checked_at_the_largest_evidence) {
  const std::string formula = "y ~ 0 | se(x) + noise";
  const double sd = hyper(fit(formula), "se(x)", "sd");
  const testing::Json answer = fit(formula, {"--hyper", "grid", "--check"});
  double trace = 0.0;
  for (const testing::Json& value : answer.at("eigenvalues").items) trace += value.number;
  EXPECT_NEAR(trace, 11 * sd * sd, 1e-8 * trace);
  bool is_said = false;
  for (const testing::Json& finding : answer.at("findings").items)
    is_said = is_said || finding.text.find("at the largest evidence") != std::string::npos;
  EXPECT_TRUE(is_said);
}

TEST_F(Gp, of_many_rows_says_that_the_function_at_them_is_left_out) {
  std::string table = "x,y\n";
  for (int i = 0; i < 5001; ++i)
    table += std::to_string(0.01 * i) + "," + std::to_string(0.1 * (i % 7)) + "\n";
  write("many.csv", table);
  const testing::Json answer = json(
      {"gp", "y ~ matern12(x, length = 1, sd = 1)", "--noise", "0.5", "--data", at("many.csv")});
  bool is_said = false;
  for (const testing::Json& finding : answer.at("findings").items)
    is_said = is_said || finding.text.find("no group `fitted`") != std::string::npos;
  EXPECT_TRUE(is_said);
}

TEST_F(Gp, lists_its_kernels) {
  EXPECT_EQ(run({"gp", "--kernels"}), 0) << said();
  for (const char* name : {"matern32", "periodic", "ntk", "sphere"})
    EXPECT_NE(printed().find(name), std::string::npos);
}

}  // namespace
}  // namespace credo::cli::gp_test
