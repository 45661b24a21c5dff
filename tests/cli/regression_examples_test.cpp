// Regression, hierarchies and the priors of their parameters: the worked examples of the texts by the commands, beside quadrature, closed
// forms and values that other programs gave.
#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>

#include "support/share.hpp"
#include "text_examples.hpp"

namespace credo::cli::regression_examples_test {
namespace {

class RegressionExamples : public TextExamples {
 protected:
  RegressionExamples() : TextExamples("regression_examples") {}

  std::string draws_of(const std::string& program, const std::string& data,
                       std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--data", example("texts/" + data + ".json")});
    return draw(program, more);
  }
  struct Estimate {
    double value, error;
  };
  Estimate evidence(const std::string& program, const std::string& data) {
    const Json found =
        json({"evidence", example("texts/" + program + ".stan"), "--data",
              example("texts/" + data + ".json"), "--method", "bridge", "--seed", usual_seed()})
            .at("methods")
            .items.at(0);
    return {found.at("log_evidence").number, found.at("error").number};
  }
  void expect_evidence(const Estimate& found, double wanted) {
    EXPECT_NEAR(found.value, wanted, kTextErrors * found.error);
    EXPECT_LT(found.error, 0.03);
  }
  // The mean of an expression over exact draws of the parameters, with its error.
  void expect_of(const std::string& program, const std::string& data, const std::string& expression,
                 double wanted, double at_most) {
    const Json found = expect(program, {expression}, {"--data", data, "--number", "512"}).at(0);
    EXPECT_NEAR(found.at("mean").number, wanted, kTextErrors * found.at("error").number)
        << expression;
    EXPECT_LT(found.at("error").number, at_most) << expression;
  }
};

// Seven stars in two square degrees. With the uniform prior the density has a gamma distribution of shape 8 and rate 2 below the bound;
// with the prior that is uniform in the logarithm the shape is 7.
TEST_F(RegressionExamples, count_stars_with_two_priors_that_are_cut) {
  const double area = 2.0, lowest = 0.1, highest = 6.0;
  const auto mass = [&](double shape, double from) {
    return boost::math::gamma_p(shape, area * highest) - boost::math::gamma_p(shape, area * from);
  };
  expect_mean(draws_of("star_counts_uniform", "star_counts"), "density",
              8.0 / area * mass(9.0, 0.0) / mass(8.0, 0.0));
  expect_evidence(evidence("star_counts_uniform", "star_counts"),
                  std::log(mass(8.0, 0.0) / (area * highest)));
  expect_mean(draws_of("star_counts_log_uniform", "star_counts"), "density",
              7.0 / area * mass(8.0, lowest) / mass(7.0, lowest));
  expect_evidence(evidence("star_counts_log_uniform", "star_counts"),
                  std::log(mass(7.0, lowest) / 7.0 / std::log(highest / lowest)));
}

// A Poisson number of stars, each seen with probability p: what is seen is Poisson with the rate p A S, so that the posterior is a gamma
// distribution; and the number that is there is what was seen and a Poisson number of unseen ones.
TEST_F(RegressionExamples, a_thinned_survey_is_a_poisson_number_of_a_lower_rate) {
  const std::string file = draws_of("thinned_survey", "thinned_survey", {"--discrete", "sum"});
  expect_mean(file, "density", (3.0 + 9.0) / (0.5 + 3.0));
  expect_mean(file, "density^2", 12.0 * 13.0 / (3.5 * 3.5));
  expect_mean(file, "there", 9.0 + 7.0 * 12.0 / 3.5);
}

TEST_F(RegressionExamples, the_age_of_a_star_is_between_its_kind_and_its_measurement) {
  const Json found =
      json({"exact", example("texts/star_age.stan"), "--data", example("texts/star_age.json")});
  const double precision = 1.0 / (1.5 * 1.5) + 1.0 / (0.8 * 0.8);
  const Json& age = found.at("parameters").items.at(0).at("arguments");
  EXPECT_NEAR(age.at("mu").number, (5.0 / (1.5 * 1.5) + 7.2 / (0.8 * 0.8)) / precision, 1e-9);
  EXPECT_NEAR(age.at("sigma").number, 1.0 / std::sqrt(precision), 1e-9);
  EXPECT_NEAR(found.at("log_evidence").number,
              std::log(normal_density(7.2, 5.0, std::hypot(1.5, 0.8))), 1e-9);
}

// The evidence, the means of the cluster's values and that of the first star's age, by sums over a grid of the two logarithms.
struct Cluster {
  double evidence = 0.0, mean_age = 0.0, spread = 0.0, first_age = 0.0;
};
Cluster cluster_by_sums(const std::vector<double>& measured, const std::vector<double>& error) {
  Cluster sums;
  const double from_m = std::log(0.5), to_m = std::log(20.0);
  const double from_s = std::log(0.05), to_s = std::log(5.0);
  constexpr int kPoints = 600;  // midpoints: halving them changes 1e-6
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j) {
      const double mean = std::exp(from_m + (i + 0.5) * (to_m - from_m) / kPoints);
      const double spread = std::exp(from_s + (j + 0.5) * (to_s - from_s) / kPoints);
      double density = 1.0 / (kPoints * kPoints);
      for (std::size_t n = 0; n < measured.size(); ++n)
        density *= normal_density(measured[n], mean, std::hypot(spread, error[n]));
      const double share = spread * spread / (spread * spread + error[0] * error[0]);
      sums.evidence += density, sums.mean_age += density * mean, sums.spread += density * spread;
      sums.first_age += density * (mean + share * (measured[0] - mean));
    }
  sums.mean_age /= sums.evidence, sums.spread /= sums.evidence, sums.first_age /= sums.evidence;
  return sums;
}

// With the stars' ages as parameters, or with each integrated out by itself: the same cluster.
TEST_F(RegressionExamples, a_cluster_of_stars_is_the_same_with_and_without_their_ages) {
  const Json data = example_data("texts/star_cluster.json");
  const Cluster exact = cluster_by_sums(numbers(data.at("measured")), numbers(data.at("error")));
  const std::string joint =
      draws_of("star_cluster", "star_cluster", {"--draws", "4000", "--target-accept", "0.95"});
  const std::string marginal = draws_of("star_cluster_marginal", "star_cluster");
  for (const std::string& file : {joint, marginal}) {
    expect_mean(file, "mean_age", exact.mean_age);
    expect_mean(file, "spread", exact.spread);
  }
  expect_mean(joint, "age[1]", exact.first_age);
  expect_evidence(evidence("star_cluster_marginal", "star_cluster"), std::log(exact.evidence));
}

// X2: a normal prior of a logit with standard deviation 10 says that the probability is extreme; 1.5 is nearly flat. Masses by the normal
// distribution function.
TEST_F(RegressionExamples, a_wide_prior_of_a_logit_is_a_prior_of_extremes) {
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  for (const double omega : {10.0, 1.5}) {
    write("omega.json", fmt::format(R"({{"omega": {}}})", omega));
    const double end = std::log(99.0) / omega, middle = std::log(3.0) / omega;
    expect_of("prior_probability", at("omega.json"), "p < 0.01 || p > 0.99", 2.0 * below(-end),
              0.005);
    expect_of("prior_probability", at("omega.json"), "p > 0.25 && p < 0.75",
              1.0 - 2.0 * below(-middle), 0.005);
  }
}

// X3: the share of positive outcomes under the prior, with 1, 5 and 15 columns that are 1 in four of five rows. The masses are those of
// the same simulation elsewhere (10,000 draws, other columns: to about 0.03).
TEST_F(RegressionExamples, more_columns_make_a_prior_of_slopes_a_prior_of_extremes) {
  const auto masses = [&](int columns, double scale) {
    write("share.json",
          fmt::format(R"({{"N": 500, "D": {}, "scale": {}}})", columns, scale));
    const std::vector<double> shares = values_of(
        draw("prior_share", {"--data", at("share.json"), "--sampler", "exact", "--draws", "1000"}),
        "positive");
    double extreme = 0.0, middle = 0.0;
    for (const double f : shares)
      extreme += f < 0.05 || f > 0.95, middle += f > 0.25 && f < 0.75;
    return std::array{extreme / static_cast<double>(shares.size()),
                      middle / static_cast<double>(shares.size())};
  };
  struct Case {
    int columns;
    double extreme, middle;
  };
  for (const Case& one : {Case{1, 0.0, 0.68}, {5, 0.136, 0.38}, {15, 0.287, 0.31}}) {
    const auto [extreme, middle] = masses(one.columns, 1.5);
    EXPECT_NEAR(extreme, one.extreme, 0.05) << one.columns;
    EXPECT_NEAR(middle, one.middle, 0.06) << one.columns;
  }
  // Divided by the root of their number slopes are as wide together as one.
  EXPECT_NEAR(masses(15, 1.5 / std::sqrt(15.0))[1], 0.68, 0.06);
}

// X5: setosa and versicolor. Values by importance sampling under the same prior, elsewhere.
TEST_F(RegressionExamples, the_boundary_of_two_kinds_of_iris_moves_towards_the_rare_one) {
  const std::string balanced = draws_of("iris", "iris_balanced", {"--draws", "2000"});
  const std::string unbalanced = draws_of("iris", "iris_unbalanced", {"--draws", "2000"});
  const auto near = [&](const std::string& file, const std::string& of, double mean, double sd) {
    const Json row = summary_of(file, of);
    // The reference has two decimals, and errors of about 1 % of a standard deviation.
    EXPECT_NEAR(row.at("mean").number, mean,
                kTextErrors * row.at("mcse_mean").number + 0.02 * sd + 0.005)
        << of;
    EXPECT_NEAR(row.at("sd").number, sd, 0.08 * sd) << of;
  };
  near(balanced, "b", -10.37, 5.70);
  near(balanced, "w[1]", 4.18, 1.01);
  near(balanced, "w[2]", -3.98, 1.11);
  near(unbalanced, "b", -6.54, 7.05);
  near(unbalanced, "w[1]", 3.49, 1.15);
  near(unbalanced, "w[2]", -3.48, 1.27);
  const auto quantiles = [&](const std::string& file) {
    std::vector<double> widths = values_of(file, "boundary[2]");
    std::ranges::sort(widths);
    const auto at = [&](double p) {
      return widths[static_cast<std::size_t>(p * static_cast<double>(widths.size()))];
    };
    return std::array{at(0.025), at(0.5), at(0.975)};
  };
  const auto even = quantiles(balanced), rare = quantiles(unbalanced);
  EXPECT_NEAR(even[1], 3.16, 0.02);
  EXPECT_NEAR(rare[1], 3.64, 0.04);
  EXPECT_GT(rare[2] - rare[0], 2.0 * (even[2] - even[0]));
}

// Outcomes that hide themselves: sums over a grid of the mean and of the standard deviation, each missing outcome integrated out.
TEST_F(RegressionExamples, outcomes_that_hide_themselves_need_their_mechanism) {
  const Json data = example_data("texts/values_missing.json");
  const std::vector<double> seen = numbers(data.at("y_seen"));
  const double missing = data.at("N_missing").number;
  const auto mean_by_sums = [&](double offset, double slope) {
    const auto hidden = [&](double y) { return 1.0 / (1.0 + std::exp(-offset - slope * y)); };
    double mass = 0.0, first = 0.0;
    for (int i = 0; i <= 120; ++i)
      for (int j = 0; j <= 120; ++j) {
        const double mu = 0.8 + 0.02 * i, sigma = 1.0 + 0.01 * j;
        double log_density = -0.5 * mu * mu / 100.0 - 0.2 * sigma;
        for (const double y : seen)
          log_density += std::log(normal_density(y, mu, sigma));
        if (slope != 0.0)
          log_density += missing * std::log(integral(
                                       [&](double z) {
                                         return normal_density(z, 0.0, 1.0) * hidden(mu + sigma * z);
                                       },
                                       -8.0, 8.0, 80));
        const double density = std::exp(log_density + 260.0);
        mass += density, first += density * mu;
      }
    return first / mass;
  };
  const double modelled = mean_by_sums(-2.0, 0.8), ignored = mean_by_sums(-2.0, 0.0);
  EXPECT_GT(modelled, ignored + 0.3);  // the truth is 2, and the mean of the outcomes that were seen 1.49
  expect_mean(draws_of("values_missing", "values_missing"), "mu", modelled);
  std::string text = io::read_file(example("texts/values_missing.json"));
  const std::string member = "\"missing_slope\": 0.8";
  write("ignored.json", text.replace(text.find(member), member.size(), "\"missing_slope\": 0"));
  expect_mean(draw("values_missing", {"--data", at("ignored.json")}), "mu", ignored);
}

// Four mechanisms by which rows enter a sample. By the covariate alone the posterior is that of rows that were not selected; by the
// outcome, or by both, the selection must be in the model.
TEST_F(RegressionExamples, rows_selected_by_their_outcome_need_the_selection) {
  const auto slope = [&](double by_x, double by_y) {
    std::string text = io::read_file(example("texts/selected_rows.json"));
    const std::string member = "\"by_x\": 1.5, \"by_y\": 1.5";
    write("rows.json", text.replace(text.find(member), member.size(),
                                    fmt::format(R"("by_x": {}, "by_y": {})", by_x, by_y)));
    return summary_of(draw("selected_rows", {"--data", at("rows.json")}), "slope");
  };
  const Json both = slope(1.5, 1.5), none = slope(0.0, 0.0), covariate = slope(1.5, 0.0);
  EXPECT_NEAR(both.at("mean").number, 0.3, 4.0 * both.at("sd").number);
  EXPECT_LT(none.at("mean").number, 0.3 - 4.0 * none.at("sd").number);
  EXPECT_NEAR(covariate.at("mean").number, none.at("mean").number,
              kTextErrors * std::hypot(covariate.at("mcse_mean").number,
                                       none.at("mcse_mean").number));
}

// The kernel of a wide layer of processes tends to exp(k - 1), k the kernel below.
TEST_F(RegressionExamples, a_wide_deep_process_has_the_kernel_of_one_process) {
  const std::vector<Json> found =
      expect("deep_limit", {"kernel[1, 2]", "kernel[1, 3]", "kernel[2, 3]"},
             {"--data", example("texts/deep_limit.json"), "--number", "16"});
  const std::array distances{0.7, 2.0, 1.3};
  for (std::size_t k = 0; k < 3; ++k) {
    const double limit = std::exp(std::exp(-0.5 * distances[k] * distances[k]) - 1.0);
    // A layer of H processes is off by O(1 / H): its squared distance has the variance 2 / H of its mean, squared.
    EXPECT_NEAR(found[k].at("mean").number, limit,
                kTextErrors * found[k].at("error").number + limit / 100.0)
        << k;
    EXPECT_LT(found[k].at("error").number, 0.01);
  }
}

// The mean of the outer process at a new place, averaged over hidden values, is the mean of draws of it.
TEST_F(RegressionExamples, a_deep_process_jumps_where_one_process_cannot) {
  const std::string file = draws_of("deep_gp", "deep_gp", {"--draws", "2000"});
  const Json mean = summary_of(file, "mean_new"), drawn = summary_of(file, "draw_new");
  EXPECT_NEAR(mean.at("mean").number, drawn.at("mean").number,
              kTextErrors * std::hypot(mean.at("mcse_mean").number, drawn.at("mcse_mean").number));
  EXPECT_LT(drawn.at("mcse_mean").number, 0.1);
  EXPECT_GT(drawn.at("sd").number, 1.2 * mean.at("sd").number);
}

// A network with one rectified layer: E f f' = beta² + E φ φ', the arc-cosine kernel of order one of inputs with beta as one more value.
TEST_F(RegressionExamples, a_network_is_a_deep_process_whose_kernels_have_few_features) {
  const std::vector<Json> found =
      expect("deep_linear", {"f[1] * f[2]", "K2[1, 2]"},
             {"--data", example("texts/deep_linear.json"), "--number", "128"});
  const double a = 1.0 + 0.25 + 0.16, b = 0.09 + 1.44 + 0.16, ab = -0.3 + 0.6 + 0.16;
  const double angle = std::acos(ab / std::sqrt(a * b));
  const double wanted =
      0.16 + std::sqrt(a * b) / (2.0 * std::numbers::pi) *
                 (std::sin(angle) + (std::numbers::pi - angle) * std::cos(angle));
  for (const Json& one : found) {
    EXPECT_NEAR(one.at("mean").number, wanted, kTextErrors * one.at("error").number);
    EXPECT_LT(one.at("error").number, 0.05 * wanted);
  }
}

// X9: 262 flats with roaches. R's fit by maximum likelihood with an offset and one probability of none has 3.4857, 0.0056, -0.4702, -0.2191,
// 0.3585 and the log likelihood -4430.50; without that probability it is -6091.98.
TEST_F(RegressionExamples, flats_without_roaches_need_a_probability_of_none) {
  const Json found = json({"optimize", example("texts/roaches.stan"), "--data",
                           example("texts/roaches.csv"), "--seed", usual_seed()});
  const std::array wanted{3.4857, 0.0056, -0.4702, -0.2191, 0.3585};
  for (std::size_t k = 0; k < wanted.size(); ++k)
    EXPECT_NEAR(found.at("mode").items.at(k).at("value").value(), wanted[k], 6e-5) << k;
  const double highest = found.at("starts")
                             .items.at(static_cast<std::size_t>(found.at("best").number) - 1)
                             .at("log_density")
                             .number;
  EXPECT_NEAR(highest, -4430.50, 0.006);
}

// X9: R's glm of MASS::menarche with a probit link has -11.8189, 0.9078 and the log likelihood -53.470.
TEST_F(RegressionExamples, a_probit_curve_is_that_of_least_deviance) {
  const Json found =
      json({"optimize", example("texts/menarche.stan"), "--data", example("texts/menarche.csv"),
            "--method", "newton", "--seed", usual_seed()});
  EXPECT_NEAR(found.at("mode").items.at(0).at("value").value(), -11.8189, 6e-5);
  EXPECT_NEAR(found.at("mode").items.at(1).at("value").value(), 0.9078, 6e-5);
}

// The posterior of a probit regression by sums over a grid, and by chains with and without a normal variable behind each outcome.
TEST_F(RegressionExamples, probit_regression_is_a_normal_variable_above_zero) {
  const Json data = example_data("texts/probit.json");
  const std::vector<double> yes = numbers(data.at("x_yes")), no = numbers(data.at("x_no"));
  const auto above = [](double u) { return 0.5 * std::erfc(-u / std::numbers::sqrt2); };
  double mass = 0.0, first = 0.0;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 200; ++j) {
      const double b = -4.0 + 0.04 * (i + 0.5), w = -4.0 + 0.05 * (j + 0.5);
      double density = normal_density(b, 0.0, 2.0) * normal_density(w, 0.0, 2.0);
      for (const double x : yes) density *= above(b + w * x);
      for (const double x : no) density *= above(-b - w * x);
      mass += density, first += density * w;
    }
  expect_mean(draws_of("probit", "probit"), "w", first / mass);
  expect_mean(draws_of("probit_latent", "probit", {"--draws", "4000"}), "w", first / mass);
}

// Far out the mean of a cut normal distribution is φ(a) / (1 - Φ(a)), 9.1085 for a = 9, where 1 - Φ is 1e-19.
TEST_F(RegressionExamples, a_normal_distribution_is_cut_far_out_in_its_tail) {
  const std::string file = draws_of("cut_normal", "cut_normal", {"--sampler", "exact"});
  const double mills = normal_density(9.0, 0.0, 1.0) / (0.5 * std::erfc(9.0 / std::numbers::sqrt2));
  expect_mean(file, "x", mills);
  expect_mean(file, "x^2", 1.0 + 9.0 * mills);
  for (const double x : values_of(file, "x")) EXPECT_GT(x, 9.0);
}

// X8: 919 houses in 85 counties. Values of another program with the same priors.
TEST_F(RegressionExamples, counties_share_what_they_know_about_radon) {
  const auto radon = [&](const std::string& program, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--data", example("radon/radon.csv")});
    return draw("../radon/" + program, more);
  };
  const std::string file = radon("non_centred");
  struct Reference {
    const char* name;
    double mean, sd;
  };
  for (const Reference& one :
       {Reference{"mu_alpha", 1.488, 0.051}, {"mu_beta", -0.643, 0.082}, {"sd_alpha", 0.323, 0.045},
        {"sd_beta", 0.254, 0.126}, {"sigma", 0.721, 0.018}, {"beta[75]", -0.53, 0.28}}) {
    const Json row = summary_of(file, one.name);
    // Both have Monte Carlo errors; those of the reference are taken to be like ours, and it is rounded to three digits.
    EXPECT_NEAR(row.at("mean").number, one.mean,
                kTextErrors * std::numbers::sqrt2 * row.at("mcse_mean").number + 0.006)
        << one.name;
    EXPECT_NEAR(row.at("sd").number, one.sd, 0.12 * one.sd) << one.name;
  }
  // P(σ_β < 0.1) = 0.13. Chains of the counties' own values don't enter the narrow end, or don't leave it, and the verdict says so.
  const std::vector<double> spreads = values_of(file, "sd_beta");
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(spreads, [](double s) { return s < 0.1; })) /
                  static_cast<double>(spreads.size()),
              0.13, 0.06);
  const std::string centred = radon("centred");
  EXPECT_LT(summary_of(centred, "sd_beta").at("ess_bulk").number,
            0.3 * summary_of(file, "sd_beta").at("ess_bulk").number);
  run({"diagnose", centred});
  EXPECT_EQ((printed() + said()).find("No fault found"), std::string::npos);
  // There are three ways to see the counties (one for all, each for itself, a population), and the population predicts best.
  const auto elpd = [&](const std::string& fit) {
    return json({"loo", fit}).at("elpd_loo").at("value").number;
  };
  const double partial = elpd(file);
  EXPECT_GT(partial, elpd(radon("pooled")) + 10.0);
  EXPECT_GT(partial, elpd(radon("separate")) + 10.0);
}

// The sums of a line: X'X of (1, speed), X'y, y'y.
struct LineSums {
  double n = 0.0, x = 0.0, xx = 0.0, y = 0.0, xy = 0.0, yy = 0.0;
};
LineSums line_sums(const std::vector<double>& x, const std::vector<double>& y) {
  LineSums s;
  for (std::size_t k = 0; k < x.size(); ++k)
    s.n += 1.0, s.x += x[k], s.xx += x[k] * x[k], s.y += y[k], s.xy += x[k] * y[k],
        s.yy += y[k] * y[k];
  return s;
}
// w ~ N(m, s² diag(v)) with a prior of s² that is inverse gamma(a, b), and its posterior [murphy2023, equations 15.47 to 15.56]; precisions
// of zero are flat priors.
struct Line {
  std::array<double, 2> mean, variance;  // of w, in units of s²
  double covariance, shape, rate;
};
Line line_posterior(const LineSums& s, std::array<double, 2> m, std::array<double, 2> precision,
                    double shape, double rate) {
  const double a = s.n + precision[0], b = s.x, d = s.xx + precision[1], det = a * d - b * b;
  const double u = s.y + precision[0] * m[0], v = s.xy + precision[1] * m[1];
  Line q{{(d * u - b * v) / det, (a * v - b * u) / det}, {d / det, a / det}, -b / det, 0.0, 0.0};
  q.shape = shape + 0.5 * s.n;
  q.rate = rate + 0.5 * (s.yy + precision[0] * m[0] * m[0] + precision[1] * m[1] * m[1] -
                         q.mean[0] * u - q.mean[1] * v);
  return q;
}

class Lines : public RegressionExamples {
 protected:
  Json exact(const std::string& program) {
    return json({"exact", example("texts/line_" + program + ".stan"), "--data",
                 example("texts/cars.json")});
  }
  static LineSums cars() {
    const Json data = example_data("texts/cars.json");
    return line_sums(numbers(data.at("speed")), numbers(data.at("dist")));
  }
  // Student's t of the coefficients, inverse gamma of the variance, and Student's t of a new outcome at speed 4.
  void expect_line(const Json& found, const Line& q) {
    for (std::size_t d = 0; d < 2; ++d) {
      const Json& w = found.at("parameters").items.at(d).at("arguments");
      EXPECT_NEAR(w.at("nu").number, 2.0 * q.shape, 1e-6);
      EXPECT_NEAR(w.at("mu").number, q.mean[d], 1e-7 * std::abs(q.mean[d]));
      EXPECT_NEAR(w.at("sigma").number, std::sqrt(q.rate / q.shape * q.variance[d]),
                  1e-7 * std::abs(q.mean[d]));
    }
    const Json& s2 = found.at("parameters").items.at(2).at("arguments");
    EXPECT_NEAR(s2.at("alpha").number, q.shape, 1e-6);
    EXPECT_NEAR(s2.at("beta").number, q.rate, 1e-7 * q.rate);
    const Json& next = found.at("predictive").items.at(0).at("arguments");
    EXPECT_NEAR(next.at("mu").number, q.mean[0] + 4.0 * q.mean[1], 1e-6);
    EXPECT_NEAR(next.at("sigma").number,
                std::sqrt(q.rate / q.shape *
                          (1.0 + q.variance[0] + 16.0 * q.variance[1] + 8.0 * q.covariance)),
                1e-6);
  }
};

// Known noise: the mean of the posterior is that of a ridge regression with a penalty for each coefficient.
TEST_F(Lines, with_known_noise_have_a_normal_posterior_whose_mean_is_ridge_regression) {
  const double noise = 15.0;
  const Line q = line_posterior(
      cars(), {0.0, 0.0}, {noise * noise / 10000.0, noise * noise / 4.0}, 1.0, 1.0);
  const Json found = exact("known_noise");
  for (std::size_t d = 0; d < 2; ++d) {
    const Json& w = found.at("parameters").items.at(d).at("arguments");
    EXPECT_NEAR(w.at("mu").number, q.mean[d], 1e-8 * std::abs(q.mean[d]));
    EXPECT_NEAR(w.at("sigma").number, noise * std::sqrt(q.variance[d]), 1e-8);
  }
  const Json best = json({"optimize", example("texts/line_known_noise.stan"), "--data",
                          example("texts/cars.json"), "--seed", usual_seed()});
  for (std::size_t d = 0; d < 2; ++d)
    EXPECT_NEAR(best.at("mode").items.at(d).at("value").value(), q.mean[d], 1e-4);
}

TEST_F(Lines, with_conjugate_priors_have_the_posterior_and_the_predictions_of_the_formulas) {
  const Line q = line_posterior(cars(), {0.0, 1.0}, {1.0 / 25.0, 4.0}, 2.0, 200.0);
  const Json found = exact("conjugate");
  expect_line(found, q);
  // |V̂|^½ b^a Γ(â) / (|V|^½ b̂^â Γ(a) (2π)^(N/2))
  EXPECT_NEAR(found.at("log_evidence").number,
              0.5 * std::log(q.variance[0] * q.variance[1] - q.covariance * q.covariance) -
                  std::log(5.0 * 0.5) + 2.0 * std::log(200.0) - q.shape * std::log(q.rate) +
                  std::lgamma(q.shape) - std::lgamma(2.0) - 25.0 * std::log(2.0 * std::numbers::pi),
              1e-7);
}

// X9: R's lm(dist ~ speed) has -17.5791 and 3.9324 with standard errors 6.7584 and 0.4155, 48 degrees of freedom and s = 15.3796. With
// Jeffreys' prior these are the posterior's: the distributions of least squares' t statistics, seen from the data.
TEST_F(Lines, with_the_prior_of_jeffreys_have_the_figures_of_least_squares) {
  const Json found = exact("jeffreys");
  expect_line(found, line_posterior(cars(), {0.0, 0.0}, {0.0, 0.0}, -1.0, 0.0));
  const Json& level = found.at("parameters").items.at(0).at("arguments");
  const Json& slope = found.at("parameters").items.at(1).at("arguments");
  EXPECT_NEAR(level.at("mu").number, -17.5791, 5e-5);
  EXPECT_NEAR(slope.at("mu").number, 3.9324, 5e-5);
  EXPECT_NEAR(level.at("sigma").number, 6.7584, 5e-5);
  EXPECT_NEAR(slope.at("sigma").number, 0.4155, 5e-5);
  EXPECT_NEAR(slope.at("nu").number, 48.0, 1e-6);
  const Json& s2 = found.at("parameters").items.at(2).at("arguments");
  EXPECT_NEAR(std::sqrt(s2.at("beta").number / s2.at("alpha").number), 15.3796, 5e-5);
}

// Zellner's prior with g = 10: coefficients shrink by g / (g + 1), a_N = N / 2, b_N = (RSS + ŵ'X'Xŵ / (g + 1)) / 2.
TEST_F(Lines, with_the_prior_of_zellner_shrink_by_one_factor) {
  const LineSums s = cars();
  const Line least = line_posterior(s, {0.0, 0.0}, {0.0, 0.0}, -1.0, 0.0);
  const double g = 10.0, shrink = g / (g + 1.0);
  const double fitted = least.mean[0] * s.y + least.mean[1] * s.xy;
  Line q{{shrink * least.mean[0], shrink * least.mean[1]},
         {shrink * least.variance[0], shrink * least.variance[1]},
         shrink * least.covariance,
         0.5 * s.n,
         0.5 * (s.yy - fitted + fitted / (g + 1.0))};
  expect_line(exact("g_prior"), q);
}

}  // namespace
}  // namespace credo::cli::regression_examples_test
