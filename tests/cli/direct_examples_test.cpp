// Monte Carlo without chains: the worked examples of the texts (docs/text-examples.md) by credo expect and credo sample.
#include <numbers>

#include "support/share.hpp"
#include "text_examples.hpp"

namespace credo::cli::direct_examples_test {
namespace {

class DirectExamples : public TextExamples {
 protected:
  DirectExamples() : TextExamples("direct_examples") {}
};

const std::vector<std::string> kPlain5000{"--points", "independent",  "--number",
                                          "250",      "--replicates", "20"};

// 5000 points: the standard error of 4 p is 4 sqrt(p (1 - p) / 5000) = 0.0232; the text's 0.09 is that of the area of the
// circle of radius 2, 16 p.
TEST_F(DirectExamples, count_pi_in_a_circle_with_its_standard_error) {
  const auto found =
      expect("circle", {"4 * (x^2 + y^2 < 4)", "16 * (x^2 + y^2 < 4)", "4 * (x^2 + y^2 < 3.6)"},
             kPlain5000);
  const double pi = std::numbers::pi, p = pi / 4.0, error = std::sqrt(p * (1.0 - p) / 5000.0);
  EXPECT_NEAR(found[0].at("mean").number, pi, kTextErrors * 4.0 * error);
  EXPECT_NEAR(4.0 * error, 0.0232, 5e-5);
  EXPECT_NEAR(16.0 * error, 0.0929, 5e-5);
  // The standard deviation that was seen is that of a share that was seen.
  EXPECT_NEAR(found[0].at("sd").number / std::sqrt(5000.0), 0.0232, 0.0012);
  EXPECT_NEAR(found[1].at("sd").number / std::sqrt(5000.0), 0.0929, 0.0048);
  EXPECT_GT(std::abs(found[2].at("mean").number - pi), kTextErrors * 4.0 * error);
}

// The text's figure has 10 and 100 draws of N(1.5, 0.25): the interval that holds 90 % of the kernel density comes nearer to the
// distribution's, 1.5 -+ 0.822.
LONG_TEST_F(DirectExamples, draw_a_normal_distribution_whose_kernel_density_comes_near) {
  const auto error = [&](const std::string& draws) {
    double sum = 0.0;
    for (int seed = 1; seed <= 20; ++seed) {
      const std::string file = draw("draws", {"--sampler", "exact", "--chains", "1", "--draws",
                                              draws, "--seed", std::to_string(seed)});
      const Json regions =
          json({"summary", file, "--regions", "--columns", "x", "--mass", "0.9"}).at("regions");
      const auto ends = numbers(regions.items.at(0).at("narrowest"));
      sum += std::abs(ends.at(0) - (1.5 - 0.822427)) + std::abs(ends.at(1) - (1.5 + 0.822427));
    }
    return sum / 40.0;
  };
  const double few = error("10"), more = error("100"), many = error("2000");
  std::printf("error of the ends of an interval by 10, 100 and 2000 draws: %.3f, %.3f, %.3f\n", few,
              more, many);
  EXPECT_LT(more, 0.7 * few);
  EXPECT_LT(many, 0.5 * more);
  const std::string file = draw("draws", {"--sampler", "exact", "--draws", "1000"});
  expect_mean(file, "x", 1.5);
  expect_mean(file, "square(x - 1.5)", 0.25);
  EXPECT_EQ(run({"plot", file, "density", "--columns", "x", "-o", at("draws.svg")}), 0) << said();
}

// The largest distance of the empirical distribution function from 1 - exp(-rate x).
double distance_from_exponential(std::vector<double> x, double rate) {
  std::ranges::sort(x);
  double largest = 0.0;
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double f = -std::expm1(-rate * x[k]), below = static_cast<double>(k) / n;
    largest = std::max({largest, std::abs(f - below), std::abs(f - below - 1.0 / n)});
  }
  return largest;
}

// Kolmogorov and Smirnov: 1.95 / sqrt(n) is exceeded once in a thousand times.
TEST_F(DirectExamples, draw_an_exponential_distribution_by_its_inverse_function) {
  const auto x = values_of(
      draw("waiting", {"--data", example("texts/waiting.json"), "--sampler", "exact"}), "x");
  ASSERT_EQ(x.size(), 4000u);
  const double limit = 1.95 / std::sqrt(4000.0);
  EXPECT_LT(distance_from_exponential(x, 2.0), limit);
  EXPECT_GT(distance_from_exponential(x, 2.3), limit);
}

// C = 2^5.7 24 / Gamma(5.7) 0.7^0.7 e^-0.7 = 6.6549, where x = 0.7 is highest: one draw in C is accepted, 0.1503.
TEST_F(DirectExamples, reject_draws_of_one_gamma_distribution_for_another) {
  const std::string file = draw("gamma_by_gamma", {"--data", example("texts/gamma_by_gamma.json"),
                                                   "--sampler", "rejection", "--draws", "1000"});
  const double log_c =
      5.7 * std::log(2.0) + std::lgamma(5.0) - std::lgamma(5.7) + 0.7 * std::log(0.7) - 0.7;
  EXPECT_NEAR(std::exp(log_c), 6.6549, 5e-5);
  EXPECT_NEAR(mean_of_setting(file, "log_bound"), log_c, 1e-8);
  double tries = 0.0;
  for (const double t : values_of(file, "num_tries")) tries += t / 4000.0;
  // Tries are geometric with the mean C.
  const double c = std::exp(log_c);
  EXPECT_NEAR(tries, c, kTextErrors * std::sqrt(c * (c - 1.0) / 4000.0));
  EXPECT_NEAR(1.0 / tries, 0.1503, 0.011);
  expect_mean(file, "x", 2.85);
  expect_mean(file, "square(x - 2.85)", 5.7 / 4.0);
}

// 1.01^1000 = 20,959: what the bound tells, and the tries of five draws.
LONG_TEST_F(DirectExamples, accept_one_draw_in_twenty_thousand_in_a_thousand_dimensions) {
  const std::string file =
      draw("many_normals",
           {"--data", example("texts/many_normals.json"), "--sampler", "rejection", "--from",
            "normal", "--reference-sd", "1.01", "--chains", "1", "--draws", "5"});
  const double expected = std::pow(1.01, 1000.0);
  EXPECT_NEAR(expected, 20959.0, 1.0);
  const double bound = mean_of_setting(file, "log_bound") - mean_of_setting(file, "log_evidence");
  EXPECT_NEAR(std::exp(bound), expected, 0.02 * expected);  // the evidence is 1, estimated
  double tries = 0.0;
  for (const double t : values_of(file, "num_tries")) tries += t / 5.0;
  // The sum of five geometric numbers is below 0.1 or above 4 times its mean with probability 1e-4 and 4e-6.
  EXPECT_GT(tries, 0.1 * expected);
  EXPECT_LT(tries, 4.0 * expected);
}

// P(z > 4) = 3.1671e-5. Draws of N(4, 1), weighed, have the standard deviation sqrt(e^16 P(z > 8) - P^2) = 6.5e-5 where those of N(0, 1)
// have 5.6e-3: they are worth several thousand draws each.
TEST_F(DirectExamples, see_a_rare_event_from_where_it_is) {
  const auto found = expect("tail", {"z > 4", "(x > 4) * exp(8 - 4 * x)"}, kPlain5000);
  const double p = 0.5 * std::erfc(4.0 / std::sqrt(2.0));
  EXPECT_NEAR(p, 3.1671e-5, 1e-9);
  const double sd = std::sqrt(std::exp(16.0) * 0.5 * std::erfc(8.0 / std::sqrt(2.0)) - p * p);
  EXPECT_NEAR(found[1].at("mean").number, p, kTextErrors * sd / std::sqrt(5000.0));
  EXPECT_NEAR(found[1].at("sd").number, sd, 0.1 * sd);
  EXPECT_GT(p * (1.0 - p) / (sd * sd), 5000.0);
  const Json by_levels = json({"expect", example("texts/tail.stan"), "--probability", "z > 4",
                               "--particles", "500", "--populations", "4", "--seed", "1"});
  EXPECT_NEAR(by_levels.at("probability").number, p, kTextErrors * by_levels.at("error").number);
}

// var f = 1/2 - log(2)^2 = 0.019547, c* = 12 (1 - 1.5 log 2) = 0.47665 with its sign turned, and 1 - rho^2 = 0.0314 of the variance
// is left: 0.0036 and 0.00064 for the text's 1500 draws.
TEST_F(DirectExamples, lose_most_of_the_error_to_a_control_variate) {
  const double mean = std::log(2.0), variance = 0.5 - mean * mean;
  const double c = -12.0 * (1.0 - 1.5 * mean), left = variance - c * c / 12.0;
  EXPECT_NEAR(c, 0.47665, 5e-6);
  EXPECT_NEAR(std::sqrt(variance / 1500.0), 0.003610, 1e-6);
  EXPECT_NEAR(std::sqrt(left / 1500.0), 0.000640, 1e-6);
  // The coefficient from moments: -Cov(f, x) / Var(x).
  const auto moments = expect("reciprocal", {"1 / (1 + x)", "x / (1 + x)"}, {"--points", "sobol"});
  EXPECT_NEAR(-12.0 * (moments[1].at("mean").number - 0.5 * moments[0].at("mean").number), c, 1e-4);
  const auto found = expect("reciprocal", {"1 / (1 + x)", "1 / (1 + x) + 0.4773 * (x - 0.5)"},
                            {"--points", "independent", "--number", "150", "--replicates", "10"});
  for (const auto& [one, exact] : {std::pair{found[0], variance}, std::pair{found[1], left}}) {
    EXPECT_NEAR(one.at("mean").number, mean, kTextErrors * std::sqrt(exact / 1500.0));
    // A standard deviation of 1500 draws of less kurtosis than 3 is known to 1 / sqrt(3000).
    EXPECT_NEAR(one.at("sd").number, std::sqrt(exact), kTextErrors * std::sqrt(exact / 3000.0));
  }
  // Without any thought: by polynomials and the gradient of the density.
  const std::string file = draw("reciprocal", {"--sampler", "exact"});
  const Json own = json({"summary", file, "--of", "1 / (1 + x)", "--control-variates"})
                       .at("control_variates")
                       .at("of")
                       .items.at(0);
  EXPECT_NEAR(own.at("mean").number, mean, kTextErrors * own.at("mcse_mean").number);
  EXPECT_LT(own.at("mcse_mean").number, 0.5 * own.at("mcse_mean_before").number);
}

// Pairs u, 1 - u: the mean of a pair has the variance (1/2 + 2 log(2) / 3) / 2 - log(2)^2, so that 750 pairs have the standard error
// 0.000891 (the text's run has 0.0007), 1500 draws 0.00361: 16.4 times the variance.
TEST_F(DirectExamples, lose_most_of_the_error_to_antithetic_pairs) {
  const double mean = std::log(2.0);
  const double of_pair = 0.5 * (0.5 + 2.0 * mean / 3.0) - mean * mean;
  EXPECT_NEAR(std::sqrt(of_pair / 750.0), 0.000891, 1e-6);
  EXPECT_NEAR((0.5 - mean * mean) / 1500.0 / (of_pair / 750.0), 16.4, 0.05);
  const Json found = expect("reciprocal", {"1 / (1 + x)"},
                            {"--points", "antithetic", "--number", "50", "--replicates", "400"})[0];
  EXPECT_NEAR(found.at("mean").number, mean, kTextErrors * std::sqrt(of_pair / 25.0 / 400.0));
  // From 400 replicates a standard error is known to 1 / sqrt(800).
  const double exact = std::sqrt(of_pair / 25.0 / 400.0);
  EXPECT_NEAR(found.at("error").number, exact, kTextErrors * exact / std::sqrt(800.0));
}

// 256 points of a scrambled Sobol sequence have exactly 16 in each square of side 1/4, and in each strip of 1/16 by 1; independent
// ones don't. Their errors fall nearly as N^-3/2, those of independent ones as N^-1/2.
TEST_F(DirectExamples, fill_a_square_evenly) {
  const std::vector<std::string> of{"x < 0.25 && y < 0.25", "x < 0.0625", "exp(x + y)"};
  const auto errors = [&](const char* rule, const char* number) {
    std::vector<double> all;
    for (const Json& one :
         expect("square", of, {"--points", rule, "--number", number, "--replicates", "32"}))
      all.push_back(one.at("error").number);
    return all;
  };
  const auto sobol = errors("sobol", "256"), halton = errors("halton", "256"),
             plain = errors("independent", "256");
  EXPECT_LT(sobol[0], 1e-12);
  EXPECT_LT(sobol[1], 1e-12);
  EXPECT_GT(plain[0], 1e-3);  // sqrt(15/256 / 8192) = 0.0027
  EXPECT_LT(sobol[2], 0.1 * plain[2]);
  EXPECT_LT(halton[2], 0.3 * plain[2]);
  EXPECT_GT(errors("sobol", "64")[2], 4.0 * sobol[2]);        // 4^1.5 = 8
  EXPECT_LT(errors("independent", "64")[2], 3.5 * plain[2]);  // 2, known to 18 %
}

// Along a ridge of correlation rho, the root mean square of the distance that chains have moved (mcmc.diffusion). s = (x + y) / sqrt(2).
class Ridge : public DirectExamples {
 protected:
  static constexpr double kRho = 0.995;

  struct Distance {
    double mean_square, error;  // the error from the spread of 16 chains
  };
  // Of all pairs of draws so many transitions apart, behind the first half of each chain.
  static std::vector<Distance> distances(const std::string& file, const std::vector<int>& lags) {
    const auto x = values_of(file, "x"), y = values_of(file, "y");
    const std::size_t size = x.size() / 16;
    std::vector<Distance> all;
    for (const int lag : lags) {
      std::vector<double> means;
      for (std::size_t c = 0; c < 16; ++c) {
        double sum = 0.0;
        std::size_t count = 0;
        for (std::size_t k = c * size + size / 2;
             k + static_cast<std::size_t>(lag) < (c + 1) * size; ++k, ++count) {
          const std::size_t later = k + static_cast<std::size_t>(lag);
          const double moved = (x[later] + y[later] - x[k] - y[k]) / std::numbers::sqrt2;
          sum += moved * moved;
        }
        means.push_back(sum / static_cast<double>(count));
      }
      double mean = 0.0, squares = 0.0;
      for (const double m : means) mean += m / 16.0;
      for (const double m : means) squares += (m - mean) * (m - mean);
      all.push_back({mean, std::sqrt(squares / 15.0 / 16.0)});
    }
    return all;
  }
  std::string chains_of(const std::vector<std::string>& more) {
    write("start.json", R"({"x": 0, "y": 0})");
    std::vector<std::string> words{
        "--data",        example("texts/ridge.json"), "--chains", "16", "--warmup", "0", "--init",
        at("start.json")};
    words.insert(words.end(), more.begin(), more.end());
    return draw("ridge", words);
  }
  static double share_of_moves(const std::string& file) {
    const auto x = values_of(file, "x");
    double moves = 0.0;
    for (std::size_t k = 1; k < x.size(); ++k) moves += x[k] != x[k - 1] ? 1.0 : 0.0;
    return moves / static_cast<double>(x.size());
  }
  // Of log distance by log of the number of steps, from the first to the last.
  static double slope(const std::vector<Distance>& of, double ratio_of_steps) {
    return 0.5 * std::log(of.back().mean_square / of.front().mean_square) /
           std::log(ratio_of_steps);
  }
};

LONG_TEST_F(Ridge, is_diffused_along_by_chains_and_followed_by_hamiltonian_paths) {
  // Gibbs: x given y, then y given x; cov(s_0, s_n) = (1 + rho)^2 rho^(2n - 1) / 2.
  const std::vector<int> lags{1, 4, 16};
  const auto gibbs =
      distances(chains_of({"--sampler", "adaptive_rejection", "--draws", "4000"}), lags);
  for (std::size_t k = 0; k < lags.size(); ++k) {
    const double expected =
        2.0 * (1.0 + kRho) - (1.0 + kRho) * (1.0 + kRho) * std::pow(kRho, 2.0 * lags[k] - 1.0);
    EXPECT_NEAR(gibbs[k].mean_square, expected, 5.0 * gibbs[k].error) << lags[k];
    EXPECT_LT(5.0 * gibbs[k].error, 0.4 * expected);
  }
  // A random walk of small steps, most of them accepted; one of large steps is rejected most of the time.
  const std::string walk =
      chains_of({"--sampler", "rwm", "--metric", "unit_e", "--scale", "0.05", "--draws", "12000"});
  const auto steps = distances(walk, {4, 16, 64});
  const std::string large =
      chains_of({"--sampler", "rwm", "--metric", "unit_e", "--scale", "2", "--draws", "2000"});
  EXPECT_GT(share_of_moves(walk), 0.5);
  EXPECT_LT(share_of_moves(large), 0.05);
  // One path of so many gradients, step size 0.05.
  std::vector<Distance> paths;
  for (const char* time : {"0.1", "0.4", "1.6"})
    paths.push_back(
        distances(chains_of({"--sampler", "hmc_static", "--metric", "unit_e", "--step-size", "0.05",
                             "--integration-time", time, "--draws", "2000"}),
                  {1})
            .front());
  std::printf("slopes: Gibbs %.3f, random walk %.3f, Hamiltonian paths %.3f\n", slope(gibbs, 16.0),
              slope(steps, 16.0), slope(paths, 16.0));
  EXPECT_NEAR(slope(gibbs, 16.0), 0.5,
              0.08);  // by the formula 0.536: the first sweep moves x alone half of the way
  EXPECT_NEAR(slope(steps, 16.0), 0.5, 0.05);
  EXPECT_NEAR(slope(paths, 16.0), 1.0, 0.05);
  // In 32 gradients a path goes farther than 64 steps of the walk.
  EXPECT_GT(paths.back().mean_square, 9.0 * steps.back().mean_square);
}

}  // namespace
}  // namespace credo::cli::direct_examples_test
