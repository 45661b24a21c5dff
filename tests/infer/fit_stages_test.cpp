// Fits that are stopped and resumed are the fits without a break, for every method that climbs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/table.hpp"
#include "infer/quick_options.hpp"
#include "infer/tape.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/neutra.hpp"
#include "support/share.hpp"
#include "support/targets.hpp"

namespace credo::infer::fit_stages_test {
namespace {
using namespace credo::testing;

// Keeps the fit after each iteration, and sets the flag of a stop with one of the states.
class EagerKeeper final : public FitKeeper {
 public:
  explicit EagerKeeper(Index last = -1, StopFlag* flag = nullptr, std::string kept = {})
      : last_(last), flag_(flag), kept_(std::move(kept)) {}
  std::string kept_fit() override { return kept_; }
  void begin_fit() override { ++num_begun; }
  bool is_fit_due() override { return num_kept != last_; }
  void keep_fit(const std::string& bytes) override {
    state = bytes;
    if (++num_kept == last_ && flag_ != nullptr) flag_->store(true);
  }
  Index num_kept = 0, num_begun = 0;
  std::string state;

 private:
  Index last_;
  StopFlag* flag_;
  std::string kept_;
};

struct FitCase {
  std::string_view sampler;
  std::vector<std::pair<std::string_view, std::string_view>> settings = {};
};

SampleOptions options_of(const FitCase& fit, std::uint64_t seed) {
  SampleOptions options{
      .num_chains = 1, .num_warmup = 0, .num_draws = 20, .seed = seed, .num_threads = 1};
  options.sampler = fit.sampler;
  const SamplerSpec& row = find_sampler(fit.sampler);
  options.kernel = quick_options(row);
  if (row.has_warmup) options.num_warmup = 20;
  for (const auto& [name, value] : fit.settings)
    set_field(options.kernel, name, value, fit.sampler);
  return options;
}

struct TakenFit {
  std::vector<Tape::Bits> told = {};
  std::string figures = {};  // settings of all chains
};

TakenFit run_kept(const density::LogDensity& density, const SampleOptions& options,
                  FitKeeper* keeper) {
  Tape tape(-1, options.num_chains);
  const FitScope scope(keeper);
  const RunResult result = run_chains(density, options, tape);
  TakenFit taken{.told = tape.told};
  for (const ChainResult& chain : result.chains) taken.figures += archived(chain.tuned);
  return taken;
}

// The state that was kept when the fit was stopped for the n-th time.
std::string state_at(const density::LogDensity& density, SampleOptions options, Index n) {
  StopFlag flag{false};
  const StopScope scope(&flag);
  options.stop = &flag;
  EagerKeeper keeper(n, &flag);
  try {
    run_kept(density, options, &keeper);
  } catch (const Stopped&) {
  }
  EXPECT_EQ(keeper.num_kept, n);
  return keeper.state;
}

void expect_resumable(const density::LogDensity& density, const FitCase& fit) {
  const SampleOptions options = options_of(fit, 7);
  const TakenFit whole = run_kept(density, options, nullptr);
  EagerKeeper watched;
  const TakenFit kept = run_kept(density, options, &watched);
  EXPECT_EQ(kept.told, whole.told);
  EXPECT_EQ(kept.figures, whole.figures);
  EXPECT_EQ(watched.num_begun, 1);
  const Index all = watched.num_kept;
  ASSERT_GT(all, 0);
  for (const Index n : std::set<Index>{1, (all + 1) / 2, all}) {
    SCOPED_TRACE(fmt::format("state {} of {}", n, all));
    EagerKeeper later(-1, nullptr, state_at(density, options, n));
    SampleOptions other = options;
    other.num_threads = 3;
    const TakenFit resumed = run_kept(density, other, &later);
    EXPECT_EQ(resumed.told, whole.told);
    EXPECT_EQ(resumed.figures, whole.figures);
    EXPECT_EQ(later.num_kept, all - n);  // nothing is computed again
  }
}

const FitCase kCases[] = {
    {"flow"},
    {"hamiltonian", {{"max_iterations", "10"}, {"num_fresh", "200"}, {"leapfrog", "2"}}},
    {"implicit", {{"rounds", "4"}, {"hidden", "4"}}},
    {"laplace"},
    {"moments"},
    {"moments", {{"layers", "maf:1"}, {"hidden", "4"}, {"covariance", "full"}}},
    {kNeutraName},
    {"normal", {{"num_fresh", "500"}}},
    {"normal", {{"optimizer", "adam"}, {"max_steps", "300"}, {"num_fresh", "500"}}},
    {"normal", {{"optimizer", "natural"}, {"step", "0.3"}, {"num_fresh", "500"}}},
    {"normal", {{"stop", "patience"}, {"optimizer", "adam"}, {"window", "10"}, {"patience", "3"}}},
    {"normal", {{"gradient", "score_cv"}, {"max_steps", "300"}, {"step_draws", "20"}}},
    {"normal", {{"objective", "eubo"}, {"max_steps", "300"}}},
    {"normal", {{"objective", "chi2"}, {"max_steps", "300"}}},
    {"normal", {{"objective", "iwae:5"}, {"max_steps", "300"}}},
    {"pathfinder"},
};

TEST(fit_stages, resume_a_fit_to_the_same_bits) {
  const auto target = eight_schools();
  for (const FitCase& fit : kCases) {
    std::string text(fit.sampler);
    for (const auto& [name, value] : fit.settings) text += fmt::format(" {}={}", name, value);
    if (!this_share().has(text)) continue;
    SCOPED_TRACE(text);
    expect_resumable(*target, fit);
  }
}

// A state of another fit leads to another end, so that the comparison can fail.
TEST(fit_stages, take_the_state_that_is_given) {
  const auto target = eight_schools();
  const FitCase fit{"normal", {{"optimizer", "adam"}, {"max_steps", "300"}, {"num_fresh", "500"}}};
  const TakenFit whole = run_kept(*target, options_of(fit, 7), nullptr);
  EagerKeeper counting;
  run_kept(*target, options_of(fit, 8), &counting);
  EagerKeeper other(-1, nullptr, state_at(*target, options_of(fit, 8), counting.num_kept / 2));
  EXPECT_NE(run_kept(*target, options_of(fit, 7), &other).figures, whole.figures);
}

struct CountedState {
  Index count = 0;
  static void saved(auto& self, auto&& field) { field(self.count); }
};

TEST(fit_stages, keep_nothing_without_a_fit_or_a_keeper_and_within_each_other) {
  CountedState state{3};
  {
    FitStage stage;  // no scope
    stage.look(state), stage.end(state);
    EXPECT_FALSE(stage.resume(state));
  }
  EagerKeeper keeper;
  const FitScope scope(&keeper);
  {
    FitStage stage;
    stage.look(state);
    EXPECT_EQ(keeper.num_kept, 1);
    FitStage inner;
    inner.look(state), inner.end(state);
    EXPECT_EQ(keeper.num_kept, 1);
    stage.end(state);
    EXPECT_EQ(keeper.num_kept, 2);
  }
  end_fit();
  FitStage after;
  after.look(state);
  EXPECT_EQ(keeper.num_kept, 2);
}

// A stage that failed isn't kept as if it had ended: it fails again, and the next ones have their own numbers.
TEST(fit_stages, count_stages_that_failed) {
  EagerKeeper keeper;
  {
    const FitScope scope(&keeper);
    { FitStage failed; }
    FitStage second;
    second.end(CountedState{5});
  }
  EagerKeeper again(-1, nullptr, keeper.state);
  const FitScope scope(&again);
  CountedState state;
  {
    FitStage failed;
    EXPECT_FALSE(failed.has_ended());
    EXPECT_FALSE(failed.resume(state));
  }
  FitStage second;
  EXPECT_TRUE(second.has_ended());
  EXPECT_TRUE(second.resume(state));
  EXPECT_EQ(state.count, 5);
}

TEST(fit_stages, refuse_a_damaged_state) {
  EagerKeeper keeper(-1, nullptr, "no state");
  const FitScope scope(&keeper);
  EXPECT_THROW(FitStage(), Error);
}

}  // namespace
}  // namespace credo::infer::fit_stages_test
