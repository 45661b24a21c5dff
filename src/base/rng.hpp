// Random numbers as a function of (seed, purpose, chain, iteration, position).
//
// A stream is named by its key; variate i of a stream is a function of the key and i alone,
// independent of the variates requested before it: each takes one slot of 64 bits. So a stream can
// be entered anywhere, filled into arrays by any number of threads, and saved as two plain members.
// There is no global state. Streams hold 2^33 slots.
#pragma once
#include "base/philox.hpp"
#include "base/types.hpp"

namespace credo {

// Purposes of streams that several layers share. Others are named by their owners (base/stream.hpp); tools/structure fails if two
// have one number.
namespace purpose {
inline constexpr std::uint32_t kInitialPoint = 1;    // iteration: the try
inline constexpr std::uint32_t kTransition = 2;      // iteration: the transition
inline constexpr std::uint32_t kStepSizeSearch = 3;  // iteration: the transition it precedes
inline constexpr std::uint32_t kGenerated = 4;       // generated quantities; iteration: the draw
inline constexpr std::uint32_t kInitialState = 6;    // parts of a state beside its point
inline constexpr std::uint32_t kWalker = 7;     // in an ensemble; chain: chain × walkers + walker
inline constexpr std::uint32_t kInterface = 8;  // draws of the C interface; iteration: the call
inline constexpr std::uint32_t kCall =
    9;  // for an _rng call; seed: the draw's; chain, iteration: its path
inline constexpr std::uint32_t kPriorTrial = 10;  // draws that judge a prior; iteration: the try
inline constexpr std::uint32_t kReplicate = 11;   // of data; iteration: the draw
inline constexpr std::uint32_t kFilter =
    13;  // chain: the repeat; iteration: 2 × time, + 1: for resampling
inline constexpr std::uint32_t kTest = 1000;  // and above: test programs
}  // namespace purpose

struct StreamKey {
  std::uint64_t seed = 0;
  std::uint32_t purpose = 0;
  std::uint32_t chain = 0;  // or particle
  std::uint32_t iteration = 0;
  bool operator==(const StreamKey&) const = default;
};

class Rng {
 public:
  explicit Rng(const StreamKey& key, std::uint64_t position = 0) : key_(key), position_(position) {}

  std::uint64_t bits();
  double uniform();                      // in the open interval (0, 1), on a grid of 2^-52
  double uniform(double lo, double hi);  // in [lo, hi]; the ends only by rounding
  double normal();                       // mean 0, standard deviation 1
  double exponential();                  // mean 1
  Index index_below(Index n);            // uniform on 0 .. n - 1, without bias; n >= 1

  const StreamKey& key() const { return key_; }
  std::uint64_t position() const { return position_; }  // position of the next variate

 private:
  StreamKey key_;
  std::uint64_t position_;
  PhiloxBlock block_{};  // block of the slots that hold position_, when cached_
  bool cached_ = false;
};

// Variates first, first + 1, … of the stream, bitwise what an Rng at that position returns.
void fill_bits(const StreamKey& key, std::uint64_t first, std::span<std::uint64_t> out);
void fill_uniform(const StreamKey& key, std::uint64_t first, std::span<double> out);
void fill_normal(const StreamKey& key, std::uint64_t first, std::span<double> out);

}  // namespace credo
