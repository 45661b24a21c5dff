#include "cli/bench/bench_timing.hpp"

#include <sys/resource.h>

#include <chrono>

#include "cli/results.hpp"
#include "results/files/run_store.hpp"

namespace credo::cli {
namespace {
constexpr int kRepetitions = 7;
constexpr double kSecondsPerRepetition = 0.01, kSecondsPerRun = 1.0;
constexpr double kStepsPerTransition = 20.0;  // steps for an average posterior, to plan a run

Index planned_transitions(double microseconds_per_gradient, Index num_chains) {
  const double all = 1e6 * kSecondsPerRun / (kStepsPerTransition * microseconds_per_gradient);
  return static_cast<Index>(std::clamp(0.5 * all / double(num_chains), 50.0, 1000.0));
}

Index sum_of_steps(const RunStore& store, bool warmup, Index column) {
  const density::Draws steps_of = store.quantities(warmup, column, 1);
  double sum = 0.0;
  for (const double steps : steps_of.quantity(0)) sum += steps;
  return static_cast<Index>(sum);
}

Index num_leapfrogs(const RunStore& store) {
  const auto& columns = store.columns();
  const auto place = std::find_if(columns.begin(), columns.end(),
                                  [](const auto& c) { return c.stan_name == "n_leapfrog__"; });
  const Index column = place - columns.begin();
  return sum_of_steps(store, false, column) + sum_of_steps(store, true, column);
}
}  // namespace

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

GradientRunner::GradientRunner(std::shared_ptr<const model::TracedDensity> traced, Index lanes,
                               Index threads, std::span<const double> centre)
    : traced_(std::move(traced)),
      team_(std::min(threads, Team::kMost)),
      workspace_(*traced_->program, lanes) {
  const Index dimension = traced_->program->input_size();
  gradient_.resize(static_cast<std::size_t>(dimension));
  const double spread = centre.empty() ? 0.4 : 0.02;
  const auto middle = [&](Index d) {
    const double value = centre.empty() ? 0.0 : centre[static_cast<std::size_t>(d)];
    return std::isnan(value) ? 0.0 : value;
  };
  for (Index l = 0; l < lanes; ++l) {
    auto& position = positions_.emplace_back();
    for (Index d = 0; d < dimension; ++d)
      position.push_back(middle(d) +
                         spread * std::sin(0.37 * double((d + 1) * (l + 1)) + 0.2 * double(l)));
  }
  workspace_.set_lanes(lanes);
  if (threads > 1) workspace_.use_team(&team_);
}

void GradientRunner::run() {
  for (Index l = 0; l < lanes(); ++l)
    workspace_.set_input(l, positions_[static_cast<std::size_t>(l)]);
  workspace_.run();
  for (Index l = 0; l < lanes(); ++l)
    workspace_.copy_output(model::TracedDensity::kGradient, l, gradient_);
}

double microseconds_per_gradient(GradientRunner& runner) {
  runner.run();
  Index rounds = 1;
  std::vector<double> times;
  while (times.size() < kRepetitions) {
    const double start = clock_seconds();
    for (Index r = 0; r < rounds; ++r) runner.run();
    const double seconds = clock_seconds() - start;
    if (seconds < kSecondsPerRepetition && rounds < (Index{1} << 30)) {
      rounds *= 2;
      continue;
    }
    times.push_back(1e6 * seconds / double(rounds * runner.lanes()));
  }
  std::sort(times.begin(), times.end());
  return times[kRepetitions / 2];
}

LeapfrogTime time_leapfrogs(const model::Model& model, infer::SampleOptions options,
                            double microseconds_per_gradient) {
  const Index planned = planned_transitions(microseconds_per_gradient, options.num_chains);
  if (options.num_warmup == 0) options.num_warmup = planned;
  if (options.num_draws == 0) options.num_draws = planned;
  options.save_warmup = true;
  LeapfrogTime time{.num_chains = options.num_chains,
                    .num_threads = options.num_threads,
                    .num_warmup = options.num_warmup,
                    .num_draws = options.num_draws,
                    .failure = {}};
  if (time.num_threads == 0) time.num_threads = num_processors();
  RunStore store(model, options);
  try {
    const infer::RunResult result = infer::run_chains(model, options, store);
    time.num_steps = num_leapfrogs(store);
    time.microseconds = 1e6 * result.seconds / double(std::max<Index>(time.num_steps, 1));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    time.failure = error.message();
  }
  return time;
}

}  // namespace credo::cli
