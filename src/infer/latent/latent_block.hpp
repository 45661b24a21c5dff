// The inner coordinates of a density, which are integrated out, and the outer ones, which are left.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

inline constexpr std::string_view kFindInner = "auto";  // in the place of names

struct LatentBlock {
  std::vector<std::string> names;   // parameters
  std::vector<Index> inner, outer;  // coordinates, ascending
  Index dimension() const { return ssize(inner) + ssize(outer); }
};

// `names`: parameters joined by commas, or `auto`: those that the program states as normal effects. Throws Error(usage)
// for a name that isn't a parameter's, for parameters with bounds or another constraint, and where no coordinate is left.
LatentBlock latent_block(const density::LogDensity& density, std::string_view names);

// The values of some coordinates, and back.
std::vector<double> values_at(std::span<const double> all, std::span<const Index> places);
void take_at(std::span<const double> all, std::span<const Index> places, std::span<double> into);
void put_at(std::span<double> all, std::span<const Index> places, std::span<const double> values);

}  // namespace credo::infer
