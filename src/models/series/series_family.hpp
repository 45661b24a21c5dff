// Distributions of a series' outcomes: rows of one table.
#pragma once
#include "base/rng.hpp"
#include "base/types.hpp"

namespace credo::models {

struct SeriesFamily {
  std::string_view name, words;
  bool is_count = false;           // outcomes are whole numbers, and the mean has a link
  double largest = kInfinity;      // the largest outcome that is possible
  std::string_view distribution;   // name in programs, of the linear predictor
  std::string_view argument = {};  // parameter beside the predictor; empty: none
  std::string_view scale = {};     // its expression as an argument of the distribution
  // For counts: the linear predictor of an outcome, from which scales of priors are taken; the mean at a linear predictor; and a draw there.
  // `parameter` is the value of `argument`.
  double (*predictor)(double outcome) = nullptr;
  double (*mean)(double predictor) = nullptr;
  double (*draw)(double predictor, double parameter, Rng& rng) = nullptr;
};

std::vector<std::string> series_family_names();
// Throws Error(internal) for a name that isn't in the table: options take no others.
const SeriesFamily& series_family(std::string_view name);

}  // namespace credo::models
