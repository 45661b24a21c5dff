// Invalid values of options, for all commands; hints for other programs' syntax; order of help pages.
#include "cli/help/help.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::choices_test {
namespace {

// Words that give `option` this value, with the other arguments that the command needs.
std::vector<std::string> words_for(const Arguments& arguments, const Argument& option,
                                   const std::string& value) {
  std::vector<std::string> words;
  for (const Argument& needed : arguments.all())
    if (needed.required && needed.name() != option.name()) words.emplace_back("anything");
  words.push_back(option.positional ? value : option.name() + "=" + value);
  return words;
}

std::string refusal_of(const Arguments& arguments, const std::vector<std::string>& words) {
  try {
    assign(arguments, read_words(arguments, words));
  } catch (const Error& error) {
    return error.message() + "; " + error.hint();
  }
  return {};
}

using Visit = std::function<void(const CommandRow&, const Arguments&, const Argument&)>;
void for_each_argument(const Visit& visit) {
  for (const CommandRow* row : commands()) {
    const auto command = row->make();
    const Arguments arguments = arguments_of(*row, *command);
    for (const Argument& argument : arguments.all()) visit(*row, arguments, argument);
  }
}

TEST(choices, others_are_refused_by_every_command_with_the_nearest) {
  Index num_options = 0;
  for_each_argument([&](const CommandRow& row, const Arguments& arguments, const Argument& option) {
    const std::vector<std::string>& choices = option.values.choices;
    if (choices.empty() || option.values.may_be_other) return;
    std::string misspelt = choices[0];
    misspelt.insert(misspelt.begin() + 1, misspelt[0]);
    if (choices[0].size() < 3) return;  // none is similar
    const std::string refusal = refusal_of(arguments, words_for(arguments, option, misspelt));
    EXPECT_NE(refusal.find("must be one of"), std::string::npos)
        << row.name << " " << option.name() << " " << misspelt << ": " << refusal;
    EXPECT_NE(refusal.find("did you mean"), std::string::npos)
        << row.name << " " << option.name() << " " << misspelt << ": " << refusal;
    ++num_options;
  });
  EXPECT_GT(num_options, 60);
}

// Infinite defaults mean that there is no limit.
TEST(choices, numbers_are_finite) {
  Index num_options = 0;
  for_each_argument([&](const CommandRow& row, const Arguments& arguments, const Argument& option) {
    if (!std::holds_alternative<double*>(option.target)) return;
    if (option.default_text.find("inf") != std::string::npos) return;
    for (const char* value : {"inf", "nan"})
      EXPECT_NE(refusal_of(arguments, words_for(arguments, option, value)), "")
          << row.name << " " << option.name() << " " << value;
    ++num_options;
  });
  EXPECT_GT(num_options, 10);
}

class Choices : public credo::testing::CommandRun {
 protected:
  Choices() : CommandRun("choices") {
    write("m.stan", "parameters { real mu; }\nmodel { mu ~ std_normal(); }\n");
  }
  void expect_hint(const std::vector<std::string>& words, const std::string& hint, int status = 2) {
    EXPECT_EQ(run(words), status) << said();
    const std::string line = on_one_line(said());
    EXPECT_NE(line.find(hint), std::string::npos) << said();
  }
};

TEST_F(Choices, that_were_taken_without_a_word) {
  const std::string m = at("m.stan");
  expect_hint({"filter", m, "--order", "hilbrt"}, "did you mean hilbert?");
  for (const char* command : {"exact", "filter", "smooth", "sample"}) {
    expect_hint({command, m, "--discrete", "gibs"}, "did you mean gibbs?");
  }
  for (const char* command : {"exact", "filter", "smooth"})
    expect_hint({command, m, "--discrete", "sum"}, "leave it out");
  expect_hint({"filter", m, "--method", "ukf", "--kappa", "inf"},
              "--kappa: error: kappa must be in [0, 1000000], is inf");
  expect_hint({"sample", m, "--include", at("nowhere")}, "there is no directory", 6);
  expect_hint({"check", m, "-I", m}, "that is a file", 6);
}

TEST_F(Choices, words_of_other_programs_have_a_hint) {
  const std::string m = at("m.stan");
  expect_hint({"sample", m, "--draws", "1e3"}, "write it as --draws 1000");
  expect_hint({"sample", m, "--draws", "1,000"}, "write it as --draws 1000");
  expect_hint({"sample", m, "--sampler", "hmc"}, "write nuts, or hmc_static");
  expect_hint({"sample", "data.csv", m}, "the program comes first: credo sample " + m);
  expect_hint({"run", m}, "a program is run by credo sample " + m);
  expect_hint({"sample", m, "--iter_sampling", "100"}, "that is --draws here");
  expect_hint({"sample", m, "--sampler", "NUTS"}, "did you mean nuts?");
  expect_hint({"sample", m, "num_samples=100"}, "write --draws 100");
  expect_hint({"loo", m}, "this is a Stan program, not a result");
  expect_hint({"summary", m}, "credo sample " + m);
  expect_hint({"run", at("nothere.nc")}, "No such file", 6);
}

TEST_F(Choices, help_of_a_command_is_shown_wherever_the_option_stands) {
  ASSERT_EQ(run({"sample", "--help"}), 0);
  const std::string help = printed();
  EXPECT_LT(help.find("\nExample\n  credo sample model.stan"), help.find("\nModel\n"));
  EXPECT_LT(help.find("\nRun\n"), help.find("\nTables\n"));
  EXPECT_LT(help.find("\nTables\n"), help.find("\nSampler\n"));
  ASSERT_EQ(run({"--help", "loo"}), 0);
  const std::string page = printed();
  ASSERT_EQ(run({"loo", "--help"}), 0);
  EXPECT_EQ(page, printed());
}

TEST(program_page, has_each_command_in_one_group) {
  std::vector<std::string> grouped, all = command_names();
  for (const CommandGroup& group : command_groups())
    grouped.insert(grouped.end(), group.names.begin(), group.names.end());
  std::ranges::sort(grouped);
  std::ranges::sort(all);
  EXPECT_EQ(grouped, all);
}

TEST(command_page, of_sample_has_the_run_before_what_is_rarely_asked_for) {
  const std::string page = command_help(find_command("sample"), 100);
  std::size_t before = 0;
  for (const char* title : {"\nModel\n", "\nRun\n", "\nTables\n", "\nOutput\n", "\nSampler\n",
                            "\nEvaluation\n", "\nEvery command\n"}) {
    const std::size_t place = page.find(title);
    EXPECT_NE(place, std::string::npos) << title;
    EXPECT_GT(place, before) << title;
    before = place;
  }
  EXPECT_LT(page.find("--seed"), page.find("\nRun\n"));
}

TEST_F(Choices, quantiles_are_those_that_are_asked_for) {
  const std::string m = at("m.stan"), fit = at("fit.nc");
  ASSERT_EQ(run({"sample", m, "-o", fit, "--draws", "100", "--quiet", "--seed", "1"}), 0);
  ASSERT_EQ(run({"summary", fit, "--probs", "2.5,97.5"}), 0) << said();
  EXPECT_NE(printed().find("2.5%"), std::string::npos) << printed();
  EXPECT_EQ(printed().find(" 5%"), std::string::npos) << printed();
  const auto rows = json({"summary", fit, "--columns", "mu", "--probs", "5,2.5"});
  const auto& row = rows.items.at(0);
  EXPECT_EQ(row.at("quantiles").items.at(0).at("value").value(), row.at("q5").value());
  EXPECT_EQ(row.at("quantiles").items.at(0).at("mcse").value(), row.at("mcse_q5").value());
  EXPECT_LT(row.at("quantiles").items.at(1).at("value").value(), row.at("q5").value());
  expect_hint({"summary", fit, "--probs", "0.025,0.975"}, "write --probs 2.5,97.5");
  expect_hint({"summary", fit, "--probs", "97.5,101"}, "must be above 0 and below 100");
}

// Particles have weights.
TEST_F(Choices, quantiles_of_weighted_draws_are_weighed) {
  const std::string m = at("m.stan"), fit = at("fit.nc");
  ASSERT_EQ(run({"sample", m, "-o", fit, "--sampler", "importance", "--draws", "500", "--quiet"}),
            0)
      << said();
  const auto rows = json({"summary", fit, "--columns", "mu", "--probs", "50"});
  const auto& row = rows.items.at(0);
  EXPECT_EQ(row.at("quantiles").items.at(0).at("value").value(), row.at("q50").value());
}

}  // namespace
}  // namespace credo::cli::choices_test
