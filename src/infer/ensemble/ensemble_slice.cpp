#include "infer/ensemble/ensemble_slice.hpp"

#include "infer/core/chain.hpp"

namespace credo::infer {

Step<SliceInfo> EnsembleSlice::step(PopulationState& walkers, Rng& rng) {
  SliceInfo info;
  const auto as_it_is = [](Index, density::Request&) {};
  for (const Index first : {Index{0}, count_ / 2}) {
    begin_half(walkers, first, rng);
    co_await team_.run(as_it_is);
    for (Index i = 0; i < count_ / 2; ++i) {
      walkers.set(first + i, points_[static_cast<std::size_t>(i)]);
      moves_[static_cast<std::size_t>(first + i)] = team_.result(i);
      info.add(team_.result(i));
    }
    team_.clear();
  }
  co_return info;
}

EnsembleSlice::EnsembleSlice(const EnsembleSliceOptions& options_, Index dimension)
    : options(options_),
      settings{.width = options_.width},
      count_(number_of_walkers(options_.num_walkers, dimension)),
      dimension_(dimension),
      points_(static_cast<std::size_t>(count_ / 2), make_point(dimension, false)),
      streams_(points_.size(), Rng({})),
      team_(count_ / 2),
      moves_(static_cast<std::size_t>(count_)) {
  for (Index i = 0; i < count_ / 2; ++i) {
    lines_.push_back(std::make_unique<LineSlicer>(dimension));
    lines_.back()->growth = options.growth;
    lines_.back()->max_growth = options.max_growth;
  }
}

// Every walker has a stream of its own: the order in which they are answered decides nothing.
void EnsembleSlice::begin_half(const PopulationState& walkers, Index first, Rng& rng) {
  const Index half = count_ / 2, other = first == 0 ? half : 0;
  for (Index i = 0; i < half; ++i) {
    const auto place = static_cast<std::size_t>(i);
    StreamKey key = rng.key();
    key.chain = static_cast<std::uint32_t>(Index{key.chain} * count_ + first + i);
    key.purpose = purpose::kWalker;
    streams_[place] = Rng(key);
    const auto [a, b] = two_of(half, streams_[place]);
    LineSlicer& line = *lines_[place];
    line.width = settings.width;
    for (std::size_t d = 0; d < line.direction.size(); ++d)
      line.direction[d] = walkers.position(other + a)[d] - walkers.position(other + b)[d];
    const std::span<const double> x = walkers.position(first + i);
    points_[place].position.assign(x.begin(), x.end());
    points_[place].log_density = walkers.log_density(first + i);
    team_.add(line.move(points_[place], streams_[place]));
  }
}

SliceInfo EnsembleSlice::walker_info(const PopulationState& walkers, const SliceInfo&,
                                     Index w) const {
  SliceInfo info;
  info.add(moves_[static_cast<std::size_t>(w)]);
  info.log_density = walkers.log_density(w);
  return info;
}

bool EnsembleSliceAdaptation::learn(Index, const SliceInfo& info, const PopulationState&,
                                    EnsembleSlice& kernel) {
  count_ += 1.0;
  kernel.settings.width *= width_factor(count_, info.num_expansions, info.num_contractions);
  return false;
}

void report_settings(const EnsembleSliceSettings& settings, ChainResult& result) {
  result.tuned = {{"width", {settings.width}}};
}

extern const SamplerSpec kEnsembleSlice;
const SamplerSpec kEnsembleSlice = sampler_row<EnsembleSlice, EnsembleSliceAdaptation>(
    {.name = "ensemble_slice",
     .summary = "slices along differences of walkers, adaptive width",
     .reference = "karamanis2021"});

}  // namespace credo::infer
