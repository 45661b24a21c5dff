#include "infer/gibbs/site_sweep.hpp"

#include <fmt/format.h>

#include "infer/core/table.hpp"
#include "infer/gibbs/discrete_gibbs.hpp"

namespace credo::infer {
namespace {
class SiteSweep final : public TransitionKernel {
 public:
  explicit SiteSweep(std::unique_ptr<density::DiscreteUpdates> updates)
      : updates_(std::move(updates)) {}

  Step<PartInfo> step(PointState& state, Rng& rng) override {
    RngChooser chooser(rng);
    sweep_as_asked(*updates_, state.position, chooser);
    const Evaluation at = co_await evaluate(state.position);
    state.log_density = at.log_density;
    PartInfo info;
    info.num_evaluations = 1;
    co_return info;
  }

  Step<Nothing> search(PointState&, Rng&) override { co_return Nothing{}; }
  bool learn() override { return false; }
  void finish() override {}
  void forget() override {}
  void report_tuned(ChainResult&) const override {}
  void save(ArchiveWriter&) const override {}
  void load(ArchiveReader&) override {}

 private:
  std::unique_ptr<density::DiscreteUpdates> updates_;
};
}  // namespace

void sweep_sites(density::DiscreteUpdates& updates, std::span<double> position, Chooser& chooser) {
  const density::ChooseByLogWeight choose = [&](std::span<const double> log_weights) {
    return chooser.choose_log(log_weights);
  };
  for (Index step = 0; step < updates.num_steps(); ++step) updates.update(step, position, choose);
}

namespace {
// One value, whose full conditional is known: a target of one variable.
gibbs::DiscreteTarget conditional_target(std::span<const double> log_weights) {
  return {.sizes = {ssize(log_weights)}, .log_weight = [log_weights](std::span<const Index> state) {
            return log_weights[static_cast<std::size_t>(state[0])];
          }};
}

// Another value than now, all alike: a Metropolis step that proposes no other can't move.
Index metropolis_move(Index now, std::span<const double> log_weights, Chooser& chooser) {
  const std::size_t size = log_weights.size();
  if (size < 2) return now;
  std::vector<double> others(size * size, 1.0);
  for (std::size_t k = 0; k < size; ++k) others[k * (size + 1)] = 0.0;
  gibbs::metropolis_within_gibbs(conditional_target(log_weights), std::span(&now, 1), 0, others,
                                 chooser);
  return now;
}

constexpr Index kOverRelaxedDraws =
    15;  // odd: neither of two values is favoured by the middle rank

Index over_relaxed_move(Index now, std::span<const double> log_weights, Chooser& chooser) {
  gibbs::over_relax_variable(conditional_target(log_weights), std::span(&now, 1), 0,
                             kOverRelaxedDraws, chooser);
  return now;
}

void sweep_in_random_order(density::DiscreteUpdates& updates, std::span<double> position,
                           Chooser& chooser) {
  const density::ChooseByLogWeight choose = [&](std::span<const double> log_weights) {
    return chooser.choose_log(log_weights);
  };
  for (Index k = 0; k < updates.num_steps(); ++k)
    updates.update(chooser.uniform_index(updates.num_steps()), position, choose);
}

void sweep_by_moves(density::DiscreteUpdates& updates, std::span<double> position,
                    Chooser& chooser) {
  const bool relaxes = updates.kind() == density::SiteUpdate::over_relaxed;
  const density::MoveByLogWeight move = [&](Index now, std::span<const double> log_weights) {
    return relaxes ? over_relaxed_move(now, log_weights, chooser)
                   : metropolis_move(now, log_weights, chooser);
  };
  for (Index step = 0; step < updates.num_steps(); ++step)
    if (!updates.move(step, position, move))
      throw Error(ErrorCode::usage,
                  "Metropolis steps and over-relaxation move one discrete value at a time, and "
                  "these updates draw several values jointly",
                  "--discrete-update", "add --blocks single");
}
}  // namespace

void sweep_as_asked(density::DiscreteUpdates& updates, std::span<double> position,
                    Chooser& chooser) {
  switch (updates.kind()) {
    case density::SiteUpdate::gibbs:
      return sweep_sites(updates, position, chooser);
    case density::SiteUpdate::random:
      return sweep_in_random_order(updates, position, chooser);
    case density::SiteUpdate::metropolis:
    case density::SiteUpdate::over_relaxed:
      return sweep_by_moves(updates, position, chooser);
  }
}

KernelMaker site_sweep(const density::LogDensity& density) {
  return
      [&density](const PartSetup&) { return std::make_unique<SiteSweep>(density.make_updates()); };
}

KernelMaker with_site_sweep(const density::LogDensity& density, const SampleOptions& options) {
  const Index continuous = density.dimension() - density.discrete_block().size();
  if (continuous == 0) return site_sweep(density);
  if (find_sampler(options.sampler).make == nullptr)
    throw Error(ErrorCode::usage,
                fmt::format("'{}' moves many points at once, which discrete parameters that are "
                            "drawn by Gibbs updates don't allow",
                            options.sampler),
                "sampler", "take a sampler that moves one point, as nuts");
  std::vector<Index> coordinates(static_cast<std::size_t>(continuous));
  std::iota(coordinates.begin(), coordinates.end(), Index{0});
  return cycle({on_coordinates(std::move(coordinates), kernel(options.sampler, options.kernel)),
                site_sweep(density)});
}

void require_continuous(const density::LogDensity& density, std::string_view algorithm) {
  if (density.discrete_block().size() == 0) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} moves continuous parameters only, the density has {} discrete ones",
                          algorithm, density.discrete_block().size()),
              std::string(algorithm), "take a program whose discrete parameters are summed out");
}

}  // namespace credo::infer
