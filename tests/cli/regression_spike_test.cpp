// spike(): means and probabilities of inclusion against the sum over all subsets, where the errors are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/command_run.hpp"

namespace credo::cli::regression_spike_test {
namespace {
constexpr std::size_t kColumns = 3, kRows = 40;
constexpr double kError = 0.8, kNarrow = 0.05, kWide = 1.0;

struct SpikeTable {
  std::array<std::vector<double>, kColumns> x;
  std::vector<double> y;
};
// The first column matters, the second a little, the third doesn't.
SpikeTable make_table() {
  SpikeTable t;
  for (std::size_t n = 0; n < kRows; ++n) {
    const auto k = static_cast<double>(n);
    t.x[0].push_back(std::sin(1.3 * k)), t.x[1].push_back(2.0 * std::cos(2.1 * k + 1.0));
    t.x[2].push_back(std::sin(0.7 * k * k));
    t.y.push_back(0.5 + 0.42 * t.x[0][n] + 0.13 * t.x[1][n] + 0.8 * std::sin(12.9 * k * k + 1.0));
  }
  return t;
}

double mean(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}
double sd(const std::vector<double>& v) {
  const double centre = mean(v);
  double sum = 0.0;
  for (const double x : v) sum += (x - centre) * (x - centre);
  return std::sqrt(sum / static_cast<double>(v.size() - 1));
}

struct Enumerated {
  std::array<double, kColumns> means{}, included{};
};
// Coefficients of centred columns with normal priors of known variances: evidence and mean of each subset by Gauss's elimination of
// the precision matrix, whose first row is that of the intercept, normal(0, 5).
Enumerated enumerate(const SpikeTable& t, double share) {
  constexpr std::size_t kAll = kColumns + 1;
  std::array<std::vector<double>, kAll> columns;
  columns[0].assign(kRows, 1.0);
  for (std::size_t j = 0; j < kColumns; ++j)
    for (const double x : t.x[j]) columns[j + 1].push_back(x - mean(t.x[j]));
  Enumerated sums;
  double total = 0.0;
  for (std::size_t subset = 0; subset < 8; ++subset) {
    std::array<double, kAll> prior_sd{5.0};
    double log_weight = 0.0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      const bool is_in = (subset >> j & 1) == 1;
      prior_sd[j + 1] = (is_in ? kWide : kNarrow) * sd(t.y) / sd(t.x[j]);
      log_weight += std::log(is_in ? share : 1.0 - share);
    }
    std::array<std::array<double, kAll + 1>, kAll> m{};
    for (std::size_t a = 0; a < kAll; ++a)
      for (std::size_t n = 0; n < kRows; ++n) {
        for (std::size_t b = 0; b < kAll; ++b)
          m[a][b] += columns[a][n] * columns[b][n] / (kError * kError);
        m[a][kAll] += columns[a][n] * t.y[n] / (kError * kError);
      }
    for (std::size_t a = 0; a < kAll; ++a) {
      m[a][a] += 1.0 / (prior_sd[a] * prior_sd[a]);
      log_weight -= std::log(prior_sd[a]);
    }
    std::array<double, kAll> right{};
    for (std::size_t a = 0; a < kAll; ++a) right[a] = m[a][kAll];
    for (std::size_t a = 0; a < kAll; ++a) {
      log_weight -= 0.5 * std::log(m[a][a]);
      for (std::size_t b = a + 1; b < kAll; ++b) {
        const double f = m[b][a] / m[a][a];
        for (std::size_t c = a; c <= kAll; ++c) m[b][c] -= f * m[a][c];
      }
    }
    std::array<double, kAll> solved{};
    for (std::size_t a = kAll; a-- > 0;) {
      solved[a] = m[a][kAll];
      for (std::size_t b = a + 1; b < kAll; ++b) solved[a] -= m[a][b] * solved[b];
      solved[a] /= m[a][a];
    }
    for (std::size_t a = 0; a < kAll; ++a) log_weight += 0.5 * right[a] * solved[a];
    const double weight = std::exp(log_weight - 40.0);
    total += weight;
    for (std::size_t j = 0; j < kColumns; ++j) {
      sums.means[j] += weight * solved[j + 1];
      if ((subset >> j & 1) == 1) sums.included[j] += weight;
    }
  }
  for (std::size_t j = 0; j < kColumns; ++j) sums.means[j] /= total, sums.included[j] /= total;
  return sums;
}

class SpikeRun : public testing::CommandRun {
 protected:
  SpikeRun() : CommandRun("regression_spike") {}
};

TEST_F(SpikeRun, has_the_inclusion_probabilities_of_all_subsets) {
  const SpikeTable t = make_table();
  std::string text = "y,x1,x2,x3,e\n";
  for (std::size_t n = 0; n < kRows; ++n)
    text += fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{}\n", t.y[n], t.x[0][n], t.x[1][n],
                        t.x[2][n], kError);
  write("t.csv", text);
  ASSERT_EQ(run({"regression", "y | se(e) ~ spike(x1 + x2 + x3, share = 0.3)", "--data", at("t.csv"),
                 "--prior", "intercept ~ normal(0, 5)", "--seed", "1", "--quiet", "-o",
                 at("fit.nc")}),
            0)
      << said();
  const Enumerated right = enumerate(t, 0.3), wrong = enumerate(t, 0.15);
  std::map<std::string, std::array<double, 2>> all;
  for (const auto& row : json({"summary", at("fit.nc")}).items)
    all[row.at("name").text] = {row.at("mean").number, row.at("mcse_mean").number};
  double worst = 0.0;
  for (std::size_t j = 0; j < kColumns; ++j) {
    SCOPED_TRACE(j);
    const auto& b = all.at(fmt::format("b_x{}", j + 1));
    const auto& in = all.at(fmt::format("included_spike.{}", j + 1));
    EXPECT_NEAR(b[0], right.means[j], 4.0 * b[1]);
    EXPECT_NEAR(in[0], right.included[j], 4.0 * in[1]);
    worst = std::max(worst, std::abs(in[0] - wrong.included[j]) / in[1]);
  }
  EXPECT_GT(worst, 4.0);  // another share of the slab is seen
  EXPECT_GT(right.included[0], 0.5);
  EXPECT_LT(right.included[2], 0.3);
}

TEST_F(SpikeRun, refuses_a_share_or_widths_without_meaning) {
  write("t.csv", "y,x,z\n1,2,1\n2,4,0\n3,1,5\n4,4,4\n");
  EXPECT_EQ(run({"regression", "y ~ spike(x + z, share = 1.5)", "--data", at("t.csv")}), 4);
  EXPECT_NE(said().find("the share of the slab lies between 0 and 1"), std::string::npos) << said();
  EXPECT_EQ(run({"regression", "y ~ spike(x + z, narrow = 2)", "--data", at("t.csv")}), 4);
  EXPECT_NE(said().find("narrow = 2 isn't less than wide = 1"), std::string::npos) << said();
}
}  // namespace
}  // namespace credo::cli::regression_spike_test
