#include "infer/core/table.hpp"
#include "models/paths/path_posterior.hpp"
#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
// The medians of the priors, and the observed path.
std::vector<double> start_of(const PathPosterior& posterior, const TankData& data,
                             std::uint64_t seed, Index chain) {
  std::vector<double> parameters, observed;
  for (const LogNormalPrior& prior : data.prior) parameters.push_back(std::exp(prior.log_mean));
  for (const ObservedStep& step : posterior.model().observed()) observed.push_back(step.centre);
  return posterior.initial_point(parameters, observed, seed, static_cast<std::uint32_t>(chain));
}
}  // namespace

Ready tank_model(const TankData& data) {
  const auto posterior = std::make_shared<const PathPosterior>(
      std::make_shared<const TankModel>(data), PathCoordinates::staged);
  const WriteState write = [posterior](std::span<const double> state) {
    const PathPosterior::Point at = posterior->at(state);
    std::vector<double> row = at.parameters;
    for (const double u : at.path) row.push_back(std::exp(u));
    return row;
  };
  return {.algorithm = "split_hmc",
          .model = named("tank", posterior,
                         {{.name = "rate"},
                          {.name = "noise"},
                          {.name = "noise_sd"},
                          {.name = "x", .dims = {ssize(data.rain) + 1}}},
                         write),
          .run = [posterior, data](const infer::SampleOptions& options, infer::DrawSink& sink) {
            infer::SampleOptions own = options;
            own.sampler = "split_hmc";
            own.kernel = posterior->split_options();
            for (Index c = 0; own.states.empty() && c < own.num_chains; ++c)
              own.init.push_back(start_of(*posterior, data, own.seed, own.first_chain + c));
            return infer::run_chains(*posterior, own, sink);
          }};
}

}  // namespace credo::models
