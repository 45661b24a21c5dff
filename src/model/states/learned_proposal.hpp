// A program's states, for learning a proposal (density/learnable_space.hpp), and particles that are drawn
// from the distribution.
#pragma once
#include "density/learnable_space.hpp"
#include "model/states/normal_reader.hpp"

namespace credo::model {

class LearnableStates final : public density::LearnableSpace {
 public:
  // The model must live as long. Throws Error(program) without initial_lpdf or transition_lpdf, of states that aren't real, or of more
  // than 15 elements.
  explicit LearnableStates(const StateModel& model);

  const density::StateSpace& space() const override { return model_; }
  std::vector<double> outcome_at(Index time) const override { return model_.outcome_at(time); }
  std::unique_ptr<density::StateSpace> guided_by(
      const numerics::ConditionalNormal& distribution) const override;
  // Draws outcomes that are normal given the state. Throws Error(program) for others.
  std::vector<double> draw_outcomes(Index time, std::span<const double> states, Rng& rng) override;
  density::StateSlopes slopes(Index time, std::span<const double> states,
                              std::span<const double> previous) override;

 private:
  StateProgramRun& run_of(const StateStage& stage);

  const StateModel& model_;
  NormalReader reader_;
  Index elements_;
  std::map<StateStage, std::unique_ptr<StateProgramRun>> runs_;
};

}  // namespace credo::model
