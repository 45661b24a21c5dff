// Proposals that are learnt, of a program: without bias against the Kalman filter, the same for any number of threads, and refused
// where what they need is missing.
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::learned_proposal_test {
namespace {

// Two elements, two outcomes of which single numbers are missing, and one time without any.
const std::string kTwoLines = R"(
functions {
  vector initial_rng() { return [normal_rng(1, 1), normal_rng(0, 2)]'; }
  real initial_lpdf(vector x) { return normal_lpdf(x[1] | 1, 1) + normal_lpdf(x[2] | 0, 2); }
  vector transition_rng(vector before) {
    return [normal_rng(0.7 * before[1] + 0.2 * before[2], 0.5), normal_rng(0.5 * before[2], 0.4)]';
  }
  real transition_lpdf(vector x, vector before) {
    return normal_lpdf(x[1] | 0.7 * before[1] + 0.2 * before[2], 0.5) + normal_lpdf(x[2] | 0.5 * before[2], 0.4);
  }
  real observation_lpdf(row_vector y, vector x) {
    return normal_lpdf(y[1] | 2 * x[1] - 1, 0.2) + normal_lpdf(y[2] | x[1] + x[2], 0.3);
  }
}
data { int T; matrix[T, 2] y; }
)";

class LearnedProposals : public testing::CommandRun {
 protected:
  LearnedProposals() : CommandRun("learned_proposals") {
    write("m.stan", kTwoLines);
    write(
        "d.json",
        R"({"T": 6, "y": [[0.5, 1], [-1.2, 0.3], ["NaN", "NaN"], [0.3, -1], [0.4, 0.2], [2.9, 3]]})");
  }
  testing::Json filtered(std::vector<std::string> more) {
    std::vector<std::string> words{"filter", at("m.stan"), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
};

// |z| < 3.5 fails for a right filter once in 2,000 seeds, and the seed is fixed.
LONG_TEST_F(LearnedProposals, are_weighed_without_bias_for_any_number_of_threads) {
  const double exact = filtered({"--method", "kalman"}).at("log_likelihood").number;
  const auto plain = filtered({"--particles", "50", "--repeats", "200"});
  for (const std::string how : {"nasmc", "amortized", "vsmc"}) {
    SCOPED_TRACE(how);
    const std::vector<std::string> words{"--method",  "guided", "--proposal",  "learned",
                                         "--learn",   how,      "--particles", "50",
                                         "--repeats", "200"};
    auto one = words, two = words;
    one.insert(one.end(), {"--threads", "1"}), two.insert(two.end(), {"--threads", "2"});
    const auto guided = filtered(one), again = filtered(two);
    double mean = 0.0, squares = 0.0;
    for (std::size_t k = 0; k < 200; ++k) {
      const double value = guided.at("log_likelihoods").items[k].number;
      EXPECT_EQ(value, again.at("log_likelihoods").items[k].number);
      const double ratio = std::exp(value - exact);
      mean += ratio / 200.0, squares += ratio * ratio / 200.0;
    }
    const double z = (mean - 1.0) / std::sqrt((squares - mean * mean) / 199.0);
    std::printf("%s: z = %.2f, error %.3f, of the transition %.3f\n", how.c_str(), z,
                guided.at("error").number, plain.at("error").number);
    EXPECT_LT(std::abs(z), 3.5);
    EXPECT_LT(guided.at("error").number, 0.6 * plain.at("error").number);
    // The bound is below the likelihood, within its error.
    EXPECT_LT(guided.at("mean_of_logs").number,
              exact + 4.5 * guided.at("sd").number / std::sqrt(200.0));
  }
}

TEST_F(LearnedProposals, are_refused_where_something_is_missing) {
  const auto refused = [&](std::vector<std::string> more, const char* why) {
    std::vector<std::string> words{"filter", at("m.stan"), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_NE(run(words), 0);
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  refused({"--method", "guided", "--learn", "vsmc"}, "add --proposal learned");
  refused({"--proposal", "learned"}, "add --method guided");
  std::string counts = kTwoLines;
  const auto replace = [&](const std::string& from, const std::string& to) {
    counts.replace(counts.find(from), from.size(), to);
  };
  replace("real observation_lpdf(row_vector y, vector x)",
          "real observation_lpmf(int y, vector x)");
  replace("return normal_lpdf(y[1] | 2 * x[1] - 1, 0.2) + normal_lpdf(y[2] | x[1] + x[2], 0.3);",
          "return poisson_log_lpmf(y | x[1]);");
  replace("matrix[T, 2] y;", "array[T] int y;");
  write("m.stan", counts);
  write("d.json", R"({"T": 3, "y": [1, 0, 2]})");
  refused({"--method", "guided", "--proposal", "learned", "--learn", "amortized"},
          "isn't a normal density");
  EXPECT_EQ(run({"filter", at("m.stan"), "--data", at("d.json"), "--method", "guided", "--proposal",
                 "learned", "--learn", "vsmc", "--learn-steps", "20"}),
            0)
      << said();
  EXPECT_NE(printed().find("mean of the log likelihoods"), std::string::npos) << printed();
}

}  // namespace
}  // namespace credo::cli::learned_proposal_test
