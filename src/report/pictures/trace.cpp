// Traces: each quantity in each chain, draw by draw; for long chains the mean and the range of blocks of draws.
#include <fmt/format.h>

#include "diagnose/trace.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr Index kMostBlocks = 1000;

Mark trace_line(const diagnose::Trace& trace, Index c) {
  Mark line{.kind = Mark::Kind::line, .role = Role::chain, .chain = c};
  for (Index b = 0; b < trace.num_blocks; ++b) {
    line.x.push_back(static_cast<double>(b * trace.draws_per_block) +
                     0.5 * static_cast<double>(trace.draws_per_block + 1));
    line.y.push_back(trace.mean[static_cast<std::size_t>(c * trace.num_blocks + b)]);
  }
  return line;
}

Mark trace_reach(const diagnose::Trace& trace, Index c, const Mark& line) {
  Mark area{.kind = Mark::Kind::area, .role = Role::chain, .chain = c, .x = line.x};
  const auto first = trace.low.begin() + c * trace.num_blocks;
  area.y2.assign(first, first + trace.num_blocks);
  const auto top = trace.high.begin() + c * trace.num_blocks;
  area.y.assign(top, top + trace.num_blocks);
  return area;
}

Panel trace_panel(const Material& material, Index quantity, const Series& divergent) {
  const density::Draws draws = material.draws(quantity);
  const diagnose::Chains chains = diagnose::quantity(draws, 0);
  const diagnose::Trace trace = diagnose::trace(chains, kMostBlocks);
  Panel panel{.title = material.label(quantity),
              .x = {.label = "draw after warm-up", .is_whole = true}};
  panel.x.low = 0.0, panel.x.high = static_cast<double>(chains.num_draws + 1);
  for (Index c = 0; c < chains.num_chains; ++c) {
    const Mark line = trace_line(trace, c);
    if (trace.draws_per_block > 1) panel.marks.push_back(trace_reach(trace, c, line));
    panel.marks.push_back(line);
  }
  Mark marked{.kind = Mark::Kind::points, .role = Role::divergent};
  for (std::size_t i = 0; i < divergent.size(); ++i)
    if (divergent[i] != 0.0) {
      marked.x.push_back(static_cast<double>(static_cast<Index>(i) % chains.num_draws + 1));
      marked.y.push_back(chains.values[i]);
    }
  if (!marked.x.empty()) panel.marks.push_back(std::move(marked));
  return panel;
}

Picture draw_traces(const Material& material, std::span<const Index> quantities) {
  Picture picture{.kind = "trace",
                  .title = "Traces",
                  .words =
                      "Each chain's draws in their order. Chains that have found the same "
                      "distribution lie upon each "
                      "other and look alike from beginning to end."};
  const Series divergent = material.statistic("divergent");
  for (const Index quantity : quantities)
    picture.panels.push_back(trace_panel(material, quantity, divergent));
  return picture;
}
}  // namespace

extern const PictureKind trace_picture{.name = "trace",
                                       .summary = "the course of each chain",
                                       .most_quantities = 4,
                                       .draw = draw_traces};

}  // namespace credo::report
