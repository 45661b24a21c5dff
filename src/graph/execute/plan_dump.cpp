#include <fmt/format.h>

#include "graph/core/op.hpp"
#include "graph/execute/plan.hpp"

namespace credo::graph {
namespace {

std::string text(const Source& source) {
  switch (source.kind) {
    case Source::place:
      return fmt::format(" @{}", source.at);
    case Source::repeated:
      return fmt::format(" @{}..", source.at);
    case Source::external:
      return fmt::format(" data{}", source.at);
    case Source::temporary:
      return fmt::format(" block{}", source.at);
  }
  return {};
}

std::string text(const Plan& plan, std::int32_t index) {
  const Step& step = plan.steps[static_cast<std::size_t>(index)];
  const std::string_view name = step.form == Form::copy
                                    ? std::string_view("copy")
                                    : plan.rows[static_cast<std::size_t>(index)]->name;
  const std::string result =
      step.out == kNoPlace ? fmt::format("block{}", index) : fmt::format("@{}", step.out);
  std::string line =
      step.form == Form::check ? fmt::format("  {}", name) : fmt::format("  {} = {}", result, name);
  const std::size_t count = step.form == Form::copy ? 1 : step.num_in;
  if (step.form != Form::call) {
    for (std::size_t k = 0; k < count; ++k) line += text(step.in[k]);
  }
  if (step.size != 1) line += fmt::format("  x {}", step.size);
  return line + fmt::format("  ; %{}\n", step.node);
}
}  // namespace

// @p: place p of the workspace (p.. repeats one element), dataK: a constant's own buffer, blockN:
// the value of step N, which lives in blocks only, %N: node.
std::string dump(const Plan& plan) {
  std::string all = fmt::format("{} steps, {} elements, {} constants read in place\n",
                                plan.steps.size(), plan.num_elements, plan.external.size());
  for (const StepGroup& group : plan.groups) {
    if (group.fused) {
      all += fmt::format("fused over {} elements:\n", group.size);
    } else {
      all += "one by one:\n";
    }
    for (auto k = group.first; k < group.last; ++k) all += text(plan, k);
  }
  return all;
}

}  // namespace credo::graph
