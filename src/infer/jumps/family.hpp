// A family of models m = 0, 1, ... as one log density over (m, x_m).
//
//   Family family({{.name = "A", .density = a}, {.name = "B", .density = b, .log_prior =
//   log(0.5)}});
//
// Densities of different models are compared with each other: each keeps all its normalising
// constants, the prior of its own parameters included. `log_prior` is the model's own and is added.
//
// A position of the family is (m, x_m, unused): one number for the model, then its D_m coordinates,
// then zeros up to the largest D_m. So every driver, store and kernel of the frame works on a
// family, and a kernel of one model is a kernel on its coordinates (on_coordinates).
#pragma once
#include "density/log_density.hpp"
#include "infer/core/transition_kernel.hpp"

namespace credo::infer::rj {

struct Model {
  std::string name;
  std::shared_ptr<const density::LogDensity> density;  // has D_m coordinates; D_m may be 0
  double log_prior = 0.0;                              // needn't be normalised over the models
  KernelMaker update = {};  // moves its coordinates, e.g. kernel("nuts"); none: only jumps move it
};

class Family final : public density::LogDensity {
 public:
  // Throws Error(usage) for no model, one without density or with a prior that isn't finite.
  explicit Family(std::vector<Model> models);

  Index num_models() const { return ssize(models_); }
  const Model& model(Index m) const { return models_[static_cast<std::size_t>(m)]; }
  Index dimension_of(Index m) const { return model(m).density->dimension(); }
  // The places of a model's coordinates in a position of the family.
  std::vector<Index> coordinates_of(Index m) const;

  Index dimension() const override { return dimension_; }
  bool has_gradient() const override;
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override;

 private:
  std::vector<Model> models_;
  Index dimension_ = 1;
};

// The model of a position, or -1 if its first number isn't one.
inline Index model_of(const Family& family, std::span<const double> position) {
  const double m = position[0];
  return m >= 0.0 && m < static_cast<double>(family.num_models()) && m == std::floor(m)
             ? static_cast<Index>(m)
             : -1;
}

}  // namespace credo::infer::rj
