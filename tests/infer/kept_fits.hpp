// Fits whose state is kept after each iteration, stopped there and resumed.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/table.hpp"
#include "infer/quick_options.hpp"
#include "infer/tape.hpp"

namespace credo::testing {

// Keeps the fit after each iteration, and sets the flag of a stop with one of the states.
class EagerKeeper final : public infer::FitKeeper {
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

inline infer::SampleOptions options_of(const FitCase& fit, std::uint64_t seed) {
  infer::SampleOptions options{
      .num_chains = 1, .num_warmup = 0, .num_draws = 20, .seed = seed, .num_threads = 1};
  options.sampler = fit.sampler;
  const infer::SamplerSpec& row = infer::find_sampler(fit.sampler);
  options.kernel = quick_options(row);
  if (row.has_warmup) options.num_warmup = 20;
  for (const auto& [name, value] : fit.settings)
    infer::set_field(options.kernel, name, value, fit.sampler);
  return options;
}

struct TakenFit {
  std::vector<Tape::Bits> told = {};
  std::string figures = {};  // settings of all chains
};

inline TakenFit run_kept(const density::LogDensity& density, const infer::SampleOptions& options,
                         infer::FitKeeper* keeper) {
  Tape tape(-1, options.num_chains);
  const infer::FitScope scope(keeper);
  const infer::RunResult result = infer::run_chains(density, options, tape);
  TakenFit taken{.told = tape.told};
  for (const infer::ChainResult& chain : result.chains) taken.figures += archived(chain.tuned);
  return taken;
}

// The state that was kept when the fit was stopped for the n-th time.
inline std::string state_at(const density::LogDensity& density, infer::SampleOptions options,
                            Index n) {
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

inline void expect_resumable(const density::LogDensity& density, const FitCase& fit) {
  const infer::SampleOptions options = options_of(fit, 7);
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
    infer::SampleOptions other = options;
    other.num_threads = 3;
    const TakenFit resumed = run_kept(density, other, &later);
    EXPECT_EQ(resumed.told, whole.told);
    EXPECT_EQ(resumed.figures, whole.figures);
    EXPECT_EQ(later.num_kept, all - n);  // nothing is computed again
  }
}

}  // namespace credo::testing
