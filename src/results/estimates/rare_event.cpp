#include "results/estimates/rare_event.hpp"

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
}  // namespace

infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, const infer::SplittingOptions& options) {
  for (const Index element : score.elements)
    if (model.outputs().variable_of(element).block == density::Block::generated_quantities)
      throw Error(ErrorCode::usage,
                  "a generated quantity isn't the same each time that it is computed at a point",
                  model.outputs().variable_of(element).name,
                  "name parameters and transformed parameters");
  const auto prior = model.prior();
  return infer::rare_event(*prior, scores_of(model, score), value, options);
}

}  // namespace credo::results
