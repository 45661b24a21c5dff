// credo loo and credo compare: against the closed form of normal data, and what they say of several models.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "io/file.hpp"
#include "support/json_tree.hpp"

namespace credo::cli::loo_test {
namespace {
namespace fs = std::filesystem;

const std::vector<double> kY = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5};
constexpr const char* kData =
    R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5]})";

std::string program(const std::string& model, const std::string& generated = "") {
  return "data { int N; vector[N] y; } parameters { real mu; } model { " + model + " }" + generated;
}

class LeaveOneOut : public ::testing::Test {
 protected:
  LeaveOneOut() {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "data.json") << kData;
    std::ofstream(folder_ / "fewer.json") << R"({"N": 3, "y": [0.3, -0.8, 1.1]})";
  }
  ~LeaveOneOut() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    printed_ = ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  // The result of a program, by its name.
  std::string fit(const std::string& name, const std::string& text,
                  std::vector<std::string> more = {}) {
    std::ofstream(at(name + ".stan")) << text;
    std::vector<std::string> words = {
        "sample", at(name + ".stan"), "--quiet", "--seed", "3", "--draws", "2000",
        "-o",     at(name + ".nc")};
    if (more.empty()) more = {"--data", at("data.json")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said_;
    return at(name + ".nc");
  }
  testing::Json json(std::vector<std::string> words) {
    words.push_back("--json");
    EXPECT_EQ(run(words), 0) << said_;
    return testing::JsonParser(printed_).parse();
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_loo_" + std::to_string(getpid()));
  std::string printed_, said_;
};

// mu is flat: y_i given the others is normal(their mean, 1 + 1 / 9).
double exact(std::size_t i) {
  const double sum = std::accumulate(kY.begin(), kY.end(), 0.0);
  const double mean = (sum - kY[i]) / 9.0, variance = 1.0 + 1.0 / 9.0;
  return -0.5 * std::log(2.0 * M_PI * variance) - 0.5 * (kY[i] - mean) * (kY[i] - mean) / variance;
}

TEST_F(LeaveOneOut, finds_the_predictive_density_of_each_row) {
  const auto loo = json({"loo", fit("right", program("y ~ normal(mu, 1);"))});
  double total = 0.0, square = 0.0;
  for (std::size_t i = 0; i < kY.size(); ++i) {
    const auto& row = loo.at("rows").items[i];
    EXPECT_NEAR(row.at("elpd_loo").number, exact(i), 4.5 * row.at("mcse").number);
    EXPECT_LT(row.at("mcse").number, 0.02);
    EXPECT_EQ(row.at("number").number, static_cast<double>(i + 1));
    total += row.at("elpd_loo").number,
        square += row.at("elpd_loo").number * row.at("elpd_loo").number;
  }
  EXPECT_NEAR(loo.at("elpd_loo").at("value").number, total, 1e-12);
  const double variance = (square - total * total / 10.0) / 9.0;
  EXPECT_NEAR(loo.at("elpd_loo").at("error").number, std::sqrt(10.0 * variance), 1e-10);
  EXPECT_EQ(loo.at("num_unreliable").number, 0.0);
  ASSERT_EQ(run({"loo", at("right.nc")}), 0);
  EXPECT_NE(printed_.find("can be believed"), std::string::npos) << printed_;
}

// Terms by hand are no rows; log_lik tells them.
TEST_F(LeaveOneOut, takes_log_lik_where_statements_do_not_tell_rows) {
  const auto by_statements = json({"loo", fit("right", program("y ~ normal(mu, 1);"))});
  const auto by_log_lik =
      json({"loo", fit("hand", program("target += -0.5 * dot_self(y - mu);",
                                       "generated quantities { vector[N] log_lik; for (n in 1:N) "
                                       "log_lik[n] = normal_lpdf(y[n] | mu, 1); }"))});
  for (std::size_t i = 0; i < kY.size(); ++i) {
    const double error = std::hypot(by_statements.at("rows").items[i].at("mcse").number,
                                    by_log_lik.at("rows").items[i].at("mcse").number);
    EXPECT_NEAR(by_statements.at("rows").items[i].at("elpd_loo").number,
                by_log_lik.at("rows").items[i].at("elpd_loo").number, 5.0 * error);
  }
}

TEST_F(LeaveOneOut, says_where_it_is_not_reliable) {
  const std::string far = fit("far", program("mu ~ normal(0, 0.1); y ~ normal(mu * 40, 0.05);"));
  ASSERT_EQ(run({"loo", far}), 0);
  EXPECT_NE(printed_.find("Don't rely on the estimate"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("far.stan"), std::string::npos) << printed_;
}

TEST_F(LeaveOneOut, compares_models) {
  const std::string right = fit("right", program("y ~ normal(mu, 1);")),
                    wrong = fit("wrong", program("y ~ normal(mu, 6);")),
                    same = fit("same", program("y ~ normal(mu, 1.02);"));
  const auto compared = json({"compare", wrong, right});
  EXPECT_EQ(compared.at("models").items[0].at("file").text, right);
  EXPECT_EQ(compared.at("models").items[0].at("difference").number, 0.0);
  EXPECT_NEAR(compared.at("models").items[0].at("stacking").number +
                  compared.at("models").items[1].at("stacking").number,
              1.0, 1e-12);
  EXPECT_GT(compared.at("models").items[0].at("stacking").number, 0.99);
  EXPECT_NE(compared.at("sentence").text.find("predicts better"), std::string::npos);
  ASSERT_EQ(run({"compare", right, same}), 0);
  EXPECT_NE(printed_.find("about equally well"), std::string::npos) << printed_;
}

// The difference of two lists of row figures by its definition, and its error sqrt(N var).
struct PlainDifference {
  double value = 0.0, error = 0.0;
  PlainDifference(const testing::Json& rows, const testing::Json& best, const char* figure) {
    const auto n = static_cast<double>(rows.items.size());
    double square = 0.0;
    for (std::size_t i = 0; i < rows.items.size(); ++i) {
      const double one = rows.items[i].at(figure).number - best.items[i].at(figure).number;
      value += one, square += one * one;
    }
    error = std::sqrt(n * (square - value * value / n) / (n - 1.0));
  }
};

TEST_F(LeaveOneOut, says_of_each_of_several_models_what_its_difference_supports) {
  const std::string right = fit("right", program("y ~ normal(mu, 1);")),
                    same = fit("same", program("y ~ normal(mu, 1.02);")),
                    wrong = fit("wrong", program("y ~ normal(mu, 6);")),
                    far = fit("far_off", program("y ~ normal(mu, 0.3);"));
  const auto compared = json({"compare", wrong, right, far, same});
  const std::string& sentence = compared.at("sentence").text;
  const auto& models = compared.at("models").items;
  ASSERT_EQ(models.size(), 4u);
  const auto best = json({"loo", models[0].at("file").text});
  for (std::size_t k = 1; k < 4; ++k) {
    const std::string& file = models[k].at("file").text;
    const PlainDifference by(json({"loo", file}).at("rows"), best.at("rows"), "elpd_loo");
    EXPECT_NEAR(models[k].at("difference").number, by.value, 1e-10);
    EXPECT_NEAR(models[k].at("difference_error").number, by.error, 1e-10);
    // The rule of docs/loo.md, in the part of the sentence that names the file.
    const std::size_t place = sentence.find(file + " (");
    ASSERT_NE(place, std::string::npos) << sentence;
    const std::size_t from = sentence.rfind(". ", place), to = sentence.find(". ", place);
    const std::string part = sentence.substr(from + 2, to - from - 2);
    EXPECT_EQ(part.find("It predicts better than") != std::string::npos,
              -by.value >= 4.0 && -by.value >= 2.0 * by.error)
        << part;
    EXPECT_EQ(part.find("don't distinguish it from") != std::string::npos,
              -by.value >= 4.0 && -by.value < 2.0 * by.error)
        << part;
  }
  EXPECT_NE(sentence.find(models[0].at("file").text + " has the highest sum of 4."),
            std::string::npos)
      << sentence;
  EXPECT_NE(sentence.find("about as well"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("It predicts better than"), std::string::npos) << sentence;
}

TEST_F(LeaveOneOut, compares_models_by_folds) {
  const auto folds_of = [&](const std::string& name, const std::string& text,
                            const std::string& seed) {
    EXPECT_EQ(run({"loo", fit(name, program(text)), "--folds", "5", "--seed", seed, "--warmup",
                   "150", "--draws", "200", "--quiet", "-o", at(name + ".json")}),
              0)
        << said_;
    return at(name + ".json");
  };
  const std::string right = folds_of("right", "y ~ normal(mu, 1);", "3"),
                    wrong = folds_of("wrong", "y ~ normal(mu, 6);", "3"),
                    other = folds_of("other", "y ~ normal(mu, 6);", "4");
  const auto read = [](const std::string& path) {
    return testing::parse_json(io::read_file(path));
  };
  const auto compared = json({"compare", wrong, right});
  const PlainDifference by(read(wrong).at("rows"), read(right).at("rows"), "elpd");
  const auto& models = compared.at("models").items;
  EXPECT_EQ(models[0].at("file").text, right);
  EXPECT_NEAR(models[0].at("elpd_kfold").number, read(right).at("elpd_kfold").at("value").number,
              1e-10);
  EXPECT_NEAR(models[1].at("difference").number, by.value, 1e-10);
  EXPECT_NEAR(models[1].at("difference_error").number, by.error, 1e-10);
  EXPECT_NE(compared.at("sentence").text.find("predicts better"), std::string::npos);
  EXPECT_EQ(said_.find("isn't checked"), std::string::npos)
      << said_;  // files of loo contain digests of their data
  ASSERT_EQ(run({"compare", right, wrong}), 0) << said_;
  EXPECT_NE(printed_.find("elpd_kfold"), std::string::npos) << printed_;
  EXPECT_EQ(printed_.find("are others than"), std::string::npos) << printed_;
  ASSERT_EQ(run({"compare", right, other}), 0) << said_;
  EXPECT_NE(printed_.find("are others than"), std::string::npos) << printed_;
  EXPECT_EQ(run({"compare", right, at("wrong.nc")}), 4);  // rows one by one
  EXPECT_NE(said_.find("in folds"), std::string::npos) << said_;
  EXPECT_EQ(run({"compare", right, at("data.json")}), 4);
  EXPECT_NE(said_.find("credo loo"), std::string::npos) << said_;
  EXPECT_EQ(run({"compare", right, wrong, "--moment-match"}), 2);
}

// What credo loo has written is compared as its result is.
TEST_F(LeaveOneOut, compares_files_of_rows_as_their_results) {
  const std::string right = fit("right", program("y ~ normal(mu, 1);")),
                    wrong = fit("wrong", program("y ~ normal(mu, 6);"));
  for (const std::string& file : {right, wrong})
    ASSERT_EQ(run({"loo", file, "-o", file + ".json"}), 0) << said_;
  for (const std::string& file : {right, wrong})
    ASSERT_EQ(run({"loo", file, "-o", file + ".rows.nc"}), 0) << said_;
  const auto results = json({"compare", right, wrong});
  for (const std::string ending : {".json", ".rows.nc"}) {
    const auto files = json({"compare", right + ending, wrong + ending});
    EXPECT_EQ(said_.find("doesn't contain its data"), std::string::npos) << ending << said_;
    for (std::size_t k = 0; k < 2; ++k)
      for (const char* figure : {"elpd_loo", "error", "difference", "stacking", "num_unreliable"})
        EXPECT_NEAR(files.at("models").items[k].at(figure).number,
                    results.at("models").items[k].at(figure).number, 1e-10)
            << figure << ending;
  }
}

TEST_F(LeaveOneOut, tells_of_a_fit_that_is_not_to_be_believed) {
  const std::string right = fit("right", program("y ~ normal(mu, 1);")),
                    apart = fit("apart", program("target += log_sum_exp(normal_lpdf(mu | -40, 1), "
                                                 "normal_lpdf(mu | 40, 1)); "
                                                 "y ~ normal(0.001 * mu, 1);"));
  const auto compared = json({"compare", right, apart});
  EXPECT_NE(said_.find("the verdict on " + apart + ": Don't believe it"), std::string::npos)
      << said_;
  EXPECT_EQ(said_.find("the verdict on " + right), std::string::npos) << said_;
  for (const auto& one : compared.at("models").items)
    EXPECT_EQ(one.at("verdict").text, one.at("file").text == apart ? "bad" : "good");
  ASSERT_EQ(run({"loo", apart}), 0) << said_;
  EXPECT_NE(said_.find("Don't believe it"), std::string::npos) << said_;
  ASSERT_EQ(run({"loo", right}), 0) << said_;
  EXPECT_EQ(said_.find("verdict"), std::string::npos) << said_;
}

TEST_F(LeaveOneOut, says_in_words_that_one_row_has_no_error) {
  std::ofstream(at("one.json")) << R"({"N": 1, "y": [0.3]})";
  const std::string a = fit("a", program("mu ~ normal(0, 1); y ~ normal(mu, 1);"),
                            {"--data", at("one.json")}),
                    b = fit("b", program("mu ~ normal(0, 1); y ~ normal(mu, 9);"),
                            {"--data", at("one.json")});
  ASSERT_EQ(run({"compare", a, b}), 0) << said_;
  EXPECT_EQ(printed_.find("nan"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("There is one row, and a standard error needs two."), std::string::npos)
      << printed_;
  ASSERT_EQ(run({"loo", a}), 0) << said_;
  EXPECT_EQ(printed_.find("nan"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("a standard error needs two"), std::string::npos) << printed_;
  ASSERT_EQ(run({"plot", a, b, "compare"}), 0) << said_;
  EXPECT_EQ(printed_.find("nan"), std::string::npos) << printed_;
}

TEST_F(LeaveOneOut, refuses_what_can_not_be_compared) {
  const std::string right = fit("right", program("y ~ normal(mu, 1);")),
                    fewer =
                        fit("fewer", program("y ~ normal(mu, 1);"), {"--data", at("fewer.json")}),
                    hand = fit("hand", program("target += -0.5 * dot_self(y - mu);")),
                    bare = fit("bare", program("y ~ normal(mu, 1);"),
                               {"--data", at("data.json"), "--no-data"});
  EXPECT_EQ(run({"compare", right}), 2);
  EXPECT_EQ(run({"compare", right, fewer}), 4);
  EXPECT_NE(said_.find("10"), std::string::npos);
  EXPECT_EQ(run({"loo", hand}), 3);
  EXPECT_NE(said_.find("log_lik"), std::string::npos) << said_;
  EXPECT_EQ(run({"loo", bare}), 2);
  EXPECT_EQ(run({"loo", bare, "--data", at("data.json")}), 0) << said_;
}

}  // namespace
}  // namespace credo::cli::loo_test
