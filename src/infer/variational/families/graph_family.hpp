// Families that are stated as expressions: a function makes x and log |∂x/∂z| of one draw from λ and z, and the graph's own
// gradient pulls back.
//
//   log q(x) = log N(z; 0, I) - log |∂x/∂z|
//
// A step runs two programs: one places the draws, the other has the gradient by λ of v · x + w log |∂x/∂z|, of which the model's gradient
// is v. Each draw is a lane. A new family is a GraphMap; infer/maps/flow.cpp is one.
#pragma once
#include "infer/maps/graph_map.hpp"
#include "infer/variational/families/distribution_family.hpp"

namespace credo::infer {

class GraphFamily final : public DistributionFamily {
 public:
  explicit GraphFamily(std::shared_ptr<const GraphMap> map);
  std::unique_ptr<DistributionFamily> clone_family() const override {
    return std::make_unique<GraphFamily>(*this);
  }
  Index dimension() const override { return map_->dimension(); }
  Index num_base() const override { return map_->num_base(); }
  Index num_parameters() const override { return map_->num_parameters(); }
  std::vector<double> start() const override { return map_->start(); }
  void move_to(std::span<const double> parameters) override;
  void place_draws(std::span<const double> z, std::span<double> x,
                   std::span<double> log_q) override;
  void pull_back_draws(std::span<const double> z, std::span<const double> v,
                       std::span<const double> w, std::span<double> into) override;
  bool has_log_density() const override { return map_->has_inverse(); }
  double log_density(std::span<const double> x) override;
  // log q at S points, one after another. Takes an inverse, as the next one.
  void log_densities(std::span<const double> points, std::span<double> log_q);
  // ∂/∂λ of Σ_s w_s log q(x_s), the points held fixed: added to `into`.
  void add_parameter_scores(std::span<const double> points, std::span<const double> weights,
                            std::span<double> into);

  const GraphMap& map() const { return *map_; }
  std::span<const double> parameters() const { return parameters_; }

 private:
  // Programs are compiled when they are first run, once for a family and its clones.
  struct Programs;
  GraphRunner& runner(std::optional<GraphRunner>& own, int which, Index max_lanes);
  // Runs with the parameters and points of as many lanes as there are from `first` on; returns how many.
  std::size_t run_at(GraphRunner& run, std::span<const double> points, std::size_t first);

  std::shared_ptr<const GraphMap> map_;
  std::shared_ptr<Programs> programs_;
  std::vector<double> parameters_, inputs_;
  std::uint64_t version_ = 1;  // number of the present parameters
  std::optional<GraphRunner> forward_one_, forward_, backward_, inverse_one_, inverse_,
      inverse_slope_;
};

}  // namespace credo::infer
