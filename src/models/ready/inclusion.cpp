#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
class InclusionModel final : public OwnKernelModel {
 public:
  explicit InclusionModel(const InclusionSampler& sampler)
      : OwnKernelModel("inclusion",
                       {{.name = "inclusion",
                         .dims = {sampler.num_candidates()},
                         .kind = density::Kind::flag}},
                       {{.name = "num_included", .kind = density::Kind::whole}}),
        sampler_(sampler) {}

  // One candidate, or none: larger sets grow from there.
  std::vector<double> draw_state(Rng& rng) const override {
    std::vector<double> state(static_cast<std::size_t>(sampler_.num_candidates()), 0.0);
    const Index one = rng.index_below(sampler_.num_candidates() + 1);
    if (one < ssize(state)) state[static_cast<std::size_t>(one)] = 1.0;
    return state;
  }
  void derive(std::span<const double> state, std::vector<double>& row) const override {
    row.push_back(std::accumulate(state.begin(), state.end(), 0.0));
  }
  std::unique_ptr<Worker> make_worker() const override { return std::make_unique<Own>(sampler_); }

 private:
  class Own final : public Worker {
   public:
    explicit Own(const InclusionSampler& sampler) : sampler_(sampler) {}
    double log_density(std::span<const double> state) override {
      return whole_numbers(state, 2) ? sampler_.log_joint(inclusion_of(state)) : -kInfinity;
    }
    void move(std::span<double> state, Rng& rng) override {
      InclusionSampler::State own = sampler_.start(inclusion_of(state));
      for (std::size_t k = 0; k < state.size(); ++k) sampler_.step(own, rng);
      std::copy(own.inclusion.begin(), own.inclusion.end(), state.begin());
    }

   private:
    static Inclusion inclusion_of(std::span<const double> state) {
      return {state.begin(), state.end()};
    }
    InclusionSampler sampler_;
  };

  InclusionSampler sampler_;
};
}  // namespace

Ready inclusion_model(const InclusionProblem& problem) {
  return ready("metropolis", std::make_shared<const InclusionModel>(InclusionSampler(problem)));
}

}  // namespace credo::models
