// Parameters from the prior of a model, and data from the model at these.
#pragma once
#include "density/model.hpp"

namespace credo::results {

// Working memory of one thread. The model must live as long.
class Simulator {
 public:
  // Throws Error(program) where the prior can't be drawn from, or the likelihood, with what to write.
  explicit Simulator(const density::Model& model);

  struct Drawn {
    std::vector<double> position;    // free values, and discrete parameters that are summed out
    std::vector<double> parameters;  // and transformed parameters, as Model::outputs() has them
  };
  // Number k of a seed: always the same. The data are those of replicates() then. Throws Error(evaluation) where no
  // data can be drawn.
  Drawn draw(std::uint64_t seed, Index number);
  density::Replicates& replicates() { return *replicates_; }
  // Throws Error(program) where the prior is another one with the data that were drawn last: then what was drawn isn't
  // what the program says. Error(data) where these data break a declared bound.
  void require_same_prior(const Drawn& drawn) const;

 private:
  std::vector<double> draw_prior(Rng& rng);
  const density::Model& model_;
  std::unique_ptr<density::Model> prior_model_;
  std::unique_ptr<density::ExactDraws> prior_;
  std::unique_ptr<density::Replicates> replicates_;
};

// Of the outputs of a model those of these blocks: the first ones.
Index num_outputs(const density::Model& model, density::Block last);
std::vector<double> outputs_at(const density::Model& model, std::span<const double> position,
                               density::Block last);

}  // namespace credo::results
