// Newton's method with exact second derivatives [nocedal2006, alg. 3.2]: the direction |A|⁻¹ ∇log p, where
// |A| has the eigenvalues of A = -∇² log p by absolute value, so that it points uphill wherever it is;
// the step by a strong Wolfe search from 1. Fisher scoring is the same with the expected information of the outcomes, less the second derivatives of the
// prior, in the place of A [mccullagh1989, sec. 2.5]. This matrix is no curvature far from the top, where outcomes contradict the
// parameters: after kMostScoring iterations the climb continues by L-BFGS.
#include "infer/core/vectors.hpp"
#include "infer/optimise/climb.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostScoring = 100;  // about the top a few iterations suffice

struct NewtonOptions {
  ClimbOptions climb = {};
  static void describe(auto& self, auto&& field) {
    field(self.climb, FieldSpec{.name = "climb", .help = "when a climb ends"});
  }
};

// By second derivatives, or by the expected information in the place of those of the likelihood.
class Newton final : public Climb {
 public:
  Newton(const ClimbSetup& setup, const NewtonOptions& own, density::Want matrix)
      : Climb(setup, own.climb), matrix_(matrix), after_scoring_({}) {}
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    saved(*this, from);
    check(here.position);
    check(after_scoring_);
  }
  static void saved(auto& self, auto&& field) {
    Climb::saved(self, field);
    field(self.after_scoring_);
  }

 private:
  Step<Nothing> iterate() override;
  Step<bool> find_matrix(std::span<double> matrix);

  const density::Want matrix_;
  QuasiNewton after_scoring_;
};

// The matrix whose inverse leads uphill, with the sign of second derivatives.
Step<bool> Newton::find_matrix(std::span<double> matrix) {
  if (matrix_ == density::Want::hessian) co_return co_await find_hessian(here, true, matrix);
  const Evaluation answer = co_await evaluate_matrix(matrix_, here.position, matrix);
  for (double& entry : matrix) entry = -entry;
  co_return answer.status.ok();
}

Step<Nothing> Newton::iterate() {
  if (matrix_ == density::Want::information && num_iterations >= kMostScoring) {
    co_await climb_by(after_scoring_);
    co_return Nothing{};
  }
  std::vector<double> hessian(here.position.size() * here.position.size());
  const bool is_known = co_await find_matrix(hessian);
  if (!is_known) {
    finish(ClimbEnd::line_search);
    co_return Nothing{};
  }
  const std::vector<double> inverse = modified_inverse(hessian, ssize(here.position));
  const std::vector<double> uphill = product(inverse, here.gradient);
  const double gain = 0.5 * dot(uphill, here.gradient);
  if (gain <= options.tolerance)
    finish(ClimbEnd::gain);
  else
    co_await move_along(uphill, 1.0, gain);
  co_return Nothing{};
}

RunResult run_newton(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  const auto own = options_for<NewtonOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  if (const std::string why = why_no_hessian(density); !why.empty())
    throw Error(ErrorCode::usage, "newton needs exact second derivatives: " + why, "newton",
                "lbfgs needs gradients only");
  return run_climbs(density, options, sink, own.climb, [&](const ClimbSetup& setup) {
    return std::make_unique<Newton>(setup, own, density::Want::hessian);
  });
}

RunResult run_fisher(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  const auto own = options_for<NewtonOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_information(density, options.sampler);
  return run_climbs(density, options, sink, own.climb, [&](const ClimbSetup& setup) {
    return std::make_unique<Newton>(setup, own, density::Want::information);
  });
}
}  // namespace

extern const SamplerSpec kNewton;
const SamplerSpec kNewton{.name = "newton",
                          .summary = "climbs by Newton's method with exact second derivatives",
                          .needs_gradient = true,
                          .reference = "nocedal2006",
                          .biased = false,
                          .has_warmup = false,
                          .columns = columns_of<ClimbInfo>,
                          .groups = climb_groups,
                          .options = [] { return KernelOptions(NewtonOptions{}); },
                          .make = nullptr,
                          .run = run_newton,
                          .family = Family::optimum,
                          .fixed_length = kClimbLength};

extern const SamplerSpec kFisher;
const SamplerSpec kFisher{
    .name = "fisher",
    .summary =
        "climbs by Fisher scoring: Newton's method with the expected information of the outcomes; "
        "L-BFGS after 100 iterations",
    .needs_gradient = true,
    .reference = "mccullagh1989",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<ClimbInfo>,
    .groups = climb_groups,
    .options = [] { return KernelOptions(NewtonOptions{}); },
    .make = nullptr,
    .run = run_fisher,
    .family = Family::optimum,
    .fixed_length = kClimbLength};

}  // namespace credo::infer
