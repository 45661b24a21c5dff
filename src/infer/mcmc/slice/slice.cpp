// One coordinate at a time [neal2003, sec. 4]: each has a slice of its own, so the auxiliary
// variable is drawn anew for every coordinate.
#include "infer/mcmc/slice/slice.hpp"

#include "infer/core/chain.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

Step<SliceInfo> Slice::step(PointState& current, Rng& rng) {
  SliceInfo info;
  for (std::size_t d = 0; d < current.position.size(); ++d) {
    line_.direction[d] = 1.0;
    line_.width = settings.widths[d];
    moves_[d] = co_await line_.move(current, rng);
    line_.direction[d] = 0.0;
    info.add(moves_[d]);
  }
  info.log_density = current.log_density;
  co_return info;
}

Slice::Slice(const SliceOptions& options_, Index dimension)
    : options(options_),
      settings{.widths = std::vector<double>(static_cast<std::size_t>(dimension), options_.width)},
      line_(dimension),
      moves_(settings.widths.size()) {
  line_.growth = options.growth;
  line_.max_growth = options.max_growth;
}

void SliceInfo::add(const LineMove& move) {
  num_evaluations += move.num_evaluations;
  num_expansions += move.num_expansions;
  num_contractions += move.num_contractions;
}

void report_settings(const SliceSettings& settings, ChainResult& result) {
  result.tuned = {{"widths", settings.widths}};
}

double width_factor(double count, Index num_expansions, Index num_contractions) {
  const Index total = num_expansions + num_contractions;
  if (total == 0) return 1.0;
  const double balance =
      static_cast<double>(num_expansions - num_contractions) / static_cast<double>(total);
  return numerics::exp(numerics::pow(count, -0.6) * balance);
}

bool WidthAdaptation::learn(Index, const SliceInfo&, const PointState&, Slice& kernel) {
  count_ += 1.0;
  for (std::size_t d = 0; d < kernel.moves().size(); ++d) {
    const LineMove& move = kernel.moves()[d];
    kernel.settings.widths[d] *= width_factor(count_, move.num_expansions, move.num_contractions);
  }
  return false;
}

extern const SamplerSpec kSlice;
const SamplerSpec kSlice = sampler_row<Slice, WidthAdaptation>(
    {.name = "slice",
     .summary = "slice sampling, one coordinate after another, adaptive widths",
     .reference = "neal2003"});

}  // namespace credo::infer
