#include "infer/variational/climbs/normal_prior.hpp"

#include <fmt/format.h>

#include "infer/variational/fits/laplace_fit.hpp"

namespace credo::infer {

NormalBelief normal_prior(const density::LogDensity& density, std::string_view method,
                          std::uint64_t seed) {
  const auto prior = density.prior();
  if (prior == nullptr)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} begins at the prior, and the density doesn't know its prior", method),
        "sampler", "credo approximate --method normal takes any density");
  try {
    LaplacePeak peak = find_peaks(*prior, {.seed = seed}).front();
    return {std::move(peak.mode.position), std::move(peak.curvature.covariance)};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    throw Error(ErrorCode::evaluation, "the prior has no normal approximation: " + error.message(),
                "prior",
                fmt::format("{} begins there: give every parameter a proper prior", method));
  }
}

}  // namespace credo::infer
