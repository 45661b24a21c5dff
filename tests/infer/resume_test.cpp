// Runs that go on from a state are the runs without a break, for every sampler there is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "infer/compose/compose.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/table.hpp"
#include "infer/curved_targets.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/normal_rows.hpp"
#include "infer/quick_options.hpp"
#include "infer/rj/two_means.hpp"
#include "infer/tape.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/neutra.hpp"
#include "support/share.hpp"

namespace credo::infer::resume_test {
namespace {
using namespace credo::testing;

using Runner = std::function<RunResult(const SampleOptions&, DrawSink&)>;

SampleOptions short_run() {
  return {.num_chains = 2,
          .num_warmup = 60,
          .num_draws = 40,
          .save_warmup = true,
          .seed = 7,
          .num_threads = 1};
}

void expect_same_results(const RunResult& whole, const RunResult& resumed) {
  ASSERT_EQ(whole.chains.size(), resumed.chains.size());
  for (std::size_t c = 0; c < whole.chains.size(); ++c) {
    const ChainResult &a = whole.chains[c], &b = resumed.chains[c];
    EXPECT_EQ(a.step_size, b.step_size);
    EXPECT_EQ(a.inv_metric, b.inv_metric);
    EXPECT_EQ(a.initial_point, b.initial_point);
    EXPECT_EQ(a.num_kept, b.num_kept);
    EXPECT_EQ(a.num_divergent, b.num_divergent);
    EXPECT_EQ(a.num_evaluations, b.num_evaluations);
    ASSERT_EQ(a.tuned.size(), b.tuned.size());
    for (std::size_t k = 0; k < a.tuned.size(); ++k) {
      ASSERT_EQ(a.tuned[k].values.size(), b.tuned[k].values.size());
      for (std::size_t i = 0; i < a.tuned[k].values.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(a.tuned[k].values[i]),
                  std::bit_cast<std::uint64_t>(b.tuned[k].values[i]))
            << a.tuned[k].name;
    }
  }
  EXPECT_EQ(whole.divergences.size(), resumed.divergences.size());
}

// Breaks: in the first stretch of warm-up, where a window has just ended, in the last stretch, at
// its end, among the draws, at the end. Of other families: between stages. Each run has another number of
// threads than the one before.
void expect_resumable(const Runner& run, SampleOptions options = short_run()) {
  std::vector<Tape::Bits> told;
  for (const Index num_done : {1, 20, 45, 54, 59, 60, 61, 83, 100}) {
    Tape whole(num_done, options.num_chains), rest(-1, options.num_chains);
    const RunResult all = run(options, whole);
    if (told.empty()) told = whole.told;
    EXPECT_EQ(whole.told, told) << options.num_threads << " threads";
    SampleOptions later = options;
    later.states = whole.states;
    later.num_threads = options.num_threads = 4 - options.num_threads;
    const RunResult resumed = run(later, rest);
    EXPECT_EQ(whole.told_later(), rest.told) << "after " << num_done;
    expect_same_results(all, resumed);
  }
}

// One posterior can be drawn from, so that no row is left out; the other has an edge. Climbs to modes are in
// optimise/climb_test.cpp.
TEST(resume, gives_the_draws_of_a_run_without_a_break_for_every_sampler) {
  for (const KnownPosterior& model : {conjugate_posterior(), half()})
    for (const SamplerSpec* row : samplers()) {
      if (!is_sampler(*row) || row->needs_states || row->needs_rows || row->needs_program ||
          row->needs_simulations ||
          (row->name == "exact" && !model.density->can_draw().can) ||
          (row->name == "rejection" && model.name != "half") ||  // a million tries a draw
          ((is_approximation(row->name) || row->name == kNeutraName) &&
           model.name == "half"))  // which has no peak
        continue;
      if (!this_share().has(fmt::format("{} of {}", row->name, model.name))) continue;
      SCOPED_TRACE(fmt::format("{} of {}", row->name, model.name));
      SampleOptions options = short_run();
      options.sampler = row->name;
      options.kernel = quick_options(*row);
      if (!row->has_warmup) options.num_warmup = 0;
      expect_resumable([&](const SampleOptions& own,
                           DrawSink& sink) { return run_chains(*model.density, own, sink); },
                       options);
    }
}

TEST(resume, gives_the_draws_of_a_run_without_a_break_for_ibis) {
  const NormalRows model(some_rows());
  SampleOptions options = short_run();
  options.sampler = "ibis", options.num_warmup = 0;
  const Runner runner = [&](const SampleOptions& own, DrawSink& sink) {
    return run_chains(model, own, sink);
  };
  expect_resumable(runner, options);
  // Breaks of an early stage, at which particles still have the rows of the prior's draws, and of the next.
  for (const Index stage : {2, 3, 4, 7}) {
    Tape whole(stage, options.num_chains), rest(-1, options.num_chains);
    const RunResult all = runner(options, whole);
    SampleOptions later = options;
    later.states = whole.states;
    expect_same_results(all, runner(later, rest));
    EXPECT_EQ(whole.told_later(), rest.told) << stage;
  }
}

bool is_same_end(const Tape& whole, const RunResult& all, const Tape& rest,
                 const RunResult& resumed) {
  bool is_same = whole.told_later() == rest.told && all.chains.size() == resumed.chains.size();
  for (std::size_t c = 0; is_same && c < all.chains.size(); ++c) {
    ArchiveWriter a, b;
    for (auto [result, writer] :
         {std::pair(&all.chains[c], &a), std::pair(&resumed.chains[c], &b)}) {
      ChainResult figures = *result;
      figures.warmup_seconds = figures.sampling_seconds = 0.0;
      (*writer)(figures);
    }
    is_same = a.bytes() == b.bytes();
  }
  return is_same;
}

// A run of 40 draws that goes on to 90 after its last one. Rows that say that they can't do so indeed end otherwise.
TEST(resume, goes_on_to_more_draws_with_those_of_a_run_that_was_asked_for_them) {
  const KnownPosterior model = conjugate_posterior();
  Index num_longer = 0;
  for (const SamplerSpec* row : samplers()) {
    if (row->family != Family::chains || row->needs_states || row->needs_rows ||
        row->needs_program || row->name == "rejection" ||
        (row->name == "exact" && !model.density->can_draw().can))
      continue;
    SCOPED_TRACE(row->name);
    SampleOptions options = short_run();
    options.sampler = row->name;
    options.thin = 3;
    if (!row->has_warmup) options.num_warmup = 0;
    const Index end = options.num_warmup + options.num_draws;
    Tape early(end, options.num_chains), whole(end, options.num_chains),
        rest(-1, options.num_chains);
    run_chains(*model.density, options, early);
    options.num_draws = 90;
    const RunResult all = run_chains(*model.density, options, whole);
    options.states = early.states;
    options.num_threads = 3;
    const RunResult longer = run_chains(*model.density, options, rest);
    EXPECT_EQ(is_same_end(whole, all, rest, longer), row->fixed_length.empty());
    num_longer += row->fixed_length.empty() ? 1 : 0;
  }
  EXPECT_GE(num_longer, 20);
}

TEST(resume, gives_the_draws_of_a_run_without_a_break_for_every_metric) {
  const Target target = curved_targets()[1];
  for (const MetricKind metric :
       {MetricKind::unit, MetricKind::diagonal, MetricKind::dense, MetricKind::lbfgs})
    expect_resumable([&](const SampleOptions& options, DrawSink& sink) {
      SampleOptions own = options;
      own.kernel = NutsOptions{.metric = metric};
      return run_chains(*target.density, own, sink);
    });
}

TEST(resume, gives_the_draws_of_a_run_without_a_break_for_compositions) {
  const Target target = curved_targets().front();
  const KernelMaker blocks = shuffled_cycle(
      {on_coordinates({0}, kernel("slice")),
       mixture({{0.5, kernel("nuts")}, {0.3, kernel("ram")}, {0.2, kernel("underdamped")}})});
  expect_resumable([&](const SampleOptions& options, DrawSink& sink) {
    return run_kernel(*target.density, options, blocks, sink);
  });
}

TEST(resume, gives_the_draws_of_a_run_without_a_break_for_schemes) {
  const Target target = curved_targets().front();
  const std::vector<Scheme> parts = {{.sampler = "nuts", .weight = 2.0}, {.sampler = "slice"}};
  const SchemeOptions mixed{.scheme = Scheme{.kind = Scheme::Kind::mixture, .parts = parts}};
  expect_resumable([&](const SampleOptions& options, DrawSink& sink) {
    SampleOptions own = options;
    own.sampler = kCompositionName;
    own.kernel = mixed;
    return run_chains(*target.density, own, sink);
  });
}

TEST(resume, gives_the_draws_of_a_run_without_a_break_between_models) {
  const credo::testing::TwoMeans problem{.half_width = 3.0};
  const rj::Family family = problem.family(kernel("nuts"));
  const rj::Jumps jumps(family, credo::testing::two_means_jumps());
  expect_resumable(
      [&](const SampleOptions& options, DrawSink& sink) { return rj::run(jumps, options, sink); });
}

// A standard normal that is refused beyond two bounds, and numbers the two refusals in the order in
// which they come, as a program does: a new process numbers anew.
class Numbering final : public density::LogDensity {
 public:
  Index dimension() const override { return 1; }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override {
    if (status.ok()) return "no failure";
    return names_.at(static_cast<std::size_t>(status.source - 1)) + ", is " +
           std::to_string(status.value);
  }
  std::int32_t number_of(const std::string& name) const {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known != names_.end()) return static_cast<std::int32_t>(known - names_.begin() + 1);
    names_.push_back(name);
    return static_cast<std::int32_t>(names_.size());
  }

 private:
  mutable std::vector<std::string> names_;
};

class NumberingEvaluator final : public density::Evaluator {
 public:
  explicit NumberingEvaluator(const Numbering& density) : density_(density) {}
  void evaluate(density::Want, std::span<density::Request* const> batch) override {
    for (density::Request* request : batch) {
      const double x = request->position[0];
      request->log_density = -0.5 * x * x;
      if (!request->gradient.empty()) request->gradient[0] = -x;
      request->status = {};
      if (x > 0.5) request->status = {.source = density_.number_of("must be < 0.5"), .value = x};
      if (x < -1.5) request->status = {.source = density_.number_of("must be > -1.5"), .value = x};
      if (!request->status.ok()) request->log_density = -kInfinity;
    }
  }

 private:
  const Numbering& density_;
};

std::unique_ptr<density::Evaluator> Numbering::make_evaluator() const {
  return std::make_unique<NumberingEvaluator>(*this);
}

std::string text_of(const RunResult& run) {
  std::string text;
  for (const Refusal& refusal : run.refusals)
    text += std::to_string(refusal.count) + " " + refusal.reason + "\n";
  return text;
}

TEST(resume, says_what_was_refused_as_a_run_without_a_break_does) {
  for (const Index num_done : {1, 60, 83}) {
    SampleOptions options = short_run();
    Tape whole(num_done, options.num_chains), rest(-1, options.num_chains);
    const RunResult all = run_chains(Numbering(), options, whole);
    ASSERT_EQ(all.refusals.size(), 2u);
    options.states = whole.states;
    EXPECT_EQ(text_of(run_chains(Numbering(), options, rest)), text_of(all)) << num_done;
  }
}

// A chain that forgets one number of its state is found out.
TEST(resume, rejects_a_state_with_a_changed_number) {
  const Target target = curved_targets().front();
  SampleOptions options = short_run();
  Tape whole(83, options.num_chains), rest(-1, options.num_chains);
  run_chains(*target.density, options, whole);
  options.states = whole.states;
  for (std::string& state : options.states) state[state.find('v') + 9] ^= 1;  // first position
  run_chains(*target.density, options, rest);
  EXPECT_NE(whole.told_later(), rest.told);
}

TEST(resume, refuses_the_state_of_another_sampler_and_a_truncated_one) {
  const Target target = curved_targets().front();
  SampleOptions options = short_run();
  Tape whole(83, options.num_chains), rest(-1, options.num_chains);
  run_chains(*target.density, options, whole);
  SampleOptions other = options;
  other.states = whole.states;
  other.sampler = "slice";
  EXPECT_THROW(run_chains(*target.density, other, rest), Error);
  options.states = whole.states;
  options.states.back().pop_back();
  EXPECT_THROW(run_chains(*target.density, options, rest), Error);
  options.states.pop_back();
  EXPECT_THROW(run_chains(*target.density, options, rest), Error);
}

}  // namespace
}  // namespace credo::infer::resume_test
