// An expression of kernels in a formula as a covariance function: se(x) + periodic(x, 1) * matern32(x) + noise.
#pragma once
#include "models/formula/frame.hpp"
#include "models/kernels/covariance.hpp"

namespace credo::models {

// An input of the process: arithmetic of columns, or a factor.
struct GpInput {
  Expression expression;
  bool is_factor = false;
  std::vector<std::string> levels =
      {};                  // levels of a factor, in the order of their codes 1, 2, ...
  std::string graph = {};  // file of the graph whose nodes are the levels; empty: none
  std::string name() const { return expression.text(); }
};

struct ReadKernel {
  KernelNode root;
  std::vector<GpInput> inputs;
  std::vector<CovarianceParameter>
      parameters;             // scales are those of numbers of size 1 until the rows are known
  bool states_noise = false;  // the expression has the term noise
};

// Registers the columns in the frame. Faults are added; then the result is not complete.
ReadKernel read_kernel(const Expression& e, Frame& frame, FormulaFaults& faults);

// Scales of the parameters for the columns of the inputs and an outcome of this size.
void set_scales(ReadKernel& kernel, std::span<const std::vector<double>> columns,
                double outcome_size);

}  // namespace credo::models
