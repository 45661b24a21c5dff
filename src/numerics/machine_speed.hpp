// Peak speed of this machine: loops that only read memory, or only multiply and add. The
// fraction that a program reaches is its share (credo bench --suite).
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// Reads every value once, in order, with full vectors; returns their sum in no particular order.
double streaming_read(std::span<const double> values);

// `rounds` times a few independent chains of multiply-adds in registers, enough of them to keep all
// units busy; each multiply-add of a number counts as two operations. The value means nothing.
struct Operations {
  double count = 0.0, value = 0.0;
};
Operations multiply_adds(Index rounds);

}  // namespace credo::numerics
