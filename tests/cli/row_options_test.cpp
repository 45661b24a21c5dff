// Options of rows on a command line: nested ones, through specifications, --like, help and completion; and what options
// need.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/help/completion.hpp"
#include "cli/help/help.hpp"
#include "cli/help/man_page.hpp"
#include "cli/options/config_file.hpp"
#include "cli/results.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "results/estimates/evidence_methods.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::row_options_test {
namespace {

class RowOptionsRun : public testing::CommandRun {
 protected:
  RowOptionsRun() : CommandRun("row_options") {
    write("m.stan", "parameters { real x; } model { x ~ normal(0, 1); 1.5 ~ normal(x, 1); }");
  }
  int sample(std::vector<std::string> more) {
    more.insert(more.begin(),
                {"sample", at("m.stan"), "--draws", "40", "--chains", "1", "--quiet"});
    return run(std::move(more));
  }
  int evidence(std::vector<std::string> more) {
    more.insert(more.begin(), {"evidence", at("m.stan"), "--draws", "60", "--warmup", "100",
                               "--chains", "2", "--quiet"});
    return run(std::move(more));
  }
  std::vector<double> draws(const std::string& name) const {
    const std::string path = at(name);
    const auto fit = open_fit(std::span(&path, 1));
    const density::Draws all = fit->quantities(false, *find_quantity(*fit, "x"), 1);
    const std::vector<double> values(all.quantity(0).begin(), all.quantity(0).end());
    return values;
  }
  std::string spec(std::vector<std::string> more) {
    more.push_back("--print-spec");
    EXPECT_EQ(sample(more), 0) << said();
    return printed();
  }
  // Every one of the words is in the refusal.
  void refused(int status, const std::vector<std::string>& words) {
    EXPECT_EQ(status, 2);
    const std::string refusal = on_one_line(said());
    for (const std::string& word : words)
      EXPECT_NE(refusal.find(word), std::string::npos) << word << " isn't in: " << refusal;
  }
};

TEST_F(RowOptionsRun, nested_options_reach_the_run_and_its_specification) {
  const std::vector<std::string> words = {"--sampler",         "smc", "--mover", "nuts",
                                          "--mover.max-depth", "6"};
  const std::string text = spec(words);
  EXPECT_NE(text.find("\"max_tree_depth\":6"), std::string::npos) << text;
  EXPECT_EQ(spec({"--sampler", "smc", "--mover=nuts", "--mover.max-tree-depth=6"}), text);
  write("o.json", R"({"sampler": "smc", "mover": {"name": "nuts", "options": {"max-depth": 6}}})");
  EXPECT_EQ(spec({"--config", at("o.json")}), text);
  write("flat.json", R"({"sampler": "smc", "mover": "nuts", "mover.max-depth": 6})");
  EXPECT_EQ(spec({"--config", at("flat.json")}), text);
}

TEST_F(RowOptionsRun, run_and_like_have_the_nested_options) {
  const std::vector<std::string> words = {"--sampler",         "smc", "--mover", "hmc_static",
                                          "--mover.num-steps", "3",   "--seed",  "4"};
  std::vector<std::string> begun = words;
  begun.insert(begun.end(), {"-o", at("a.nc")});
  ASSERT_EQ(sample(begun), 0) << said();
  write("spec.json", spec(words));
  ASSERT_EQ(run({"run", at("spec.json"), "-o", at("b.nc"), "--quiet"}), 0) << said();
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "-o", at("c.nc"), "--quiet"}), 0) << said();
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "--mover.num-steps", "5", "--print-spec"}), 0)
      << said();
  EXPECT_NE(printed().find("\"num_steps\":5"), std::string::npos) << printed();
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "--mover", "rwm", "--print-spec"}), 0) << said();
  EXPECT_EQ(printed().find("num_steps"), std::string::npos) << printed();
  std::vector<std::string> other = words;
  other[5] = "1";
  other.insert(other.end(), {"-o", at("d.nc")});
  ASSERT_EQ(sample(other), 0) << said();
  EXPECT_EQ(draws("a.nc"), draws("b.nc"));
  EXPECT_EQ(draws("a.nc"), draws("c.nc"));
  EXPECT_NE(draws("a.nc"), draws("d.nc"));
}

TEST_F(RowOptionsRun, wrong_nested_options_are_refused_with_place_name_and_way_out) {
  const auto smc = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--sampler", "smc"});
    return sample(more);
  };
  refused(smc({"--mover.max-depth", "6"}),
          {"--mover.max-depth", "no mover is chosen", "name a mover that has it: nuts"});
  refused(smc({"--mover", "nuts", "--mover.max-dept", "6"}), {"did you mean --mover.max-depth?"});
  refused(smc({"--mover", "nuts", "--mover.max-depth", "0"}),
          {"--mover.max-depth", "must be in [1, 30], is 0"});
  refused(smc({"--mover", "rwm", "--mover.max-depth", "6"}),
          {"--mover.max-depth", "the mover 'rwm' has no option", "this is an option of: nuts"});
  refused(smc({"--mover", "nutz"}), {"--mover", "did you mean nuts?"});
  refused(smc({"--mover", "tempering"}), {"can't be a mover", "more than one point"});
  refused(smc({"--mover", "exact"}), {"can't be a mover", "don't depend on the point"});
  refused(sample({"--sampler", "slice", "--mover", "nuts"}),
          {"--mover", "slice has no option 'mover'",
           "this is an option of: ais, gibbs, ibis, pgibbs, smc"});
  refused(evidence({"--method", "smc", "--mover.max-depth", "6"}), {"--mover.max-depth"});
}

TEST_F(RowOptionsRun, evidence_methods_take_the_options_of_their_algorithm) {
  ASSERT_EQ(evidence({"--method", "smc"}), 0) << said();
  const std::string plain = printed();
  const auto evaluations = [&] {
    const std::size_t end = printed().find('\n', printed().find('\n') + 1);
    return printed().substr(0, end);
  };
  const std::string before = evaluations();
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--method", "smc", "--conditional-ess", "0.95"},
           {"--method", "smc", "--mover", "hmc_static", "--mover.num-steps", "10"},
           {"--method", "ais", "--num-rungs", "30"},
           {"--method", "sandwich", "--num-rungs", "30"},
           {"--method", "nested", "--move", "walk", "--live-points", "50"},
           {"--method", "elbo", "--num-fresh", "200", "--covariance", "diagonal"},
           {"--method", "laplace", "--num-starts", "2"},
           {"--method", "bridge", "--max-iterations", "50"},
           {"--method", "stepping", "--sampler", "rwm", "--sampler.scale", "1"},
           {"--method", "thermodynamic", "--most-rungs", "50"},
           {"--method", "tempering", "--num-rungs", "5"},
           {"--conditional-ess", "0.95"}}) {
    EXPECT_EQ(evidence(more), 0) << more[1] << said();
    EXPECT_NE(evaluations(), before);
  }
  refused(evidence({"--method", "bridge", "--conditional-ess", "0.9"}),
          {"--conditional-ess", "needs --method smc or stepping or thermodynamic",
           "--method all, or leave --conditional-ess out"});
  refused(evidence({"--covariance", "full"}), {"--covariance", "needs --method elbo"});
  refused(evidence({"--method", "smc", "--at", "x = 0"}),
          {"--at", "needs --method savage-dickey or all"});
}

// ---- pages

Index lines_of(const std::string& page) { return std::count(page.begin(), page.end(), '\n'); }

// True if an entry of the page has this name, alone or among others.
bool names(const std::string& page, const std::string& option) {
  for (const char* before : {"  ", ", "})
    for (const char* behind : {" ", ",", "\n"})
      if (page.find(before + option + behind) != page.npos) return true;
  return false;
}

// Options of all rows at one level of the command, which the page has if the row has them.
void expect_page_of_row(const char* command, const char* chooser, const std::string& row) {
  const CommandRow& found = find_command(command);
  const std::string page = command_help(found, 80, {{chooser, row}});
  // smc and riemann have the most options, neutra those of two methods, and amortized those of normal.
  const Index most_lines = row == "nuts"                                                ? 64
                           : row == "neutra" || row == "proposal" || row == "amortized" ? 97
                                                                                        : 77;
  EXPECT_LE(lines_of(page), most_lines) << command << " " << row << "\n" << page;
  const auto made = found.make();
  const Arguments all = arguments_of(found, *made);
  for (const Argument& argument : all.all())
    if (argument.values.of_row) {
      EXPECT_EQ(names(page, argument.name()), needs_are_met(all, argument, {{chooser, {row}}}))
          << command << " " << row << " " << argument.name();
    }
}

TEST(help_of_a_row, has_the_options_of_the_run_and_of_this_row_only) {
  for (const infer::SamplerSpec* row : infer::samplers())
    if (infer::is_approximation(row->name))
      expect_page_of_row("approximate", "--method", std::string(row->name));
    else if (infer::is_sampler(*row))
      expect_page_of_row("sample", "--sampler", std::string(row->name));
  for (const results::EvidenceMethod& row : results::evidence_methods())
    expect_page_of_row("evidence", "--method", std::string(row.name));
  const std::string page = command_help(find_command("sample"), 80, {{"--sampler", "nuts"}});
  for (const char* option : {"--chains", "--draws", "--max-depth", "--metric"})
    EXPECT_NE(page.find(option), std::string::npos) << option;
  for (const char* option : {"--mover", "--num-rungs", "--passes"})
    EXPECT_EQ(page.find(option), std::string::npos) << option;
  EXPECT_THROW(command_help(find_command("evidence"), 80, {{"--method", "nutz"}}), Error);
}

TEST(help_of_a_row, has_the_options_of_the_row_that_it_names) {
  const CommandRow& sample = find_command("sample");
  const Chosen chosen = {{"--sampler", "smc"}, {"--mover", "nuts"}};
  const std::string page = command_help(sample, 80, chosen);
  EXPECT_NE(page.find("--mover.max-depth"), std::string::npos) << page;
  EXPECT_EQ(page.find("--mover.num-steps"), std::string::npos) << page;
  EXPECT_EQ(command_help(sample, 80).find("--mover"), std::string::npos);
}

TEST(completion_of_rows, offers_nested_options_once_their_row_is_chosen) {
  const std::string bash = bash_completion();
  const std::size_t place = bash.find("*\" --mover nuts \"*");
  ASSERT_NE(place, std::string::npos);
  const std::string line = bash.substr(place, bash.find('\n', place) - place);
  EXPECT_NE(line.find("--mover.max-depth"), std::string::npos) << line;
  EXPECT_EQ(line.find("--mover.num-steps"), std::string::npos) << line;
  for (const std::string& script : {zsh_completion(), fish_completion()})
    EXPECT_NE(script.find("mover.max-depth"), std::string::npos);
  EXPECT_NE(command_man_page(find_command("sample")).find("mover.max\\-depth"), std::string::npos);
}

// ---- needs

TEST_F(RowOptionsRun, what_an_option_needs_is_refused_without_it) {
  const auto said = [&](std::vector<std::string> words, const std::vector<std::string>& parts) {
    refused(run(std::move(words)), parts);
  };
  const std::string m = at("m.stan");
  said({"filter", m, "--regimes", "optimal"},
       {"--regimes", "needs --method rao-blackwellised", "or leave --regimes out"});
  said({"filter", m, "--learn-steps", "5"},
       {"--learn-steps", "needs --method guided --proposal learned"});
  said({"filter", m, "--order", "hilbert", "--method", "kalman"},
       {"--order", "needs --method auxiliary or bootstrap or guided"});
  said({"filter", m, "--inflation", "2"}, {"--inflation", "needs --method ensemble"});
  said({"smooth", m, "--backward-draws", "7"}, {"--backward-draws", "needs --method paris"});
  said({"loo", m, "--stratify", "g"}, {"--stratify", "needs --folds N"});
  said({"loo", m, "--from", "3"}, {"--from", "needs --future N"});
  said({"compare", m, m, "--prior", "1,2"}, {"--prior", "needs --evidence"});
  said({"compare", m, m, "--evidence", "--equivalent-modes", "1,2"},
       {"--equivalent-modes", "needs --from-bounds"});
  said({"check", m, "-o", at("n.stan")}, {"--output", "needs --fix"});
  said({"filter", m, "--fit", m, "--parameters", m}, {"--fit", "isn't used with --parameters"});
}

// What options need is stated of options of the same command.
TEST(needs_of_options, name_options_and_their_values) {
  Index count = 0;
  for (const CommandRow* row : commands()) {
    const auto made = row->make();
    const Arguments arguments = arguments_of(*row, *made);
    for (const Argument& argument : arguments.all()) {
      if (argument.values.needs.empty()) continue;
      ++count;
      (void)needs_are_met(arguments, argument, {});  // asserts that they are there
      if (!argument.values.of_row) {
        // In the words of the help itself, or one by one behind them.
        if (argument.help.find("needs") != std::string::npos) continue;
        const std::string help = full_help(argument);
        for (const infer::Need& need : infer::parse_needs(argument.values.needs))
          EXPECT_TRUE(help.find(need.is_default ? "not with " : "needs ") != std::string::npos ||
                      help.find("not of each ") != std::string::npos)
              << argument.name() << ": " << help;
      }
    }
  }
  EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace credo::cli::row_options_test
