// credo summary --trace and its like: plots of known draws, numbers that are those of the diagnostics.
#include "cli/fit/summary_figures.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "diagnose/autocorrelation.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/trace.hpp"
#include "io/json_value.hpp"

namespace credo::cli::summary_figures_test {
namespace {
namespace fs = std::filesystem;
using Series = std::vector<double>;

TEST(trace_plot, has_each_chain_where_its_draws_are) {
  const Series draws = {0, 0, 1, 1, /* chain 2 */ 1, 1, 1, 0};
  EXPECT_EQ(trace_plot({draws, 4, 2}, 4, 2),
            "           1 |22*1\n"
            "           0 |11 2\n");
}

TEST(trace_plot, has_means_and_ends_of_the_draws_of_a_column) {
  const Series draws = {0, 4, 1, 3, 2, 2, 0, 0};
  EXPECT_EQ(trace_plot({draws, 8, 1}, 4, 5),
            "           4 |.   \n"
            "             |..  \n"
            "             |111 \n"
            "             |..  \n"
            "           0 |.  1\n");
}

TEST(trace_plot, takes_values_whose_differences_overflow) {
  const Series draws = {1.7e308, 1.7e308, -1.7e308, -1.7e308};
  EXPECT_EQ(trace_plot({draws, 4, 1}, 4, 2), "    1.7e+308 |11  \n   -1.7e+308 |  11\n");
}

TEST(trace_plot, shows_a_chain_that_stays_apart) {
  Series draws;
  for (int s = 0; s < 100; ++s) draws.push_back(s % 2 == 0 ? 0.0 : 0.5);
  for (int s = 0; s < 100; ++s) draws.push_back(s % 2 == 0 ? 9.5 : 10.0);
  const std::string plot = trace_plot({draws, 100, 2}, 50, 11);
  EXPECT_TRUE(plot.starts_with("          10 |" + std::string(50, '2'))) << plot;
  EXPECT_NE(plot.find("           0 |" + std::string(50, '1')), std::string::npos) << plot;
  EXPECT_EQ(plot.find('*'), std::string::npos) << plot;
}

TEST(summary_figures, draw_ranks_of_chains_that_agree_flat_and_of_others_not) {
  Series alike, apart;
  for (const bool is_apart : {false, true})
    for (int c = 0; c < 2; ++c)
      for (int s = 0; s < 200; ++s)
        (is_apart ? apart : alike).push_back((s * 37 % 200) + (is_apart ? 200.0 : 0.5) * c);
  const FigureQuestions ranks{.ranks = true};
  const std::string flat = figures_text("x", {alike, 200, 2}, ranks);
  EXPECT_NE(flat.find("chain   1 |++++++++++++++++++++| 10 to 10"), std::string::npos) << flat;
  const std::string split = figures_text("x", {apart, 200, 2}, ranks);
  EXPECT_NE(split.find("chain   1 |@@@@@@@@@@          | 0 to 20"), std::string::npos) << split;
  EXPECT_NE(split.find("chain   2 |          @@@@@@@@@@| 0 to 20"), std::string::npos) << split;
}

// x_s = (-1)^s has the autocorrelations (-1)^t (n - t) / n.
TEST(summary_figures, show_an_alternating_chain_to_both_sides) {
  Series draws;
  for (int s = 0; s < 100; ++s) draws.push_back(s % 2 == 0 ? 1.0 : -1.0);
  const std::string text =
      figures_text("x", {draws, 100, 1}, {.autocorrelation = true, .num_lags = 2});
  EXPECT_NE(text.find("-0.990   -0.990  ###############|\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.980    0.980                 |###############\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("\n      3"), std::string::npos) << text;
}

TEST(summary_figures, say_what_is_not_defined) {
  const Series same(20, 3.0), infinite(20, kInfinity);
  const FigureQuestions all{.autocorrelation = true, .ranks = true, .trace = true};
  const std::string text = figures_text("x", {same, 10, 2}, all);
  EXPECT_NE(text.find("ranks not defined: the draws are all the same"), std::string::npos) << text;
  EXPECT_NE(text.find("|**********\n"), std::string::npos) << text;
  const std::string wild = figures_text("x", {infinite, 10, 2}, all);
  EXPECT_NE(wild.find("trace not defined: draws that aren't finite"), std::string::npos) << wild;
}

class Figures : public ::testing::Test {
 protected:
  Figures() {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "m.stan") << "parameters { vector[2] x; } model { x ~ normal(0, 1); }";
    EXPECT_EQ(run({"sample", at("m.stan"), "--draws", "200", "--warmup", "100", "--quiet", "-o",
                   at("fit.nc")}),
              0)
        << said_;
  }
  ~Figures() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    out_ = ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  int summary(std::vector<std::string> more) {
    more.insert(more.begin(), {"summary", at("fit.nc")});
    return run(std::move(more));
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_figures_" + std::to_string(getpid()));
  std::string out_, said_;
};

TEST_F(Figures, as_numbers_are_those_of_the_diagnostics) {
  ASSERT_EQ(summary({"--columns", "x[2]", "--json", "--trace", "--ranks", "--autocorrelation",
                     "--lags", "7", "--local-ess", "--groups", "2"}),
            0)
      << said_;
  const std::string path = at("fit.nc");
  const auto fit = open_fit(std::span(&path, 1));
  const density::Draws draws = fit->quantities(false, *find_quantity(*fit, "x.2"), 1);
  const diagnose::Chains x = diagnose::quantity(draws, 0);
  const io::JsonValue all = io::parse_json_value(out_, "out");
  ASSERT_EQ(all.items.size(), 1u);
  const auto numbers = [&](const char* figure, const char* name) {
    return all.items[0].find(figure)->find(name)->as_numbers(name);
  };
  const auto head = [](Series series) { return series.resize(8), series; };
  EXPECT_EQ(all.items[0].find("name")->text, "x.2");
  EXPECT_EQ(numbers("autocorrelation", "combined"), head(diagnose::combined_autocorrelation(x)));
  EXPECT_EQ(numbers("autocorrelation", "variogram"), head(diagnose::variogram_autocorrelation(x)));
  EXPECT_EQ(all.items[0].find("autocorrelation")->find("chains")->items[3].as_numbers("chain"),
            head(diagnose::autocorrelation(x.chain(3))));
  EXPECT_EQ(numbers("local_ess", "ess"), diagnose::local_ess(x));
  EXPECT_EQ(all.items[0].find("nested_r_hat")->find("value")->number, diagnose::nested_r_hat(x, 2));
  const diagnose::TraceRanks ranks = diagnose::trace_ranks(x);
  EXPECT_EQ(all.items[0].find("ranks")->find("p_value")->number, ranks.p_value);
  EXPECT_EQ(all.items[0].find("ranks")->find("counts")->items[1].as_numbers("counts"),
            Series(ranks.counts.begin() + 20, ranks.counts.begin() + 40));
  const diagnose::Trace trace = diagnose::trace(x);
  EXPECT_EQ(all.items[0].find("trace")->find("high")->items[2].as_numbers("high"),
            Series(trace.high.begin() + 400, trace.high.begin() + 600));
}

TEST_F(Figures, are_of_each_column_that_is_named) {
  ASSERT_EQ(summary({"--columns", "x", "--columns", "lp__", "--trace"}), 0) << said_;
  for (const char* said : {"x.1: 4 chains of 200 draws\ntrace: a column is 4 draws;",
                           "\nx.2: ", "\nlp__: ", " of the transitions moved"})
    EXPECT_NE(out_.find(said), std::string::npos) << said << out_;
}

TEST_F(Figures, that_can_not_be_told_are_refused) {
  EXPECT_EQ(summary({"--trace"}), 2);
  EXPECT_NE(said_.find("figures are of quantities that are named"), std::string::npos) << said_;
  EXPECT_EQ(summary({"--trace", "--columns", "y"}), 2);
  for (const char* groups : {"1", "3", "8"})
    EXPECT_EQ(summary({"--columns", "x", "--groups", groups}), 2) << groups;
  EXPECT_NE(said_.find("a divisor of the number of chains"), std::string::npos) << said_;
  EXPECT_EQ(summary({"--columns", "x", "--autocorrelation", "--lags", "0"}), 2);
  EXPECT_EQ(run({"sample", at("m.stan"), "--draws", "1", "--warmup", "10", "--quiet", "-o",
                 at("fit.nc")}),
            0);
  EXPECT_EQ(summary({"--columns", "x", "--trace"}), 2);
  EXPECT_NE(said_.find("two at least"), std::string::npos) << said_;
}

}  // namespace
}  // namespace credo::cli::summary_figures_test
