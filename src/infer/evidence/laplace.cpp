#include "infer/evidence/laplace.hpp"

#include "infer/evidence/points.hpp"
#include "infer/optimise/mode.hpp"

namespace credo::infer {
namespace {
constexpr double kLogTwoPi = 1.8378770664093454836;
}

LaplaceEvidence laplace_evidence(const density::LogDensity& density,
                                 const LaplaceOptions& options) {
  std::vector<Mode> modes;
  LaplaceEvidence found;
  for (Index start = 0; start < options.num_starts; ++start) {
    Mode mode = find_mode(density, {.init_radius = options.init_radius,
                                    .seed = options.seed + static_cast<std::uint64_t>(start)});
    found.num_evaluations += mode.num_evaluations;
    if (mode.converged) modes.push_back(std::move(mode));
  }
  if (modes.empty())
    throw Error(ErrorCode::evaluation, "no climb to a mode has converged", "laplace",
                "credo optimize --jacobian says how climbs end; a density without a mode has no "
                "Laplace approximation");
  const auto best = std::max_element(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    return a.log_density < b.log_density;
  });
  constexpr double kSame = 1e-3;  // nats: climbs end where a Newton step gains less
  for (const Mode& mode : modes)
    ++(best->log_density - mode.log_density < kSame ? found.num_there : found.num_elsewhere);
  found.mode = best->position;
  found.log_density = best->log_density;
  found.covariance = inverse_hessian(density, found.mode);
  found.log_evidence = best->log_density +
                       0.5 * static_cast<double>(density.dimension()) * kLogTwoPi +
                       0.5 * log_determinant(found.covariance, density.dimension());
  return found;
}

}  // namespace credo::infer
