// Factors of coordinate ascent: a distribution of the values of a block, by its natural parameters (density/moment_form.hpp).
#pragma once
#include "base/rng.hpp"
#include "density/moment_form.hpp"

namespace credo::infer {

using density::MomentBlock;

// A figure of a factor for people and files: "mean", "shape", ...
struct FactorArgument {
  std::string name;
  std::vector<double> values;
};

// A family's functions. `natural` has num_statistics numbers, in the order of the statistics. Each function but is_proper requires proper ones.
struct FactorFamily {
  density::MomentFamily family;
  std::string_view name;
  bool (*is_proper)(std::span<const double> natural, const MomentBlock& block);
  double (*log_partition)(std::span<const double> natural, const MomentBlock& block);
  // E t(x), the gradient of the log partition.
  void (*mean)(std::span<const double> natural, const MomentBlock& block,
               std::span<double> statistics);
  void (*draw)(std::span<const double> natural, const MomentBlock& block, Rng& rng,
               std::span<double> values);
  // The values with the highest density; false if the support has no such values.
  bool (*mode)(std::span<const double> natural, const MomentBlock& block, std::span<double> values);
  std::vector<FactorArgument> (*arguments)(std::span<const double> natural,
                                           const MomentBlock& block);
};
std::span<const FactorFamily> factor_families();
const FactorFamily& family_of(const MomentBlock& block);

// log q at these values, whose statistics are given.
double log_factor(std::span<const double> natural, const MomentBlock& block,
                  std::span<const double> statistics);

}  // namespace credo::infer
