// The density of the outer coordinates with the inner ones integrated out by Laplace's approximation (inner_mode.hpp): a log density
// like any other, on which all algorithms run.
#pragma once
#include "infer/latent/inner_mode.hpp"

namespace credo::infer {

class CollapsedDensity final : public density::LogDensity {
 public:
  // Finds a point with an inner mode, at which inner climbs begin from then on. `start`: outer values to begin at; empty: any. Throws
  // Error(usage) for names that can't be inner ones, and Error(evaluation) where no inner mode is found. The density must outlive it.
  CollapsedDensity(const density::LogDensity& density, std::string_view names,
                   std::span<const double> start = {});
  ~CollapsedDensity() override;

  const LatentModel& model() const { return model_; }
  // All coordinates, the inner ones at the reference's values.
  std::vector<double> lifted(std::span<const double> outer) const;

  Index dimension() const override { return ssize(model_.block.outer); }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override;
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override;

 private:
  void find_reference(std::span<const double> start);
  std::string inner_name(double row) const;

  LatentModel model_;
};

}  // namespace credo::infer
