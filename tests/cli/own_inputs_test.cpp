// No command replaces a file that it reads, under whatever name (cli/options/output_places.hpp).
#include "cli/options/output_places.hpp"
#include "infer/core/needs.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::own_inputs_test {
namespace {

class OwnInputs : public credo::testing::CommandRun {
 protected:
  OwnInputs() : CommandRun("own_inputs") {}

  std::string text_of(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The command refuses `input` as an output, by its name and by links, and the file is unchanged.
  void expect_refused(const std::vector<std::string>& words, const std::string& output_option,
                      const std::string& input) {
    const std::string before = text_of(input);
    for (const std::string& output : other_names(input)) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {output_option, output});
      EXPECT_EQ(run(all), 2) << words[0] << " " << output << ": " << said();
      EXPECT_NE(on_one_line(said()).find("it would be replaced"), std::string::npos)
          << words[0] << " " << output_option << " " << output << ": " << said();
      EXPECT_EQ(text_of(input), before) << words[0];
    }
  }

 private:
  std::vector<std::string> other_names(const std::string& input) const {
    namespace fs = std::filesystem;
    const std::string ending = fs::path(input).extension();
    const std::string hard = at("hard" + ending), soft = at("soft" + ending);
    fs::remove(hard), fs::remove(soft);
    fs::create_hard_link(at(input), hard);
    fs::create_symlink(at(input), soft);
    return {at(input), at("./" + input), hard, soft};
  }
};

bool is_output(const Argument& argument) {
  return argument.values.writes != Writes::nothing && argument.values.writes != Writes::folder;
}

bool is_input(const Argument& argument) {
  return argument.values.writes == Writes::nothing && !argument.values.ending.empty();
}

// One of them isn't used with the other: --output and --of of series.
bool exclude(const Argument& one, const Argument& other) {
  const auto without = [](const Argument& a, const Argument& b) {
    return std::ranges::any_of(infer::parse_needs(a.values.needs), [&](const infer::Need& need) {
      return need.is_default && need.name == b.name();
    });
  };
  return without(one, other) || without(other, one);
}

// Every command with every option for an input file and every option for an output file.
TEST_F(OwnInputs, are_refused_as_outputs_by_every_command) {
  write("other.json", "{}");
  Index num_pairs = 0;
  for (const CommandRow* row : commands()) {
    const auto command = row->make();
    const Arguments arguments = arguments_of(*row, *command);
    for (const Argument& out : arguments.all())
      for (const Argument& in : arguments.all()) {
        if (!is_output(out) || !is_input(in) || out.positional || exclude(out, in)) continue;
        const std::string ending = out.values.ending == "*" ? ".nc" : out.values.ending;
        write("input" + ending, "anything");
        std::vector<std::string> words{std::string(row->name)};
        for (const Argument& needed : arguments.all())
          if (needed.required && needed.name() != in.name()) words.push_back(at("other.json"));
        if (!in.positional) words.push_back(in.name());
        words.push_back(at("input" + ending));
        for (const std::string& needs : {out.values.needs, in.values.needs})  // as --fix, --sampler
          for (const infer::Need& need : infer::parse_needs(needs)) {
            if (need.is_default) continue;
            words.emplace_back(need.name);
            const Argument* needed = arguments.find(need.name);
            if (!need.values.empty())
              words.emplace_back(need.values.front());
            else if (needed != nullptr && !needed->is_flag())
              words.emplace_back("x");
          }
        expect_refused(words, out.name(), "input" + ending);
        ++num_pairs;
      }
  }
  EXPECT_GE(num_pairs, 40);
}

// Each option called --output states the kind of its output.
TEST_F(OwnInputs, every_output_option_says_what_it_writes) {
  for (const CommandRow* row : commands()) {
    const auto command = row->make();
    const Arguments arguments = arguments_of(*row, *command);
    const Argument* const output = arguments.find("--output");
    if (output == nullptr) continue;
    EXPECT_NE(output->values.writes, Writes::nothing) << row->name;
  }
}

class OwnInputsOfAFit : public OwnInputs {
 protected:
  OwnInputsOfAFit() {
    write("scale.stan", "real scale() { return 1; }\n");
    write("m.stan",
          "functions {\n#include scale.stan\n}\n"
          "data { int N; vector[N] y; }\nparameters { real mu; }\n"
          "model { mu ~ normal(0, 5); y ~ normal(mu, scale()); }\n");
    write("d.json", R"({"N": 3, "y": [1, 2, 3.5]})");
    EXPECT_EQ(run({"sample", at("m.stan"), "-I", at(""), "--data", at("d.json"), "--draws", "40",
                   "--warmup", "40", "--chains", "2", "-o", at("fit.nc"), "--quiet"}),
              0)
        << said();
  }
};

TEST_F(OwnInputsOfAFit, a_report_does_not_become_of_its_fit) {
  for (const char* command : {"report", "loo", "ppc", "predict", "export", "score"})
    expect_refused({command, at("fit.nc")}, "-o", "fit.nc");
  expect_refused({"plot", at("fit.nc"), "trace"}, "-o", "fit.nc");
}

TEST_F(OwnInputsOfAFit, data_and_programs_stay) {
  const std::vector<std::string> model{at("m.stan"), "-I", at(""), "--data", at("d.json")};
  for (const char* command : {"simulate", "evidence", "sbc", "exact"}) {
    std::vector<std::string> words{command};
    words.insert(words.end(), model.begin(), model.end());
    expect_refused(words, "-o", "d.json");
    expect_refused(words, "-o", "m.stan");
  }
}

// Included files are known when the program is read, which is also before any computation.
TEST_F(OwnInputsOfAFit, an_included_file_stays) {
  std::vector<std::string> words{"sample", at("m.stan"), "-I",       at(""),
                                 "--data", at("d.json"), "--format", "netcdf"};
  expect_refused(words, "-o", "scale.stan");
  expect_refused(
      {"optimize", at("m.stan"), "-I", at(""), "--data", at("d.json"), "--format", "netcdf"}, "-o",
      "scale.stan");
}

TEST_F(OwnInputsOfAFit, csv_files_of_a_prefix_stay) {
  ASSERT_EQ(run({"export", at("fit.nc"), "-o", at("chain")}), 0) << said();
  const std::string before = text_of("chain_2.csv");
  for (const char* command : {"export", "predict"}) {
    std::vector<std::string> words{command, at("chain_1.csv"), at("chain_2.csv"), "-o",
                                   at("chain")};
    if (words[0] == "predict")
      words.insert(words.end(), {"--model", at("m.stan"), "-I", at(""), "--data", at("d.json")});
    EXPECT_EQ(run(words), 2) << said();
  }
  EXPECT_EQ(text_of("chain_2.csv"), before);
}

TEST_F(OwnInputsOfAFit, two_outputs_are_two_files) {
  EXPECT_EQ(run({"simulate", at("m.stan"), "-I", at(""), "--data", at("d.json"), "-o", at("a.json"),
                 "--parameters", at("./a.json")}),
            2);
  EXPECT_NE(on_one_line(said()).find("name the same file"), std::string::npos) << said();
}

TEST_F(OwnInputsOfAFit, a_folder_that_is_not_there_is_told_before_the_work) {
  EXPECT_EQ(run({"report", at("fit.nc"), "-o", at("nowhere/r.html")}), 6);
  EXPECT_NE(on_one_line(said()).find("create it first"), std::string::npos) << said();
  EXPECT_EQ(run({"report", at("fit.nc"), "-o", at("report.json")}), 2);
  EXPECT_NE(on_one_line(said()).find("end the name in .html"), std::string::npos) << said();
}

// A result may still replace an older result.
TEST_F(OwnInputsOfAFit, other_files_are_replaced) {
  ASSERT_EQ(run({"report", at("fit.nc"), "-o", at("r.html")}), 0) << said();
  ASSERT_EQ(run({"report", at("fit.nc"), "-o", at("r.html")}), 0) << said();
  EXPECT_NE(text_of("r.html").find("<html"), std::string::npos);
}

}  // namespace
}  // namespace credo::cli::own_inputs_test
