// credo examples and credo new: what they list, write and refuse.
#include <gtest/gtest.h>

#include "cli/project/example_files.hpp"
#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::examples_test {
namespace {
namespace fs = std::filesystem;

class Beginnings : public testing::CommandRun {
 protected:
  Beginnings() : CommandRun("beginnings") {}
  int sample(const std::string& project, const std::string& program, const std::string& data,
             const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"sample",   project + "/" + program,
                                      "--data",   project + "/" + data,
                                      "--seed",   "1",
                                      "--draws",  "200",
                                      "--warmup", "200",
                                      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
};

TEST_F(Beginnings, every_program_of_the_folder_is_listed_with_its_data) {
  const ExampleFiles examples(CREDO_SOURCE_DIR "/examples");
  std::vector<std::string> names;
  for (const Example& example : examples.all()) {
    names.push_back(example.name);
    const std::vector<std::string> files = examples.files_of(example.name);
    EXPECT_TRUE(std::ranges::any_of(files, [](auto& f) { return f.ends_with(".stan"); }))
        << example.name;
    EXPECT_FALSE(example.about.empty()) << example.name;
  }
  for (const auto& entry : fs::recursive_directory_iterator(CREDO_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".stan") continue;
    const std::string folder = entry.path().parent_path().filename();
    const std::string name = folder == "examples" ? entry.path().stem().string() : folder;
    EXPECT_TRUE(folder == "outside" || folder == "filters" || folder == "exact" ||
                folder == "ibis" || folder == "abc" || folder == "texts" || folder == "sites" ||
                folder == "online" || std::ranges::count(names, name) == 1)
        << entry.path();
  }
}

TEST_F(Beginnings, an_example_is_copied_with_its_page_and_replaces_nothing) {
  ASSERT_EQ(run({"examples", "beetles", at("mine")}), 0) << said();
  for (const char* name : {"logit.stan", "cloglog.stan", "beetles.csv", "README.md"})
    EXPECT_TRUE(fs::exists(at("mine") + "/" + name)) << name;
  EXPECT_EQ(io::read_file(at("mine/README.md")),
            io::read_file(CREDO_SOURCE_DIR "/docs/examples/beetles.md"));
  EXPECT_EQ(run({"examples", "beetles", at("mine")}), 2);
  EXPECT_NE(on_one_line(said()).find("there is a file of this name already"), std::string::npos)
      << said();
  EXPECT_EQ(run({"examples", "betles", at("other")}), 2);
  EXPECT_NE(said().find("did you mean beetles?"), std::string::npos) << said();
  EXPECT_FALSE(fs::exists(at("other")));
  ASSERT_EQ(run({"examples", "dawid_skene", at("old")}), 0) << said();
  EXPECT_NE(io::read_file(at("old/README.md")).find("--init dawid_skene.init.json"),
            std::string::npos);
}

TEST_F(Beginnings, a_new_project_runs_from_its_page) {
  ASSERT_EQ(run({"new", at("first")}), 0) << said();
  EXPECT_EQ(run({"data", at("first/table.csv"), "--program", at("first/model.stan")}), 0)
      << printed();
  EXPECT_EQ(sample(at("first"), "model.stan", "table.csv"), 0) << said();
  EXPECT_EQ(sample(at("first"), "baseline.stan", "table.csv"), 0) << said();
  EXPECT_EQ(run({"new", at("first")}), 2);
}

// The simulated table has a slope of 1.5 by x, which has standard deviation 1.03 and is divided by it.
TEST_F(Beginnings, a_new_project_finds_what_its_table_was_made_with) {
  ASSERT_EQ(run({"new", at("first")}), 0) << said();
  ASSERT_EQ(run({"sample", at("first/model.stan"), "--data", at("first/table.csv"), "--seed", "1",
                 "--quiet", "-o", at("fit.nc")}),
            0)
      << said();
  const testing::Json summary = json({"summary", at("fit.nc"), "--columns", "slope_x"});
  const testing::Json& row = summary.items.at(0);
  EXPECT_NEAR(row.at("mean").number, 1.5 * 1.03, 4.0 * row.at("sd").number);
}

TEST_F(Beginnings, a_table_decides_likelihood_and_predictors_and_is_told_what_is_left_out) {
  std::string table = "id,count,won,size,kind,flat,gap,real\n";
  for (int k = 1; k <= 20; ++k)
    table += std::to_string(k) + "," + std::to_string(k % 7) + "," +
             (k % 3 == 0 ? "TRUE" : "FALSE") + "," + std::to_string(0.5 * k * k) + "," +
             (k % 2 == 0 ? "a" : "b") + ",1," + (k == 4 ? "" : std::to_string(k % 3)) + "," +
             std::to_string(k % 5) + "\n";
  write("t.csv", table);
  for (const auto& [outcome, likelihood] : {std::pair{"count", "poisson_log"},
                                            {"won", "bernoulli_logit"},
                                            {"size", "normal(mu, sigma)"}}) {
    const std::string folder = at(outcome);
    ASSERT_EQ(run({"new", folder, "--data", at("t.csv"), "--outcome", outcome}), 0) << said();
    for (const char* words :
         {"not used: id: it numbers the rows", "not used: flat: all its values are the same",
          "1 of 20 rows of", "has no value in gap and is left out: row 4 (line 5)",
          "not used: real: a program can't use the name"})
      EXPECT_NE(printed().find(words), std::string::npos) << words << "\n" << printed();
    const std::string program = io::read_file(folder + "/model.stan");
    EXPECT_NE(program.find(likelihood), std::string::npos) << program;
    EXPECT_NE(program.find("array[N] int<lower=1, upper=K_kind> kind"), std::string::npos)
        << program;
    for (const char* word : {"model.stan", "baseline.stan"})
      EXPECT_EQ(sample(folder, word, "t.csv", {"--missing", "drop"}), 0) << said();
  }
  write("many.csv", "kind,x\na,1\nb,2\nc,3\na,4\nb,5\nc,6\n");
  EXPECT_EQ(run({"new", at("x"), "--data", at("many.csv"), "--outcome", "kind"}), 2);
  EXPECT_NE(said().find("3 different texts"), std::string::npos) << said();
  EXPECT_EQ(run({"new", at("x"), "--data", at("t.csv"), "--outcome", "cuont"}), 2);
  EXPECT_NE(said().find("did you mean count?"), std::string::npos) << said();
  EXPECT_EQ(run({"new", at("x"), "--data", at("t.csv")}), 2);
  EXPECT_FALSE(fs::exists(at("x")));
}
}  // namespace
}  // namespace credo::cli::examples_test
