// The stored figures come from tools/make_diagnose_reference.R.
#include "diagnose/convergence.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/rng.hpp"
#include "diagnose/autocovariance.hpp"
#include "diagnose/summary.hpp"
#include "numerics/fft.hpp"

namespace credo::diagnose {
namespace {

std::vector<std::vector<std::string>> read_csv(const std::string& name) {
  std::ifstream file(std::string(CREDO_SOURCE_DIR) + "/tests/data/diagnose/" + name + ".csv");
  EXPECT_TRUE(file) << name;
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

ChainsCopy read_chains(const std::string& name) {
  const auto rows = read_csv(name);
  ChainsCopy chains;
  chains.num_draws = static_cast<Index>(rows.size());
  chains.num_chains = static_cast<Index>(rows.at(0).size());
  for (std::size_t c = 0; c < rows[0].size(); ++c)
    for (const auto& row : rows) chains.values.push_back(std::stod(row[c]));
  return chains;
}

using Statistic = double (*)(const Chains&);
const std::map<std::string, Statistic> kStatistics = {
    {"r_hat", r_hat},
    {"ess_bulk", ess_bulk},
    {"ess_tail", ess_tail},
    {"ess_mean", ess_mean},
    {"ess_sd", ess_sd},
    {"ess_q10", [](const Chains& x) { return ess_quantile(x, 0.1); }},
    {"mcse_mean", mcse_mean},
    {"mcse_sd", mcse_sd},
    {"mcse_q05", [](const Chains& x) { return mcse_quantile(x, 0.05); }},
    {"mcse_median", mcse_median},
    {"plain_r_hat", plain_r_hat},
    {"plain_ess", plain_ess},
    {"q05", [](const Chains& x) { return quantile(x.values, 0.05); }}};

// 1e-10 relative: the autocovariances of both sides carry transform errors of about 1e-15 log n of
// the variance, and sums over some hundred lags of them.
TEST(convergence, agrees_with_the_reference_implementation_in_every_case) {
  for (const auto& row : read_csv("expected")) {
    const double expected = row[2] == "NA" ? kNaN : std::stod(row[2]);
    const double found = kStatistics.at(row[1])(read_chains(row[0]));
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(found)) << row[0] << ' ' << row[1];
    else
      EXPECT_NEAR(found, expected, 1e-10 * std::fabs(expected)) << row[0] << ' ' << row[1];
  }
}

ChainsCopy normal_chains(Index num_draws, Index num_chains, double phi) {
  ChainsCopy chains{{}, num_draws, num_chains};
  for (Index c = 0; c < num_chains; ++c) {
    Rng rng({.seed = 5, .purpose = purpose::kTest, .chain = static_cast<std::uint32_t>(c)});
    double x = rng.normal();
    for (Index s = 0; s < num_draws; ++s) {
      chains.values.push_back(x);
      x = phi * x + std::sqrt(1.0 - phi * phi) * rng.normal();
    }
  }
  return chains;
}

// The relative standard error of the estimate at n = 40,000 is about 2 % at phi 0.5 (20 seeds).
TEST(ess, of_an_autoregression_is_its_closed_form) {
  for (double phi : {-0.3, 0.0, 0.5, 0.8}) {
    const double exact = 40'000.0 * (1.0 - phi) / (1.0 + phi);
    EXPECT_NEAR(ess_mean(normal_chains(10'000, 4, phi)) / exact, 1.0, 0.15) << phi;
  }
}

TEST(r_hat, tends_to_one_for_independent_draws_and_sees_a_chain_of_other_spread) {
  ChainsCopy chains = normal_chains(2000, 4, 0.0);
  EXPECT_NEAR(r_hat(chains), 1.0, 0.003);
  for (std::size_t i = 0; i < 2000; ++i) chains.values[i] *= 3.0;
  EXPECT_GT(r_hat(chains), 1.1);
}

TEST(convergence, is_not_defined_for_constant_or_broken_draws) {
  ChainsCopy constant{std::vector<double>(40, 2.5), 10, 4}, broken = normal_chains(10, 4, 0.0);
  broken.values[7] = kNaN;
  for (const auto& [name, statistic] : kStatistics) {
    if (name == "q05" || name == "mcse_mean" || name == "mcse_sd") continue;
    EXPECT_TRUE(std::isnan(statistic(constant))) << name;
    EXPECT_TRUE(std::isnan(statistic(broken))) << name;
  }
}

std::vector<double> direct_autocovariance(std::span<const double> x) {
  const double centre = mean(x);
  std::vector<double> result(x.size());
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t s = 0; s + t < x.size(); ++s)
      result[t] += (x[s] - centre) * (x[s + t] - centre);
    result[t] /= static_cast<double>(x.size());
  }
  return result;
}

// Transform errors are at most a few eps log2(n) of the sum of squares.
TEST(autocovariance, equals_the_direct_sum) {
  for (Index n : {1, 2, 3, 17, 64, 201}) {
    const ChainsCopy x = normal_chains(n, 1, 0.6);
    const auto fast = autocovariance(x.values), direct = direct_autocovariance(x.values);
    for (std::size_t t = 0; t < fast.size(); ++t) EXPECT_NEAR(fast[t], direct[t], 1e-14) << n;
  }
}

TEST(fft, backward_undoes_forward_up_to_the_size) {
  for (Index n : {1, 2, 8, 256}) {
    std::vector<std::complex<double>> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = {std::sin(1.0 + double(i)), std::cos(3.0 * double(i))};
    auto y = x;
    const numerics::Fft fft(n);
    fft.forward(y);
    fft.backward(y);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LT(std::abs(y[i] / double(n) - x[i]), 1e-15 * std::log2(double(n) + 2.0) * 4.0);
  }
}

TEST(fft, forward_is_the_defining_sum) {
  std::vector<std::complex<double>> x = {{1, 2}, {-3, 0.5}, {0, 1}, {4, -2}};
  auto y = x;
  numerics::Fft(4).forward(y);
  for (int k = 0; k < 4; ++k) {
    std::complex<double> sum = 0.0;
    for (int n = 0; n < 4; ++n)
      sum += x[std::size_t(n)] * std::polar(1.0, -6.283185307179586 * n * k / 4.0);
    EXPECT_LT(std::abs(y[std::size_t(k)] - sum), 1e-14);
  }
}

// Independent energies: differences have twice the variance, E-BFMI is 2.
TEST(e_bfmi, is_two_for_independent_energies_and_small_for_a_random_walk) {
  EXPECT_NEAR(e_bfmi(normal_chains(10'000, 1, 0.0))[0], 2.0, 0.1);
  EXPECT_LT(e_bfmi(normal_chains(10'000, 1, 0.95))[0], 0.3);
}

TEST(summary, has_the_figures_of_its_parts) {
  const ChainsCopy x = normal_chains(500, 4, 0.3);
  const Summary s = summarise(x);
  EXPECT_EQ(s.r_hat, r_hat(x));
  EXPECT_EQ(s.median, quantile(x.values, 0.5));
  EXPECT_EQ(s.mcse_mean, mcse_mean(x));
  EXPECT_LT(s.q5, s.median);
}

}  // namespace
}  // namespace credo::diagnose
