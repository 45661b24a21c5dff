// credo check --fix: files before and after.
#include "support/command_run.hpp"

namespace credo::cli::check_fix_test {
namespace {

constexpr const char* kOld =
    "data {\n  int N;\n  real y[N]; # rows\n}\nparameters { real mu; }\n"
    "model {\n  for (i in 1:N)\n    increment_log_prob(normal_log(y[i], mu, 1));\n}\n";
constexpr const char* kNew =
    "data {\n  int N;\n  array[N] real y; // rows\n}\nparameters { real mu; }\n"
    "model {\n  for (i in 1:N)\n    target += normal_lpdf(y[i] | mu, 1);\n}\n";

class CheckFix : public credo::testing::CommandRun {
 protected:
  CheckFix() : CommandRun("check_fix") { write("m.stan", kOld); }
  std::string text_of(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool is_there(const std::string& name) const { return std::filesystem::exists(at(name)); }
};

TEST_F(CheckFix, rewrites_in_place_and_keeps_what_was_there) {
  ASSERT_EQ(run({"check", at("m.stan"), "--fix"}), 0) << said();
  EXPECT_EQ(text_of("m.stan"), kNew);
  EXPECT_EQ(text_of("m.stan.bak"), kOld);
  EXPECT_NE(printed().find("1 removed-array-syntax"), std::string::npos) << printed();
  EXPECT_NE(printed().find("no errors"), std::string::npos) << printed();
}

TEST_F(CheckFix, does_nothing_the_second_time) {
  ASSERT_EQ(run({"check", at("m.stan"), "--fix"}), 0) << said();
  ASSERT_EQ(run({"check", at("m.stan"), "--fix"}), 0) << said();
  EXPECT_EQ(text_of("m.stan"), kNew);
  EXPECT_EQ(text_of("m.stan.bak"), kOld);
  EXPECT_NE(printed().find("no old syntax"), std::string::npos) << printed();
}

TEST_F(CheckFix, writes_elsewhere_and_replaces_no_backup) {
  ASSERT_EQ(run({"check", at("m.stan"), "--fix", "-o", at("new.stan")}), 0) << said();
  EXPECT_EQ(text_of("new.stan"), kNew);
  EXPECT_EQ(text_of("m.stan"), kOld);
  EXPECT_FALSE(is_there("m.stan.bak"));
  write("m.stan.bak", "mine");
  EXPECT_EQ(run({"check", at("m.stan"), "--fix"}), 2);
  EXPECT_EQ(printed(), "");  // nothing was rewritten
  EXPECT_EQ(text_of("m.stan.bak"), "mine");
  EXPECT_EQ(text_of("m.stan"), kOld);
  EXPECT_EQ(run({"check", at("m.stan"), "-o", at("x.stan")}), 2);
}

// Syntax that can't be rewritten is still an error, reported after the changes.
TEST_F(CheckFix, tells_the_errors_that_are_left) {
  write("m.stan", "data { real y[2]; }\nmodel { y ~ nothing(1); }\n");
  EXPECT_EQ(run({"check", at("m.stan"), "--fix", "-o", at("new.stan")}), 3);
  EXPECT_EQ(text_of("new.stan"), "data { array[2] real y; }\nmodel { y ~ nothing(1); }\n");
  EXPECT_NE(said().find("no distribution nothing"), std::string::npos) << said();
  EXPECT_NE(printed().find("1 removed-array-syntax"), std::string::npos) << printed();
}

TEST_F(CheckFix, as_json) {
  const auto answer = json({"check", at("m.stan"), "--fix"});
  EXPECT_EQ(answer.at("fixed").at("removed-array-syntax").value(), 1.0);
  EXPECT_EQ(answer.at("fixed").at("hash-comment").value(), 1.0);
}

}  // namespace
}  // namespace credo::cli::check_fix_test
