#include "credo/ready.hpp"

#include <fmt/format.h>

#include "api/impl.hpp"
#include "models/ready/ready_models.hpp"
#include "numerics/special.hpp"

namespace credo::ready {
namespace {
Model handle_of(models::Ready ready) {
  auto impl = std::make_shared<Model::Impl>();
  impl->name = ready.model->name();
  impl->model = std::move(ready.model);
  impl->own_run = std::move(ready.run);
  impl->own_algorithm = std::move(ready.algorithm);
  return Model(std::move(impl));
}

numerics::RowMatrix square(const std::vector<double>& values, std::size_t n, const char* name) {
  if (values.size() != n * n)
    throw Error(ErrorCode::data,
                fmt::format("{} has {} numbers, not {} x {}", name, values.size(), n, n), name,
                "give it row by row");
  return {static_cast<Index>(n), static_cast<Index>(n), values};
}

// A set of k of C has the weight p(k) / binomial(C, k).
std::vector<double> all_sets_alike(Index num_candidates) {
  std::vector<double> log_prior;
  for (Index k = 0; k <= num_candidates; ++k)
    log_prior.push_back(
        numerics::lchoose(static_cast<double>(num_candidates), static_cast<double>(k)));
  return log_prior;
}
}  // namespace

Model gaussian_mixture(std::vector<double> points, const MixturePrior& prior) {
  const std::size_t d = prior.mean.size();
  return handle_of(models::gaussian_mixture_model(
      std::move(points), {.concentrations = prior.concentrations,
                          .mean = prior.mean,
                          .mean_covariance = square(prior.mean_covariance, d, "mean_covariance"),
                          .scale = square(prior.scale, d, "scale"),
                          .dof = prior.dof}));
}

Model collapsed_mixture(std::vector<double> points, const ClusterPrior& prior,
                        const Partition& partition) {
  using models::PartitionPrior;
  const models::NormalInverseWishart own{.mean = prior.mean,
                                         .mean_weight = prior.mean_weight,
                                         .scale = square(prior.scale, prior.mean.size(), "scale"),
                                         .dof = prior.dof};
  const bool is_finite = partition.num_components != 0;
  return handle_of(models::collapsed_mixture_model(
      std::move(points), own,
      is_finite
          ? PartitionPrior::dirichlet_multinomial(partition.concentration, partition.num_components)
          : PartitionPrior::chinese_restaurant(partition.concentration)));
}

Model normal_precision(std::vector<double> data, const PrecisionPrior& prior) {
  return handle_of(
      models::normal_precision_model(std::move(data), {.mean = prior.mean,
                                                       .mean_precision = prior.mean_precision,
                                                       .shape = prior.shape,
                                                       .rate = prior.rate}));
}

Model topics(const std::vector<Word>& tokens, const TopicPrior& prior) {
  std::vector<models::Token> own;
  for (const Word& token : tokens) own.push_back({.document = token.document, .word = token.word});
  return handle_of(
      models::topic_model(std::move(own), {.num_topics = prior.num_topics,
                                           .num_words = prior.num_words,
                                           .document_concentration = prior.document_concentration,
                                           .word_concentration = prior.word_concentration}));
}

Model lattice(const LatticeOptions& options) {
  const auto& names = models::kLatticeKernelNames;
  const auto name = std::find(names.begin(), names.end(), options.kernel);
  if (name == names.end())
    throw Error(ErrorCode::usage,
                fmt::format("there is no kernel '{}' of lattices", options.kernel), "kernel",
                fmt::format("there are {}", fmt::join(names, ", ")));
  models::Lattice own = models::Lattice::potts({.rows = options.rows,
                                                .cols = options.cols,
                                                .num_values = options.num_values,
                                                .coupling = options.coupling,
                                                .periodic = options.periodic});
  if (!options.log_evidence.empty()) own = own.with_evidence(options.log_evidence);
  return handle_of(
      models::lattice_model(own, static_cast<models::LatticeKernel>(name - names.begin())));
}

Model hidden_markov(const std::vector<Index>& symbols, const HiddenMarkovOptions& options) {
  return handle_of(models::hidden_markov_model(symbols, {.num_states = options.num_states,
                                                         .num_symbols = options.num_symbols,
                                                         .initial = options.initial,
                                                         .transition = options.transition,
                                                         .emission = options.emission}));
}

Model selection(const Selection& problem) {
  models::InclusionProblem own{.fixed = problem.fixed,
                               .candidates = problem.candidates,
                               .y = problem.y,
                               .fixed_scale = problem.fixed_scale,
                               .candidate_scale = problem.candidate_scale,
                               .noise = {.shape = problem.noise_shape, .rate = problem.noise_rate},
                               .log_prior_of_number = problem.log_prior_of_number};
  if (problem.y.empty()) throw Error(ErrorCode::data, "there is no observation", "y");
  if (own.log_prior_of_number.empty())
    own.log_prior_of_number = all_sets_alike(ssize(problem.candidates) / ssize(problem.y));
  return handle_of(models::inclusion_model(own));
}

Model radial_basis(const RadialBasis& problem) {
  return handle_of(models::radial_basis_model(
      {.x = problem.x,
       .y = problem.y,
       .num_inputs = problem.num_inputs,
       .width = problem.width,
       .max_centres = problem.max_centres,
       .expected_centres = problem.expected_centres,
       .centre_mean = problem.centre_mean,
       .centre_sd = problem.centre_sd,
       .bump_scale = problem.bump_scale,
       .line_scale = problem.line_scale,
       .noise = {.shape = problem.noise_shape, .rate = problem.noise_rate}},
      problem.at));
}

Model tank(const Tank& tank) {
  const auto distribution = [](const LogNormal& prior) {
    return models::LogNormalPrior{.log_mean = prior.log_mean, .log_sd = prior.log_sd};
  };
  return handle_of(models::tank_model(
      {.scheme = models::TankScheme::log_euler,
       .time_step = tank.time_step,
       .rain = tank.rain,
       .observed_at = tank.observed_at,
       .observed = tank.observed,
       .initial = distribution(tank.initial),
       .prior = {distribution(tank.rate), distribution(tank.noise), distribution(tank.noise_sd)}}));
}

}  // namespace credo::ready
