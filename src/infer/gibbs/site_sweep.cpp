#include "infer/gibbs/site_sweep.hpp"

#include <fmt/format.h>

#include "infer/core/table.hpp"

namespace credo::infer {
namespace {
class SiteSweep final : public TransitionKernel {
 public:
  explicit SiteSweep(std::unique_ptr<density::DiscreteUpdates> updates)
      : updates_(std::move(updates)) {}

  Step<PartInfo> step(PointState& state, Rng& rng) override {
    RngChooser chooser(rng);
    sweep_sites(*updates_, state.position, chooser);
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
  void tell_settings(ChainResult&) const override {}
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
