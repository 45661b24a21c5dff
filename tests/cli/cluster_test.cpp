// credo cluster on the eruptions of Old Faithful, and against sums over all partitions of a few rows.
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "models/mixture/collapsed_mixture.hpp"
#include "results/files/fit.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::cluster_test {
namespace {
const std::string kFaithful = CREDO_SOURCE_DIR "/examples/cluster/faithful.csv";

class Cluster : public testing::CommandRun {
 protected:
  Cluster() : CommandRun("cluster") {}
  std::vector<std::string> words(std::vector<std::string> more) const {
    more.insert(more.begin(), {"cluster", "eruptions + waiting", "--data", kFaithful, "--seed", "1",
                               "--chains", "2", "--warmup", "200", "--draws", "200"});
    return more;
  }
};

// Short and long eruptions: two groups, whose means are those of the rows below and above three minutes.
TEST_F(Cluster, of_eruptions_finds_short_and_long_ones) {
  const testing::Json answer = json(words({"--groups", "2"}));
  const auto& groups = answer.at("groups").items;
  ASSERT_EQ(groups.size(), 2u);
  std::vector<std::pair<double, double>> rows;
  std::string text = io::read_file(kFaithful);
  text = text.substr(text.find('\n') + 1);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    rows.emplace_back(std::stod(text.substr(at)), std::stod(text.substr(text.find(',', at) + 1)));
  double sum = 0.0, waiting = 0.0;
  int count = 0;
  for (const auto& [minutes, wait] : rows)
    if (minutes > 3.0) sum += minutes, waiting += wait, ++count;
  EXPECT_NEAR(groups[0].at("rows").number, count, 3.0);
  EXPECT_NEAR(groups[0].at("mean_eruptions").number, sum / count, 0.05);
  EXPECT_NEAR(groups[0].at("mean_waiting").number, waiting / count, 0.5);
  EXPECT_GT(groups[0].at("together").number, 0.95);
  EXPECT_NEAR(groups[0].at("share").number + groups[1].at("share").number, 1.0, 1e-12);
}

TEST_F(Cluster, of_a_dirichlet_process_has_probabilities_of_numbers_and_writes_assignments) {
  const testing::Json answer = json(words({"--assign", at("groups.csv"), "-o", at("labels.nc")}));
  double total = 0.0, most = 0.0, mode = 0.0;
  for (const testing::Json& one : answer.at("numbers").items) {
    total += one.at("probability").number;
    if (one.at("probability").number > most)
      most = one.at("probability").number, mode = one.at("number").number;
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  EXPECT_GE(mode, 2.0);
  const std::string table = io::read_file(at("groups.csv"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 273);
  EXPECT_EQ(table.find("row,\"eruptions\",\"waiting\",group,certainty\n1,3.6,79,1,"), 0u)
      << table.substr(0, 200);
  // Others read the draws; the same command in memory has the same ones.
  const testing::Json kept = json({"summary", at("labels.nc")});
  EXPECT_EQ(kept.items.back().at("name").text, "num_clusters");
  const testing::Json again = json(words({}));
  EXPECT_EQ(again.at("expected_variation").number, answer.at("expected_variation").number);
}

// Five rows have 52 partitions: P(K) and co-clustering by the sum over them.
TEST_F(Cluster, of_few_rows_has_the_probabilities_of_the_sum_over_partitions) {
  const std::vector<double> x{1.0, 1.3, 2.9, 3.1, 5.0};
  write("few.csv", "x\n1.0\n1.3\n2.9\n3.1\n5.0\n");
  double mean = 0.0, squares = 0.0;
  for (const double v : x) mean += v / 5.0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  std::vector<double> points;
  for (const double v : x) points.push_back((v - mean) / std::sqrt(squares / 4.0));
  numerics::RowMatrix scale(1);
  scale(0, 0) = 0.3 * 0.3;
  const models::CollapsedGaussianMixture mixture(
      points, {.mean = {0.0}, .mean_weight = 0.05, .scale = scale, .dof = 3.0},
      models::PartitionPrior::chinese_restaurant(1.0));
  std::vector<double> numbers(6, 0.0);
  double total = 0.0;
  for (Index code = 0; code < 5 * 5 * 5 * 5; ++code) {
    std::vector<Index> labels{0};
    Index most = 0, rest = code;
    bool is_growing = true;
    for (int k = 0; k < 4; ++k, rest /= 5) {
      labels.push_back(rest % 5);
      is_growing = is_growing && labels.back() <= most + 1;
      most = std::max(most, labels.back());
    }
    if (!is_growing) continue;
    const double weight = std::exp(mixture.log_joint(labels));
    numbers[static_cast<std::size_t>(most + 1)] += weight, total += weight;
  }
  const testing::Json answer = json({"cluster", "x", "--data", at("few.csv"), "--within", "0.3",
                                     "--seed", "1", "--draws", "5000"});
  for (const testing::Json& one : answer.at("numbers").items) {
    const double p = numbers[static_cast<std::size_t>(one.at("number").number)] / total;
    // 20,000 draws; the walk's autocorrelation is below 4 for five rows.
    EXPECT_NEAR(one.at("probability").number, p,
                4.0 * std::sqrt(4.0 * p * (1.0 - p) / 20000.0) + 1e-12)
        << p;
  }
}

TEST_F(Cluster, refuses_tables_with_all_faults) {
  write("t.csv", "a,b,c,f\n1,2,5,x\n3,,5,y\n4,1,5,z\n8,2,5,x\n");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"a + bb", "did you mean b?"},
      {"a + c", "c is the same in all rows"},
      {"a + b", "b has no value in 1 row; the first is row 2"},
      {"a + f", "f has texts, and groups are of numbers"},
      {"1", "no column of the table is used"},
      {"a ~ b", "a clustering has columns, and no outcome"}};
  for (const auto& [columns, message] : wrong) {
    EXPECT_EQ(run({"cluster", columns, "--data", at("t.csv")}), 4) << columns;
    EXPECT_NE(on_one_line(said()).find(message), std::string::npos) << said();
  }
  EXPECT_EQ(run({"cluster", "a"}), 2);
  EXPECT_EQ(run({"cluster", "a + b", "--data", at("t.csv"), "--missing", "drop", "--draws", "50",
                 "--assign", at("g.csv")}),
            0)
      << said();
  EXPECT_NE(io::read_file(at("g.csv")).find("\n3,4,1,"), std::string::npos)
      << io::read_file(at("g.csv"));
}
}  // namespace
}  // namespace credo::cli::cluster_test
