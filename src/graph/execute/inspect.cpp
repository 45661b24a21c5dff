#include "graph/execute/inspect.hpp"

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "graph/execute/plan.hpp"

namespace credo::graph {
namespace {
using Clock = std::chrono::steady_clock;

}  // namespace

Inspector::Inspector(const Program& program) : program_(program) {
  if (program.plan_ == nullptr) {
    throw Error(ErrorCode::usage, "the program runs by direct sweep, node by node", "--passes",
                "leave out --passes=none, or name fuse");
  }
}

ProgramSummary Inspector::summary(Index lanes) const {
  const Plan& plan = *program_.plan_;
  const Code& code = program_.code(lanes);
  ProgramSummary summary;
  summary.num_steps = ssize(plan.steps);
  summary.num_micros = ssize(code.tape);
  summary.num_calls = ssize(code.calls);
  summary.workspace_bytes = 8.0 * double(code.num_doubles + plan.scratch * lanes);
  for (const Buffer& buffer : plan.external) summary.constant_bytes += 8.0 * double(buffer->size());
  for (const BlockGroup& group : code.groups) {
    FusedGroup fused{.elements = group.size,
                     .block_elements = group.block_elements,
                     .parts = group.splits ? group.num_parts() : 1,
                     .rows = {}};
    std::int32_t last = -1;
    for (const std::int32_t step : group.steps) {
      if (step == last) continue;  // data spread over the lanes for that step
      fused.rows.push_back(plan.rows[static_cast<std::size_t>(step)]->name);
      last = step;
    }
    summary.groups.push_back(std::move(fused));
  }
  return summary;
}

void Inspector::run(Workspace& workspace, NotePad& pad) {
  const Code& code = *workspace.code_;
  workspace.status_.fill({});
  const Machine machine{.code = &code,
                        .ints = workspace.program_->plan_->ints.data(),
                        .scratch = workspace.scratch_.data(),
                        .status = workspace.status_.data()};
  double* base = workspace.values_.data();
  for (std::size_t k = 0; k < code.tape.size(); ++k) {
    const Micro& m = code.tape[k];
    const auto leave_note = [&](std::uint32_t op) {
      pad.store({static_cast<std::uint32_t>(k), op}, std::memory_order_relaxed);
    };
    leave_note(0);
    if (m.fn != run_group) {
      m.fn(base, m, machine);
      continue;
    }
    const BlockGroup& group = code.groups[m.a];
    BlockState blocks{.bases = {base, base + code.local}, .status = machine.status};
    run_blocks(group, code.lanes, blocks, group.size,
               [&](const BlockOp& op, const BlockState& state) {
                 leave_note(static_cast<std::uint32_t>(&op - group.ops.data()));
                 op.run(op, state);
               });
  }
}

std::int32_t Inspector::step_of(const Code& code, const Note& note) const {
  const Micro& m = code.tape[note.micro];
  if (m.fn == run_group) return code.groups[m.a].steps[note.op];
  return code.steps[note.micro];
}

std::vector<ProfileShare> Inspector::profile(Workspace& workspace, double seconds) const {
  CREDO_ASSERT(workspace.program_ == &program_, "the workspace of this program");
  const Plan& plan = *program_.plan_;
  NotePad pad{};
  std::atomic<bool> stop = false;
  std::vector<Note> notes;
  if (workspace.code_->tape.empty()) return {};
  {
    const std::jthread runner([&] {
      while (!stop.load(std::memory_order_relaxed)) run(workspace, pad);
    });
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      notes.push_back(pad.load(std::memory_order_relaxed));
    }
    stop = true;
  }
  std::map<std::pair<std::int32_t, std::string_view>, Index> counts;
  for (const Note& note : notes) {
    const auto step = static_cast<std::size_t>(step_of(*workspace.code_, note));
    ++counts[{plan.statements[step], plan.rows[step]->name}];
  }
  std::vector<ProfileShare> shares;
  for (const auto& [key, count] : counts)
    shares.push_back({key.first, key.second, double(count) / double(ssize(notes))});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return shares;
}

}  // namespace credo::graph
