#include "results/draws/cross_run.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/core/table.hpp"

namespace credo::results {
namespace {
constexpr Index kPopulations = 16, kParticles = 64;  // 15 degrees of freedom for every error
constexpr Index kLookEvery = 64;  // transitions of a chain between two checks of its budget
constexpr std::uint64_t kOtherSeed = 0x9e3779b97f4a7c15u;  // 2^64 divided by the golden ratio

struct BudgetSpent {};

// Passes everything on, and ends the run where a chain has used its part.
class BudgetSink final : public infer::DrawSink {
 public:
  BudgetSink(infer::DrawSink& to, Index each, Index look_every)
      : to_(to), each_(each), look_every_(look_every) {}
  void begin(const Sizes& sizes) override { to_.begin(sizes); }
  void draw(const infer::DrawRecord& record) override { to_.draw(record); }
  void row(const infer::RowRecord& record) override { to_.row(record); }
  bool wants_state(Index chain, Index num_steps, bool finished) override {
    const bool passed_on = to_.wants_state(chain, num_steps, finished);
    return passed_on || num_steps % look_every_ == 0;
  }
  // The store requests states by the clock, too; the budget isn't checked at those.
  void state(const infer::StateRecord& record) override {
    const bool is_over = record.result.num_evaluations > each_;
    if (is_over && record.iteration % look_every_ == 0) throw BudgetSpent{};
    to_.state(record);
  }

 private:
  infer::DrawSink& to_;
  Index each_, look_every_;
};

bool is_of_particles(const infer::SamplerSpec& row) {
  return row.family == infer::Family::particles;
}

Error not_second(const std::string& message, const std::string& hint) {
  return Error(ErrorCode::usage, message, "--cross-check", hint);
}

bool has_field(const infer::KernelOptions& options, std::string_view name) {
  const auto fields = infer::fields_of(options);
  return std::ranges::any_of(fields, [&](const auto& field) { return field.name == name; });
}

// Why the prior can't be drawn from; empty: it can.
std::string why_no_prior(const density::LogDensity& density) {
  const auto prior = density.prior();
  if (prior == nullptr) return "the model doesn't separate it from its likelihood";
  const density::Capability can = prior->can_draw();
  return can.can ? "" : can.reason;
}

// Sets the distribution from which particles start.
void choose_start(const CrossCheckSpec& spec, const density::LogDensity& density, CrossPlan& plan) {
  if (!has_field(plan.run.kernel, "from")) return;
  std::string from = spec.from;
  if (from == "auto") {
    const std::string reason = why_no_prior(density);
    from = reason.empty() ? "prior" : "normal";
    if (!reason.empty())
      plan.reservation =
          "the prior can't be drawn from (" + reason +
          "), so the particles came from a normal distribution on the unconstrained values, "
          "and found no difference; "
          "they can't see parts beyond that distribution (--cross-check-from "
          "normal says that this is "
          "enough).";
  }
  infer::set_field(plan.run.kernel, "from", from);
  plan.words += from == "prior" ? ", from the prior" : ", from a normal distribution";
}
}  // namespace

std::string cross_algorithm(const CrossCheckSpec& spec, const infer::SampleOptions& run) {
  const infer::SamplerSpec& own = infer::find_sampler(run.sampler);
  if (!infer::is_sampler(own))
    throw not_second(fmt::format("{} climbs to a mode, so there are no draws to compare", own.name),
                     "credo sample draws");
  if (own.needs_simulations)
    throw not_second(
        fmt::format("{} draws by simulation: the density of the program is its prior alone, and no "
                    "second algorithm draws from the same distribution",
                    own.name),
        "leave it out, and compare runs of other tolerances");
  std::string name = spec.algorithm;
  if (name == "auto")
    name = is_of_particles(own) ? infer::kStandardSampler : infer::kStandardPopulation;
  const infer::SamplerSpec& second = infer::find_sampler(name);
  if (name == infer::kCompositionName || !infer::is_sampler(second))
    throw not_second(fmt::format("{} can't be the second algorithm", name),
                     "credo samplers lists those that draw");
  if (name == run.sampler)
    throw not_second(
        fmt::format("{} can't check itself: the same algorithm has the same blind spots", name),
        "name another one; credo samplers lists them");
  if (second.biased)
    throw not_second(
        fmt::format("{} draws from nearly the target only, so that a difference says nothing",
                    name),
        "name one that isn't biased; credo samplers says which are");
  return name;
}

CrossPlan plan_cross_run(const CrossCheckSpec& spec, const infer::SampleOptions& first,
                         const infer::RunResult& result, const density::LogDensity& density) {
  const std::string name = cross_algorithm(spec, first);
  const infer::SamplerSpec& row = infer::find_sampler(name);
  CrossPlan plan;
  infer::SampleOptions& run = plan.run;
  run.sampler = name;
  run.kernel = row.options();
  run.seed = first.seed + kOtherSeed;
  run.num_threads = first.num_threads;
  run.init_radius = first.init_radius, run.init_prior = first.init_prior;
  run.stop = current_stop();
  if (is_of_particles(row)) {
    run.num_chains = kPopulations, run.num_draws = kParticles, run.num_warmup = 0;
    plan.words = fmt::format("{}, {} populations of {} particles", name, kPopulations, kParticles);
  } else {
    run.num_chains = std::max<Index>(4, first.num_chains);
    if (!row.has_warmup) run.num_warmup = 0;
    plan.words = fmt::format("{}, {} chains of {} draws", name, run.num_chains, run.num_draws);
  }
  choose_start(spec, density, plan);
  double all = 0.0;
  for (const infer::ChainResult& chain : result.chains)
    all += static_cast<double>(chain.num_evaluations);
  plan.evaluations_each =
      static_cast<Index>(spec.budget * all / static_cast<double>(run.num_chains));
  return plan;
}

std::string run_within_budget(const density::LogDensity& density, const CrossPlan& plan,
                              RunStore& store) {
  const bool particles = is_of_particles(infer::find_sampler(plan.run.sampler));
  BudgetSink sink(store, plan.evaluations_each, particles ? 1 : kLookEvery);
  try {
    infer::RunResult result = infer::run_chains(density, plan.run, sink);
    store.close();
    if (result.interrupted) throw Stopped{};
    store.keep(std::move(result));
  } catch (const BudgetSpent&) {
    store.close();
    return fmt::format(
        "its budget was spent before it was at its end ({} evaluations for each of {} {}).",
        plan.evaluations_each, plan.run.num_chains, particles ? "populations" : "chains");
  } catch (const Error& error) {
    const bool is_of_run =
        error.code() == ErrorCode::usage || error.code() == ErrorCode::evaluation;
    if (!is_of_run) throw;
    store.close();
    return fmt::format("it ended with an error: {}.", error.message());
  }
  return "";
}

}  // namespace credo::results
