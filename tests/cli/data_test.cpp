// Data of CSV, TSV, R and NetCDF files in every command that takes data, and credo data.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::data_test {
namespace {

constexpr const char* kProgram = R"(data {
  int<lower=0> N;
  int<lower=1> J;
  vector[N] x;
  array[N] int<lower=0> y;
  array[N] int<lower=1, upper=J> site;
}
parameters { vector[J] a; real b; }
model { a ~ normal(0, 1); b ~ normal(0, 1); y ~ poisson_log(a[site] + b * x); }
generated quantities { vector[N] mean_y = exp(a[site] + b * x); }
)";
constexpr const char* kTable =
    "id,x,count,site\n1,0.5,3,north\n2,-1,1,south\n3,0.25,2,north\n4,2,7,east\n5,1,2,south\n";
constexpr const char* kJson = R"({"N": 5, "J": 3, "x": [0.5, -1, 0.25, 2, 1], "y": [3, 1, 2, 7, 2],
  "site": [2, 3, 2, 1, 3]})";

class TableData : public testing::CommandRun {
 protected:
  TableData() : CommandRun("table_data") {
    write("model.stan", kProgram);
    write("t.csv", kTable);
    write("plain.json", kJson);
  }
  std::vector<std::string> on_table(const std::string& command) {
    return {command, at("model.stan"), "--data", at("t.csv"), "--columns", "y=count"};
  }
  std::vector<std::string> with(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // --max-time sets a clock of the process.
  static int run_apart(const std::vector<std::string>& words) {
    const pid_t child = fork();
    if (child == 0) _exit(run_command_line(words));
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  std::string fit() {
    EXPECT_EQ(run(with(on_table("sample"), {"--seed", "1", "--draws", "100", "--warmup", "100",
                                            "--quiet", "-o", at("fit.nc")})),
              0)
        << said();
    return at("fit.nc");
  }
  std::string draws_of(const std::string& result) {
    EXPECT_EQ(run({"export", result, "-o", at("out.csv")}), 0) << said();
    const std::string text = io::read_file(at("out_1.csv"));
    return text.substr(text.find("\nlp__"));
  }
};

TEST_F(TableData, a_table_gives_the_draws_of_the_same_data_in_json) {
  const std::string result = fit();
  EXPECT_EQ(run({"sample", at("model.stan"), "--data", at("plain.json"), "--seed", "1", "--draws",
                 "100", "--warmup", "100", "--quiet", "-o", at("plain.nc")}),
            0)
      << said();
  EXPECT_EQ(draws_of(result), draws_of(at("plain.nc")));
}

TEST_F(TableData, what_a_table_implies_is_told) {
  EXPECT_EQ(run(on_table("info")), 0) << said();
  EXPECT_NE(said().find("N is 5, the number of rows of"), std::string::npos) << said();
  EXPECT_NE(said().find("J is 3, the number of levels of site"), std::string::npos) << said();
  EXPECT_NE(said().find("site has codes: 1 east, 2 north, 3 south"), std::string::npos) << said();
}

TEST_F(TableData, every_command_that_takes_data_takes_tables) {
  write("points.json", "[[0, 0, 0, 0]]");
  EXPECT_EQ(run(with(on_table("log-prob"), {"--unconstrained", at("points.json")})), 0) << said();
  const std::string table = printed();
  EXPECT_EQ(run({"log-prob", at("model.stan"), "--data", at("plain.json"), "--unconstrained",
                 at("points.json")}),
            0);
  EXPECT_EQ(printed(), table);
  EXPECT_EQ(run(with(on_table("optimize"), {"--starts", "2", "-o", at("mode.nc")})), 0) << said();
  EXPECT_EQ(run(with(on_table("simulate"), {"-o", at("s.json")})), 0) << said();
  EXPECT_EQ(run(with(on_table("sbc"), {"--replicates", "5", "--draws", "50", "--warmup", "50"})), 0)
      << said();
  // Its --columns are outputs.
  EXPECT_EQ(run({"samplers", at("model.stan"), "--data", at("t.csv"), "--data-columns", "y=count",
                 "--only", "nuts", "--draws", "50"}),
            0)
      << said();
  EXPECT_EQ(run(with(on_table("bench"), {})), 0) << said();
}

// What is read again from a result is the table: in these commands, and after the files are gone.
TEST_F(TableData, results_keep_the_table_and_are_repeated_and_judged_from_it) {
  const std::string result = fit();
  const std::string draws = draws_of(result);
  std::filesystem::remove(at("t.csv"));
  std::filesystem::remove(at("model.stan"));
  EXPECT_EQ(run({"sample", "--like", result, "--quiet", "-o", at("again.nc")}), 0) << said();
  EXPECT_EQ(draws_of(at("again.nc")), draws);
  for (const char* command : {"diagnose", "ppc", "loo", "sensitivity"})
    EXPECT_EQ(run({command, result}), 0) << command << said();
  write("new.csv", "x,count,site\n3,1,north\n4,1,south\n5,2,east\n");
  EXPECT_EQ(
      run({"predict", result, "--data", at("new.csv"), "--columns", "y=count", "-o", at("p.nc")}),
      0)
      << said();
  EXPECT_NE(printed().find("mean_y.3"), std::string::npos) << printed();
  EXPECT_EQ(printed().find("mean_y.4"), std::string::npos) << printed();
  EXPECT_EQ(
      run({"sample", "--like", result, "--data", at("new.csv"), "--quiet", "-o", at("new.nc")}), 0)
      << said();
  EXPECT_NE(draws_of(at("new.nc")), draws);
}

TEST_F(TableData, a_result_without_data_takes_the_table_again) {
  EXPECT_EQ(run(with(on_table("sample"), {"--seed", "1", "--draws", "100", "--warmup", "100",
                                          "--quiet", "--no-data", "-o", at("fit.nc")})),
            0)
      << said();
  EXPECT_EQ(run({"loo", at("fit.nc")}), 2);
  EXPECT_EQ(run({"loo", at("fit.nc"), "--data", at("t.csv"), "--columns", "y=count"}), 0) << said();
}

TEST_F(TableData, a_specification_names_tables_as_text_list_or_object) {
  EXPECT_EQ(run(with(on_table("sample"), {"--seed", "1", "--draws", "50", "--warmup", "50", "-o",
                                          at("spec.nc"), "--print-spec"})),
            0)
      << said();
  write("spec.json", printed());
  EXPECT_EQ(run({"run", at("spec.json"), "--quiet"}), 0) << said();
  write("t2.csv", "x,y,site\n0.5,3,north\n-1,1,south\n");
  write("j.json", "{\"J\": 2}");
  const std::string begin =
      R"({"spec": 1, "run": {"num_draws": 50, "num_warmup": 50}, "model": {"program": ")" +
      at("model.stan") + R"(", "data": )";
  write("list.json", begin + "[\"" + at("t2.csv") + "\", \"" + at("j.json") + "\"]}}");
  EXPECT_EQ(run({"run", at("list.json"), "--quiet"}), 0) << said();
  write("object.json",
        begin + R"({"files": [")" + at("t.csv") + R"("], "columns": ["y=count"]}}})");
  EXPECT_EQ(run({"run", at("object.json"), "--quiet"}), 0) << said();
}

TEST_F(TableData, a_killed_run_goes_on_with_its_table) {
  EXPECT_EQ(
      run_apart(with(on_table("sample"), {"--seed", "1", "--draws", "100", "--warmup", "100",
                                          "--quiet", "-o", at("cut.nc"), "--max-time", "0.001"})),
      7);
  std::filesystem::remove(at("t.csv"));
  EXPECT_EQ(run({"resume", at("cut.nc.run"), "--quiet"}), 0) << said();
  const std::string resumed = draws_of(at("cut.nc"));
  write("t.csv", kTable);
  EXPECT_EQ(resumed, draws_of(fit()));
}

TEST_F(TableData, rdump_and_netcdf_files_serve_as_well_and_come_back_from_results) {
  write("d.R",
        "N <- 5\nJ <- 3L\nx <- c(0.5, -1, 0.25, 2, 1)\ny <-\nc(3L, 1L, 2L, 7L, 2L)\n"
        "site <- structure(c(2L, 3L, 2L, 1L, 3L), levels = c(\"e\", \"n\", \"s\"), class = "
        "\"factor\")\n");
  const std::string draws = draws_of(fit());
  EXPECT_EQ(run({"sample", at("model.stan"), "--data", at("d.R"), "--seed", "1", "--draws", "100",
                 "--warmup", "100", "--quiet", "-o", at("r.nc")}),
            0)
      << said();
  EXPECT_EQ(draws_of(at("r.nc")), draws);
  // A result's own groups of data are NetCDF data.
  EXPECT_EQ(run({"sample", at("model.stan"), "--data", at("r.nc"), "--seed", "1", "--draws", "100",
                 "--warmup", "100", "--quiet", "-o", at("n.nc")}),
            0)
      << said();
  EXPECT_EQ(draws_of(at("n.nc")), draws);
  std::filesystem::remove(at("r.nc"));
  EXPECT_EQ(run({"sample", "--like", at("n.nc"), "--quiet", "-o", at("m.nc")}), 0) << said();
  EXPECT_EQ(draws_of(at("m.nc")), draws);
}

TEST_F(TableData, faults_name_file_line_and_the_way_out) {
  write("gap.csv", "x,y,site\n1,2,a\nNA,3,b\n");
  EXPECT_EQ(run({"info", at("model.stan"), "--data", at("gap.csv")}), 4);
  EXPECT_NE(
      on_one_line(said()).find("gap.csv:3: error: variable x: column x has no value in row 2"),
      std::string::npos)
      << said();
  EXPECT_NE(on_one_line(said()).find("--missing drop leaves out"), std::string::npos) << said();
  EXPECT_EQ(run({"info", at("model.stan"), "--data", at("t.csv")}), 4);
  EXPECT_NE(on_one_line(said()).find("the columns are id, x, count, site: --columns y=COLUMN"),
            std::string::npos)
      << said();
  write("negative.csv", "x,y,site\n1,2,a\n1,-3,b\n");
  EXPECT_EQ(run({"info", at("model.stan"), "--data", at("negative.csv")}), 4);
  EXPECT_NE(on_one_line(said()).find("negative.csv:3: error: y[2] is -3"), std::string::npos)
      << said();
}

TEST_F(TableData, credo_data_shows_what_a_program_would_see) {
  EXPECT_EQ(run({"data", at("t.csv"), "--columns", "y=count", "--program", at("model.stan")}), 0)
      << said();
  for (const char* words : {"site", "factor", "east, north, south", "-1 to 2", "column count",
                            "the program has all its data", "not used by the program: id"})
    EXPECT_NE(printed().find(words), std::string::npos) << words << printed();
  EXPECT_EQ(run({"data", at("t.csv"), "--program", at("model.stan")}), 4);
  EXPECT_NE(printed().find("NOT GIVEN"), std::string::npos) << printed();
  const testing::Json data =
      json({"data", at("t.csv"), "--columns", "y=count", "--program", at("model.stan")});
  EXPECT_EQ(data.at("variables").items.at(3).at("name").text, "y");
  EXPECT_EQ(data.at("declared").items.size(), 5u);
}
}  // namespace
}  // namespace credo::cli::data_test
