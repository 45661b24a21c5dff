#include "model/states/uniform_map.hpp"

#include "density/require.hpp"
#include "model/states/kalman_run.hpp"
#include "model/states/normal_reader.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "numerics/special.hpp"

namespace credo::model {
namespace {
using density::ParticleBlock;
using density::StateSpace;
using numerics::NormalMoments;

// By the program's functions.
class FunctionMapMover final : public density::StateMover {
 public:
  explicit FunctionMapMover(const StateModel& model) : model_(model) {}

  void move(const ParticleBlock& block) override {
    const Index states = model_.state().size() * StateSpace::kBlock;
    results_.resize(static_cast<std::size_t>(states + StateSpace::kBlock));
    run_of({.task = StateTask::map,
            .observed = model_.is_observed(block.time),
            .initial = block.time == 0})
        .run(block, block.uniforms, results_.data());
    std::copy_n(results_.begin(), states, block.next);
    std::copy_n(results_.begin() + states, StateSpace::kBlock, block.log_weights);
  }
  void look_ahead(const ParticleBlock&) override {}

 private:
  StateProgramRun& run_of(const StateStage& stage) {
    auto& run = runs_[stage];
    if (run == nullptr) run = std::make_unique<StateProgramRun>(model_, stage);
    return *run;
  }

  const StateModel& model_;
  std::map<StateStage, std::unique_ptr<StateProgramRun>> runs_;
  std::vector<double> results_;
};

// By normal distributions that are read off the densities.
class NormalMapMover final : public density::StateMover {
 public:
  explicit NormalMapMover(const StateModel& model)
      : model_(model),
        reader_(model, "--method sqmc"),
        outcomes_(model, {.task = StateTask::observation}) {
    const numerics::LinearGaussianStep first = first_distribution(model);
    first_ = {.mean = first.offset, .covariance = first.noise};
  }

  void move(const ParticleBlock& block) override {
    const std::vector<NormalMoments> distributions = distributions_of(block);
    for (Index i = 0; i < StateSpace::kBlock; ++i) make(block, distributions, i);
    if (!model_.is_observed(block.time)) {
      std::fill_n(block.log_weights, StateSpace::kBlock, 0.0);
      return;
    }
    outcomes_.run({.time = block.time, .count = block.count}, block.next, block.log_weights);
  }
  void look_ahead(const ParticleBlock&) override {}

 private:
  // One for all particles of the first time.
  std::vector<NormalMoments> distributions_of(const ParticleBlock& block) {
    if (block.time == 0) return {first_};
    std::vector<std::vector<double>> before(static_cast<std::size_t>(block.count));
    for (Index i = 0; i < block.count; ++i)
      for (Index e = 0; e < model_.state().size(); ++e)
        before[static_cast<std::size_t>(i)].push_back(block.previous[e * StateSpace::kBlock + i]);
    return reader_.transition(block.time, before);
  }
  // Places behind the last particle are filled with its distribution.
  void make(const ParticleBlock& block, std::span<const NormalMoments> distributions, Index i) {
    const Index d = model_.state().size();
    const NormalMoments& distribution =
        distributions[static_cast<std::size_t>(std::min(i, ssize(distributions) - 1))];
    if (distribution.covariance != covariance_) {
      covariance_ = distribution.covariance;
      root_ = numerics::cholesky_root({d, d, covariance_});
    }
    for (Index e = 0; e < d; ++e) {
      double x = distribution.mean[static_cast<std::size_t>(e)];
      for (Index k = 0; k <= e; ++k)
        x += root_(k, e) * numerics::inv_phi(block.uniforms[k * StateSpace::kBlock + i]);
      block.next[e * StateSpace::kBlock + i] = x;
    }
  }

  const StateModel& model_;
  NormalReader reader_;
  StateProgramRun outcomes_;
  NormalMoments first_;
  std::vector<double> covariance_;  // the last distribution's; many particles share it
  numerics::DenseMatrix root_;
};
}  // namespace

density::Capability can_map_uniforms(const StateModel& model) {
  using enum StateRole;
  constexpr const char* kOption = "--method sqmc";
  if (density::Capability can = follows_one_regime(model, kOption); !can.can) return can;
  if (model.functions()[initial_map]) return {};
  if (model.functions()[initial_density] && model.functions()[transition_density])
    return can_read_normal(model, kOption);
  return {.can = false,
          .reason =
              "quasi-Monte Carlo makes states of uniform numbers, and the program doesn't say how",
          .where = kOption,
          .hint =
              "write initial_lpdf and transition_lpdf where both are normal; else "
              "initial_map(vector u, ...) and transition_map(vector u, previous, ...)"};
}

UniformMap::UniformMap(const StateModel& model)
    : model_(model), has_functions_(static_cast<bool>(model.functions()[StateRole::initial_map])) {
  density::require(can_map_uniforms(model));
}

density::Capability UniformMap::can(density::Kernel kernel) const {
  return {.can = kernel == density::Kernel::bootstrap,
          .reason = "states that are made of uniform numbers have no proposal"};
}

std::unique_ptr<density::StateMover> UniformMap::make_mover(density::Kernel) const {
  if (has_functions_) return std::make_unique<FunctionMapMover>(model_);
  return std::make_unique<NormalMapMover>(model_);
}

}  // namespace credo::model
