// Wrong programs, data files and options: each gives the right message at the right place and the
// documented status.
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/one_line.hpp"

namespace credo::cli::wrong_input_test {
namespace {

struct Case {
  const char* name;     // a sentence
  const char* program;  // m.stan; null: no such file
  const char* data;     // d.json; null: no such file
  std::vector<std::string> arguments;
  int status;
  std::vector<std::string> says;  // all of these are in what is printed
};

constexpr const char* kRegression =
    "data {\n  int<lower=0> N;\n  vector[N] y;\n}\nparameters {\n  real m;\n}\nmodel {\n  y ~ "
    "normal(m, 1);\n}\n";
constexpr const char* kNormal =
    "parameters {\n  real<lower=0> m;\n}\nmodel {\n  m ~ std_normal();\n}\n";
// The sum over all twelve can't be taken apart.
constexpr const char* kCoupled =
    "parameters {\n  array[12] int<lower=0, upper=1> k;\n  real m;\n}\nmodel {\n  m ~ "
    "std_normal();\n  target += -square(sum(k) - 3 - m);\n}\n";
const std::vector<std::string> kCheck{"check", "m.stan"}, kSample{"sample", "m.stan", "--quiet"},
    kSampleData{"sample", "m.stan", "--data", "d.json", "--quiet"};

std::vector<std::string> with(std::vector<std::string> base,
                              std::initializer_list<const char*> more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

std::vector<Case> cases() {
  return {
      // programs
      {"assignment to data",
       "data {\n  int N;\n}\nmodel {\n  N = 3;\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:5:3: error[read-only]", "N can't be assigned to", "block data"}},
      {"missing semicolon",
       "parameters {\n  real x\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:2:9: error[unexpected-token]", "`;`"}},
      {"misspelt distribution",
       "parameters {\n  real x;\n}\nmodel {\n  x ~ normla(0, 1);\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:5:7: error[undeclared-distribution]", "normla", "did you mean normal?"}},
      {"undeclared variable",
       "model {\n  target += y;\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:2:13: error[undeclared-variable]", "y"}},
      {"product of vectors",
       "parameters {\n  vector[2] x;\n}\nmodel {\n  target += x * x;\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:5:13: error[operator-types]", "vector and vector", "dot_product"}},
      {"int parameter",
       "parameters {\n  int k;\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:2:7: error[int-parameter]", "declare it as real"}},
      {"discrete parameter, which isn't in the language",
       kCoupled,
       nullptr,
       with(kCheck, {"--strict"}),
       3,
       {"m.stan:2:35: error[int-parameter]", "k"}},
      {"discrete parameters that can't be summed out",
       kCoupled,
       nullptr,
       with(kSample, {"--discrete", "sum"}),
       3,
       {"more than 6 discrete parameters"}},
      {"unknown use of discrete parameters",
       kCoupled,
       nullptr,
       with(kSample, {"--discrete", "foo"}),
       2,
       {"--discrete", "foo", "auto, sum, gibbs"}},
      {"sampler of many points beside discrete parameters",
       kCoupled,
       nullptr,
       with(kSample, {"--sampler", "ensemble"}),
       2,
       {"'ensemble' moves many points at once", "nuts"}},
      {"old array syntax",
       "model {\n  real x[3];\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:2:9: error[removed-array-syntax]", "array[3] real x"}},
      {"old assignment",
       "model {\n  real x;\n  x <- 3;\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:3:5: error[removed-arrow]"}},
      {"random number in the model",
       "model {\n  target += normal_rng(0, 1);\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:2:13: error[not-allowed-here]", "generated quantities"}},
      {"two errors in one run",
       "model {\n  target += a;\n  target += b;\n}\n",
       nullptr,
       kCheck,
       3,
       {"m.stan:2:13", "m.stan:3:13", "2 errors"}},
      {"missing program", nullptr, nullptr, kCheck, 6, {"can't read m.stan"}},
      // data
      {"vector too short",
       kRegression,
       R"({"N": 3, "y": [1, 2]})",
       kSampleData,
       4,
       {"d.json:1:15: error", "variable y", "found an array of 2", "size 3",
        "declared at m.stan:3:13"}},
      {"negative size",
       kRegression,
       R"({"N": -3, "y": []})",
       kSampleData,
       4,
       {"d.json:1:7: error", "N", "-3"}},
      {"real for an int",
       kRegression,
       R"({"N": 2.0, "y": [1, 2]})",
       kSampleData,
       4,
       {"d.json:1:7: error", "variable N", "2.0", "expected int"}},
      {"missing variable",
       kRegression,
       R"({"N": 2, "Y": [1, 2]})",
       kSampleData,
       4,
       {"variable y is not in the data", "declared at m.stan:3:13", "case-sensitive"}},
      {"text in a vector",
       kRegression,
       R"({"N": 1, "y": ["a"]})",
       kSampleData,
       4,
       {"d.json:1:16: error", "\"a\""}},
      {"duplicate variable",
       kRegression,
       R"({"N": 0, "N": 0})",
       kSampleData,
       4,
       {"d.json:1:15", "N is given twice"}},
      {"unfinished file",
       kRegression,
       R"({"N": 2, "y": [1, 2)",
       kSampleData,
       4,
       {"d.json:1:", "not valid JSON"}},
      {"size that data make negative",
       "data {\n  int N;\n  vector[N - 5] y;\n}\n",
       R"({"N": 2, "y": []})",
       kSampleData,
       4,
       {"m.stan:3:17: error", "a size is -3"}},
      {"data that transformed data reject",
       "data {\n  int N;\n}\ntransformed data {\n  if (N < 3) reject(\"too few: \", N);\n}\n",
       R"({"N": 2})",
       kSampleData,
       4,
       {"m.stan:5:14: error", "too few: 2", "check the values"}},
      {"parameters of a negative size",
       "data {\n  int N;\n}\nparameters {\n  vector[N] m;\n}\nmodel {\n  m ~ std_normal();\n}\n",
       R"({"N": -1})",
       kSampleData,
       4,
       {"m.stan:5:13: error", "a size is -1"}},
      {"NaN among the outcomes",
       kRegression,
       R"({"N": 2, "y": [1, "NaN"]})",
       kSampleData,
       4,
       {"d.json:1:19: error", "y[2] is nan in the data", "Missing data"}},
      {"null for a missing value",
       kRegression,
       R"({"N": 2, "y": [1, null]})",
       kSampleData,
       4,
       {"d.json:1:19: error", "y[2]", "found null", "data have no missing values",
        "as a parameter beside the observed ones"}},
      {"NA for a missing value",
       kRegression,
       R"({"N": 2, "y": [1, NA]})",
       kSampleData,
       4,
       {"d.json:1:19: error", "found NA", "data have no missing values"}},
      {"nan as a word for a missing value",
       kRegression,
       R"({"N": 2, "y": [1, "nan"]})",
       kSampleData,
       4,
       {"d.json:1:19: error", "found \"nan\"", "data have no missing values"}},
      {"matrix as an object",
       "data {\n  matrix[2, 2] M;\n}\n",
       R"({"M": {"a": [1, 2], "b": [3, 4]}})",
       kSampleData,
       4,
       {"d.json:1:13: error", "variable M: key \"a\" in an object", "[[1, 2], [3, 4]]"}},
      {"words behind the data",
       kRegression,
       "{\"N\": 2, \"y\": [1, 2]}\nthe end",
       kSampleData,
       4,
       {"d.json:2:1: error: text after the end of the data: `the end`", "remove"}},
      {"data in UTF-16",
       kRegression,
       "\xFF\xFE{",
       kSampleData,
       4,
       {"d.json:1:1: error: the text is in UTF-16", "iconv -f UTF-16 -t UTF-8"}},
      {"program in UTF-16",
       "\xFE\xFFx",
       nullptr,
       kCheck,
       3,
       {"m.stan:1:1: error[wrong-encoding]: m.stan is in UTF-16", "iconv", "1 error"}},
      {"missing data file", kRegression, nullptr, kSampleData, 6, {"d.json: error", "can't read"}},
      {"initial value outside its constraint",
       kNormal,
       R"({"m": -1})",
       with(kSample, {"--init", "d.json"}),
       4,
       {"d.json:1:7: error", "m is -1", "at least"}},
      // running
      {"wrong constant argument",
       "parameters {\n  real m;\n}\nmodel {\n  m ~ normal(0, -1);\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:5:3", "normal_lpdf", "scale parameter is -1", "positive"}},
      {"reject everywhere",
       "parameters {\n  real m;\n}\nmodel {\n  if (m > -100) reject(\"no m\");\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:5:17", "no m", "100"}},
      {"index out of range",
       "parameters {\n  real m;\n}\nmodel {\n  vector[2] v;\n  v[3] = m;\n  target += v[3];\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:6:3: error", "index 3", "size is 2"}},
      {"sizes that don't fit",
       "parameters {\n  real m;\n}\nmodel {\n  vector[2] a = rep_vector(m, 3);\n  target += "
       "a;\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:5:17: error", "[3]", "[2]"}},
      {"endless recursion",
       "functions {\n  real f(real x) {\n    return f(x) + 1;\n  }\n}\nparameters {\n  real "
       "m;\n}\nmodel {\n  target += f(m);\n}\n",
       nullptr,
       kSample,
       5,
       {"f: calls are nested more than"}},
      {"endless loop",
       "parameters {\n  real m;\n}\nmodel {\n  real i = 0;\n  while (i >= 0) {\n    i += 1;\n  "
       "}\n}\n",
       nullptr,
       with(kSample, {"--max-trace-steps", "100000"}),
       5,
       {"m.stan:", "more than 100000 steps"}},
      {"array beyond the limit",
       "data {\n  array[1000000000] real x;\n}\n",
       R"({"x": [1]})",
       kSampleData,
       4,
       {"m.stan:2:26: error", "1000000000 elements", "limit"}},
      {"index out of a parameter's range while it runs",
       "parameters {\n  real m;\n  vector[3] a;\n}\nmodel {\n  m ~ std_normal();\n  a ~ "
       "std_normal();\n  int k = m > 0 ? 0 : 1;\n  target += a[k];\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:9:3: error", "index 0 of a is out of range, the size is 3"}},
      {"index of data out of range",
       "data {\n  array[2] int k;\n}\nparameters {\n  vector[3] a;\n}\nmodel {\n  for (n in 1:2) "
       "a[k[n]] ~ std_normal();\n}\n",
       R"({"k": [1, 0]})",
       kSampleData,
       5,
       {"m.stan:8:18: error", "index 0 of a is out of range, the size is 3", "from 1 to 3"}},
      {"loop that can't end",
       "parameters {\n  real m;\n}\nmodel {\n  while (1) target += 0;\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:5:10: error: this loop never ends", "break"}},
      {"loop that can't end, by its condition",
       "parameters {\n  real m;\n}\nmodel {\n  int i = 0;\n  while (i < 10) target += m;\n}\n",
       nullptr,
       kSample,
       5,
       {"m.stan:6:10: error: this loop never ends"}},
      {"element that was never assigned",
       "parameters {\n  real m;\n}\nmodel {\n  vector[2] mu;\n  for (n in 2:2) mu[n] = m;\n  m ~ "
       "normal(mu[1], 1);\n}\n",
       nullptr,
       kSample,
       5,
       {"mu[1] is nan (m.stan:7:14)", "never assigned", "mu[1] is used here, but never given a"}},
      // options
      {"unknown option",
       kNormal,
       nullptr,
       with(kSample, {"--chians", "2"}),
       2,
       {"--chians", "did you mean --chains?"}},
      {"word for a number",
       kNormal,
       nullptr,
       with(kSample, {"--chains", "x"}),
       2,
       {"--chains", "x"}},
      {"no chains",
       kNormal,
       nullptr,
       with(kSample, {"--chains", "0"}),
       2,
       {"--chains: error", "is 0"}},
      {"acceptance beyond 1",
       kNormal,
       nullptr,
       with(kSample, {"--adapt-delta", "1.5"}),
       2,
       {"--adapt-delta: error", "(0, 1)", "1.5"}},
      {"unknown metric",
       kNormal,
       nullptr,
       with(kSample, {"--metric", "foo"}),
       2,
       {"--metric: error", "foo", "diag_e"}},
      {"unknown pass",
       kNormal,
       nullptr,
       with(kSample, {"--passes", "foo"}),
       2,
       {"--passes: error", "foo", "dead-code"}},
      {"missing output directory",
       kNormal,
       nullptr,
       with(kSample, {"--output", "nowhere/fit"}),
       6,
       {"--output: error", "nowhere"}},
      {"log-prob without points",
       kNormal,
       nullptr,
       {"log-prob", "m.stan"},
       2,
       {"--unconstrained", "--constrained"}},
      {"point of another dimension",
       kNormal,
       "[[1, 2]]",
       {"log-prob", "m.stan", "--unconstrained", "d.json"},
       4,
       {"points of 1 numbers"}},
  };
}

class InTemporaryDirectory {
 public:
  InTemporaryDirectory() : before_(std::filesystem::current_path()) {
    path_ = std::filesystem::temp_directory_path() /
            ("credo_wrong_input_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
    std::filesystem::current_path(path_);
  }
  ~InTemporaryDirectory() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  static void put(const char* name, const char* text) {
    std::filesystem::remove(name);
    if (text != nullptr) std::ofstream(name) << text;
  }

 private:
  std::filesystem::path before_, path_;
};

TEST(wrong_input, gives_the_message_the_place_and_the_status) {
  const InTemporaryDirectory directory;
  for (const Case& c : cases()) {
    InTemporaryDirectory::put("m.stan", c.program);
    InTemporaryDirectory::put("d.json", c.data);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(c.arguments);
    const std::string printed = on_one_line(::testing::internal::GetCapturedStdout() +
                                            ::testing::internal::GetCapturedStderr());
    EXPECT_EQ(status, c.status) << c.name << "\n" << printed;
    for (const std::string& text : c.says) {
      EXPECT_NE(printed.find(text), std::string::npos) << c.name << ": '" << text << "' is not in\n"
                                                       << printed;
    }
  }
}

TEST(wrong_input, has_at_least_25_cases) { EXPECT_GE(cases().size(), 25u); }

// Power: a right program with right data is not refused.
TEST(wrong_input, does_not_refuse_what_is_right) {
  const InTemporaryDirectory directory;
  InTemporaryDirectory::put("m.stan", kRegression);
  InTemporaryDirectory::put("d.json", R"({"N": 2, "y": [1, 2]})");
  EXPECT_EQ(run_command_line(with(kSampleData, {"--warmup", "50", "--draws", "10"})), 0);
  InTemporaryDirectory::put("m.stan", kCoupled);
  EXPECT_EQ(run_command_line(kCheck), 0);
  for (const char* sampler : {"nuts", "slice"})
    EXPECT_EQ(
        run_command_line(with(kSample, {"--sampler", sampler, "--warmup", "50", "--draws", "10"})),
        0);
}

}  // namespace
}  // namespace credo::cli::wrong_input_test
