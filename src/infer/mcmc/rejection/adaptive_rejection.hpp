// Adaptive rejection sampling [gilks1992]: one coordinate after another is drawn from its full conditional
// distribution, exactly and independently of its value, if the log density is concave along it. If it isn't, the run
// ends; or a Metropolis step corrects the draw [gilks1995].
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/step.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/rejection/line_scale.hpp"
#include "infer/mcmc/rejection/tangent_hull.hpp"

namespace credo::infer {

struct AdaptiveRejectionOptions {
  double width = 1.0;
  double tolerance = 1e-7;
  bool metropolis = false;

  static void describe(auto& self, auto&& field) {
    field(self.width,
          FieldSpec{.name = "width",
                    .help = "distance of the first tangents from where they are laid around",
                    .range = positive()});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "how far above a tangent a log density may lie that counts as concave",
                    .range = positive()});
    field(
        self.metropolis,
        FieldSpec{
            .name = "metropolis",
            .help = "true: correct the draws where the log density isn't concave; false: refuse"});
  }
};

struct AdaptiveRejectionInfo {
  double log_density = 0.0;
  double accept_stat = 1.0;  // mean over the Metropolis steps
  Index num_evaluations = 0;
  Index num_rejections = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.num_evaluations, kEvaluationsColumn);
    field(self.num_rejections, FieldSpec{.name = "num_rejections",
                                         .help = "tries under the tangents that became tangents",
                                         .range = at_least(0)});
  }
};

struct AdaptiveRejectionSettings {
  std::vector<double> widths, centres;  // one for each coordinate
  // For each coordinate, the scales on which points have shown that it isn't log-concave: bit k for scale k.
  std::vector<std::int32_t> refuted;
  bool is_warm = false;  // after warm-up: scales are fixed

  static void saved(auto& self, auto&& field) {
    field(self.widths);
    field(self.centres);
    field(self.refuted);
    field(self.is_warm);
  }
};
void report_settings(const AdaptiveRejectionSettings& settings, ChainResult& result);

// A sweep leaves the target invariant for all widths and centres. Throws Error(evaluation) if evaluated points show
// that the log density doesn't fall off along a coordinate, or (without `metropolis`) isn't concave on any scale.
class AdaptiveRejection final : public PooledKernel {
 public:
  using Options = AdaptiveRejectionOptions;
  using State = PointState;
  using Info = AdaptiveRejectionInfo;
  static constexpr bool kNeedsGradient = true;

  AdaptiveRejection(const AdaptiveRejectionOptions& options, Index dimension);
  Step<AdaptiveRejectionInfo> step(PointState& current, Rng& rng);

  std::span<const double> moves() const {
    return moves_;
  }  // moves of the last step, by coordinate and on its scale
  // The first scale of a coordinate that isn't refuted, or the last one if all are.
  LineScale scale_of(std::size_t d) const;

  AdaptiveRejectionOptions options;
  AdaptiveRejectionSettings settings;

 private:
  struct ScaleRefuted {};
  Step<Nothing> draw_coordinate(PointState& current, Rng& rng);
  Step<Nothing> draw_on_scale(PointState& current, Rng& rng);
  void compare_scales();
  bool is_far_below(const TangentPoint& free) const;
  bool is_refuted(LineScale scale) const {
    return (settings.refuted[d_] >> static_cast<int>(scale) & 1) != 0;
  }
  void refute(LineScale scale) { settings.refuted[d_] |= 1 << static_cast<int>(scale); }
  Step<Nothing> lay_first_tangents(const PointState& current, Rng& rng);
  Step<Nothing> reach_out(int side);
  bool falls_off(int side) const;
  Step<Nothing> look_at(double x);
  void lay_tangent();
  bool keeps_falling() const;
  void settle(PointState& current, const TangentHull::Drawn& drawn, Rng& rng);
  double keep_prob(const PointState& current, const TangentHull::Drawn& drawn) const;
  void require_concave();
  void require_derivative() const;
  [[noreturn]] void refuse(const std::string& message, const char* hint) const;

  // State of the coordinate that is drawn.
  std::size_t d_ = 0;
  bool probes_ = false;
  LineScale scale_ = LineScale::free;  // scale of the members below except `free_`
  double base_ = 0.0;                  // the first tangents are laid around it
  TangentHull hull_;
  TangentPoint at_;      // the last evaluated point; its value is -infinity if it was refused
  TangentPoint free_;    // the same point on the unconstrained scale
  bool is_off_ = false;  // at_ gets no tangent: not concave there, or no accurate slope
  std::vector<TangentPoint> seen_;  // points of this coordinate on the unconstrained scale, sorted
  PointState candidate_;
  AdaptiveRejectionInfo info_;
  std::vector<double> moves_;
};

// Widths follow how far a coordinate moves, centres where it is, by stochastic approximation with gains t^-0.6.
class TangentAdaptation {
 public:
  TangentAdaptation(const SampleOptions&, const auto&) {}
  bool learn(Index, const AdaptiveRejectionInfo&, const PointState& state,
             AdaptiveRejection& kernel);
  void finish(AdaptiveRejection& kernel) const { kernel.settings.is_warm = true; }
  static void saved(auto& self, auto&& field) { field(self.count_); }

 private:
  double count_ = 0.0;
};

}  // namespace credo::infer
