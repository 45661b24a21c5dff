// Parameters from the prior of a model, or from a fit, and data from the model at these.
#pragma once
#include "results/draws/fit_points.hpp"

namespace credo::results {

// Position and parameters at which data were drawn.
struct Drawn {
  std::vector<double> position;    // unconstrained values, and summed-out discrete parameters
  std::vector<double> parameters;  // also transformed parameters, as Names::outputs() has them
};

// Parameters from the prior alone. Working memory of one thread; the model must live as long.
class PriorDraws {
 public:
  // Throws Error(program) where the prior can't be drawn from, with what to write.
  explicit PriorDraws(const density::Model& model);

  // Unconstrained values, and summed-out discrete parameters. Throws Error(evaluation) where none lies within the bounds.
  std::vector<double> position(Rng& rng);
  // Parameters and transformed parameters of draw number k of a seed, as Names::outputs() has them: always the same.
  std::vector<double> parameters(std::uint64_t seed, Index number);

 private:
  const density::Model& model_;
  std::unique_ptr<density::Model> prior_model_;
  std::unique_ptr<density::ExactDraws> prior_;
  const density::OutputWriters* writers_ = nullptr;  // those of prior_model_
};

// Working memory of one thread. The model must live as long.
class Simulator {
 public:
  using Drawn = results::Drawn;
  // Throws Error(program) where the prior can't be drawn from, or the likelihood, with what to write.
  explicit Simulator(const density::Model& model);

  // Number k of a seed: always the same. The data are those of replicates() then. Throws Error(evaluation) where no
  // data can be drawn.
  Drawn draw(std::uint64_t seed, Index number);
  density::Replicates& replicates() { return *replicates_; }
  // Throws Error(program) where the prior is another one with the data that were drawn last: then the draw doesn't
  // follow the program. Error(data) where these data break a declared bound.
  void require_same_prior(const Drawn& drawn) const;

 private:
  const density::Model& model_;
  PriorDraws prior_;
  std::unique_ptr<density::Replicates> replicates_;
};

// Draws of a fit, spread over all of them, as a position each. Throws Error(data) for a fit without draws and one of another
// program, Error(usage) for weighted draws, and for more than there are, naming the option that asks for so many.
std::vector<std::vector<double>> spread_draws(const Fit& fit, const density::Model& model,
                                              Index count, const char* option = "--replicates");

// Data at given positions. Working memory of one thread; both must live as long.
class PosteriorSimulator {
 public:
  // Throws Error(program) where the likelihood can't be drawn from.
  PosteriorSimulator(const density::Model& model, std::span<const std::vector<double>> positions);

  // At position `number`. Throws as Simulator::draw.
  Drawn draw(std::uint64_t seed, Index number);
  density::Replicates& replicates() { return *replicates_; }

 private:
  const density::Model& model_;
  std::span<const std::vector<double>> positions_;
  std::unique_ptr<density::Replicates> replicates_;
};

// Number of the outputs of a model that belong to blocks up to `last`: the first ones.
Index num_outputs(const density::Names& names, density::Block last);
std::vector<double> outputs_at(const density::OutputWriters& writers,
                               std::span<const double> position, density::Block last);

}  // namespace credo::results
