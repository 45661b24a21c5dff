// A coefficient of a regression, or a standard deviation of a group's effects, with its prior.
#pragma once
#include "base/types.hpp"

namespace credo::models {

struct Coefficient {
  std::string name;           // as in R: "period2"
  std::string element;        // in the program: "b_period[1]"
  std::string prior = {};     // a distribution; empty: flat
  double column_sd = 0.0;     // of the column of numbers that it belongs to; 0: none
  std::size_t predictor = 0;  // number of the linear predictor
};

}  // namespace credo::models
