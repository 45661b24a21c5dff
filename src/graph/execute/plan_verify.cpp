// Requirements on a plan: every element that a step reads was written in this run, and no element is
// written twice. Then no value is from another run, or from uninitialised memory.
#include <fmt/format.h>

#include "graph/core/op.hpp"
#include "graph/execute/plan.hpp"

namespace credo::graph {
namespace {

constexpr std::int32_t kUnwritten = -1, kBefore = -2;  // kBefore: constants and inputs

bool is_sum(Form form) {
  return form == Form::sum || form == Form::dot || form == Form::sum_log1p_exp ||
         form == Form::scatter_add || form == Form::transposed_product;
}

class Verifier {
 public:
  explicit Verifier(const Plan& plan)
      : plan_(plan), writer_(static_cast<std::size_t>(plan.num_elements), kUnwritten) {}

  std::string run() {
    for (const Preset& preset : plan_.presets) write(preset.place, preset.count, kBefore);
    write(plan_.input.offset, plan_.input.shape.size(), kBefore);
    for (const StepGroup& group : plan_.groups) check(group);
    for (const OperandSlot& output : plan_.outputs) read(output);
    return std::move(fault_);
  }

 private:
  const Step& step(std::int32_t index) const {
    return plan_.steps[static_cast<std::size_t>(index)];
  }
  void check(const StepGroup& group);
  void check_step(const StepGroup& group);
  void read_source(const Source& source, Index size, bool complete, const StepGroup& group);
  void read_list(const Step& s, const StepGroup& group);
  void read_all(Index first, Index count);
  void read(const OperandSlot& slot) {
    if (slot.constant == nullptr) read_all(slot.offset, slot.shape.size());
  }
  void write(Index first, Index count, std::int32_t by);
  void write_result(std::int32_t index);
  template <class... Args>
  void fail(fmt::format_string<Args...> words, Args&&... args) {
    if (!fault_.empty()) return;
    fault_ = fmt::format("step {}: ", current_) + fmt::format(words, std::forward<Args>(args)...);
  }

  const Plan& plan_;
  std::vector<std::int32_t> writer_;  // step that wrote each element
  std::int32_t current_ = 0;
  std::string fault_;
};

// Sums are complete behind their group only.
void Verifier::check(const StepGroup& group) {
  for (current_ = group.first; current_ < group.last; ++current_) {
    check_step(group);
    if (!(group.fused && is_sum(step(current_).form))) write_result(current_);
  }
  for (current_ = group.first; group.fused && current_ < group.last; ++current_) {
    if (is_sum(step(current_).form)) write_result(current_);
  }
}

void Verifier::check_step(const StepGroup& group) {
  const Step& s = step(current_);
  if (s.form == Form::call) {
    for (const auto& operand : plan_.calls[static_cast<std::size_t>(s.extra)].operands)
      read(operand);
    return;
  }
  if (s.form == Form::gather) return read_list(s, group);
  const Index count = s.form == Form::copy ? 1 : s.num_in;
  for (Index k = 0; k < count; ++k) {
    const bool whole = s.form == Form::product && k == 1;
    const Index size = whole ? s.extra : s.form == Form::broadcast ? 1 : s.size;
    read_source(s.in[static_cast<std::size_t>(k)], size, whole, group);
  }
}

// complete: not block by block, so that a step of the same group comes too late.
void Verifier::read_source(const Source& source, Index size, bool complete,
                           const StepGroup& group) {
  if (source.kind == Source::external) return;
  if (source.kind == Source::temporary) {
    const bool is_there = source.at >= group.first && source.at < current_;
    if (!is_there || step(source.at).out != kNoPlace || is_sum(step(source.at).form))
      fail("reads block {}, which isn't made before it in its group", source.at);
    return;
  }
  const bool repeated = source.kind == Source::repeated;
  const Index count = repeated ? 1 : size;
  read_all(source.at, count);
  for (Index e = source.at; group.fused && (complete || repeated) && e < source.at + count; ++e) {
    if (fault_.empty() && writer_[static_cast<std::size_t>(e)] >= group.first)
      fail("reads @{} as a whole within the group that makes it", e);
  }
}

void Verifier::read_list(const Step& s, const StepGroup& group) {
  for (Index i = 0; i < s.size; ++i) {
    const Index place = s.in[0].at + plan_.ints[static_cast<std::size_t>(s.extra + i)];
    read_source({static_cast<std::int32_t>(place), Source::place}, 1, true, group);
  }
}

void Verifier::read_all(Index first, Index count) {
  for (Index e = first; e < first + count; ++e) {
    if (e < 0 || e >= plan_.num_elements) return fail("reads @{}, which isn't in the workspace", e);
    if (writer_[static_cast<std::size_t>(e)] == kUnwritten)
      return fail("reads @{} before it is written", e);
  }
}

void Verifier::write(Index first, Index count, std::int32_t by) {
  for (Index e = first; e < first + count; ++e) {
    if (e < 0 || e >= plan_.num_elements)
      return fail("writes @{}, which isn't in the workspace", e);
    if (writer_[static_cast<std::size_t>(e)] != kUnwritten) return fail("writes @{} again", e);
    writer_[static_cast<std::size_t>(e)] = by;
  }
}

void Verifier::write_result(std::int32_t index) {
  const Step& s = step(index);
  if (s.form == Form::check || s.out == kNoPlace) return;
  Index count = s.size;
  if (is_sum(s.form) || s.form == Form::small) count = 1;
  if (s.form == Form::scatter_add) count = s.in[1].at;
  if (s.form == Form::transposed_product) count = s.extra;
  if (s.form == Form::call) count = plan_.calls[static_cast<std::size_t>(s.extra)].shape.size();
  write(s.out, count, index);
}
}  // namespace

std::string verify(const Plan& plan) { return Verifier(plan).run(); }

}  // namespace credo::graph
