// The stored figures come from tools/make_diagnose_reference.R.
#include "diagnose/convergence.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/rng.hpp"
#include "diagnose/autocovariance.hpp"
#include "diagnose/summary.hpp"
#include "diagnose/tail_index.hpp"
#include "numerics/fft.hpp"

namespace credo::diagnose::convergence_test {
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

using Statistic = std::function<double(const Chains&)>;
Statistic ess_at(double p) {
  return [p](const Chains& x) { return ess_quantile(x, p); };
}
Statistic ess_within(double low, double high) {
  return [=](const Chains& x) { return ess_interval(x, low, high); };
}
Statistic mcse_at(double p) {
  return [p](const Chains& x) { return mcse_quantile(x, p); };
}
Statistic nested(Index num_groups) {
  return [=](const Chains& x) { return nested_r_hat(x, num_groups); };
}
double quantile_5(const Chains& x) { return quantile_figures(x, std::array{0.05})[0].value; }
double lower_shape(const Chains& x) { return tail_index(x).lower; }
double upper_shape(const Chains& x) { return tail_index(x).upper; }

const std::map<std::string, Statistic> kStatistics = {{"r_hat", r_hat},
                                                      {"bulk_r_hat", bulk_r_hat},
                                                      {"folded_r_hat", folded_r_hat},
                                                      {"split_r_hat", split_r_hat},
                                                      {"plain_r_hat", plain_r_hat},
                                                      {"nested_2", nested(2)},
                                                      {"nested_3", nested(3)},
                                                      {"nested_24", nested(24)},
                                                      {"ess_bulk", ess_bulk},
                                                      {"ess_tail", ess_tail},
                                                      {"ess_mean", ess_mean},
                                                      {"split_ess", ess_mean},
                                                      {"plain_ess", plain_ess},
                                                      {"ess_sd", ess_sd},
                                                      {"ess_median", ess_median},
                                                      {"ess_q0", ess_at(0.0)},
                                                      {"ess_q10", ess_at(0.1)},
                                                      {"ess_q25", ess_at(0.25)},
                                                      {"ess_q99", ess_at(0.99)},
                                                      {"ess_q100", ess_at(1.0)},
                                                      {"ess_q00_q05", ess_within(0.0, 0.05)},
                                                      {"ess_q10_q20", ess_within(0.1, 0.2)},
                                                      {"ess_q95_q100", ess_within(0.95, 1.0)},
                                                      {"mcse_mean", mcse_mean},
                                                      {"mcse_sd", mcse_sd},
                                                      {"mcse_median", mcse_median},
                                                      {"mcse_q05", mcse_at(0.05)},
                                                      {"mcse_q25", mcse_at(0.25)},
                                                      {"mcse_q95", mcse_at(0.95)},
                                                      {"mcse_q99", mcse_at(0.99)},
                                                      {"q05", quantile_5},
                                                      {"lower_shape", lower_shape},
                                                      {"upper_shape", upper_shape}};

// 1e-10 relative: the autocovariances of both sides carry transform errors of about 1e-15 log n of
// the variance, and sums over some hundred lags of them. The means of chains far from zero
// are doubles: with draws at 1e3 of spread 1 they carry 1e-13, about 1e-12 of their spread.
bool agrees(double found, const std::string& text) {
  const double expected = text == "NA" ? kNaN : std::stod(text);
  if (std::isnan(expected)) return std::isnan(found);
  return found == expected || std::fabs(found - expected) <= 1e-10 * std::fabs(expected);
}

TEST(convergence, agrees_with_the_reference_implementation_in_every_case) {
  std::set<std::string> cases, statistics;
  for (const auto& row : read_csv("expected")) {
    const double found = kStatistics.at(row[1])(read_chains(row[0]));
    EXPECT_TRUE(agrees(found, row[2])) << row[0] << ' ' << row[1] << ' ' << found << ' ' << row[2];
    cases.insert(row[0]);
    statistics.insert(row[1]);
  }
  EXPECT_EQ(cases.size(), 31u);
  EXPECT_EQ(statistics.size(), kStatistics.size());
}

// A lag too many, a variance with n for n - 1 and a quantile of another kind shift these figures by
// 1e-3 and more; the comparison sees 1e-9.
TEST(convergence, a_figure_that_is_off_by_a_billionth_does_not_agree) {
  EXPECT_TRUE(agrees(353.12029590681863, "353.12029590681863"));
  EXPECT_FALSE(agrees(353.12029590681863 * (1.0 + 1e-9), "353.12029590681863"));
  EXPECT_FALSE(agrees(1.0, "NA"));
  EXPECT_FALSE(agrees(kNaN, "1"));
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
    EXPECT_EQ(std::isnan(statistic(constant)), name != "q05") << name;
    EXPECT_TRUE(std::isnan(statistic(broken))) << name;
  }
}

// Draws that stay near a value for long once they are there: an interval about it is known worse
// than its neighbours.
TEST(local_ess, is_least_where_chains_linger_and_has_the_ess_of_each_interval) {
  ChainsCopy x = normal_chains(2000, 4, 0.0);
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t s = 0; s < 100; ++s) x.values[2000 * c + 500 + s] = 3.0 + 0.001 * double(s);
  const std::vector<double> ess = local_ess(x, 20);
  EXPECT_EQ(std::min_element(ess.begin(), ess.end()), ess.end() - 1);
  EXPECT_LT(ess[19], 0.1 * ess[9]);
  EXPECT_EQ(ess[0], ess_interval(x, 0.0, 0.05));
  EXPECT_EQ(ess[7], ess_interval(x, 7.0 / 20.0, 8.0 / 20.0));
}

// Groups that have not left their starting points: no chain's own variance tells, theirs does.
TEST(nested_r_hat, tends_to_one_for_short_chains_and_sees_groups_that_differ) {
  ChainsCopy x = normal_chains(2, 512, 0.0);
  EXPECT_NEAR(nested_r_hat(x, 8), 1.0, 0.02);  // B / W is about 1 / 128 of independent draws
  for (std::size_t i = 0; i < 128; ++i) x.values[i] += 2.0;
  EXPECT_GT(nested_r_hat(x, 8), 1.1);
  EXPECT_TRUE(std::isnan(nested_r_hat(x, 7)));
  EXPECT_TRUE(std::isnan(nested_r_hat(x, 1)));
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
    const auto first = autocovariance(x.values, 20);
    EXPECT_EQ(ssize(first), std::min<Index>(n, 20));
    for (std::size_t t = 0; t < first.size(); ++t) EXPECT_NEAR(first[t], direct[t], 1e-14) << n;
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
  EXPECT_EQ(s.ess_bulk, ess_bulk(x));
  EXPECT_EQ(s.median, quantile(x.values, 0.5));
  EXPECT_EQ(s.ess_tail, ess_tail(x));
  EXPECT_EQ(s.mcse_mean, mcse_mean(x));
  EXPECT_EQ(s.mcse_sd, mcse_sd(x));
  EXPECT_EQ(s.mcse_q5, mcse_quantile(x, 0.05));
  EXPECT_EQ(s.mcse_median, mcse_median(x));
  EXPECT_EQ(s.mcse_q95, mcse_quantile(x, 0.95));
  EXPECT_LT(s.q5, s.median);
}

}  // namespace
}  // namespace credo::diagnose::convergence_test
