// Exponential families: log density = natural . statistics(x) + log_carrier(x) - log_partition(natural). One file each, one row each in
// families/table.cpp. A row names its distribution (dist/table.cpp), which has draws, support, moments and entropy. Page: docs/design/exponential-families.md.
//
// An outcome x is a number, a vector or a matrix by columns; a number is a vector of one. Statistics of a symmetric matrix are those on its diagonal and
// above it, by columns, so that they are linearly independent. A category of K is the vector of K with 1 at its place.
#pragma once
#include "dist/distribution.hpp"

namespace credo::dist {

enum class ArgShape : std::uint8_t { number, vector, square };

// A family with p natural parameters. `natural` and `mean` are vectors of p numbers; `args` are all arguments of the distribution in its order, one after the
// other, `known` those of them that the family takes as given (a binomial's size), in the order of `known_args`. Functions require arguments within the
// distribution's domains.
struct ExponentialFamily {
  std::string_view name;
  std::string_view distribution;  // its row in dist/table.cpp
  std::vector<std::string_view>
      statistics;  // in words, p of them: "log x"; kinds of statistics for vectors
  std::vector<std::string_view>
      naturals;              // natural parameters by the distribution's arguments: "alpha - 1"
  std::string_view carrier;  // log carrier in words
  std::string_view reference;
  std::vector<std::size_t> known_args = {};  // places among the arguments
  std::vector<ArgShape> shapes = {};         // of the arguments; none: all are numbers

  std::vector<double> (*statistic)(Params x, Params known) = nullptr;
  double (*log_carrier)(Params x, Params known) = nullptr;
  bool (*is_inside)(Params natural) = nullptr;  // true if the density has a finite integral
  double (*log_partition)(Params natural, Params known) = nullptr;
  std::vector<double> (*mean)(Params natural,
                              Params known) = nullptr;  // gradient of the log partition: E t(x)
  std::vector<double> (*fisher)(Params natural, Params known) =
      nullptr;  // p x p Hessian of the log partition: Cov t(x)
  std::vector<double> (*to_natural)(Params args) = nullptr;
  std::vector<double> (*to_args)(Params natural, Params known) = nullptr;
  // Natural parameters near those with this mean; `natural_of_mean` refines them.
  std::vector<double> (*near_mean)(Params mean, Params known) = nullptr;
  // Draws of a family of numbers without a row in dist/table.cpp, whose carrier must be 1.
  double (*draw)(Rng& rng, Params natural, Params known) = nullptr;

  bool is_of_numbers() const { return shapes.empty(); }
};

// A function of a number as one of a vector of one.
template <auto function>
auto of_number(Params x, Params known) {
  return function(x[0], known);
}

std::span<const ExponentialFamily* const> exponential_families();  // alphabetical
const ExponentialFamily* find_family(std::string_view name);  // null if there is no such family

std::vector<double> known_of(const ExponentialFamily& family, Params args);
double log_density(const ExponentialFamily& family, Params x, Params natural, Params known);
// Differential entropy, or entropy of a discrete family, in nats.
double entropy(const ExponentialFamily& family, Params natural, Params known);
std::vector<double> draw(const ExponentialFamily& family, Rng& rng, Params natural, Params known);
// The arguments with their shapes, as the distribution's draws take them.
std::vector<Expr> shaped(const ExponentialFamily& family, Params args);

// Natural parameters with `mean` as E t(x), by Newton's method on A(natural) - natural . mean, which is convex. E t(x) there differs from `mean` by
// less than 1e-10 of the statistics' standard deviations, or 1e-6 where rounding of the means allows no better. Throws Error(evaluation) if no natural
// parameters have this mean (it lies outside of the interior of the statistics' convex hull).
std::vector<double> natural_of_mean(const ExponentialFamily& family, Params mean, Params known);

}  // namespace credo::dist
