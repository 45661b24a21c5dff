// Commands whose work is numbered pieces: their work is killed, refused for any option that may change a result, and resumed
// to the same bits; --like takes the options of their files. All of it follows from the described options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "cli/killed_run.hpp"
#include "cli/run/answer_file.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/recorder.hpp"
#include "io/file.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::kept_work_test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kMean = R"(data { int N; vector[N] y; }
parameters { real mu; real<lower=0> s; }
model { mu ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(mu, s); }
)";
constexpr const char* kStates = R"(functions {
  real initial_rng() { return normal_rng(0, 1); }
  real initial_lpdf(real h) { return normal_lpdf(h | 0, 1); }
  real transition_rng(real before, real s) { return normal_rng(before, s); }
  real transition_lpdf(real h, real before, real s) { return normal_lpdf(h | before, s); }
  real observation_lpdf(real y, real h) { return normal_lpdf(y | h, 1); }
}
data { int N; vector[N] y; }
parameters { real<lower=0> s; }
model { s ~ normal(0, 1); }
)";

// ---- values of options

// Another value than the present one. Files aren't there.
std::string other_value(const Argument& argument) {
  for (const std::string& choice : argument.values.choices)
    if (choice != argument.default_text) return choice;
  if (argument.is_flag()) return "true";
  const infer::Range& range = argument.values.range;
  const bool is_real = std::holds_alternative<double*>(argument.target);
  const bool is_text = std::holds_alternative<std::string*>(argument.target);
  if (is_text || argument.is_list()) return argument.values.word == "N" ? "3" : "other";
  const double now = std::strtod(argument.default_text.c_str(), nullptr), step = is_real ? 0.25 : 1;
  const double other = range.contains(now + step) ? now + step : now - step;
  return is_real ? fmt::format("{}", other) : fmt::format("{:.0f}", other);
}

// Gives what the argument needs; options of rows say themselves whose they are.
void meet_needs(const Arguments& arguments, const Argument& argument, Given& given) {
  for (const infer::Need& need : infer::parse_needs(argument.values.needs)) {
    const Argument& other = *arguments.find(need.name);
    if (need.is_default) continue;
    meet_needs(arguments, other, given);
    given[other.name()] = {need.values.empty() ? other_value(other)
                                               : std::string(need.values.front())};
  }
}

class Asked {
 public:
  explicit Asked(const char* name)
      : row_(find_command(name)),
        command_(row_.make()),
        arguments_(arguments_of(row_, *command_)) {}
  const Arguments& arguments() const { return arguments_; }
  // By the words that give these.
  Specification of(Given given) const {
    const Asked anew(row_.name.data());
    for (const Argument& argument : anew.arguments_.all())
      if (argument.required) given.try_emplace(argument.name(), std::vector<std::string>{"first"});
    assign(anew.arguments_, given);
    return command_spec(row_.name, anew.arguments_, given);
  }

 private:
  const CommandRow& row_;
  std::unique_ptr<Command> command_;
  Arguments arguments_;
};

constexpr std::array kCommands = {"evidence", "expect", "filter", "loo", "sbc", "smooth"};

bool is_output(const Argument& argument) { return argument.values.writes != Writes::nothing; }

TEST(identity_of_work, differs_for_another_value_of_any_option_that_may_change_a_result) {
  for (const char* name : kCommands) {
    const Asked asked(name);
    for (const Argument& argument : asked.arguments().all()) {
      if (argument.values.changes != Changes::results || is_output(argument)) continue;
      Given given, other;
      meet_needs(asked.arguments(), argument, given);
      other = given;
      other[argument.name()] = {other_value(argument)};
      EXPECT_NE(with_inputs(asked.of(given), {}).identity(),
                with_inputs(asked.of(other), {}).identity())
          << name << " " << argument.name() << " " << other_value(argument);
    }
  }
}

// The options that the identity leaves out. Each of them must be unable to change a piece.
TEST(identity_of_work, leaves_out_these_options_alone) {
  const std::map<std::string, std::string> amounts = {
      {"evidence", ""}, {"expect", "--replicates"}, {"filter", "--repeats"},
      {"loo", ""},      {"sbc", "--replicates"},    {"smooth", "--repeats"}};
  const std::set<std::string> nothing = {"--config", "--dump",      "--help",     "--json",
                                         "--like",   "--max-lanes", "--max-time", "--quiet",
                                         "--strict", "--threads"};
  for (const char* name : kCommands) {
    const Asked asked(name);
    for (const Argument& argument : asked.arguments().all()) {
      const std::string what = name + (" " + argument.name());
      const Changes changes = argument.values.changes;
      EXPECT_EQ(changes == Changes::amount, amounts.at(name) == argument.name()) << what;
      EXPECT_EQ(changes == Changes::nothing, nothing.contains(argument.name())) << what;
    }
  }
}

// ---- whole commands

class KeptWork : public testing::KilledRun {
 protected:
  KeptWork() : KilledRun("kept_work") {
    write("mean.stan", kMean);
    write("states.stan", kStates);
    write("at.json", R"({"s": 0.7})");
    std::string y;
    for (int n = 0; n < 40; ++n) y += fmt::format("{}{}", n == 0 ? "" : ", ", std::sin(n * n));
    write("d.json", fmt::format(R"({{"N": 40, "y": [{}]}})", y));
    for (const char* file : {"fit.nc", "other.nc"})
      EXPECT_EQ(run({"sample", at("mean.stan"), "--data", at("d.json"), "--chains", "2", "--warmup",
                     "200", "--draws", "200", "--seed", file[0] == 'f' ? "1" : "2", "--output",
                     at(file)}),
                0);
  }

  std::map<std::string, std::vector<std::string>> all() const {
    const std::string mean = at("mean.stan"), states = at("states.stan"), data = at("d.json");
    const std::vector<std::string> filtered = {states, "--data", data, "--parameters",
                                               at("at.json")};
    const auto joined = [&](std::vector<std::string> words, std::vector<std::string> more) {
      words.insert(words.end(), filtered.begin(), filtered.end());
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    return {
        {"evidence",
         {"evidence", mean, "--data", data, "--method", "all", "--draws", "100", "--warmup", "100",
          "--chains", "2", "--live-points", "40"}},
        {"expect",
         {"expect", mean, "--data", data, "--of", "mu", "--of", "mu > s", "--posterior", "--number",
          "8192", "--replicates", "24"}},
        {"filter", joined({"filter"}, {"--particles", "4000", "--repeats", "12"})},
        {"loo", {"loo", at("fit.nc"), "--folds", "8", "--draws", "1000", "--warmup", "500"}},
        {"sbc",
         {"sbc", mean, "--data", data, "--replicates", "30", "--draws", "500", "--warmup", "300"}},
        {"smooth", joined({"smooth"}, {"--particles", "400", "--repeats", "12", "--paths", "50"})},
    };
  }

  // Exit status of a process that runs the words; 77 if they are refused since the kept results are those of other work.
  int status_of(const std::vector<std::string>& words) {
    const pid_t child = fork();
    if (child == 0) {
      const int status = run(words);
      const bool is_other =
          on_one_line(said()).find("results of another program") != std::string::npos;
      _exit(status == 2 && is_other ? 77 : status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // Leaves OUTPUT.run with at least one piece, of a process that was killed.
  void kill_in_the_middle(const std::vector<std::string>& words, const std::string& output) {
    for (int attempt = 0; attempt < 10; ++attempt) {
      fs::remove(output);
      kill_when(start(with(words, {"-o", output})),
                [&] { return testing::num_pieces(output + ".run") >= 1; });
      if (!fs::exists(output) && testing::num_pieces(output + ".run") >= 1) return;
    }
    FAIL() << words[0] << " wasn't killed soon enough";
  }
};

LONG_TEST_F(KeptWork, is_resumed_to_the_same_answer_on_any_number_of_threads) {
  for (const auto& [name, words] : all()) {
    ASSERT_EQ(run(with(words, {"--threads", "2", "-o", at("whole.nc")})), 0) << name << said();
    const std::string whole = content(at("whole.nc"));
    for (const char* threads : {"1", "2", "4"}) {
      kill_in_the_middle(with(words, {"--threads", threads}), at("part.nc"));
      const char* other = std::string_view(threads) == "1" ? "4" : "1";
      ASSERT_EQ(run({"resume", at("part.nc.run"), "--threads", other}), 0) << name << said();
      EXPECT_NE(said().find("resumes with "), std::string::npos) << name << said();
      EXPECT_EQ(content(at("part.nc")), whole) << name << " " << threads;
      EXPECT_FALSE(fs::exists(at("part.nc.run"))) << name;
    }
  }
}

LONG_TEST_F(KeptWork, is_not_taken_for_another_value_of_any_option_that_may_change_a_result) {
  for (const auto& [name, words] : all()) {
    kill_in_the_middle(words, at("part.nc"));
    const std::string kept = io::read_file(at("part.nc.run"));
    const Asked asked(name.c_str());
    Index num_refused = 0;
    for (const Argument& argument : asked.arguments().all()) {
      const bool is_given = std::ranges::find(words, argument.name()) != words.end();
      if (argument.values.changes != Changes::results || is_output(argument) || is_given ||
          argument.positional)
        continue;
      const bool is_smoother =
          name == "smooth" && argument.name() == "--method";  // exact ones keep no work
      const std::string option =
          argument.name() + "=" + (is_smoother ? "genealogy" : other_value(argument));
      const int status = status_of(with(words, {option, "-o", at("part.nc")}));
      EXPECT_GT(status, 1) << name << " " << option << " " << status;
      num_refused += status == 77 ? 1 : 0;
      EXPECT_EQ(io::read_file(at("part.nc.run")), kept) << name << " " << option;
    }
    EXPECT_GE(num_refused, 3) << name;
    for (const char* file : {"mean.stan", "states.stan", "d.json", "at.json", "fit.nc"}) {
      if (std::ranges::find(words, at(file)) == words.end()) continue;
      const std::string text = io::read_file(at(file));
      fs::copy_file(at(file), at("saved"), fs::copy_options::overwrite_existing);
      if (std::string_view(file).ends_with(".nc"))
        fs::copy_file(at("other.nc"), at(file), fs::copy_options::overwrite_existing);
      else
        write(file, std::string_view(file).ends_with(".stan")
                        ? text + "// another program\n"
                        : std::regex_replace(text, std::regex("0\\.7|0\\.8414"), "0.75"));
      if (io::read_file(at(file)) != text) {
        EXPECT_EQ(status_of(with(words, {"-o", at("part.nc")})), 77) << name << " " << file;
      }
      fs::copy_file(at("saved"), at(file), fs::copy_options::overwrite_existing);
    }
    ASSERT_EQ(run(with(words, {"-o", at("part.nc")})), 0) << name << said();
  }
}

LONG_TEST_F(KeptWork, and_its_answer_give_their_options_to_the_same_command) {
  for (const auto& [name, words] : all()) {
    ASSERT_EQ(run(with(words, {"--threads", "2", "-o", at("whole.nc")})), 0) << name << said();
    ASSERT_EQ(run({name, "--like", at("whole.nc"), "-o", at("again.nc")}), 0) << name << said();
    EXPECT_EQ(content(at("again.nc")), content(at("whole.nc"))) << name;
    kill_in_the_middle(words, at("part.nc"));
    ASSERT_EQ(run({name, "--like", at("part.nc.run"), "-o", at("again.nc")}), 0) << name << said();
    EXPECT_EQ(content(at("again.nc")), content(at("whole.nc"))) << name;
    testing::remove_run_file(at("part.nc.run"));
    ASSERT_EQ(run({name, "--like", at("whole.nc"), "--seed", "7", "-o", at("again.nc")}), 0)
        << name << said();
    EXPECT_NE(content(at("again.nc")), content(at("whole.nc"))) << name;
    EXPECT_EQ(run({name, "--like", at("fit.nc")}), 2);
    EXPECT_NE(on_one_line(said()).find("takes the options of its own files"), std::string::npos)
        << said();
  }
}

// A process of its own is stopped: its clock would stop this one, too. 77: its message doesn't name the command to resume with.
int status_at_limit(const std::function<int()>& run, const std::function<std::string()>& said) {
  const pid_t child = fork();
  if (child == 0) {
    const int status = run();
    const std::string text = on_one_line(said());
    const bool is_named = text.find("the time is over (--max-time)") != std::string::npos &&
                          text.find("credo resume ") != std::string::npos;
    _exit(status == 7 && !is_named ? 77 : status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

LONG_TEST_F(KeptWork, ends_at_a_limit_of_time_and_is_resumed_to_the_same_answer) {
  for (const auto& [name, words] : all()) {
    const double begin = infer::clock_seconds();
    ASSERT_EQ(run(with(words, {"--threads", "1", "-o", at("whole.nc")})), 0) << name << said();
    const double seconds = infer::clock_seconds() - begin;
    const auto limited = [&](std::vector<std::string> to_run, double limit) {
      to_run = with(to_run, {"--threads", "1", "--max-time", fmt::format("{:.4f}", limit)});
      return status_at_limit([&] { return run(to_run); }, [&] { return said(); });
    };
    EXPECT_EQ(limited(with(words, {"-o", at("part.nc")}), seconds / 2), 7) << name;
    ASSERT_TRUE(fs::exists(at("part.nc.run"))) << name;
    EXPECT_FALSE(fs::exists(at("part.nc"))) << name;
    EXPECT_EQ(limited({"resume", at("part.nc.run")}, 0.001), 7) << name;
    ASSERT_EQ(run({"resume", at("part.nc.run")}), 0) << name << said();
    EXPECT_EQ(content(at("part.nc")), content(at("whole.nc"))) << name;
    EXPECT_EQ(run(with(words, {"--max-time", "0"})), 2) << name;
    fs::remove(at("part.nc"));
  }
}

// Killed before the first piece is whole, as soon as states are kept: after a second, so that each of the two fits must take longer.
LONG_TEST_F(KeptWork, is_resumed_in_the_middle_of_a_fit) {
  using testing::Words;
  const auto whole_run = [&](const Words& words) {
    for (Index draws = 60000;; draws *= 3) {
      const Words longer =
          with(words, {"--draws", fmt::to_string(draws), "--warmup", "1000", "--threads", "1"});
      const double begin = infer::clock_seconds();
      EXPECT_EQ(run(with(longer, {"-o", at("whole.nc")})), 0) << said();
      if (HasFailure() || infer::clock_seconds() - begin > 5.0) return longer;
    }
  };
  for (const Words& asked :
       {Words{"loo", at("fit.nc"), "--folds", "2"},
        Words{"loo", at("fit.nc"), "--future", "1", "--from", "39"},
        Words{"sbc", at("mean.stan"), "--data", at("d.json"), "--replicates", "2"}}) {
    const Words words = whole_run(asked);
    const std::string file = at("part.nc.run");
    kill_when(start(with(words, {"-o", at("part.nc")})),
              [&] { return results::is_run_file(file); });
    ASSERT_FALSE(io::RunFile::open(file).chains().empty()) << words[0];
    EXPECT_EQ(testing::num_pieces(file), 0) << words[0] << ": a fit takes less than a second";
    ASSERT_EQ(run({"resume", file}), 0) << said();
    EXPECT_EQ(content(at("part.nc")), content(at("whole.nc"))) << words[0];
    fs::remove(at("part.nc"));
  }
}

TEST_F(KeptWork, is_resumed_with_options_of_its_command_alone) {
  kill_in_the_middle(all().at("filter"), at("part.nc"));
  ASSERT_EQ(run({"info", at("part.nc.run")}), 0) << said();
  EXPECT_NE(printed().find(" of 12 pieces are done"), std::string::npos) << printed();
  ASSERT_EQ(run({"info", at("part.nc.run"), "--json"}), 0) << said();
  EXPECT_EQ(testing::parse_json(printed()).at("question").text, "filter");
  for (const char* reader : {"summary", "diagnose"}) {
    EXPECT_EQ(run({reader, at("part.nc.run")}), 2);
    EXPECT_NE(on_one_line(said()).find("this is unfinished work of credo filter"),
              std::string::npos)
        << said();
  }
  EXPECT_EQ(run({"resume", at("part.nc.run"), "--draws", "10"}), 2);
  EXPECT_NE(on_one_line(said()).find("--draws: error: isn't for the work of credo filter"),
            std::string::npos)
      << said();
  EXPECT_EQ(run({"filter", "--like", at("at.json")}), 2);
  EXPECT_NE(on_one_line(said()).find("an answer in JSON doesn't hold the options"),
            std::string::npos)
      << said();
}

}  // namespace
}  // namespace credo::cli::kept_work_test
