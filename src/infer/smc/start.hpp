// Starts of particles and weighted draws, and errors of models without one.
#pragma once
#include "base/error.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

enum class PathStart { prior, normal };
inline constexpr std::array<std::string_view, 2> kPathStartNames = {"prior", "normal"};
inline constexpr std::span<const std::string_view> enum_names(PathStart) { return kPathStartNames; }

inline constexpr FieldSpec kPathStartField{
    .name = "from",
    .help =
        "first distribution of the particles: the program's prior, a normal reference, or "
        "(importance) a "
        "mixture of Student's t distributions at the modes and that normal"};
inline constexpr FieldSpec kReferenceSdField{
    .name = "reference_sd",
    .help =
        "standard deviation of the reference, unconstrained space; wide enough to hold all modes",
    .range = positive()};

// A distribution with exact draws: the prior of the density, or independent normals. Throws Error(usage)
// where the prior isn't known or can't be drawn from, with its reason.
std::unique_ptr<density::LogDensity> start_of_path(const density::LogDensity& density,
                                                   PathStart from, double reference_sd,
                                                   std::string_view sampler);

// The prior alone; `hint` is the way out if it can't be drawn from.
std::unique_ptr<density::LogDensity> prior_to_draw(const density::LogDensity& density,
                                                   std::string_view sampler, const char* hint);

// Throws Error(usage) for a run that no population can make.
void require_particles(const density::LogDensity& density, const SampleOptions& options);

// The stream of a particle of a population, its own.
Rng particle_stream(const SampleOptions& run, std::uint32_t purpose, Index population,
                    Index particle, Index iteration);

// Errors that name the sampler: the likelihood is 0 at all draws; no step of the likelihood's power keeps enough
// particles.
Error no_likelihood(const SampleOptions& options, Index tries);
Error no_likelihood_anywhere(const SampleOptions& options, Index num_draws);  // draws of the prior
Error no_step(const SampleOptions& options, double power);

}  // namespace credo::infer
