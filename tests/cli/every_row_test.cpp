// Every row of every table of algorithms, on a small program that it can treat: stopped, killed at random moments and resumed on
// other numbers of threads, it ends with the bits of a run that nobody disturbed. A new row is in this suite by itself; if no
// program here suits it, the suite fails with its name.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "cli/fit/exact_method.hpp"
#include "cli/fit/loo_scheme.hpp"
#include "cli/fit/sbc_source.hpp"
#include "cli/killed_run.hpp"
#include "cli/ready_data.hpp"
#include "cli/short_fits.hpp"
#include "filters/filter.hpp"
#include "filters/smoother.hpp"
#include "infer/core/recorder.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "models/ready/ready_table.hpp"
#include "numerics/points/point_rule.hpp"
#include "results/estimates/evidence_methods.hpp"
#include "results/estimates/rare_event.hpp"
#include "support/share.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::every_row_test {
namespace {
namespace fs = std::filesystem;
using testing::Words;

const std::string kFollowed = R"(
  real initial_rng() { return normal_rng(0, 1); }
  real initial_lpdf(real h) { return normal_lpdf(h | 0, 1); }
  real transition_rng(real before, real s) { return normal_rng(0.8 * before, s); }
  real transition_lpdf(real h, real before, real s) { return normal_lpdf(h | 0.8 * before, s); }
  real observation_lpdf(real y, real h) { return normal_lpdf(y | h, 0.7); }
)";
const std::string kGuides = R"(
  real proposal_rng(real before, real y) { return normal_rng(0.5 * (before + y), 0.6); }
  real proposal_lpdf(real h, real before, real y) { return normal_lpdf(h | 0.5 * (before + y), 0.6); }
  real lookahead_lpdf(real y, real before) { return normal_lpdf(y | 0.8 * before, 1); }
)";
const std::string kRegimes = R"(
  vector initial_regimes() { return [0.3, 0.7]'; }
  vector next_regimes(int regime) { return [0.5, 0.5]'; }
)";
const std::string kOutcomes = "data { int N; vector[N] y; }\n";

std::map<std::string, std::string> programs() {
  const auto followed = [](const std::string& more, const std::string& rest) {
    return "functions {" + kFollowed + more + "}\n" + kOutcomes + rest;
  };
  return {
      {"mean", kOutcomes + R"(parameters { real mu; real<lower=0> s; }
model { mu ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(mu, s); })"},
      {"sites", kOutcomes + R"(parameters { real a; real b; }
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  for (n in 1:N) (y[n] > 0 ? 1 : 0) ~ bernoulli_logit(a + b * n);
})"},
      {"kink", kOutcomes + R"(parameters { real mu; real b; }
        model { mu ~ normal(0, 1); b ~ double_exponential(0, 0.5); y ~ normal(mu + b, 1); })"},
      {"prior", kOutcomes + "parameters { real mu; } model { mu ~ normal(0, 1); }"},
      {"simulated", kOutcomes + R"(parameters { real mu; }
model { mu ~ normal(0, 2); }
generated quantities { real distance = abs(normal_rng(mu, 1) - y[1]); })"},
      {"discrete", kOutcomes + R"(parameters { array[2] int<lower=1, upper=2> z; }
model { for (k in 1:2) z[k] ~ categorical([0.3, 0.7]'); y[1] ~ normal(z[1] + z[2], 1); })"},
      {"deviation", followed("", "parameters { real<lower=0> s; } model { s ~ normal(0, 1); }")},
      {"states", followed("", R"(parameters { real<lower=0> s; vector[N] h; }
model {
  s ~ normal(0, 1);
  target += initial_lpdf(h[1]);
  for (n in 2:N) target += transition_lpdf(h[n] | h[n - 1], s);
  for (n in 1:N) target += observation_lpdf(y[n] | h[n]);
})")},
      {"guided", followed(kGuides, "transformed data { real s = 0.5; }")},
      {"regimes", followed(kRegimes, "transformed data { real s = 0.5; }")},
  };
}

struct Question {
  std::string table, row;
  std::vector<Words>
      ways;  // to ask the row, each of another program; the first one that is answered is taken
  std::string size = {};  // an option that makes the work longer; empty: none does
  Index least = 0;
  bool has_run_file = false;  // it is a run of a sampler, which is stopped by --max-time, too
};

template <class Rows>
std::vector<std::string> row_names(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>)
      names.emplace_back(row->name);
    else
      names.emplace_back(row.name);
  }
  return names;
}

class EveryRow : public testing::KilledRun {
 protected:
  EveryRow()
      : KilledRun("every_row"), rng_({.seed = testing::test_seed(1), .purpose = purpose::kTest}) {
    for (const auto& [name, text] : programs()) write(name + ".stan", text + "\n");
    std::string y;
    for (int n = 0; n < 12; ++n) y += fmt::format("{}{:.3f}", n == 0 ? "" : ", ", std::sin(n * n));
    write("d.json", fmt::format(R"({{"N": 12, "y": [{}]}})", y));
  }

  Words asked(const std::string& command, const std::string& program, const Words& more) const {
    return with({command, at(program + ".stan"), "--data", at("d.json")}, more);
  }
  std::vector<Words> of_programs(const std::string& command, const Words& names,
                                 const Words& more) const {
    std::vector<Words> ways;
    for (const std::string& name : names) ways.push_back(asked(command, name, more));
    return ways;
  }

  std::vector<Question> of_samplers() const {
    std::vector<Question> all;
    for (const infer::SamplerSpec* row : infer::samplers()) {
      const std::string name(row->name);
      Words more = with({"--sampler", name, "--chains", "2", "--quiet"},
                        testing::words_of_short_fit(row->options()));
      if (row->has_warmup) more = with(more, {"--warmup", "60"});
      if (infer::is_approximation(name)) {
        const Words more_of = with({"--method", name, "--chains", "2", "--quiet"},
                                   testing::words_of_short_fit(row->options()));
        all.push_back({"samplers", name, of_programs("approximate", {"mean", "sites"}, more_of),
                       "--draws", 50, true});
      } else if (infer::is_sampler(*row)) {
        auto ways = of_programs("sample", {"mean", "prior", "deviation", "states", "guided"}, more);
        ways.push_back(asked("sample", "simulated", with(more, {"--distance", "distance"})));
        all.push_back({"samplers", name, ways, "--draws", 50, true});
      } else {
        const Words climb = {"--method", name, "--starts", "3", "--quiet"};
        all.push_back({"optimisers", name,
                       of_programs("optimize", {"mean", "prior", "kink"}, climb), "", 0, true});
      }
    }
    return all;
  }
  std::vector<Question> of_filters() const {
    std::vector<Question> all;
    const Words programs = {"guided", "regimes"};
    for (const std::string& name : row_names(filters::filter_methods()))
      all.push_back({"filters", name,
                     of_programs("filter", programs, {"--method", name, "--particles", "100"}),
                     "--repeats", 8});
    for (const std::string& name : row_names(filters::smoother_methods()))
      all.push_back({"smoothers", name,
                     of_programs("smooth", programs, {"--method", name, "--particles", "50"}),
                     "--repeats", 8});
    return all;
  }
  std::vector<Question> of_estimates() const {
    std::vector<Question> all;
    for (const results::EvidenceMethod& row : results::evidence_methods()) {
      const std::string name(row.name);
      const Words more =
          with({"--method", name, "--chains", "2", "--draws", "60", "--warmup", "60", "--quiet"},
               row.options ? testing::words_of_short_fit(row.options()) : Words());
      all.push_back({"evidence",
                     name,
                     {asked("evidence", "mean", more),
                      asked("evidence", "mean", with(more, {"--at", "mu = 0"}))}});
    }
    for (const std::string& name : row_names(numerics::point_rules()))
      all.push_back({"points",
                     name,
                     {asked("expect", "mean", {"--of", "mu", "--points", name, "--number", "256"})},
                     "--replicates",
                     8});
    for (const std::string& name : row_names(results::rare_event_methods()))
      all.push_back({"rare events",
                     name,
                     {asked("expect", "mean", {"--probability", "mu > 1", "--method", name})},
                     "--particles",
                     40});
    for (const std::string& name : row_names(exact_methods()))
      all.push_back(
          {"exact",
           name,
           {asked("exact", "discrete", {"--pairs", "--method", name, "--number", "20000"}),
            asked("exact", "prior", {"--method", name})}});
    return all;
  }
  std::vector<Question> of_refits() {
    EXPECT_EQ(run(asked("sample", "mean", {"--chains", "2", "--quiet", "-o", at("fit.nc")})), 0);
    const Words runs = {"--warmup", "60", "--draws", "60", "--quiet"};
    std::vector<Question> all;
    for (const LooSchemeRow* row : loo_schemes())
      all.push_back({"refits",
                     std::string(row->name),
                     {with(with({"loo", at("fit.nc")}, example_of(row->example)), runs)}});
    for (const SbcSourceRow* row : sbc_sources())
      all.push_back({"sbc",
                     std::string(row->name),
                     {asked("sbc", "mean", with(example_of(row->example), runs))},
                     "--replicates",
                     8});
    return all;
  }
  // The words of an example, with files that are there.
  Words example_of(std::string_view example) const {
    std::istringstream text{std::string(example)};
    Words words{std::istream_iterator<std::string>(text), {}};
    for (std::string& word : words) {
      if (word == "FILE.stan") word = at("mean.stan");
      if (word == "FILE.nc") word = at("fit.nc");
    }
    return words;
  }

  // Models without data in ready_data.hpp are asked without any, which fails with their names.
  std::vector<Question> of_ready_models() const {
    std::vector<Question> all;
    for (const std::string& name : row_names(models::ready_table())) {
      Words words = {"ready", "--model", name, "--chains", "2", "--warmup", "60", "--quiet"};
      const auto known = testing::ready_data().find(name);
      if (known != testing::ready_data().end()) {
        write(name + ".json", known->second.data);
        words = with(words, {"--data", at(name + ".json")});
      }
      all.push_back({"ready-made models", name, {words}, "--draws", 50, true});
    }
    return all;
  }

  static bool has_threads(const Words& words) {
    const CommandRow& row = find_command(words[0]);
    const auto command = row.make();
    return arguments_of(row, *command).find("--threads") != nullptr;
  }
  static Words on_threads(const Words& words, int threads) {
    return has_threads(words) ? with(words, {"--threads", std::to_string(threads)}) : words;
  }

  // The words of the first way that is answered, undisturbed, in whole.nc; longer until it takes a moment. Empty: none is.
  Words answered(const Question& question) {
    constexpr double kMoment = 0.1;  // seconds
    constexpr Index kMost = 50'000;
    std::string why = "there is no program to ask it of";
    for (const Words& way : question.ways)
      for (Index size = question.least;; size *= 5) {
        Words words = with(way, {"--seed", "3"});
        if (!question.size.empty()) words = with(words, {question.size, std::to_string(size)});
        const double begin = infer::clock_seconds();
        const int status = run(on_threads(with(words, {"-o", at("whole.nc")}), 1));
        seconds_ = infer::clock_seconds() - begin;
        if (status != 0) {
          why = said();
          break;
        }
        if (question.size.empty() || seconds_ > kMoment || 5 * size > kMost) return words;
      }
    ADD_FAILURE() << "no program of this suite suits " << question.row << " of the table "
                  << question.table << ": add one to programs()\n"
                  << why;
    return {};
  }

  // Resumes if there is something to resume, asks again if there is nothing, and compares.
  void expect_end(const Words& words, int threads, const std::string& what) {
    const bool is_resumed = fs::exists(at("part.nc.run"));
    Words command;
    if (is_resumed)
      command = {"resume", at("part.nc.run"), "--threads", std::to_string(threads)};
    else if (!fs::exists(at("part.nc")))
      command = on_threads(with(words, {"-o", at("part.nc")}), threads);
    if (!command.empty()) {
      ASSERT_EQ(run(command), 0) << what << said();
    }
    EXPECT_EQ(content(at("part.nc")), content(at("whole.nc"))) << what;
    EXPECT_FALSE(fs::exists(at("part.nc.run"))) << what;
    num_resumed_ += is_resumed ? 1 : 0;
    fs::remove(at("part.nc"));
  }
  void kill_at_random(const Words& words) {
    const double end = infer::clock_seconds() + rng_.uniform() * seconds_;
    kill_when(start(words), [&] { return infer::clock_seconds() >= end; });
  }

  void is_resumed_to_the_same_bits(const Question& question) {
    SCOPED_TRACE(question.table + " " + question.row);
    const Words words = answered(question);
    if (words.empty()) return;
    const Words part = with(words, {"-o", at("part.nc")});
    kill_at_random(on_threads(part, 2));
    expect_end(words, 4, "killed on 2 threads");
    if (!question.has_run_file) {  // pieces: killed as soon as one of them is kept
      kill_when(start(on_threads(part, 4)),
                [&] { return testing::num_pieces(at("part.nc.run")) >= 1; });
      return expect_end(words, 2, "killed on 4 threads");
    }
    // In another process, which alone is asked to stop.
    kill_when(start(with(on_threads(part, 4), {"--max-time", "0.01"})), [] { return false; });
    if (fs::exists(at("part.nc.run")))
      kill_at_random({"resume", at("part.nc.run"), "--threads", "2"});
    expect_end(words, 4, "stopped on 4 threads, and killed when it went on with 2");
  }

  // The rows whose turn it is.
  void all_are_resumed(const std::vector<Question>& questions) {
    Index num_asked = 0;
    for (const Question& question : questions) {
      if (!testing::this_share().has(question.table + " " + question.row)) continue;
      is_resumed_to_the_same_bits(question);
      for (const char* left : {"part.nc", "whole.nc"}) fs::remove(at(left));
      testing::remove_run_file(at("part.nc.run"));
      ++num_asked;
    }
    // A run that was killed before it kept anything begins again. That mustn't be so for most of them.
    if (num_asked > 5) {
      EXPECT_GT(2 * num_resumed_, num_asked);
    }
  }

  Rng rng_;
  double seconds_ = 0.0;
  Index num_resumed_ = 0;
};

TEST_F(EveryRow, of_samplers_and_optimisers_is_resumed_to_the_same_bits) {
  all_are_resumed(of_samplers());
}
TEST_F(EveryRow, of_ready_models_is_resumed_to_the_same_bits) {
  all_are_resumed(of_ready_models());
}
TEST_F(EveryRow, of_filters_and_smoothers_is_resumed_to_the_same_bits) {
  all_are_resumed(of_filters());
}
TEST_F(EveryRow, of_evidence_and_expectations_is_resumed_to_the_same_bits) {
  all_are_resumed(of_estimates());
}
TEST_F(EveryRow, of_refits_and_replicates_is_resumed_to_the_same_bits) {
  all_are_resumed(of_refits());
}

TEST_F(EveryRow, without_a_program_fails_with_its_name) {
  const Question unknown{"filters", "kalman",
                         of_programs("filter", {"prior"}, {"--method", "kalman"})};
  EXPECT_NONFATAL_FAILURE((void)answered(unknown), "suits kalman of the table filters");
}

}  // namespace
}  // namespace credo::cli::every_row_test
