// Importance sampling [kahn1955; murphy2023, 11.5]: independent draws from the prior, or from a normal
// reference, or from a mixture of several distributions, with the weight target / reference. The draws are weighted
// (column log_weight), and the mean weight is the evidence.
#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/evidence/mode_mixture.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/start.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

constexpr Index kMostTries = 100'000;

Error all_refused() {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws the density refuses all", kMostTries), "sampler importance",
               "use --sampler smc, or a prior nearer to the data");
}

enum class ImportanceFrom { prior, normal, mixture };
constexpr std::array<std::string_view, 3> kImportanceFromNames = {"prior", "normal", "mixture"};
constexpr std::span<const std::string_view> enum_names(ImportanceFrom) {
  return kImportanceFromNames;
}

struct ImportanceOptions {
  ImportanceFrom from = ImportanceFrom::prior;
  double reference_sd = 5.0;
  double defensive_share = 0.1;
  Index num_climbs = 10;

  static void describe(auto& self, auto&& field) {
    field(self.from, kPathStartField);
    field(self.reference_sd, kReferenceSdField);
    field(self.defensive_share,
          FieldSpec{.name = "defensive_share",
                    .help = "share of the normal in the mixture",
                    .range = {.lo = 0.0, .hi = 1.0, .lo_open = true, .hi_open = true}});
    field(self.num_climbs,
          FieldSpec{.name = "num_climbs",
                    .help = "to modes, each from a point of its own, for the mixture",
                    .range = at_least(1)});
  }
};

std::unique_ptr<density::LogDensity> distribution_to_draw(const density::LogDensity& density,
                                                          const ImportanceOptions& options) {
  if (options.from == ImportanceFrom::mixture)
    return reference_density(mode_mixture(density, {.num_climbs = options.num_climbs,
                                                    .defensive_share = options.defensive_share,
                                                    .defensive_sd = options.reference_sd}),
                             density.dimension());
  const auto from = options.from == ImportanceFrom::prior ? PathStart::prior : PathStart::normal;
  return start_of_path(density, from, options.reference_sd, "importance");
}

struct ImportanceInfo {
  double log_density = 0.0, log_weight = 0.0;
  Index num_tries = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.log_weight, kLogWeightColumn);
    field(self.num_tries,
          FieldSpec{
              .name = "num_tries",
              .help = "draws up to the first one that the target doesn't refuse, itself included"});
  }
};

class Importance final : public PooledKernel {
 public:
  using Options = ImportanceOptions;
  using State = PointState;
  using Info = ImportanceInfo;
  static constexpr bool kNeedsGradient = false, kIsIndependent = true;

  Importance(const ImportanceOptions& options, const density::LogDensity& density)
      : from_(distribution_to_draw(density, options)), draws_(from_->make_exact_draws()) {}
  static void check(const ImportanceOptions&, const density::LogDensity& density) {
    require_continuous(density, "importance sampling");
  }

  // A draw that the target refuses has weight 0: it counts for the evidence, and isn't kept.
  Step<ImportanceInfo> step(PointState& current, Rng& rng) {
    for (Index tries = 1; tries <= kMostTries; ++tries) {
      const density::Start drawn = draw_exactly(*draws_, rng);
      const Evaluation at = co_await evaluate(drawn.position);
      const double log_weight = at.status.ok() ? at.log_density - drawn.log_density : -kInfinity;
      sums_.add(log_weight);
      if (!at.status.ok()) continue;
      current.position = drawn.position;
      current.log_density = at.log_density;
      co_return ImportanceInfo{
          .log_density = at.log_density, .log_weight = log_weight, .num_tries = tries};
    }
    throw all_refused();
  }

  // log mean w, and the standard error of a mean of weights over that mean.
  void conclude(ChainResult& result) const {
    result.tuned = {{"log_evidence", {sums_.log_mean()}},
                    {"log_evidence_error", {sums_.relative_error()}}};
  }
  static void saved(auto& self, auto&& field) { field(self.sums_); }

  NoSettings settings;

 private:
  std::unique_ptr<density::LogDensity> from_;
  std::unique_ptr<density::ExactDraws> draws_;
  WeightSums sums_;
};

RunResult run_importance(const density::LogDensity& density, const SampleOptions& options,
                         DrawSink& sink) {
  const auto own = options_for<ImportanceOptions>(options.kernel, options.sampler);
  RunResult result = run_sampler<Importance, NoAdaptation>(density, options, own, sink);
  result.evidence_is_normalised = own.from == ImportanceFrom::prior;
  return result;
}
}  // namespace

extern const SamplerSpec kImportance;
const SamplerSpec kImportance = {
    .name = "importance",
    .summary = "weighted draws from the prior or a mixture; also estimates the log evidence",
    .needs_gradient = false,
    .reference = "kahn1955",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<ImportanceInfo>,
    .options = [] { return KernelOptions(ImportanceOptions{}); },
    .make = nullptr,
    .run = run_importance};

}  // namespace credo::infer
