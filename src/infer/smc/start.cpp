#include "infer/smc/start.hpp"

#include <fmt/format.h>

#include "infer/core/recorder.hpp"
#include "infer/ensemble/tempered.hpp"
#include "infer/gibbs/site_sweep.hpp"

namespace credo::infer {
namespace {
constexpr Index kLeastParticles = 20;

Error no_prior(std::string_view sampler, const std::string& reason, const std::string& where,
               const char* hint) {
  return Error(ErrorCode::usage, "the prior can't be drawn from: " + reason,
               where.empty() ? fmt::format("sampler {}", sampler) : where, hint);
}
}  // namespace

std::unique_ptr<density::LogDensity> prior_to_draw(const density::LogDensity& density,
                                                   std::string_view sampler, const char* hint) {
  auto prior = density.prior();
  if (prior == nullptr)
    throw no_prior(sampler, "the model doesn't separate it from its likelihood", "", hint);
  if (const density::Capability can = prior->can_draw(); !can.can)
    throw no_prior(sampler, can.reason, can.where, hint);
  return prior;
}

std::unique_ptr<density::LogDensity> start_of_path(const density::LogDensity& density,
                                                   PathStart from, double reference_sd,
                                                   std::string_view sampler) {
  if (from == PathStart::normal)
    return reference_density(normal_reference(reference_sd), density.dimension());
  return prior_to_draw(density, sampler, "draw from a normal reference instead: --from normal");
}

void require_particles(const density::LogDensity& density, const SampleOptions& options) {
  require_continuous(density, options.sampler);
  require_no_metric(options);
  if (options.num_draws >= kLeastParticles) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} particles are too few: the draws of a chain are its particles",
                          options.num_draws),
              "num_draws", fmt::format("ask for at least {}", kLeastParticles));
}

Rng particle_stream(const SampleOptions& run, std::uint32_t purpose, Index population,
                    Index particle, Index iteration) {
  return Rng({.seed = run.seed,
              .purpose = purpose,
              .chain = static_cast<std::uint32_t>((run.first_chain + population) * run.num_draws +
                                                  particle),
              .iteration = static_cast<std::uint32_t>(iteration)});
}

Error no_likelihood(const SampleOptions& options, Index tries) {
  return Error(ErrorCode::evaluation,
               tries > 1 ? fmt::format("of {} draws of a particle none has a likelihood", tries)
                         : "the likelihood is 0 at all particles",
               fmt::format("sampler {}", options.sampler), "use a prior nearer to the data");
}

Error no_likelihood_anywhere(const SampleOptions& options, Index num_draws) {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws of the prior none has a likelihood", num_draws),
               fmt::format("sampler {}", options.sampler),
               "look whether the data can occur under the program, or use a prior nearer to them");
}

Error no_step(const SampleOptions& options, double power) {
  return Error(
      ErrorCode::evaluation,
      fmt::format("at the power {} of the likelihood no step keeps enough particles: their "
                  "likelihoods differ by more than numbers can hold",
                  power),
      fmt::format("sampler {}", options.sampler),
      "use a prior that isn't as far from the data, or --from normal");
}

}  // namespace credo::infer
