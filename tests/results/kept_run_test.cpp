// Runs as pieces of work: broken off again and again and resumed, they have the result of a run without a break.
#include "results/draws/kept_run.hpp"

#include <gtest/gtest.h>

#include "results/estimates/evidence_methods.hpp"
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

}  // namespace
}  // namespace credo::results::kept_run_test
