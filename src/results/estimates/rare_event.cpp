#include "results/estimates/rare_event.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/smc/cross_entropy.hpp"

namespace credo::results {
namespace {

infer::MakeScores scores_of(const density::Model& model, const ScoreOfOutputs& score) {
  return [&model, &score] {
    const std::shared_ptr<density::Writer> writer =
        model.writers()
            .require(model.name())
            .make_writer({.last = density::Block::transformed_parameters,
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

void require_values(const density::Layout& outputs, const ScoreOfOutputs& score) {
  for (const Index element : score.elements)
    if (outputs.variable_of(element).block == density::Block::generated_quantities)
      throw Error(ErrorCode::usage,
                  "a generated quantity isn't the same each time that it is computed at a point",
                  outputs.variable_of(element).name, "name parameters and transformed parameters");
}

// Densities of draws are compared with the prior's.
double log_mass_of(const density::PriorMass& mass) {
  for (const auto* parts : {&mass.improper, &mass.not_judged})
    for (const density::PriorMass::Part& part : *parts)
      throw Error(ErrorCode::usage,
                  fmt::format("it isn't known what the prior of {} integrates to{}{}",
                              part.parameter, part.reason.empty() ? "" : ": ", part.reason),
                  part.where.empty() ? part.parameter : part.where,
                  "take levels, which need no normalised prior: --method levels");
  return mass.log_mass;
}

template <class Options>
Options options_for(const infer::KernelOptions& own, const RareEventRun& run) {
  Options options = *own.as<Options>();
  options.seed = run.seed;
  options.num_threads = run.num_threads;
  return options;
}

infer::RareEvent by_levels(const density::Model& model, const infer::MakeScores& scores,
                           double value, const infer::KernelOptions& own, const RareEventRun& run) {
  return infer::rare_event(*model.prior(), scores, value,
                           options_for<infer::SplittingOptions>(own, run));
}

infer::RareEvent by_cross_entropy(const density::Model& model, const infer::MakeScores& scores,
                                  double value, const infer::KernelOptions& own,
                                  const RareEventRun& run) {
  auto options = options_for<infer::CrossEntropyOptions>(own, run);
  options.log_mass = log_mass_of(prior_mass(model));
  return infer::cross_entropy(*model.prior(), scores, value, options);
}

constexpr std::array kRareEventMethods{
    RareEventMethod{.name = "cross_entropy",
                    .summary = "a distribution is fitted to the draws above each level",
                    .reference = "rubinstein2004",
                    .options = [] { return infer::KernelOptions(infer::CrossEntropyOptions{}); },
                    .estimate = by_cross_entropy},
    RareEventMethod{.name = "levels",
                    .summary = "the particles above each level are doubled, and move",
                    .reference = "cerou2012",
                    .options = [] { return infer::KernelOptions(infer::SplittingOptions{}); },
                    .estimate = by_levels}};
}  // namespace

std::span<const RareEventMethod> rare_event_methods() { return kRareEventMethods; }

infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, std::string_view method,
                               const infer::KernelOptions& own, const RareEventRun& run) {
  require_values(model.outputs(), score);
  const auto row = std::ranges::find(kRareEventMethods, method, &RareEventMethod::name);
  CREDO_ASSERT(row != kRareEventMethods.end(),
               "the command refuses names that aren't in the table");
  return row->estimate(model, scores_of(model, score), value, own, run);
}

}  // namespace credo::results
