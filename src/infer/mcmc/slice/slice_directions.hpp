// Slice sampling in several dimensions: along random directions, along the axes of the covariance,
// on ellipses.
#pragma once
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/slice/slice.hpp"

namespace credo::infer {

// ---- hit and run: one random direction a transition [neal2003, sec. 5; belisle1993] ----

struct HitAndRunOptions {
  double width = 2.0;
  SliceGrowth growth = SliceGrowth::stepping_out;
  Index max_growth = 1000;
  MetricKind metric = MetricKind::diagonal;

  static void describe(auto& self, auto&& field) {
    field(self.width, kSliceWidthField);
    field(self.growth, kSliceGrowthField);
    field(self.max_growth, kSliceMaxGrowthField);
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
  }
};

struct HitAndRunSettings {
  double width = 1.0;
  Metric metric;

  static void saved(auto& self, auto&& field) {
    field(self.width);
    field(self.metric);
  }
};
void report_settings(const HitAndRunSettings& settings, ChainResult& result);

// The direction is L u with u uniform on the sphere and L Lᵀ the metric's inverse. Leaves the
// target invariant for every width and metric.
class HitAndRun final : public PooledKernel {
 public:
  using Options = HitAndRunOptions;
  using State = PointState;
  using Info = SliceInfo;
  static constexpr bool kNeedsGradient = false;

  HitAndRun(const HitAndRunOptions& options, Index dimension);
  Step<SliceInfo> step(PointState& current, Rng& rng);

  HitAndRunOptions options;
  HitAndRunSettings settings;

 private:
  void draw_direction(Rng& rng);

  LineSlicer line_;
  std::vector<double> noise_;
};

class HitAndRunAdaptation {
 public:
  HitAndRunAdaptation(const SampleOptions& options, const HitAndRun& kernel);
  bool learn(Index iteration, const SliceInfo& info, const PointState& state, HitAndRun& kernel);
  void finish(HitAndRun&) const {}
  static void saved(auto& self, auto&& field) {
    field(self.window_);
    field(self.count_);
    field(self.moments_);
  }

 private:
  WarmupSchedule schedule_;
  std::size_t window_ = 0;
  double count_ = 0.0;
  Welford moments_;
};

// ---- factor slice: the axes of the covariance, one after another [tibbits2014] ----

struct FactorSliceOptions {
  double width = 1.0;
  SliceGrowth growth = SliceGrowth::stepping_out;
  Index max_growth = 1000;

  static void describe(auto& self, auto&& field) {
    field(self.width, kSliceWidthField);
    field(self.growth, kSliceGrowthField);
    field(self.max_growth, kSliceMaxGrowthField);
  }
};

struct FactorSliceSettings {
  std::vector<double> axes;    // D × D, one a column, each as long as its standard deviation
  std::vector<double> widths;  // in these lengths

  static void saved(auto& self, auto&& field) {
    field(self.axes);
    field(self.widths);
  }
};
void report_settings(const FactorSliceSettings& settings, ChainResult& result);

// Leaves the target invariant for all axes and widths; the axes must span the space.
class FactorSlice final : public PooledKernel {
 public:
  using Options = FactorSliceOptions;
  using State = PointState;
  using Info = SliceInfo;
  static constexpr bool kNeedsGradient = false;

  FactorSlice(const FactorSliceOptions& options, Index dimension);
  Step<SliceInfo> step(PointState& current, Rng& rng);
  std::span<const LineMove> moves() const { return moves_; }

  FactorSliceOptions options;
  FactorSliceSettings settings;

 private:
  LineSlicer line_;
  std::vector<LineMove> moves_;
};

class FactorSliceAdaptation {
 public:
  FactorSliceAdaptation(const SampleOptions& options, const FactorSlice& kernel);
  bool learn(Index iteration, const SliceInfo& info, const PointState& state, FactorSlice& kernel);
  void finish(FactorSlice&) const {}
  static void saved(auto& self, auto&& field) {
    field(self.window_);
    field(self.count_);
    field(self.moments_);
  }

 private:
  void take_axes(FactorSliceSettings& settings);

  WarmupSchedule schedule_;
  std::size_t window_ = 0;
  double count_ = 0.0;
  Welford moments_;
  std::vector<double> matrix_, values_, work_;
};

// ---- elliptical slice sampling [murray2010; nishihara2014] ----

struct EllipticalOptions {
  double inflate = 1.5;
  double jitter = 1e-6;
  Index num_before = 100;

  static void describe(auto& self, auto&& field) {
    field(self.inflate, FieldSpec{.name = "inflate",
                                  .help = "standard deviations of the normal part, in fitted ones",
                                  .range = positive()});
    field(self.jitter, kJitterField);
    field(self.num_before, kNumBeforeField);
  }
};

// The normal N(mean, scale² M⁻¹) that the target is split into, times the rest. A prior, where the
// model has a normal one; or what warm-up fits.
struct EllipticalSettings {
  double scale = 1.0;
  Metric metric;
  std::vector<double> mean;

  static void saved(auto& self, auto&& field) {
    field(self.scale);
    field(self.metric);
    field(self.mean);
  }
};
void report_settings(const EllipticalSettings& settings, ChainResult& result);

// π(x) = N(x; mean, Σ) r(x): an ellipse through x and a draw of N(mean, Σ), and a slice of r on it.
// Leaves the target invariant for every mean and covariance; there is no step size.
class EllipticalSlice final : public PooledKernel {
 public:
  using Options = EllipticalOptions;
  using State = PointState;
  using Info = SliceInfo;
  static constexpr bool kNeedsGradient = false;

  EllipticalSlice(const EllipticalOptions& options, Index dimension);
  Step<SliceInfo> step(PointState& current, Rng& rng);

  EllipticalOptions options;
  EllipticalSettings settings;

 private:
  double log_normal(std::span<const double> position);
  void place(const PointState& current, double angle);

  std::vector<double> noise_, other_, candidate_, off_;
};

class EllipticalAdaptation {
 public:
  EllipticalAdaptation(const SampleOptions& options, const EllipticalSlice& kernel);
  bool learn(Index iteration, const SliceInfo&, const PointState& state, EllipticalSlice& kernel);
  void finish(EllipticalSlice&) const {}
  static void saved(auto& self, auto&& field) { field(self.moments_); }

 private:
  double jitter_;
  Index num_before_;
  Welford moments_;
};

}  // namespace credo::infer
