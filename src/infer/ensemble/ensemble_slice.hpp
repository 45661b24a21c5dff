// Ensemble slice sampling [karamanis2021]: each walker moves by a slice along the difference of two
// walkers of the other half. All walkers of a half run side by side.
#pragma once
#include "infer/ensemble/ensemble.hpp"
#include "infer/mcmc/slice/slice.hpp"

namespace credo::infer {

struct EnsembleSliceOptions {
  Index num_walkers = 0;
  double width = 1.0;
  SliceGrowth growth = SliceGrowth::stepping_out;
  Index max_growth = 1000;

  static void describe(auto& self, auto&& field) {
    field(self.num_walkers, kNumWalkersField);
    field(self.width, kSliceWidthField);
    field(self.growth, kSliceGrowthField);
    field(self.max_growth, kSliceMaxGrowthField);
  }
};

struct EnsembleSliceSettings {
  double width = 1.0;  // in differences of two walkers

  static void saved(auto& self, auto&& field) { field(self.width); }
};
void report_settings(const EnsembleSliceSettings& settings, ChainResult& result);

// Leaves the product of the target with itself invariant, for every width.
class EnsembleSlice final : public PooledKernel {
 public:
  using Options = EnsembleSliceOptions;
  using State = PopulationState;
  using Info = SliceInfo;
  static constexpr bool kNeedsGradient = false;
  static Index num_walkers(const EnsembleSliceOptions& options, Index dimension) {
    return number_of_walkers(options.num_walkers, dimension);
  }

  EnsembleSlice(const EnsembleSliceOptions& options, Index dimension);
  PopulationState make_state() const { return {count_, dimension_}; }
  void init(const PopulationState& walkers, Rng&) const { check_apart(walkers); }
  Step<SliceInfo> step(PopulationState& walkers, Rng& rng);

  SliceInfo walker_info(const PopulationState& walkers, const SliceInfo&, Index w) const;
  static std::span<const double> walker_position(const PopulationState& walkers, Index w) {
    return walkers.position(w);
  }

  EnsembleSliceOptions options;
  EnsembleSliceSettings settings;

 private:
  void begin_half(const PopulationState& walkers, Index first, Rng& rng);

  Index count_, dimension_;
  std::vector<std::unique_ptr<LineSlicer>> lines_;  // slicers of the walkers of a half
  std::vector<PointState> points_;
  std::vector<Rng> streams_;
  StepTeam<LineMove> team_;
  std::vector<LineMove> moves_;  // moves of all walkers
};

class EnsembleSliceAdaptation {
 public:
  EnsembleSliceAdaptation(const SampleOptions&, const EnsembleSlice&) {}
  bool learn(Index, const SliceInfo& info, const PopulationState&, EnsembleSlice& kernel);
  void finish(EnsembleSlice&) const {}
  static void saved(auto& self, auto&& field) { field(self.count_); }

 private:
  double count_ = 0.0;
};

}  // namespace credo::infer
