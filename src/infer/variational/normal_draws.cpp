// The normal distribution of the unconstrained values with the highest variational bound (bound.hpp), as weighted draws.
#include "infer/core/chain.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/bound.hpp"

namespace credo::infer {
namespace {

class BestNormalDraws final : public Approximation {
 public:
  explicit BestNormalDraws(NormalDistribution distribution)
      : distribution_(std::move(distribution)),
        noise_(static_cast<std::size_t>(distribution_.dimension())) {}
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<BestNormalDraws>(*this);
  }
  double draw(Rng& rng, std::span<double> x) override {
    for (double& n : noise_) n = rng.normal();
    distribution_.place(noise_, x);
    return distribution_.log_density(noise_);
  }

 private:
  NormalDistribution distribution_;
  std::vector<double> noise_;
};

RunResult run_normal(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  BoundOptions own = options_for<BoundOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  own.seed = options.seed;
  BestNormal best = maximise_bound(density, own);
  FittedApproximation fitted{.distribution = nullptr,
                             .figures = {{"mean", best.distribution.mean()},
                                         {"variances", best.distribution.variances()},
                                         {"bound", {best.bound.value}},
                                         {"bound_error", {best.bound.error}}},
                             .warnings = {}};
  if (!best.converged)
    fitted.warnings.emplace_back(
        "the bound was still rising when the iterations were used up: allow more with "
        "--max-iterations");
  fitted.distribution = std::make_shared<BestNormalDraws>(std::move(best.distribution));
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kNormal;
const SamplerSpec kNormal = approximation_row(
    {.name = "normal",
     .summary = "weighted draws from the normal distribution with the highest "
                "variational bound",
     .reference = "giordano2024"},
    [] { return KernelOptions(BoundOptions{}); }, run_normal);

}  // namespace credo::infer
