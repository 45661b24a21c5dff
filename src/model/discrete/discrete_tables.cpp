#include "model/discrete/discrete_tables.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/passes/part.hpp"

namespace credo::model {

DiscreteTables::DiscreteTables(const graph::Traced& traced, const graph::Factors& factors,
                               const DiscreteRanges& ranges, const graph::Passes& passes,
                               Index max_lanes)
    : ranges_(ranges), max_lanes_(max_lanes) {
  if (!factors.wide.is_constant())
    throw Error(ErrorCode::program,
                fmt::format("more than {} discrete parameters enter one term of the density",
                            graph::kWidestUpdate),
                ranges_.layout.element_name(0),
                "write the density so that fewer of them meet in a term; credo sample draws from "
                "it as it is");
  empty_.scopes.assign(factors.scopes.begin(), factors.scopes.end());
  for (std::size_t m = 0; m < ranges_.lower.size(); ++m)
    empty_.sizes.push_back(ranges_.num_values(m));
  cover_ = std::make_unique<const SiteAssignments>(empty_.scopes, empty_.sizes);
  if (cover_->number(numerics::kBeyondTables) >= numerics::kBeyondTables)
    throw Error(ErrorCode::program,
                "the terms of the density can't be tabulated: too many discrete parameters meet",
                ranges_.layout.element_name(0), "use narrower bounds");
  const numerics::EliminationPlan shape{.scopes = {}, .sizes = empty_.sizes, .steps = {}};
  entries_[0];  // any assignment gives entries without sites
  for (std::size_t f = 0; f < empty_.scopes.size(); ++f) {
    const std::vector<Index> list = cover_->holding(shape, empty_.scopes[f]);
    for (std::size_t k = 0; k < list.size(); ++k) entries_[list[k]].push_back({f, k});
    empty_.tables.emplace_back(list.size(), -kInfinity);
  }
  std::vector<graph::Expr> outputs{factors.rest};
  if (!factors.values.empty()) outputs.push_back(factors.values);
  const graph::Traced part = passes.run(graph::part_of(*traced.graph, traced.input, outputs));
  program_ = std::make_unique<const graph::Program>(
      *part.graph, part.input, part.outputs, graph::ProgramOptions{.fuse = passes.has("fuse")});
  workspace_ = std::make_unique<graph::Workspace>(*program_, max_lanes_);
}

numerics::FactorTables DiscreteTables::at(std::span<const double> free) {
  numerics::FactorTables result = empty_;
  std::vector<double> input(free.begin(), free.end()), values(empty_.scopes.size());
  input.resize(free.size() + ranges_.lower.size());
  Index lanes = 1;
  while (lanes < ssize(entries_) && 2 * lanes <= max_lanes_) lanes *= 2;
  workspace_->set_lanes(lanes);
  for (auto first = entries_.begin(); first != entries_.end();) {
    auto end = first;
    for (Index l = 0; l < lanes; ++l) {  // the last ones run again where there are too few
      const Index a = end == entries_.end() ? std::prev(end)->first : (end++)->first;
      for (std::size_t m = 0; m < ranges_.lower.size(); ++m)
        input[free.size() + m] = ranges_.lower[m] + cover_->value(a, m);
      workspace_->set_input(l, input);
    }
    workspace_->run();
    result.constant = workspace_->output(0, 0, 0);
    for (Index l = 0; first != end; ++first, ++l) {
      if (!values.empty()) workspace_->copy_output(1, l, values);
      for (const auto& [factor, place] : first->second)
        result.tables[factor][place] = values[factor] < kInfinity ? values[factor] : -kInfinity;
    }
  }
  return result;
}

}  // namespace credo::model
