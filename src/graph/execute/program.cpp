#include "graph/execute/program.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/stop.hpp"
#include "graph/execute/plan.hpp"
#include "graph/execute/sweep.hpp"

namespace credo::graph {

Program::Program(const Graph& graph, NodeId input, std::span<const Expr> outputs,
                 ProgramOptions options) {
  if (options.fuse) {
    auto plan = std::make_unique<Plan>(make_plan(graph, input, outputs));
    if (options.plant != nullptr) options.plant(*plan);
    plan_ = std::move(plan);
    input_ = plan_->input;
    outputs_ = plan_->outputs;
  } else {
    sweep_ = std::make_unique<const DirectSweep>(graph, input, outputs);
    input_ = sweep_->input;
    outputs_ = sweep_->outputs;
  }
}

Program::~Program() = default;

Index Program::num_instructions() const {
  return plan_ != nullptr ? ssize(plan_->steps) : sweep_->num_instructions();
}

std::string Program::dump() const {
  return plan_ != nullptr ? graph::dump(*plan_) : "direct sweep\n";
}

const Code& Program::code(Index lanes) const {
  const std::lock_guard lock(code_mutex_);
  auto& code = code_[lane_code(lanes)];
  if (code == nullptr) code = std::make_unique<const Code>(make_code(*plan_, lanes));
  return *code;
}

namespace {
constexpr MemoryUse kWorkspace{"the values and derivatives of the graph",
                               "--threads 1 --max-lanes 1 keeps them once instead of once a chain"};
}  // namespace

Workspace::Workspace(const Program& program, Index max_lanes)
    : program_(&program), max_lanes_(max_lanes) {
  const MemoryScope memory(kWorkspace);
  const Index scratch = program.plan_ ? program.plan_->scratch : program.sweep_->scratch;
  scratch_ = AlignedArray(scratch * max_lanes);
  if (program.sweep_) values_ = AlignedArray(program.sweep_->num_elements * max_lanes);
  set_lanes(1);
}

void Workspace::set_lanes(Index lanes) {
  CREDO_ASSERT(lanes <= max_lanes_, "at most the lanes the workspace was made for");
  if (lanes == lanes_) return;
  const MemoryScope memory(kWorkspace);
  lanes_ = 0;  // until it is done: it may be broken off
  if (program_->plan_) {
    code_ = &program_->code(lanes);
    if (values_.size() < code_->num_doubles) values_ = AlignedArray(code_->num_doubles);
    make_locals();
  }
  lanes_ = lanes;
  if (program_->plan_) write_constants();
}

void Workspace::use_team(Team* team) {
  team_ = team;
  make_locals();
}

void Workspace::make_locals() {
  if (team_ == nullptr || !splits()) return;
  const MemoryScope memory(kWorkspace);
  const Index size = (team_->size() - 1) * code_->num_local;
  if (locals_.size() < size) locals_ = AlignedArray(size);
}

bool Workspace::splits() const {
  if (code_ == nullptr) return false;
  const auto& groups = code_->groups;
  return std::any_of(groups.begin(), groups.end(), [](const auto& g) { return g.splits; });
}

void Workspace::write_constants() {
  for (const Preset& preset : program_->plan_->presets) {
    double* out = values_.data() + preset.place * lanes_;
    for (Index e = 0; e < preset.count; ++e)
      std::fill_n(out + e * lanes_, lanes_, preset.values[e]);
  }
  for (const Pattern& pattern : code_->patterns)
    std::fill_n(values_.data() + pattern.offset, kGroup, pattern.value);
}

void Workspace::set_input(Index lane, std::span<const double> values) {
  CREDO_ASSERT(ssize(values) == program_->input_size(), "a value for every input");
  double* input = values_.data() + program_->input_.offset * lanes_ + lane;
  for (std::size_t i = 0; i < values.size(); ++i) input[static_cast<Index>(i) * lanes_] = values[i];
}

void Workspace::set_inputs(const double* values) {
  std::copy_n(values, program_->input_size() * lanes_,
              values_.data() + program_->input_.offset * lanes_);
}

void Workspace::run() {
  std::fill_n(status_.begin(), lanes_, LaneStatus{});
  if (code_ == nullptr) {
    return program_->sweep_->run({.workspace = values_.data(),
                                  .scratch = scratch_.data(),
                                  .status = status_.data(),
                                  .lanes = lanes_});
  }
  const Machine machine{.code = code_,
                        .ints = program_->plan_->ints.data(),
                        .scratch = scratch_.data(),
                        .status = status_.data(),
                        .team = team_,
                        .locals = locals_.data(),
                        .stop = current_stop()};
  constexpr std::size_t kAtOnce = 256;  // microseconds each; longer steps check themselves
  double* base = values_.data();
  for (std::span<const Micro> rest = code_->tape; !rest.empty();) {
    stop_if_asked();
    const auto some = rest.first(std::min(kAtOnce, rest.size()));
    for (const Micro& m : some) m.fn(base, m, machine);
    rest = rest.subspan(some.size());
  }
}

double Workspace::output(std::size_t k, Index element, Index lane) const {
  const OperandSlot& slot = program_->outputs_[k];
  if (slot.constant != nullptr) return slot.constant[slot.shape.is_scalar() ? 0 : element];
  return values_[(slot.offset + element) * lanes_ + lane];
}

void Workspace::copy_output(std::size_t k, Index lane, std::span<double> out) const {
  const OperandSlot& slot = program_->outputs_[k];
  if (slot.constant != nullptr) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = output(k, static_cast<Index>(i), lane);
    return;
  }
  const double* values = values_.data() + slot.offset * lanes_ + lane;
  for (double& value : out) value = *values, values += lanes_;
}

void Workspace::copy_outputs(std::size_t k, double* out) const {
  const OperandSlot& slot = program_->outputs_[k];
  if (slot.constant == nullptr) {
    std::copy_n(values_.data() + slot.offset * lanes_, slot.shape.size() * lanes_, out);
    return;
  }
  for (Index e = 0; e < slot.shape.size(); ++e)
    std::fill_n(out + e * lanes_, lanes_, slot.constant[e]);
}

}  // namespace credo::graph
