// Texts of a program that smooths have in common.
#pragma once
#include "models/regression/smooths/smooth_basis.hpp"
#include "models/regression/special.hpp"

namespace credo::models {

struct SmoothBlock {
  SpecialContext& context;
  std::string name = {};  // in names of its parameters and constants: x_z
  SpecialBlock block = {};

  std::string take(const std::string& kind) const { return context.name(kind, name); }
  std::string constant(ProgramConstant made) const;
  // A matrix of transformed data.
  std::string matrix(const std::string& kind, Index num_columns, const std::string& made) const;
  // Name of the smooth, or of its part for a level, in tables.
  std::string label(const std::string& level = {}) const;
  void add_slope(const std::string& row, const std::string& element, double column_sd);
  void add_sd(const std::string& of, const std::string& element, double peer_units = 1.0);
  // Constants of tables times the map of a basis, and the call that computes the columns of it from the inputs. {knots} in the inputs
  // stands for the name of the knots.
  std::string call(const SmoothBasis& basis, const numerics::DenseMatrix& map, std::string inputs);
};

}  // namespace credo::models
