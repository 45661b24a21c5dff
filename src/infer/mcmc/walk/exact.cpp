#include "infer/mcmc/walk/exact.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/core/chain.hpp"

namespace credo::infer {
namespace {
constexpr Index kMaxTries = 100'000;

Error none_within_support() {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws none lies within the support", kMaxTries), "sampler exact",
               "state priors that lie within the bounds of their parameters, or cut them: T[L, U]");
}
}  // namespace

density::Start draw_exactly(density::ExactDraws& draws, Rng& rng) {
  for (Index tries = 0; tries < kMaxTries; ++tries)
    if (std::optional<density::Start> drawn = draws.next(rng)) return *std::move(drawn);
  throw none_within_support();
}

void require_same_density(double drawn_from, double log_density, std::string_view sampler) {
  constexpr double kRounding = 1e-8;
  const double difference = std::abs(drawn_from - log_density);
  if (std::isfinite(difference) && difference <= kRounding * (1.0 + std::abs(log_density))) return;
  throw Error(ErrorCode::evaluation,
              fmt::format("a draw was made with log density {}, and the model's is {} there: these "
                          "draws would be wrong",
                          drawn_from, log_density),
              fmt::format("sampler {}", sampler), "don't draw from this prior: use --sampler nuts");
}

Step<ExactInfo> Exact::step(PointState& current, Rng& rng) {
  for (Index tries = 1; tries <= kMaxTries; ++tries) {
    const std::optional<density::Start> drawn = draws_->next(rng);
    if (!drawn) continue;
    const Evaluation at = co_await evaluate(drawn->position);
    if (!at.status.ok()) continue;
    require_same_density(drawn->log_density, at.log_density, "exact");
    current.position = drawn->position;
    current.log_density = at.log_density;
    co_return ExactInfo{.log_density = at.log_density, .num_tries = tries};
  }
  throw none_within_support();
}

Exact::Exact(const ExactOptions&, const density::LogDensity& density)
    : draws_(density.make_exact_draws()) {}

void Exact::check(const ExactOptions&, const density::LogDensity& density) {
  const density::Capability can = density.can_draw();
  if (!can.can)
    throw Error(ErrorCode::usage, "the density can't be drawn from: " + can.reason,
                can.where.empty() ? "sampler exact" : can.where, can.hint);
}

extern const SamplerSpec kExact;
const SamplerSpec kExact = sampler_row<Exact, NoAdaptation>(
    {.name = "exact",
     .summary = "independent draws from a prior, in the order of the program's statements",
     .reference = "gelman2013"});

}  // namespace credo::infer
