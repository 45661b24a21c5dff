#include "results/estimates/rare_event.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::results {
namespace {

infer::MakeScores scores_of(const density::Model& model, const ScoreOfOutputs& score) {
  return [&model, &score] {
    const std::shared_ptr<density::Writer> writer =
        model.make_writer({.last = density::Block::transformed_parameters,
                           .density_prints = false,
                           .columns = score.elements});
    return [&model, &score, writer](std::span<const double> positions, std::span<double> scores) {
      const auto n = static_cast<std::size_t>(model.dimension());
      std::vector<density::DrawRequest> requests;
      for (std::size_t k = 0; k < scores.size(); ++k)
        requests.push_back({.point = positions.subspan(k * n, n),
                            .rng = Rng({.seed = 1, .purpose = purpose::kReplicate})});
      writer->write(requests);
      std::vector<std::vector<double>> rows;
      for (density::DrawRequest& request : requests) rows.push_back(std::move(request.row));
      const std::vector<double> values = score.values(rows);
      std::ranges::copy(values, scores.begin());
    };
  };
}

void require_values(const density::Model& model, const ScoreOfOutputs& score) {
  for (const Index element : score.elements)
    if (model.outputs().variable_of(element).block == density::Block::generated_quantities)
      throw Error(ErrorCode::usage,
                  "a generated quantity isn't the same each time that it is computed at a point",
                  model.outputs().variable_of(element).name,
                  "name parameters and transformed parameters");
}

// Densities of draws are compared with the prior's.
double log_mass_of(const density::Model& model) {
  const density::PriorMass mass = model.prior_mass();
  for (const auto* parts : {&mass.improper, &mass.not_judged})
    for (const density::PriorMass::Part& part : *parts)
      throw Error(ErrorCode::usage,
                  fmt::format("it isn't known what the prior of {} integrates to{}{}",
                              part.parameter, part.reason.empty() ? "" : ": ", part.reason),
                  part.where.empty() ? part.parameter : part.where,
                  "take levels, which need no normalised prior: --method levels");
  return mass.log_mass;
}
}  // namespace

infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, const infer::SplittingOptions& options) {
  require_values(model, score);
  const auto prior = model.prior();
  return infer::rare_event(*prior, scores_of(model, score), value, options);
}

infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, infer::CrossEntropyOptions options) {
  require_values(model, score);
  options.log_mass = log_mass_of(model);
  const auto prior = model.prior();
  return infer::cross_entropy(*prior, scores_of(model, score), value, options);
}

}  // namespace credo::results
