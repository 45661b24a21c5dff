// Sources of a lattice kernel's decisions: a Chooser, one after the other, or the numbers
// of a stream, each by its own slot, so that any number of threads may take them in any order.
// Kernels are templates over the two, the code between the draws is the same.
#pragma once
#include "base/choice.hpp"
#include "infer/compose/chooser.hpp"

namespace credo::infer::gibbs {

class ChooserDraws {
 public:
  explicit ChooserDraws(Chooser& chooser) : chooser_(&chooser) {}
  bool accept(Index /*slot*/, double probability) { return chooser_->accept(probability); }
  Index choose(Index /*slot*/, std::span<const double> weights) {
    return chooser_->choose(weights);
  }
  Index uniform_index(Index /*slot*/, Index n) { return chooser_->uniform_index(n); }

 private:
  Chooser* chooser_;
};

// Slots in about ascending order are cheap: uniforms come in blocks.
class StreamDraws {
 public:
  explicit StreamDraws(const StreamKey& key) : key_(key) {}
  bool accept(Index slot, double probability) { return uniform(slot) < probability; }
  Index choose(Index slot, std::span<const double> weights) {
    return choose_by_weight(weights, uniform(slot));
  }
  // n far below 2^52: the numbers of cells of the uniform's grid differ by at most one.
  Index uniform_index(Index slot, Index n) {
    return static_cast<Index>(uniform(slot) * static_cast<double>(n));
  }

 private:
  static constexpr Index kBlock = 128;
  double uniform(Index slot) {
    if (slot - first_ >= kBlock || slot < first_) {
      first_ = slot / kBlock * kBlock;
      fill_uniform(key_, static_cast<std::uint64_t>(first_), block_);
    }
    return block_[static_cast<std::size_t>(slot - first_)];
  }

  StreamKey key_;
  Index first_ = -kBlock;
  std::array<double, kBlock> block_{};
};

}  // namespace credo::infer::gibbs
