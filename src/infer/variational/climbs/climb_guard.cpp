#include "infer/variational/climbs/climb_guard.hpp"

#include <fmt/format.h>

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/variational/climbs/family_requests.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kGuardDraws = stream("variational.guard");
constexpr int kMostClimbs = 4;
constexpr double kShorter = 0.25;

// Log ratios of a member at draws that are the same for all members.
class Heights {
 public:
  using Blocks = std::array<double, 10>;
  Heights(const density::LogDensity& whole, const DistributionFamily& family,
          const BoundOptions& own)
      : requests_(whole, own.batch > 0 ? kFewOfGuard : kDrawsOfGuard, false),
        noise_(static_cast<std::size_t>((own.batch > 0 ? kFewOfGuard : kDrawsOfGuard) *
                                        family.num_base())) {
    Rng rng({.seed = own.seed, .purpose = kGuardDraws, .chain = 0, .iteration = 0});
    for (double& v : noise_) v = rng.normal();
    requests_.use_threads(own.num_threads);
  }
  // False if log q at the draws of the last member is far from its mean, minus the entropy: the covariance has no digits.
  bool has_digits(DistributionFamily& member) const {
    NormalFamily* normal = member.as_normal();
    if (normal == nullptr) return true;
    double mean = 0.0;
    for (const double log_q : requests_.log_q())
      mean += log_q / static_cast<double>(requests_.log_q().size());
    return std::fabs(mean + normal->entropy()) <
           1.0 + 0.5 * static_cast<double>(normal->dimension());
  }
  // Objective by each block of draws; minus infinity where one has no density.
  Blocks of(DistributionFamily& member, const Objective& objective) {
    std::vector<double> ratios;
    const std::span<const density::Request> answers = requests_.ask(member, noise_);
    for (std::size_t k = 0; k < answers.size(); ++k)
      ratios.push_back(answers[k].status.ok() ? answers[k].log_density - requests_.log_q()[k]
                                              : -kInfinity);
    Blocks blocks;
    const std::size_t each = ratios.size() / blocks.size();
    for (std::size_t b = 0; b < blocks.size(); ++b)
      blocks[b] = objective.value(std::span(ratios).subspan(b * each, each));
    return blocks;
  }

 private:
  static constexpr Index kDrawsOfGuard = 1000;
  static constexpr Index kFewOfGuard = 40;  // each needs all rows, where steps need few of them
  FamilyRequests requests_;
  std::vector<double> noise_;
};

// Few draws are far from the tails that an upper objective widens a fit for, so that its evidence bound may be lower by some nats.
double allowance_of(const Objective& objective, Index dimension) {
  constexpr double kEach = 0.5, kLeast = 0.1, kLeastOfUpper = 1.0;
  return objective.is_upper() ? kLeastOfUpper + kEach * static_cast<double>(dimension) : kLeast;
}

// True if nine blocks of ten are lower by more than the allowance: by chance, of equal ones, once in a hundred climbs. Single draws may
// have any log density where tails are far out, so that means and their errors say little.
bool is_fallen(const Heights::Blocks& before, const Heights::Blocks& after, double allowance) {
  constexpr int kMostBlocksNotLower = 1;
  int not_lower = 0;
  for (std::size_t b = 0; b < before.size(); ++b)
    not_lower += after[b] < before[b] - allowance || std::isnan(after[b]) ? 0 : 1;
  return not_lower <= kMostBlocksNotLower;
}

// An objective with c >= 0 is at least the evidence bound, so that of a climb that isn't lost its course lies above.
Objective floor_of(const Objective& objective) {
  return objective.power < 0.0 ? objective : Objective{};
}
double median_of(Heights::Blocks blocks) {
  std::ranges::sort(blocks);
  return blocks[blocks.size() / 2];
}

std::string words_on_shorter(double too_long, double step) {
  return fmt::format(
      "steps of {:.2g} ended clearly below the start of the climb, which began again with steps of "
      "{:.2g}: --step {:.2g} begins with these",
      too_long, step, step);
}
std::string words_on_start(double step) {
  return fmt::format(
      "steps down to {:.2g} all ended clearly below the start of the climb, which the draws are "
      "of: "
      "allow shorter steps with --step {:.1g}, more draws with --step-draws, or more rows with "
      "--batch",
      step, step * kShorter);
}
}  // namespace

ClimbResult climb_guarded(const density::LogDensity& whole, const StochasticClimbSetup& setup,
                          DistributionFamily& family) {
  Heights heights(whole, family, setup.options);
  const Objective floor = floor_of(setup.objective),
                  judged = setup.objective.is_upper() ? Objective{} : setup.objective;
  family.move_to(family.start());
  const Heights::Blocks before = heights.of(family, judged);
  const double lowest = median_of(heights.of(family, floor));
  const double allowance = allowance_of(setup.objective, family.dimension());
  BoundOptions own = setup.options;
  Index num_evaluations = 0;
  for (int climbs = 1;; ++climbs) {
    ClimbResult found = climb_stochastic(
        {setup.density, setup.num_rows, setup.objective, setup.estimator, own, lowest, &whole},
        family);
    found.num_evaluations += std::exchange(num_evaluations, 0);
    if (!found.is_lost && !is_fallen(before, heights.of(family, judged), allowance) &&
        heights.has_digits(family)) {
      if (climbs > 1) found.remarks = {words_on_shorter(setup.options.step, own.step)};
      return found;
    }
    num_evaluations = found.num_evaluations;
    if (climbs == kMostClimbs) {
      family.move_to(family.start());
      found.objective = median_of(before);
      found.converged = true;
      found.remarks = {words_on_start(own.step)};
      return found;
    }
    own.step *= kShorter;
  }
}

}  // namespace credo::infer
