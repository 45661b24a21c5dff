#include <fmt/format.h>

#include "api/scheme.hpp"
#include "credo/check.hpp"
#include "infer/compose/compose.hpp"
#include "infer/invariance/suite.hpp"

namespace credo {
namespace {
void require_no_names(const infer::Scheme& scheme) {
  if (!scheme.on.empty())
    throw Error(ErrorCode::usage,
                fmt::format("the scheme names '{}', and the targets of the check have no names",
                            scheme.on.front()),
                "check_kernel", "check its parts by themselves");
  for (const infer::Scheme& part : scheme.parts) require_no_names(part);
}

infer::invariance::StartOptions own_options(const KernelCheckOptions& options) {
  constexpr Index kMost = 100'000'000;
  if (options.num_starts < 2 || options.num_starts > kMost || options.num_steps < 1 ||
      options.num_steps > kMost)
    throw Error(ErrorCode::usage,
                fmt::format("{} starts of {} steps", options.num_starts, options.num_steps),
                "check_kernel",
                fmt::format("2 starts and 1 step are the least, {} the most", kMost));
  return {.num_starts = static_cast<int>(options.num_starts),
          .num_steps = static_cast<int>(options.num_steps),
          .seed = options.seed};
}
// How many transitions were made, and how many of them ended elsewhere.
struct Count {
  double made = 0.0, moved = 0.0;
};
infer::invariance::TransitionMaker counting(infer::invariance::TransitionMaker make, Count& count) {
  return [make = std::move(make), &count](Index dimension) {
    return [transition = make(dimension), &count](density::Evaluator& evaluator,
                                                  infer::PointState& state, Rng& rng) {
      const std::vector<double> before = state.position;
      transition(evaluator, state, rng);
      count.made += 1.0;
      count.moved += state.position != before ? 1.0 : 0.0;
    };
  };
}
}  // namespace

std::string KernelCheck::text() const {
  std::string all;
  for (const TargetCheck& target : targets)
    all +=
        fmt::format("{:<18} {:>8.2f}  {:<16} moved {:>4.0f} %  {}\n", target.target, target.worst,
                    target.statistic, 100.0 * target.moved, target.ok() ? "ok" : "WRONG");
  return all;
}

KernelCheck check_kernel(const Scheme& scheme, const KernelCheckOptions& options) {
  namespace suite = infer::invariance;
  require_no_names(scheme.impl().scheme);
  const suite::StartOptions starts = own_options(options);
  const suite::TransitionMaker make = suite::maker_of_parts(infer::kernel(scheme.impl().scheme));
  KernelCheck check;
  for (const suite::Target& target : suite::all_targets()) {
    Count count;
    suite::Statistic worst = suite::worst_statistic(target, counting(make, count), starts);
    check.targets.push_back(
        {target.name, worst.value, std::move(worst.what), count.moved / count.made});
  }
  return check;
}

}  // namespace credo
