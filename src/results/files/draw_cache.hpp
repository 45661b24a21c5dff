// Keeps the draws of a run file in memory once a good part of them has been read, so that summary, verdict and result file
// don't read the file once each.
#pragma once
#include <mutex>

#include "results/files/fit.hpp"

namespace credo::results {

class DrawCache {
 public:
  using Source = std::function<density::Draws(const DrawSlab& slab)>;

  // The slab, whose counts are filled in. Draws after warm-up are kept if there are at most kMostValues of them; a fit with
  // more draws than before is read anew. May be called from several threads at once.
  density::Draws read(const Fit& fit, const DrawSlab& slab, const Source& source) const;

  // Keeps all draws after warm-up if there are at most kMostValues of them.
  void keep_all(const Fit& fit, const Source& source) const;
  // Keeps nothing from now on: a copy of this process that reads all draws once needs no memory for them.
  void keep_no_more() { keeps_ = false; }

  static constexpr Index kMostValues = Index{1} << 25;  // 256 MiB

 private:
  void read_all(const Fit& fit, const Source& source) const;

  mutable std::mutex mutex_;
  mutable density::Draws kept_;
  mutable Index num_read_ = 0;  // values that were read from the source
  bool keeps_ = true;
};

}  // namespace credo::results
