// The command line as its users meet it: words, help, suggestions, options from files, man pages,
// completion. What needs a shell or a terminal is in tools/check_command_line.
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/help/completion.hpp"
#include "cli/help/help.hpp"
#include "cli/help/man_page.hpp"
#include "cli/options/config_file.hpp"
#include "cli/term/terminal.hpp"
#include "support/json_tree.hpp"

namespace credo::cli::command_line_test {
namespace {

struct Options {
  std::string model, data, metric = "diag_e";
  std::vector<std::string> include;
  Index draws = 1000;
  std::uint64_t seed = 1;
  double delta = 0.8;
  bool quiet = false;

  Arguments arguments() {
    Arguments all("credo test");
    all.positional("model", model, "program");
    all.option("-d,--data", data, "data", file_ending(".json"));
    all.option("--metric", metric, "metric", one_of({"diag_e", "dense_e"}));
    all.option("-I,--include", include, "directories");
    all.option("--draws", draws, "draws");
    all.option("--seed", seed, "seed");
    all.option("--adapt-delta", delta, "acceptance");
    all.flag("--quiet", quiet, "silence");
    return all;
  }
  void read(const std::vector<std::string>& words) {
    const Arguments all = arguments();
    assign(all, read_words(all, words));
  }
};

Error error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::internal, "");
}
Error error_of(const std::vector<std::string>& words) {
  return error_of([&] { Options().read(words); });
}

// ---- words ----

TEST(arguments, take_values_in_every_form) {
  Options o;
  o.read({"m.stan", "--draws=7", "-dd.json", "--seed", "18446744073709551615", "-I", "a",
          "--include=b", "--adapt-delta", "0.9", "--quiet"});
  EXPECT_EQ(o.model, "m.stan");
  EXPECT_EQ(o.data, "d.json");
  EXPECT_EQ(o.draws, 7);
  EXPECT_EQ(o.seed, 18446744073709551615u);
  EXPECT_EQ(o.include, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.delta, 0.9);
  EXPECT_TRUE(o.quiet);
}

TEST(arguments, of_a_list_take_one_word_each_so_that_a_positional_may_follow) {
  Options o;
  o.read({"--include", "lib", "m.stan", "--quiet=false"});
  EXPECT_EQ(o.model, "m.stan");
  EXPECT_FALSE(o.quiet);
}

TEST(arguments, behind_two_dashes_are_positional) {
  Options o;
  o.read({"--", "--odd.stan"});
  EXPECT_EQ(o.model, "--odd.stan");
}

TEST(arguments, that_are_wrong_are_named_with_the_rule) {
  EXPECT_STREQ(error_of({"m", "--adapt-dleta", "1"}).hint().c_str(), "did you mean --adapt-delta?");
  EXPECT_EQ(error_of({"m", "--zzzzzzzz"}).hint(), "credo test --help lists the options");
  EXPECT_STREQ(error_of({"m", "--draws", "1e3"}).what(),
               "--draws: must be a whole number, is '1e3' (write it as --draws 1000)");
  EXPECT_STREQ(error_of({"m", "--seed", "-1"}).what(),
               "--seed: must be a whole number of at least 0, is '-1' (write it as --seed 1)");
  EXPECT_STREQ(error_of({"m", "--adapt-delta", "x"}).what(),
               "--adapt-delta: must be a number, is 'x' (write it as --adapt-delta 0.5)");
  EXPECT_EQ(error_of({"m", "--draws"}).message(), "the value is missing");
  EXPECT_EQ(error_of({"m", "--draws", "1", "--draws", "2"}).message(), "is given twice");
  EXPECT_EQ(error_of({"a", "b"}).message(), "'b' is one word too many");
  EXPECT_EQ(error_of(std::vector<std::string>{}).message(), "MODEL is missing: program");
  EXPECT_EQ(error_of({"m", "--quiet=maybe"}).message(), "must be true or false, is 'maybe'");
}

TEST(arguments, as_words_again_give_the_same) {
  Options o;
  const Arguments all = o.arguments();
  const Given given = read_words(
      all, std::vector<std::string>{"--data=", "--quiet", "-I", "a b", "-I", "c", "--", "-x.stan"});
  EXPECT_EQ(read_words(all, words_of(all, given)), given);
}

TEST(commands, that_are_misspelt_are_suggested) {
  EXPECT_EQ(error_of([] { find_command("smaple"); }).hint(), "did you mean credo sample?");
  EXPECT_EQ(error_of([] { find_command("xyzzy"); }).hint(), "credo --help lists the commands");
}

// ---- options from a file ----

Given config(const char* text) {
  Options o;
  return parse_config(text, "c.json", o.arguments());
}

TEST(config, sets_what_the_command_line_does_not) {
  Options o;
  const Arguments all = o.arguments();
  Given given = read_words(all, std::vector<std::string>{"--draws", "5"});
  add_lower(given, config(R"({"model": "m.stan", "draws": 9, "adapt-delta": 0.95, "quiet": true,
                              "seed": "18446744073709551615", "include": ["a", "b"]})"));
  assign(all, given);
  EXPECT_EQ(o.model, "m.stan");
  EXPECT_EQ(o.draws, 5);
  EXPECT_EQ(o.delta, 0.95);
  EXPECT_EQ(o.seed, 18446744073709551615u);
  EXPECT_EQ(o.include, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(o.quiet);
}

TEST(config, errors_have_line_column_rule_and_nearest_name) {
  const auto wrong = [](const char* text) { return error_of([&] { config(text); }); };
  const Error unknown = wrong("{\n  \"drasw\": 5}");
  EXPECT_EQ(unknown.where(), "c.json:2:12");
  EXPECT_EQ(unknown.hint(), "did you mean --draws?");
  EXPECT_EQ(unknown.code(), ErrorCode::usage);
  EXPECT_STREQ(wrong(R"({"draws": "x"})").what(),
               "c.json:1:11: draws must be a whole number, found the string \"x\"");
  EXPECT_EQ(wrong(R"({"draws": 2.5})").message(),
            "draws must be a whole number, found the number 2.5");
  EXPECT_EQ(wrong(R"({"quiet": 1})").message(), "quiet must be true or false, found the number 1");
  EXPECT_EQ(wrong(R"({"data": 1})").message(), "data must be a string, found the number 1");
  EXPECT_EQ(wrong(R"({"metric": 1})").message(), "metric must be a string, found the number 1");
  EXPECT_EQ(wrong(R"({"include": [1]})").message(), "include must be a string, found the number 1");
  EXPECT_EQ(wrong(R"({"seed": 1e300})").message(),
            "seed must be below 2^53, or a string, found the number 1e+300");
  EXPECT_EQ(wrong(R"(["draws"])").message(),
            "options must be the members of an object, found an array of 1");
  EXPECT_EQ(wrong(R"({"d": "a", "data": "b"})").code(), ErrorCode::usage);
  EXPECT_EQ(wrong(R"({"draws": 1,})").code(), ErrorCode::data);
}

// ---- pages ----

// The longest line of each page that can be broken: one without blanks behind its indentation
// can't.
std::vector<std::string> too_long_lines(const std::string& page, Index width) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < page.size();) {
    const std::size_t end = std::min(page.find('\n', begin), page.size());
    const std::string line = page.substr(begin, end - begin);
    const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
    const bool is_name = line.substr(text).starts_with("-");
    if (columns_of_text(line) > width && line.find(' ', text) != std::string::npos && !is_name)
      found.push_back(line);
    begin = end + 1;
  }
  return found;
}

TEST(help, of_every_command_fits_the_width) {
  for (const int width : {40, 60, 80, 100}) {
    EXPECT_EQ(too_long_lines(program_help(width), width), std::vector<std::string>{});
    for (const CommandRow* row : commands())
      EXPECT_EQ(too_long_lines(command_help(*row, width), width), std::vector<std::string>{})
          << row->name;
  }
}

// Power: a page that isn't broken is noticed.
TEST(help, of_which_a_line_is_too_long_is_noticed) {
  const std::string page = command_help(find_command("sample"), 100);
  EXPECT_FALSE(too_long_lines(page, 80).empty());
  EXPECT_FALSE(too_long_lines("  " + std::string(find_command("sample").writes), 100).empty());
}

TEST(help, of_every_command_has_examples_statuses_and_what_it_writes) {
  for (const CommandRow* row : commands()) {
    const std::string page = command_help(*row, 80);
    for (const char* part : {"usage: credo ", "\nWrites\n", "\nExamples\n", "\nExit status\n",
                             "--json", "--config FILE", "-h, --help"})
      EXPECT_NE(page.find(part), std::string::npos) << row->name << " lacks " << part;
    EXPECT_NE(page.find("\n  credo " + std::string(row->name)), std::string::npos) << row->name;
    EXPECT_EQ(page.find('\033'), std::string::npos);
  }
}

TEST(help, names_every_argument_of_every_command) {
  for (const CommandRow* row : commands()) {
    const auto made = row->make();
    const Arguments all = arguments_of(*row, *made);
    const std::string help = command_help(*row, 100), bash = bash_completion(),
                      zsh = zsh_completion(), fish = fish_completion();
    for (const Argument& argument : all.all()) {
      if (!argument.values.of_row) {  // the others have pages of rows: row_options_test.cpp
        EXPECT_NE(help.find(shown_names(argument)), std::string::npos) << shown_names(argument);
      }
      EXPECT_FALSE(argument.help.empty());
      if (argument.positional) continue;
      for (const std::string* script : {&bash, &zsh})
        EXPECT_NE(script->find(argument.name()), std::string::npos) << argument.name();
      EXPECT_NE(fish.find("-l " + argument.name().substr(2)), std::string::npos);
    }
  }
}

TEST(help, of_sampling_is_in_groups) {
  const std::string page = command_help(find_command("sample"), 80);
  std::size_t at = 0;
  for (const char* title : {"\nModel\n", "\nRun\n", "\nOutput\n", "\nSampler\n"}) {
    const std::size_t next = page.find(title);
    ASSERT_NE(next, std::string::npos) << title;
    EXPECT_GT(next, at);
    at = next;
  }
}

TEST(wrapped, breaks_at_blanks_and_counts_characters) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("µµµ ±±± xxx", 7), "µµµ ±±±\nxxx");
  EXPECT_EQ(wrapped("a muchtoolongword b", 5, {1, 2}), " a\n  muchtoolongword\n  b");
  EXPECT_EQ(wrapped("one\ntwo", 80), "one\ntwo");
  EXPECT_EQ(wrapped_commands("credo x --draws 100 -o f\n", 18),
            "  credo x \\\n      --draws 100 \\\n      -o f");
}

TEST(man_pages, are_ascii_whatever_the_help_is_written_in) {
  for (const CommandRow* row : commands()) {
    const std::string page = command_man_page(*row);
    EXPECT_NE(page.find(".SH EXAMPLES"), std::string::npos);
    EXPECT_EQ(std::count_if(page.begin(), page.end(),
                            [](char c) { return static_cast<unsigned char>(c) >= 0x80; }),
              0)
        << row->name;
  }
}

// ---- messages ----

std::string printed_by(const std::vector<std::string>& words, int status) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_command_line(words), status);
  return ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
}

TEST(messages, keep_to_the_width_and_have_no_escapes_where_nothing_is_a_terminal) {
  for (const char* columns : {"50", "90"}) {
    setenv("COLUMNS", columns, 1);
    const std::string text = printed_by({"sample", "--help"}, 0) +
                             printed_by({"sample", "a.stan", "--metric", "foo"}, 2) +
                             printed_by({"--help"}, 0) + printed_by({"simple"}, 2);
    unsetenv("COLUMNS");
    EXPECT_EQ(too_long_lines(text, std::atoi(columns)), std::vector<std::string>{});
    EXPECT_EQ(text.find('\033'), std::string::npos);
  }
}

TEST(messages, about_a_program_are_one_json_value_with_all_its_errors) {
  const std::string path = ::testing::TempDir() + "credo_two_errors.stan";
  std::ofstream(path) << "model {\n  target += a;\n  target += b;\n}\n";
  for (const char* command : {"check", "info", "sample"}) {
    const auto json = testing::parse_json(printed_by({command, path, "--json"}, 3));
    EXPECT_EQ(json.at("error").at("status").number, 3.0) << command;
    ASSERT_EQ(json.at("errors").items.size(), 2u) << command;
    EXPECT_EQ(json.at("errors").items[1].at("line").number, 3.0) << command;
  }
  std::ofstream(path) << "parameters { real a; } model { a ~ std_normal(); }\n";
  EXPECT_TRUE(
      testing::parse_json(printed_by({"check", path, "--json"}, 0)).at("errors").is_array());
  std::filesystem::remove(path);
}

TEST(messages, of_options_are_json_where_that_is_asked_for) {
  EXPECT_NE(printed_by({"sample", "--json", "--frob"}, 2).find(R"({"error":{"message":)"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::cli::command_line_test
