// Given states, as many times as there are lanes at once: the program is that of one state, and the elements of the time are its
// inputs.
#include "model/states/state_program.hpp"

namespace credo::model {

void StateProgramRun::prepare_states(std::span<const double> example) {
  if (program_ != nullptr) return;
  const std::lock_guard lock(model_.programs_.mutex);
  std::shared_ptr<const StateProgram>& known = model_.programs_.all[stage_];
  if (known == nullptr) known = model_.program(stage_, example, false);
  program_ = known;
  if (program_->program != nullptr)
    workspace_ = std::make_unique<graph::Workspace>(*program_->program, graph::kMaxLanes);
}

void StateProgramRun::run_states(std::span<const density::GivenState> states,
                                 std::span<double> results) {
  constexpr std::size_t kLanes = graph::kMaxLanes;
  const auto elements = static_cast<std::size_t>(model_.state().size());
  const std::size_t count = results.size() / states.size();
  std::array<std::vector<double>, kLanes> inputs;
  for (std::size_t first = 0; first < states.size(); first += kLanes) {
    const std::size_t used = std::min(kLanes, states.size() - first);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const density::GivenState& at = states[first + std::min(l, used - 1)];
      inputs[l] = model_.input_at(at.time);
      if (at.previous != nullptr)
        inputs[l].insert(inputs[l].end(), at.previous, at.previous + elements);
      inputs[l].insert(inputs[l].end(), at.state, at.state + elements);
    }
    prepare_states(inputs[0]);
    if (workspace_ != nullptr) {
      lane_input_.resize(inputs[0].size() * kLanes);
      for (std::size_t e = 0; e < inputs[0].size(); ++e)
        for (std::size_t l = 0; l < kLanes; ++l) lane_input_[e * kLanes + l] = inputs[l][e];
      workspace_->set_lanes(graph::kMaxLanes);
      workspace_->set_inputs(lane_input_.data());
      workspace_->run();
    }
    for (std::size_t l = 0; l < used; ++l) {
      double* const to = results.data() + (first + l) * count;
      const auto lane = static_cast<Index>(l);
      if (workspace_ == nullptr || workspace_->status(lane).check != 0) {
        interpret(inputs[l], states[first + l].time, to, 1);
        continue;
      }
      for (std::size_t k = 0; k < count; ++k) to[k] = workspace_->output(k, 0, lane);
    }
  }
}

}  // namespace credo::model
