#include "results/draws/simulate.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {
constexpr Index kMostTries = 100'000;

void require(const density::Capability& capability, const density::Names& names,
             const std::string& what) {
  if (!capability.can)
    throw Error(ErrorCode::program, what + ": " + capability.reason,
                capability.where.empty() ? names.name() : capability.where, capability.hint);
}

double log_prior(const density::Model& model, std::span<const double> position) {
  const auto prior = model.asking({.terms = density::Terms::prior});
  density::Request request{.position = position, .gradient = {}, .status = {}};
  prior->make_evaluator()->evaluate(density::Want::value, std::array{&request});
  return request.status.ok() ? request.log_density : -kInfinity;
}

// The replicates' last draw is then of these parameters.
Drawn draw_data_at(const density::Model& model, density::Replicates& replicates,
                   std::vector<double> position, Rng& rng) {
  Drawn drawn{std::move(position), {}};
  drawn.parameters = outputs_at(model.writers().require(model.name()), drawn.position,
                                density::Block::transformed_parameters);
  std::string note;
  if (replicates.draw(drawn.position, rng.bits(), &note).empty())
    throw Error(ErrorCode::evaluation, note, model.name(),
                "priors that reach so far say that such data may be; state narrower ones");
  return drawn;
}

// Sums of the same terms.
bool agree(double a, double b) {
  constexpr double kRounding = 1e-9;
  return a == b || std::abs(a - b) <= kRounding * (1.0 + std::abs(a));
}
}  // namespace

Index num_outputs(const density::Names& names, density::Block last) {
  const density::Layout& outputs = names.outputs();
  Index count = 0;
  for (std::size_t k = 0; k < outputs.variables().size(); ++k)
    if (outputs.variables()[k].block <= last) count = outputs.first(static_cast<Index>(k) + 1);
  return count;
}

std::vector<double> outputs_at(const density::OutputWriters& writers,
                               std::span<const double> position, density::Block last) {
  Rng rng({.seed = 0, .purpose = purpose::kReplicate, .chain = 0, .iteration = 0});
  return writers.write(position, rng, nullptr, {.last = last, .density_prints = false});
}

PriorDraws::PriorDraws(const density::Model& model)
    : model_(model), prior_model_(model.asking({.terms = density::Terms::prior})) {
  require(prior_model_->can_draw(), model, "the prior can't be drawn from");
  prior_ = prior_model_->make_exact_draws();
  writers_ = &prior_model_->writers().require(model.name());
}

// Discrete parameters, too, come from the prior, not from the data that are there.
std::vector<double> PriorDraws::position(Rng& rng) {
  for (Index k = 0; k < kMostTries; ++k)
    if (auto start = prior_->next(rng)) return writers_->with_discrete(start->position, rng);
  throw Error(ErrorCode::evaluation,
              fmt::format("none of {} draws from the prior lies within its bounds", kMostTries),
              model_.name(), "state priors that lie within the bounds");
}

std::vector<double> PriorDraws::parameters(std::uint64_t seed, Index number) {
  Rng rng({.seed = seed,
           .purpose = purpose::kReplicate,
           .chain = 2,
           .iteration = static_cast<std::uint32_t>(number)});
  return outputs_at(*writers_, position(rng), density::Block::transformed_parameters);
}

Simulator::Simulator(const density::Model& model) : model_(model), prior_(model) {
  Rng rng({.seed = 0, .purpose = purpose::kReplicate, .chain = 1, .iteration = 0});
  std::vector<double> position = prior_.position(rng);
  position.resize(static_cast<std::size_t>(model.dimension()));
  require(can_replicate(model, position), model, "the data can't be drawn");
  replicates_ = model.generative_side()->make_replicates(position);
}

Drawn Simulator::draw(std::uint64_t seed, Index number) {
  Rng rng({.seed = seed,
           .purpose = purpose::kReplicate,
           .chain = 2,
           .iteration = static_cast<std::uint32_t>(number)});
  return draw_data_at(model_, *replicates_, prior_.position(rng), rng);
}

std::vector<std::vector<double>> spread_draws(const Fit& fit, const density::Model& model,
                                              Index count, const char* option) {
  const Index per_chain = fit.num_draws(false), all = per_chain * fit.num_chains();
  if (all == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "draws must all count the same, and these have weights",
                fit.origin().source, "take draws of a Markov chain");
  if (count > all)
    throw Error(ErrorCode::usage,
                fmt::format("the fit has {} draws, and {} are requested", all, count),
                fit.origin().source, fmt::format("{} {}", option, all));
  const FitPoints points(fit, model);
  std::vector<std::vector<double>> positions;
  for (Index k = 0; k < count; ++k) {
    const Index draw = k * all / count;
    positions.push_back(points.read(draw / per_chain, draw % per_chain, 1).front());
  }
  return positions;
}

PosteriorSimulator::PosteriorSimulator(const density::Model& model,
                                       std::span<const std::vector<double>> positions)
    : model_(model), positions_(positions) {
  require(can_replicate(model, positions[0]), model, "the data can't be drawn");
  replicates_ = model.generative_side()->make_replicates(positions[0]);
}

Drawn PosteriorSimulator::draw(std::uint64_t seed, Index number) {
  Rng rng({.seed = seed,
           .purpose = purpose::kReplicate,
           .chain = 2,
           .iteration = static_cast<std::uint32_t>(number)});
  const density::OutputWriters& writers = model_.writers().require(model_.name());
  return draw_data_at(model_, *replicates_,
                      writers.with_discrete(positions_[static_cast<std::size_t>(number)], rng),
                      rng);
}

void Simulator::require_same_prior(const Drawn& drawn) const {
  const auto other = model_.other_data().require(model_.name()).with_data(replicates_->data_text());
  const auto parameters = [&](const density::Model& model) {
    return outputs_at(model.writers().require(model.name()), drawn.position,
                      density::Block::parameters);
  };
  const auto position =
      std::span(drawn.position).first(static_cast<std::size_t>(model_.dimension()));
  const bool is_same = other->dimension() == model_.dimension() &&
                       agree(log_prior(model_, position), log_prior(*other, position)) &&
                       std::ranges::equal(parameters(model_), parameters(*other), agree);
  if (!is_same)
    throw Error(
        ErrorCode::program,
        "the prior reads data that are drawn: it is another one for each data set, and parameters "
        "that were drawn before the data aren't drawn from it",
        model_.name(), "give what the prior needs as data of its own");
}

}  // namespace credo::results
