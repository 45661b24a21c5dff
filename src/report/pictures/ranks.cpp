// Ranks of each chain's draws among the draws of all, as histograms upon each other.
#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/trace.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {

// A histogram's outline.
Mark rank_outline(const diagnose::TraceRanks& ranks, Index chain, double width) {
  Mark line{.kind = Mark::Kind::line, .role = Role::chain, .chain = chain};
  for (Index b = 0; b < ranks.num_bins; ++b)
    for (const Index edge : {b, b + 1}) {
      line.x.push_back(static_cast<double>(edge) * width);
      line.y.push_back(
          static_cast<double>(ranks.counts[static_cast<std::size_t>(chain * ranks.num_bins + b)]));
    }
  return line;
}

Panel rank_panel(const Material& material, Index quantity) {
  const density::Draws draws = material.draws(quantity);
  const diagnose::Chains chains = diagnose::quantity(draws, 0);
  const diagnose::TraceRanks ranks =
      diagnose::trace_ranks(chains, material.options().num_bins, false);
  if (ranks.counts.empty())
    throw Error(ErrorCode::usage,
                material.label(quantity) + " has draws that are all the same, or not finite",
                "--columns", "name quantities that vary");
  Panel panel{.title = material.label(quantity),
              .x = {.label = "rank among all draws"},
              .y = {.label = "draws"}};
  const auto total = static_cast<double>(ssize(chains.values));
  panel.x.low = 0.0, panel.x.high = total, panel.y.low = 0.0;
  panel.marks.push_back({.kind = Mark::Kind::rule_y,
                         .role = Role::reference,
                         .y = {ranks.expected},
                         .label = "if chains agree"});
  for (Index c = 0; c < chains.num_chains; ++c)
    panel.marks.push_back(rank_outline(ranks, c, total / static_cast<double>(ranks.num_bins)));
  return panel;
}

Picture draw_ranks(const Material& material, std::span<const Index> quantities) {
  if (!material.weights().empty())
    throw Error(ErrorCode::usage, "the draws have weights, which ranks don't know",
                material.subjects()[0].name, "density and forest know them");
  Picture picture{
      .kind = "ranks",
      .title = "Ranks",
      .words =
          "How many draws of each chain have which rank among the draws of all chains. Where "
          "chains "
          "have found the same distribution each line is flat, apart from noise, near the dashed "
          "one."};
  for (const Index quantity : quantities) picture.panels.push_back(rank_panel(material, quantity));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind ranks_picture{
    .name = "ranks",
    .summary = "histograms of the ranks of each chain's draws among all",
    .most_quantities = 4,
    .draw = draw_ranks};

}  // namespace credo::report
