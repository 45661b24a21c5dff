// credo approximate --after: one approximation after another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::after_test {
namespace {
constexpr double kExact = 1e-8;  // modes end at gradients of 1e-8, and curvatures are exact
constexpr Index kMonths = 5;

class After : public testing::CommandRun {
 protected:
  After() : CommandRun("after") {
    write("mean.stan",
          "data { int N; vector[N] y; } parameters { real mu; } "
          "model { mu ~ normal(1, 2); y ~ normal(mu, 3); }");
    write("logit.stan",
          "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; } "
          "model { a ~ normal(0, 2); b ~ normal(0, 2); y ~ bernoulli_logit(a + b * x); }");
  }
  double tuned(const std::string& name, std::string_view setting, std::size_t place = 0) const {
    const std::string path = at(name);
    const auto fit = open_fit(std::span(&path, 1));
    for (const infer::TunedSetting& one : fit->result().chains[0].tuned)
      if (one.name == setting) return one.values.at(place);
    ADD_FAILURE() << name << " has no " << setting;
    return kNaN;
  }
  void approximate(const std::string& program, const std::string& data, const std::string& to,
                   std::vector<std::string> more) {
    std::vector<std::string> words{"approximate", at(program), "--data",     at(data),  "-o",
                                   at(to),        "--chains",  "1",          "--draws", "100",
                                   "--seed",      "1",         "--no-check", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
  // One result after the other: month_0.json, month_1.json, ... into month_4.nc.
  void in_sequence(const std::string& program, const std::vector<std::string>& more) {
    for (Index m = 0; m < kMonths; ++m) {
      std::vector<std::string> words = more;
      if (m > 0) words.insert(words.end(), {"--after", at(fmt::format("month_{}.nc", m - 1))});
      approximate(program, fmt::format("month_{}.json", m), fmt::format("month_{}.nc", m), words);
    }
  }
  void refused(std::vector<std::string> words, const std::string& why) {
    EXPECT_NE(run(std::move(words)), 0) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  }
};

const std::vector<double> kOutcomes = {2.0, -1.5, 4.0, 0.5, 3.0, 1.0, -2.0, 5.5, 2.5, 0.0};

std::string mean_data(Index first, Index count) {
  return fmt::format(R"({{"N": {}, "y": {}}})", count,
                     std::vector(kOutcomes.begin() + first, kOutcomes.begin() + first + count));
}

// Precision 1/4 + 10/9, and the precision-weighted mean. Planted: the old posterior is forgotten, or the prior counts twice.
TEST_F(After, five_months_of_normal_data_equal_one_batch) {
  for (Index m = 0; m < kMonths; ++m) write(fmt::format("month_{}.json", m), mean_data(2 * m, 2));
  in_sequence("mean.stan", {"--method", "laplace"});
  const double precision = 0.25 + 10.0 / 9.0, sum = 15.0;
  const auto is_right = [&](const std::string& fit) {
    return std::fabs(tuned(fit, "mode") - (0.25 + sum / 9.0) / precision) < kExact &&
           std::fabs(tuned(fit, "covariance") * precision - 1.0) < kExact;
  };
  EXPECT_TRUE(is_right("month_4.nc"))
      << tuned("month_4.nc", "mode") << " " << tuned("month_4.nc", "covariance");
  write("all.json", mean_data(0, 10));
  approximate("mean.stan", "all.json", "all.nc", {"--method", "laplace"});
  EXPECT_NEAR(tuned("month_4.nc", "mode"), tuned("all.nc", "mode"), kExact);
  approximate("mean.stan", "month_4.json", "forgotten.nc", {"--method", "laplace"});
  EXPECT_FALSE(is_right("forgotten.nc"));
  write("twice.stan",
        "data { int N; vector[N] y; } parameters { real mu; } "
        "model { mu ~ normal(1, 2); target += normal_lpdf(mu | 1, 2); y ~ normal(mu, 3); }");
  approximate("twice.stan", "all.json", "twice.nc", {"--method", "laplace"});
  EXPECT_FALSE(is_right("twice.nc"));
}

void write_logit(const std::function<void(const std::string&, const std::string&)>& write) {
  constexpr Index kRows = 100;
  std::vector<double> x;
  std::vector<int> y;
  for (Index n = 0; n < kRows; ++n) {
    x.push_back(-1.5 + 3.0 * static_cast<double>((n * 37) % kRows) / (kRows - 1.0));
    const double p = 1.0 / (1.0 + std::exp(-(0.4 + 1.2 * x.back())));
    y.push_back(std::fmod(static_cast<double>(n) * 0.6180339887498949, 1.0) < p ? 1 : 0);
  }
  const auto data = [&](Index first, Index count) {
    return fmt::format(R"({{"N": {}, "x": {}, "y": {}}})", count,
                       std::vector(x.begin() + first, x.begin() + first + count),
                       std::vector(y.begin() + first, y.begin() + first + count));
  };
  for (Index m = 0; m < kMonths; ++m) write(fmt::format("month_{}.json", m), data(20 * m, 20));
  write("all.json", data(0, kRows));
}

// Within 0.1 standard deviations of the batch, and each family is read back in its own form.
TEST_F(After, five_months_of_logistic_data_are_near_one_batch) {
  write_logit([this](const std::string& name, const std::string& text) { write(name, text); });
  in_sequence("logit.stan", {"--method", "normal"});
  approximate("logit.stan", "all.json", "all.nc", {"--method", "normal"});
  const auto is_near = [&](const std::string& fit) {
    bool is_all = true;
    for (const std::size_t d : {0u, 1u}) {
      const double sd = std::sqrt(tuned("all.nc", "variances", d));
      is_all = is_all && std::fabs(tuned(fit, "mean", d) - tuned("all.nc", "mean", d)) < 0.1 * sd &&
               std::fabs(0.5 * std::log(tuned(fit, "variances", d) / (sd * sd))) < 0.1;
    }
    return is_all;
  };
  EXPECT_TRUE(is_near("month_4.nc")) << tuned("month_4.nc", "mean", 1);
  approximate("logit.stan", "month_4.json", "forgotten.nc", {"--method", "normal"});
  EXPECT_FALSE(is_near("forgotten.nc"));
  for (const char* shape : {"diagonal", "low_rank", "blocks"}) {
    in_sequence("logit.stan", {"--method", "normal", "--covariance", shape});
    for (const std::size_t d : {0u, 1u})
      EXPECT_NEAR(tuned("month_4.nc", "mean", d), tuned("all.nc", "mean", d),
                  0.35 * std::sqrt(tuned("all.nc", "variances", d)))
          << shape;
  }
}

// Elastic weight consolidation: precisions add up, each month's being the curvature at its own mode.
TEST_F(After, diagonal_laplace_adds_the_curvatures_of_the_months) {
  write_logit([this](const std::string& name, const std::string& text) { write(name, text); });
  const std::vector<std::string> ewc = {"--method", "laplace", "--covariance", "diagonal"};
  std::vector<std::string> second = ewc;
  second.insert(second.end(), {"--after", at("one.nc")});
  approximate("logit.stan", "month_0.json", "one.nc", ewc);
  approximate("logit.stan", "month_1.json", "two.nc", second);
  const double a = tuned("two.nc", "mode", 0), b = tuned("two.nc", "mode", 1);
  double of_a = std::pow(tuned("one.nc", "scales", 0), -2),
         of_b = std::pow(tuned("one.nc", "scales", 1), -2);
  for (Index n = 20; n < 40; ++n) {
    const double x = -1.5 + 3.0 * static_cast<double>((n * 37) % 100) / 99.0;
    const double p = 1.0 / (1.0 + std::exp(-(a + b * x)));
    of_a += p * (1.0 - p), of_b += p * (1.0 - p) * x * x;
  }
  EXPECT_NEAR(std::pow(tuned("two.nc", "scales", 0), -2), of_a, 1e-7 * of_a);
  EXPECT_NEAR(std::pow(tuned("two.nc", "scales", 1), -2), of_b, 1e-7 * of_b);
}

// A second month with a further group: its prior, given mu, is that of the program; those of mu and of the first groups are in
// the earlier posterior.
TEST_F(After, new_values_keep_their_prior) {
  write("groups.stan",
        "data { int J; int N; array[N] int<lower=1, upper=J> g; vector[N] y; } "
        "parameters { real mu; vector[J] theta; } "
        "model { mu ~ normal(0, 4); theta ~ normal(mu, 2); y ~ normal(theta[g], 1); }");
  write("one.json", R"({"J": 2, "N": 3, "g": [1, 1, 2], "y": [1.0, 2.5, -1.0]})");
  write("two.json", R"({"J": 3, "N": 3, "g": [3, 2, 3], "y": [4.0, 0.5, 3.0]})");
  write("all.json",
        R"({"J": 3, "N": 6, "g": [1, 1, 2, 3, 2, 3], "y": [1.0, 2.5, -1.0, 4.0, 0.5, 3.0]})");
  approximate("groups.stan", "one.json", "one.nc", {"--method", "laplace"});
  approximate("groups.stan", "two.json", "two.nc",
              {"--method", "laplace", "--after", at("one.nc")});
  approximate("groups.stan", "all.json", "all.nc", {"--method", "laplace"});
  for (std::size_t d = 0; d < 4; ++d) {
    EXPECT_NEAR(tuned("two.nc", "mode", d), tuned("all.nc", "mode", d), kExact);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(tuned("two.nc", "covariance", 4 * d + k),
                  tuned("all.nc", "covariance", 4 * d + k), kExact);
  }
}

TEST_F(After, priors_of_earlier_values_that_depend_on_new_ones_are_refused) {
  write("flat.stan",
        "data { int N; vector[N] y; } parameters { vector[2] theta; } "
        "model { theta ~ normal(0, 3); y ~ normal(theta[1] + theta[2], 1); }");
  write("deep.stan",
        "data { int N; vector[N] y; } parameters { vector[2] theta; real mu; } "
        "model { mu ~ normal(0, 3); theta ~ normal(mu, 1); y ~ normal(theta[1] + theta[2], 1); }");
  write("one.json", mean_data(0, 2)), write("two.json", mean_data(2, 2));
  approximate("flat.stan", "one.json", "one.nc", {"--method", "laplace"});
  refused({"laplace", at("deep.stan"), "--data", at("two.json"), "--after", at("one.nc")},
          "would count it twice");
}

TEST_F(After, results_that_are_no_normal_prior_of_the_program_are_refused) {
  write("one.json", mean_data(0, 2)), write("two.json", mean_data(2, 2));
  approximate("mean.stan", "one.json", "one.nc", {"--method", "laplace"});
  const std::vector<std::string> next = {"laplace", at("mean.stan"), "--data", at("two.json")};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = next;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refused({"laplace", at("mean.stan"), "--data", at("one.json"), "--after", at("one.nc")},
          "has seen these data already");
  EXPECT_EQ(run({"laplace", at("mean.stan"), "--data", at("one.json"), "--after", at("one.nc"),
                 "--equal-data"}),
            0)
      << said();
  refused(with({"--after", at("one.nc"), "--terms", "likelihood"}), "leave these out");
  refused(with({"--after", at("one.nc"), "--temperature", "2"}), "leave these out");
  approximate("mean.stan", "one.json", "t.nc", {"--method", "laplace", "--dof", "5"});
  refused(with({"--after", at("t.nc")}), "Student's t");
  approximate("mean.stan", "one.json", "p.nc", {"--method", "pathfinder"});
  refused(with({"--after", at("p.nc")}), "no normal distribution");
  ASSERT_EQ(run({"sample", at("mean.stan"), "--data", at("one.json"), "--chains", "1", "--warmup",
                 "100", "--draws", "100", "-o", at("s.nc"), "--quiet"}),
            0)
      << said();
  refused(with({"--after", at("s.nc")}), "--method moments --from");
  write("positive.stan",
        "data { int N; vector[N] y; } parameters { real<lower=0> mu; } "
        "model { mu ~ normal(1, 2); y ~ normal(mu, 3); }");
  refused({"laplace", at("positive.stan"), "--data", at("two.json"), "--after", at("one.nc")},
          "mu has another constraint");
  write("other.stan",
        "data { int N; vector[N] y; } parameters { real nu; } "
        "model { nu ~ normal(1, 2); y ~ normal(nu, 3); }");
  refused({"laplace", at("other.stan"), "--data", at("two.json"), "--after", at("one.nc")},
          "no unconstrained value mu");
}

// A third month has seen the data of the first, too; and a result holds what it needs of the earlier one.
TEST_F(After, sequences_remember_their_data_and_can_be_repeated_alone) {
  for (Index m = 0; m < 3; ++m) write(fmt::format("month_{}.json", m), mean_data(2 * m, 2));
  approximate("mean.stan", "month_0.json", "one.nc", {"--method", "normal"});
  approximate("mean.stan", "month_1.json", "two.nc",
              {"--method", "normal", "--after", at("one.nc")});
  refused({"laplace", at("mean.stan"), "--data", at("month_0.json"), "--after", at("two.nc")},
          "has seen these data already");
  std::filesystem::remove(at("one.nc"));
  ASSERT_EQ(run({"approximate", "--like", at("two.nc"), "-o", at("again.nc"), "--quiet"}), 0)
      << said();
  EXPECT_EQ(tuned("again.nc", "mean"), tuned("two.nc", "mean"));
  EXPECT_EQ(run({"diagnose", at("two.nc")}), 0) << said();
  EXPECT_EQ(run({"summary", at("two.nc")}), 0) << said();
  approximate("mean.stan", "month_2.json", "three.nc",
              {"--method", "laplace", "--after", at("two.nc")});
}

// A latent value for each row: that of April's first row isn't that of May's. Without --forget it would be.
TEST_F(After, values_of_single_rows_can_be_integrated_out) {
  write("rows.stan",
        "data { int N; vector[N] y; } parameters { real mu; vector[N] z; } "
        "model { mu ~ normal(1, 2); z ~ normal(mu, 1); y ~ normal(z, 3); }");
  write("one.json", mean_data(0, 3)), write("two.json", mean_data(3, 4));
  write("all.json", mean_data(0, 7));
  approximate("rows.stan", "one.json", "one.nc", {"--method", "laplace"});
  approximate("rows.stan", "all.json", "all.nc", {"--method", "laplace"});
  approximate("rows.stan", "one.json", "near.nc",
              {"--method", "moments", "--from", at("one.nc"), "--covariance", "low_rank"});
  for (const char* earlier : {"one.nc", "near.nc"}) {
    approximate("rows.stan", "two.json", "two.nc",
                {"--method", "laplace", "--after", at(earlier), "--forget", "z"});
    // 100 draws have their mean and variance to a tenth and more.
    const double tolerance = std::string_view(earlier) == "one.nc" ? kExact : 0.5;
    EXPECT_NEAR(tuned("two.nc", "mode", 0), tuned("all.nc", "mode", 0), tolerance);
    EXPECT_NEAR(tuned("two.nc", "covariance", 0), tuned("all.nc", "covariance", 0), tolerance);
  }
  refused({"laplace", at("rows.stan"), "--data", at("two.json"), "--after", at("one.nc"),
           "--forget", "w"},
          "the earlier result has no parameter w");
}

// 1 / beta likelihoods: precision 1/4 + 2 * 2/9.
TEST_F(After, beta_weighs_the_likelihood) {
  write("one.json", mean_data(0, 2));
  approximate("mean.stan", "one.json", "one.nc", {"--method", "laplace", "--beta", "0.5"});
  EXPECT_NEAR(1.0 / tuned("one.nc", "covariance"), 0.25 + 4.0 / 9.0, kExact);
  approximate("mean.stan", "one.json", "two.nc", {"--method", "normal", "--beta", "0.5"});
  EXPECT_NEAR(1.0 / tuned("two.nc", "variances"), 0.25 + 4.0 / 9.0, 1e-4);
}

}  // namespace
}  // namespace credo::cli::after_test
