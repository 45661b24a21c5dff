// Rejection sampling [vonneumann1951; murphy2023, 11.4.1]: independent draws x of the prior, or of a normal reference, each accepted
// with the probability w(x) / C, w = density / reference. Each accepted draw is an exact, independent draw of the
// posterior. The mean of w over all tries is the evidence, and estimates it with less error than the share of accepted
// ones, which is its integral over the uniform number [casella1996].
//
// C is the largest w that climbs find, begun at the best of some draws. No proof ensures that they find the highest
// mode; a draw above C proves the opposite, and ends the run.
#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/start.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

constexpr Index kMostCandidates = 1'000'000;  // for one draw
constexpr Index kPilotDraws = 1000, kClimbs = 5;
constexpr double kBoundRounding =
    1e-6;  // nats: climbs end where the gradient vanishes to eight digits

struct RejectionOptions {
  PathStart from = PathStart::prior;
  double reference_sd = 5.0;
  double margin = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.from, kPathStartField);
    field(self.reference_sd, kReferenceSdField);
    field(
        self.margin,
        FieldSpec{
            .name = "margin",
            .help =
                "nats by which the bound of the weights is raised above the highest that was found",
            .range = {.lo = 0.0, .hi_open = true}});
  }
};

struct RejectionInfo {
  double log_density = 0.0;
  Index num_tries = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.num_tries,
          FieldSpec{.name = "num_tries",
                    .help = "draws up to the one that was accepted, itself included"});
  }
};

// log density - log reference, with its gradient.
class RatioDensity final : public density::LogDensity {
 public:
  RatioDensity(const density::LogDensity& above, const density::LogDensity& below)
      : above_(above), below_(below) {}
  Index dimension() const override { return above_.dimension(); }
  bool has_gradient() const override { return above_.has_gradient() && below_.has_gradient(); }
  std::string describe(const density::Status& status) const override {
    return above_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Both>(above_, below_);
  }

 private:
  class Both final : public density::Evaluator {
   public:
    Both(const density::LogDensity& above, const density::LogDensity& below)
        : above_(above.make_evaluator()),
          below_(below.make_evaluator()),
          slope_(static_cast<std::size_t>(below.dimension())) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      above_->evaluate(want, batch);
      for (density::Request* asked : batch) {
        if (!asked->status.ok()) continue;
        density::Request second = *asked;
        if (!asked->gradient.empty()) second.gradient = slope_;
        below_->evaluate(want, std::array{&second});
        asked->status = second.status;
        asked->log_density =
            second.status.ok() ? asked->log_density - second.log_density : -kInfinity;
        for (std::size_t d = 0; d < asked->gradient.size(); ++d) asked->gradient[d] -= slope_[d];
      }
    }

   private:
    std::unique_ptr<density::Evaluator> above_, below_;
    std::vector<double> slope_;
  };

  const density::LogDensity &above_, &below_;
};

struct FoundBound {
  double highest = -kInfinity;  // log weight
  std::vector<double> at;
};

// The best of some draws, and of climbs from there and from others.
FoundBound bound_of_weights(const density::LogDensity& density, const density::LogDensity& from) {
  const RatioDensity ratio(density, from);
  const auto draws = from.make_exact_draws();
  const auto evaluator = density.make_evaluator();
  FoundBound found;
  std::vector<std::vector<double>> starts;
  Rng rng({.seed = 1, .purpose = purpose::kInitialState, .chain = 0, .iteration = 7});
  for (Index k = 0; k < kPilotDraws; ++k) {
    density::Start drawn = draw_exactly(*draws, rng);
    density::Request request{.position = drawn.position, .gradient = {}, .status = {}};
    evaluator->evaluate(density::Want::value, std::array{&request});
    if (!request.status.ok()) continue;
    if (ssize(starts) < kClimbs) starts.push_back(drawn.position);
    if (const double w = request.log_density - drawn.log_density; w > found.highest)
      found = {w, std::move(drawn.position)};
  }
  if (!found.at.empty()) starts.push_back(found.at);
  for (const std::vector<double>& start : starts) {
    auto mode = find_mode_if_defined(ratio, {.start = start});
    if (mode && mode->log_density > found.highest)
      found = {mode->log_density, std::move(mode->position)};
  }
  return found;
}

Error not_bounded(double above, double bound) {
  return Error(
      ErrorCode::evaluation,
      fmt::format("a draw has a weight {:.3g} nats above the bound, which climbs found ({:.6g}): "
                  "draws up to here aren't the "
                  "posterior's",
                  above, bound),
      "sampler rejection",
      fmt::format("raise the bound: --margin {:.3g}; or --sampler importance, which needs none",
                  std::ceil(above) + 1.0));
}

Error none_accepted(double log_mean, double bound) {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws none was accepted; one in {:.2g} would be", kMostCandidates,
                           std::exp(std::min(bound - log_mean, 700.0))),
               "sampler rejection",
               "use --sampler smc or nuts: the posterior is too narrow beside the prior");
}

class Rejection final : public PooledKernel {
 public:
  using Options = RejectionOptions;
  using State = PointState;
  using Info = RejectionInfo;
  static constexpr bool kNeedsGradient = false, kIsIndependent = true;

  Rejection(const RejectionOptions& options, const density::LogDensity& density)
      : from_(start_of_path(density, options.from, options.reference_sd, "rejection")),
        draws_(from_->make_exact_draws()),
        log_bound_(bound_of_weights(density, *from_).highest + options.margin) {}
  static void check(const RejectionOptions&, const density::LogDensity& density) {
    require_continuous(density, "rejection sampling");
    if (!density.has_gradient())
      throw Error(ErrorCode::usage,
                  "the bound of the weights is found by climbs, which need a gradient",
                  "sampler rejection", "use --sampler importance");
  }

  Step<RejectionInfo> step(PointState& current, Rng& rng) {
    for (Index tries = 1; tries <= kMostCandidates; ++tries) {
      const density::Start drawn = draw_exactly(*draws_, rng);
      const double below = -rng.exponential();  // log of a uniform number
      const Evaluation at = co_await evaluate(drawn.position);
      const double log_weight = at.status.ok() ? at.log_density - drawn.log_density : -kInfinity;
      sums_.add(log_weight);
      const double excess = log_weight - log_bound_;
      if (excess > kBoundRounding * (1.0 + std::abs(log_bound_)))
        throw not_bounded(excess, log_bound_);
      if (!(below < excess)) continue;
      current.position = drawn.position;
      current.log_density = at.log_density;
      co_return RejectionInfo{.log_density = at.log_density, .num_tries = tries};
    }
    throw none_accepted(sums_.log_mean(), log_bound_);
  }

  void conclude(ChainResult& result) const {
    result.tuned = {{"log_evidence", {sums_.log_mean()}},
                    {"log_evidence_error", {sums_.relative_error()}},
                    {"log_bound", {log_bound_}}};
  }
  static void saved(auto& self, auto&& field) { field(self.sums_); }

  NoSettings settings;

 private:
  std::unique_ptr<density::LogDensity> from_;
  std::unique_ptr<density::ExactDraws> draws_;
  double log_bound_;
  WeightSums sums_;
};

RunResult run_rejection(const density::LogDensity& density, const SampleOptions& options,
                        DrawSink& sink) {
  const auto own = options_for<RejectionOptions>(options.kernel, options.sampler);
  RunResult result = run_sampler<Rejection, NoAdaptation>(density, options, own, sink);
  result.evidence_is_normalised = own.from == PathStart::prior;
  return result;
}
}  // namespace

extern const SamplerSpec kRejection;
const SamplerSpec kRejection = {.name = "rejection",
                                .summary =
                                    "exact, independent draws: some of the prior's, accepted by "
                                    "their likelihood; few parameters, weak data",
                                .needs_gradient = true,
                                .reference = "vonneumann1951",
                                .biased = false,
                                .has_warmup = false,
                                .columns = columns_of<RejectionInfo>,
                                .options = [] { return KernelOptions(RejectionOptions{}); },
                                .make = nullptr,
                                .run = run_rejection};

}  // namespace credo::infer
