// Runs as pieces of work: broken off again and again and resumed, they have the result of a run without a break.
#include "results/draws/kept_run.hpp"

#include <gtest/gtest.h>

#include "results/draws/quiet_run.hpp"
#include "results/estimates/evidence_methods.hpp"
#include "results/loo/leave_future_out.hpp"
#include "support/text_model.hpp"

namespace credo::results::kept_run_test {
namespace {

constexpr const char* kProgram =
    "data { array[3] real y; } parameters { real m; real<lower=0> s; } model { m ~ normal(1, 2); s "
    "~ exponential(2); y ~ normal(m, 1 + s); }";

// Stops the run when the states of some calls are kept.
class StoppingStates final : public infer::FilterCheckpoints {
 public:
  explicit StoppingStates(Index after) : after_(after) {}
  std::string kept(Index) override { return state_; }
  bool is_due(Index) override { return ++num_asked_ % after_ == 0; }
  void keep(Index, const std::string& state) override { state_ = state, stop = true; }
  std::atomic<bool> stop = false;

 private:
  const Index after_;
  Index num_asked_ = 0;
  std::string state_;
};

void expect_same(const EvidenceEstimate& found, const EvidenceEstimate& whole) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found.log_evidence),
            std::bit_cast<std::uint64_t>(whole.log_evidence));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found.error), std::bit_cast<std::uint64_t>(whole.error));
  EXPECT_EQ(found.num_evaluations, whole.num_evaluations);
  EXPECT_EQ(found.notes, whole.notes);
}

// The number of breaks until the end.
Index run_with_breaks(const model::Model& model, EvidenceOptions options, std::string_view method,
                      EvidenceEstimate& found) {
  StoppingStates states(method == "nested" ? 60 : 2);
  options.run.stop = &states.stop;
  const StopScope scope(&states.stop);
  for (Index num_breaks = 0;; ++num_breaks) {
    states.stop = false;
    options.run.num_threads = 1 + num_breaks % 3;
    try {
      found = estimate_evidence(model, options, std::array{method}, {.states = &states})
                  .estimates.front();
      return num_breaks;
    } catch (const Stopped&) {
    }
  }
}

TEST(run_of_piece, has_the_bits_of_a_run_without_a_break) {
  const auto model = model::model_from(kProgram, R"({"y": [0.5, 1.5, 2.5]})");
  EvidenceOptions options{
      .run = {.num_chains = 2, .num_warmup = 20, .num_draws = 60, .seed = 3, .num_threads = 2}};
  for (const std::string_view method : {"ais", "nested", "smc", "tempering"}) {
    SCOPED_TRACE(method);
    const EvidenceEstimate whole =
        estimate_evidence(*model, options, std::array{method}).estimates.front();
    ASSERT_TRUE(whole.is_there());
    EvidenceEstimate found;
    EXPECT_GE(run_with_breaks(*model, options, method, found), 2);
    expect_same(found, whole);
  }
}

TEST(run_of_piece, takes_no_state_of_another_sampler) {
  const auto model = model::model_from(kProgram, R"({"y": [0.5, 1.5, 2.5]})");
  StoppingStates states(4);
  EvidenceOptions options{
      .run = {.num_chains = 2, .num_draws = 60, .seed = 3, .stop = &states.stop}};
  {
    const StopScope scope(&states.stop);
    EXPECT_THROW((void)estimate_evidence(*model, options, std::array{std::string_view("smc")},
                                         {.states = &states}),
                 Stopped);
  }
  options.run.stop = nullptr;
  const std::array ais{std::string_view("ais")};
  expect_same(estimate_evidence(*model, options, ais, {.states = &states}).estimates.front(),
              estimate_evidence(*model, options, ais).estimates.front());
}

// ---- runs with draws

// The model's density; counts evaluations.
class CountedDensity final : public density::LogDensity {
 public:
  explicit CountedDensity(const density::LogDensity& density) : density_(density) {}
  Index dimension() const override { return density_.dimension(); }
  bool has_gradient() const override { return density_.has_gradient(); }
  std::string describe(const density::Status& status) const override {
    return density_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Counting>(density_.make_evaluator(), count);
  }
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override {
    return density_.draw_start(rng, radius);
  }
  std::unique_ptr<density::LogDensity> prior() const override { return density_.prior(); }
  mutable std::atomic<Index> count = 0;

 private:
  class Counting final : public density::Evaluator {
   public:
    Counting(std::unique_ptr<density::Evaluator> own, std::atomic<Index>& count)
        : own_(std::move(own)), count_(count) {}
    void evaluate(density::Want want, std::span<density::Request* const> requests) override {
      count_ += ssize(requests);
      own_->evaluate(want, requests);
    }

   private:
    std::unique_ptr<density::Evaluator> own_;
    std::atomic<Index>& count_;
  };
  const density::LogDensity& density_;
};

std::vector<std::uint64_t> bits_of(const Fit& fit) {
  std::vector<std::uint64_t> bits;
  const density::Draws draws = fit.quantities(false, 0, num_quantities(fit));
  for (Index q = 0; q < num_quantities(fit); ++q)
    for (const double x : draws.quantity(q)) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}

infer::SampleOptions run_of(std::string_view sampler, Index num_threads) {
  infer::SampleOptions run{
      .num_chains = 3, .num_warmup = 40, .num_draws = 60, .seed = 3, .num_threads = num_threads};
  run.sampler = sampler;
  return run;
}

// Resumes until the end; the number of breaks.
Index with_breaks(StoppingStates& states, const std::function<void(Index num_breaks)>& run) {
  const StopScope scope(&states.stop);
  for (Index num_breaks = 0;; ++num_breaks) {
    states.stop = false;
    try {
      run(num_breaks);
      return num_breaks;
    } catch (const Stopped&) {
    }
  }
}

TEST(QuietRun, has_the_draws_of_a_run_without_a_break_and_does_no_work_twice) {
  const auto model = model::model_from(kProgram, R"({"y": [0.5, 1.5, 2.5]})");
  for (const std::string_view sampler : {"nuts", "slice", "ensemble"}) {
    SCOPED_TRACE(sampler);
    const CountedDensity counted(*model), again(*model);
    const QuietRun whole(*model, run_of(sampler, 1), &counted);
    StoppingStates states(30);
    std::vector<std::uint64_t> bits;
    Index num_divergent = -1;
    const Index num_breaks = with_breaks(states, [&](Index done) {
      const QuietRun run(*model, run_of(sampler, 1 + done % 3), &again, {&states, 5});
      bits = bits_of(run.fit());
      num_divergent = run.num_divergent();
    });
    EXPECT_GE(num_breaks, 3);
    EXPECT_EQ(bits, bits_of(whole.fit()));
    EXPECT_EQ(num_divergent, whole.num_divergent());
    // A resumed chain evaluates its positions again, and nothing else: a run that began again would never end, or repeat all
    // transitions before each break.
    EXPECT_GE(again.count, counted.count);
    EXPECT_LT(static_cast<double>(again.count), 1.2 * static_cast<double>(counted.count));
  }
}

TEST(QuietRun, is_resumed_in_the_middle_of_a_leave_future_out) {
  const auto model = model::model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ "
      "normal(mu, 1); }",
      R"({"N": 6, "y": [0.1, -0.5, 5, 0.3, -4, 1]})");
  FutureOptions options{.first = 2, .run = run_of("nuts", 1), .seed = 4};
  const std::array point{0.1};
  const auto whole = leave_future_out(*model, 1, 6, point, options);
  class States final : public infer::FilterCheckpoints {
   public:
    std::string kept(Index fit) override { return found[fit]; }
    bool is_due(Index) override { return ++num_asked % 50 == 0; }
    void keep(Index fit, const std::string& state) override {
      now[fit] = state;
      if (!state.empty()) stop = true;
    }
    std::map<Index, std::string> found, now;
    std::atomic<bool> stop = false;
    Index num_asked = 0;
  } states;
  options.states = &states;
  options.on_done = [&](Index number, const FutureStep& step) { options.done[number] = step; };
  std::vector<FutureStep> steps;
  const StopScope scope(&states.stop);
  Index num_breaks = 0;
  for (; steps.empty(); ++num_breaks) {
    states.stop = false;
    states.found = states.now;
    const FutureOptions own = options;
    try {
      steps = leave_future_out(*model, 1, 6, point, own);
    } catch (const Stopped&) {
    }
  }
  EXPECT_GE(num_breaks, 4);
  ASSERT_EQ(ssize(steps), ssize(whole));
  for (std::size_t k = 0; k < whole.size(); ++k) EXPECT_EQ(archived(steps[k]), archived(whole[k]));
  EXPECT_LE(std::ranges::count_if(states.now, [](const auto& s) { return !s.second.empty(); }), 1);
}

}  // namespace
}  // namespace credo::results::kept_run_test
