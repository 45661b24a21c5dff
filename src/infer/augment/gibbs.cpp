#include "infer/augment/gibbs.hpp"

#include <fmt/format.h>

#include "infer/core/chain.hpp"

namespace credo::infer {
namespace {
constexpr double kSameChange =
    1e-7;  // tolerance of the log density, relative to the sizes of its terms
}  // namespace

void LatentValuesMover::draw(std::span<double> position, Rng& rng) {
  const BlockForm& form = reader_.read(position);
  const std::size_t n = plan_.inner.size();
  f_.resize(n);
  for (std::size_t d = 0; d < n; ++d) f_[d] = position[static_cast<std::size_t>(plan_.inner[d])];
  before_ = form.at(f_);
  const bool is_known = has_factor_ && plan_.is_fixed() && form.has_fixed_precision();
  given_.precision = form.precision, given_.shift = form.shift;
  for (const BlockSite& site : form.sites)
    add_site(site, site.form->draw(site.numbers, site.along(f_), rng), given_);
  if (!is_known) factor_ = numerics::lower_factor(given_.precision);
  has_factor_ = true;
  if (!std::isfinite(numerics::log_determinant_of_factor(factor_)))
    throw Error(ErrorCode::evaluation,
                "the block has no proper distribution given the rest: its precision matrix isn't "
                "positive definite",
                "gibbs",
                "give the coefficients priors, or leave out columns that follow from others");
  f_ = given_.shift;  // A⁻¹ b + L'⁻¹ z = L'⁻¹ (L⁻¹ b + z)
  numerics::solve_factor(factor_, f_);
  for (double& value : f_) value += rng.normal();
  numerics::solve_factor_transposed(factor_, f_);
  after_ = form.at(f_);
  for (std::size_t d = 0; d < n; ++d) position[static_cast<std::size_t>(plan_.inner[d])] = f_[d];
}

void LatentValuesMover::check(double before, double after) const {
  const double own = after_.log_density - before_.log_density;
  const double size = 1.0 + before_.size + after_.size + std::abs(before) + std::abs(after);
  const double most = kSameChange * size + before_.rounding + after_.rounding;
  if (std::isfinite(after) && std::abs(after - before - own) <= most) return;
  throw Error(
      ErrorCode::evaluation,
      fmt::format("the log density of the program changed by {:.6g} where its recognised form "
                  "changes by {:.6g}",
                  after - before, own),
      "gibbs",
      "take the sampler nuts; bernoulli(Phi(x)) has probability 0 for an outcome of 0 above "
      "x = 8.3: ordered_probit(x, [0]') keeps such tails");
}

// ---- the kernel

LatentGibbs::LatentGibbs(const LatentGibbsOptions& options, const density::LogDensity& density)
    : plan(options.plan),
      block(*plan),
      parameters(mover_of(plan->outer, options.own.mover, density, options.run)),
      settings{parameters.get()} {}

Step<GibbsInfo> LatentGibbs::step(PointState& current, Rng& rng) {
  const double before = current.log_density;
  const Index evaluations = block.num_evaluations();
  block.draw(current.position, rng);
  current.log_density = (co_await evaluate(std::span<const double>(current.position))).log_density;
  block.check(before, current.log_density);
  GibbsInfo info{.num_evaluations = block.num_evaluations() - evaluations + 1};
  if (parameters != nullptr) {
    const PartInfo part = co_await parameters->step(current, rng);
    info.accept_stat = part.acceptance();
    info.num_evaluations += part.num_evaluations;
    info.divergent = part.num_divergent > 0;
  }
  info.log_density = current.log_density;
  co_return info;
}

void report_settings(const LatentGibbs::Settings& settings, ChainResult& result) {
  if (settings.parameters != nullptr) settings.parameters->report_tuned(result);
}

namespace {
RunResult run_gibbs(const density::LogDensity& density, const SampleOptions& options,
                    DrawSink& sink) {
  const auto own = options_for<GibbsOptions>(options.kernel, options.sampler);
  const auto plan = std::make_shared<const BlockPlan>(find_block(density, own.block, "gibbs"));
  if (plan->outer.empty() && own.mover.is_named())
    throw Error(ErrorCode::usage, "no parameter is left for the mover: the block has all of them",
                "mover", "leave out --mover");
  return run_sampler<LatentGibbs, MoverAdaptation>(
      density, options, {.own = own, .run = options, .plan = plan}, sink);
}
}  // namespace

extern const SamplerSpec kGibbs;
const SamplerSpec kGibbs = {
    .name = "gibbs",
    .summary =
        "coefficients at once given latent values: probit and ordered probit outcomes, "
        "normal, Laplace and Student priors and outcomes",
    .needs_gradient = true,
    .reference = "albert1993",
    .biased = false,
    .has_warmup = true,
    .columns = columns_of<GibbsInfo>,
    .options = [] { return KernelOptions(GibbsOptions{}); },
    .make = nullptr,
    .run = run_gibbs,
    .needs_program = true,
    .no_part = "it reads the terms of a program"};

}  // namespace credo::infer
