// Slice sampling [neal2003]: one coordinate after another, along random directions, or along the
// axes of the covariance.
#pragma once
#include "infer/adapt/schedule.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/core/sample.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/slice/slice_line.hpp"

namespace credo::infer {

inline constexpr FieldSpec kSliceWidthField{
    .name = "width", .help = "initial width of the interval", .range = positive()};
inline constexpr FieldSpec kSliceGrowthField{
    .name = "growth", .help = "how the interval grows: stepping_out or doubling"};
inline constexpr FieldSpec kSliceMaxGrowthField{.name = "max_growth",
                                                .help = "length of the interval at most, in widths",
                                                .range = at_least(1)};

struct SliceOptions {
  double width = 1.0;
  SliceGrowth growth = SliceGrowth::stepping_out;
  Index max_growth = 1000;

  static void describe(auto& self, auto&& field) {
    field(self.width, kSliceWidthField);
    field(self.growth, kSliceGrowthField);
    field(self.max_growth, kSliceMaxGrowthField);
  }
};

struct SliceInfo {
  double log_density = 0.0;
  Index num_evaluations = 0;
  Index num_expansions = 0;
  Index num_contractions = 0;

  void add(const LineMove& move);
  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.num_evaluations, kEvaluationsColumn);
    field(self.num_expansions,
          FieldSpec{
              .name = "num_expansions", .help = "times an interval grew", .range = at_least(0)});
    field(self.num_contractions, FieldSpec{.name = "num_contractions",
                                           .help = "points outside the slice",
                                           .range = at_least(0)});
  }
};

struct SliceSettings {
  std::vector<double> widths;  // one for each coordinate

  static void saved(auto& self, auto&& field) { field(self.widths); }
};
void report_settings(const SliceSettings& settings, ChainResult& result);

// One coordinate after another, each with a slice of its own. Leaves the target invariant for all
// widths; a bad width makes it slow, not wrong: watch num_evaluations.
class Slice final : public PooledKernel {
 public:
  using Options = SliceOptions;
  using State = PointState;
  using Info = SliceInfo;
  static constexpr bool kNeedsGradient = false;

  Slice(const SliceOptions& options, Index dimension);
  Step<SliceInfo> step(PointState& current, Rng& rng);

  std::span<const LineMove> moves() const { return moves_; }  // moves of the last step

  SliceOptions options;
  SliceSettings settings;

 private:
  LineSlicer line_;
  std::vector<LineMove> moves_;
};

// Widths by stochastic approximation, so that intervals grow as often as they shrink
// [karamanis2021]:  log w += t^-0.6 (expansions - contractions) / (expansions + contractions).
class WidthAdaptation {
 public:
  WidthAdaptation(const SampleOptions&, const auto&) {}
  bool learn(Index, const SliceInfo&, const PointState&, Slice& kernel);
  void finish(Slice&) const {}
  static void saved(auto& self, auto&& field) { field(self.count_); }

 private:
  double count_ = 0.0;
};

// The factor that one transition's moves ask for; `count` of them have been seen.
double width_factor(double count, Index num_expansions, Index num_contractions);

}  // namespace credo::infer
