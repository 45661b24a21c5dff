// The posterior of the parameters and the path of a PathModel, for any sampler [albert2016].
//
//   const PathPosterior posterior(model, PathCoordinates::staged);
//   StoredDraws store;
//   run_chains(posterior, {.sampler = "split_hmc",
//                          .init = {posterior.initial_point({1.0, 0.3, 0.1}, logs, 1)},
//                          .kernel = posterior.split_options()}, store);
//
// Unconstrained vector: the logarithms of the P parameters, then the path. Both coordinates have the same
// posterior of θ and path; the log densities differ by the logarithm of the Jacobian.
#pragma once
#include "density/log_density.hpp"
#include "infer/mcmc/hamiltonian/split_hmc.hpp"
#include "models/paths/path_model.hpp"

namespace credo::models {

enum class PathCoordinates {
  plain,  // u_0 … u_N in their order
  // η at the observed steps, u at steps 0 and N if they aren't, and between two of these anchors
  // staging coordinates z, in units of their standard deviation under the noise alone. The
  // quadratic parts of path and observations become -½ Σ z² and nearly -½ Σ η², those of uncoupled
  // oscillators of one frequency.
  staged,
};

class PathPosterior final : public density::LogDensity {
 public:
  PathPosterior(std::shared_ptr<const PathModel> model, PathCoordinates coordinates);

  Index dimension() const override { return num_parameters_ + ssize(places_); }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override;

  const PathModel& model() const { return *model_; }
  PathCoordinates coordinates() const { return coordinates_; }
  Index num_anchors() const { return ssize(anchors_); }

  // θ and the path u_0 … u_N at an unconstrained point.
  struct Point {
    std::vector<double> parameters, path;
  };
  Point at(std::span<const double> position) const;
  // The unconstrained point of parameters and a path of N + 1 values; at() returns both again.
  std::vector<double> position_of(const Point& point) const;
  // Parameters, the path at the observed steps and bridges of the noise between them, drawn from
  // (seed, chain); before the first and behind the last observation the path is level. The same
  // path in both coordinates.
  std::vector<double> initial_point(const std::vector<double>& parameters,
                                    std::span<const double> observed_u, std::uint64_t seed,
                                    std::uint32_t chain = 0) const;

  // λ of the quadratic part: 1 for z and η, 0 for everything else; all 0 for plain coordinates.
  std::vector<double> precision() const;
  infer::SplitHmcOptions split_options() const { return {.precision = precision()}; }

 private:
  class OneByOne;
  struct Workspace;
  struct Stage {            // factors of a point k steps behind its anchor
    double sd, next, from;  // sqrt(Δt k / (k + 1)), k / (k + 1), 1 / (k + 1)
  };

  double evaluate(std::span<const double> position, std::span<double> gradient,
                  Workspace& work) const;
  void place(double scale, std::span<double> path) const;
  double pull_back_anchors(double scale, std::span<const double> path,
                           std::span<double> by_path) const;
  void unstage(double scale, std::span<double> path) const;
  double pull_back(double scale, std::span<const double> path, std::span<double> by_path) const;

  std::shared_ptr<const PathModel> model_;
  PathCoordinates coordinates_;
  Index num_parameters_;
  std::vector<std::size_t> anchors_;  // steps; for plain coordinates all
  std::vector<std::size_t> places_;   // step of each path coordinate of the unconstrained vector
  std::vector<Stage> stages_;         // by k
  double log_factors_ = 0.0;  // log factors of the Jacobian: those of all stages and observed steps
  double num_stages_ = 0.0, num_placed_ = 0.0;
};

}  // namespace credo::models
