// A kernel of Gaussian processes is a row: one expression, which is a template on the types of inputs and parameters, gives values,
// derivatives by parameters and by inputs; beside it stand the spectral density, a draw of a frequency and the state-space form, where there are
// such. A row has variance 1 where it is stationary; terms of a sum have their own standard deviation (models/kernels/covariance.hpp).
//
// Inputs are points of D numbers. Spectral densities S are those of one input, by angular frequency: k(r) = ∫ S(w) cos(w r) dw / (2 pi).
#pragma once
#include "base/types.hpp"
#include "models/kernels/dual.hpp"

namespace credo {
class Rng;
}

namespace credo::models {
class GraphHeat;

// Numbers that choose a kernel and aren't estimated.
struct KernelOptions {
  Index dimension = 1;  // D
  Index order = 0;      // degree, number of components or layers, nu - 1/2: the row says which
  std::shared_ptr<const GraphHeat> graph = {};  // nodes are levels 1, 2, ... of the input
};

// Unit of a parameter, by which starts and priors have the scale of the table.
enum class KernelUnit {
  none,
  length,     // unit of the inputs: their range
  period,     // of the inputs
  frequency,  // 1 / input
  weight,     // 1 / input: that of a network
  square      // input squared
};
enum class KernelTransform { positive, fraction };  // log; logit

struct KernelParameter {
  std::string name;
  KernelUnit unit = KernelUnit::none;
  double centre =
      1.0;  // prior: log-normal (logit-normal for fractions) around centre times the unit's scale ...
  double spread = 1.0;  // ... with this standard deviation of the logarithm
  KernelTransform transform = KernelTransform::positive;
};

// States of a process of one input, whose covariance is the kernel: f(x) = h' s, s moves by A(step) with noise of covariance Q(step).
// Square matrices by rows. T is double or Dual.
template <class T>
struct StateMatrices {
  Index size = 0;
  std::vector<T> matrix = {};  // A or P0
  std::vector<T> noise = {};   // Q
};

constexpr Index kMostKernelParameters = 12;  // in one row
constexpr Index kStateDerivatives =
    4;  // parameters that a filter of states differentiates by at a time
using StateDual = Dual<static_cast<int>(kStateDerivatives)>;

struct StateForm {
  Index (*size)(const KernelOptions&) = nullptr;
  // Covariance of the state at the first input.
  void (*start)(const KernelOptions&, const double* theta, double x,
                StateMatrices<double>&) = nullptr;
  void (*start_dual)(const KernelOptions&, const StateDual* theta, double x,
                     StateMatrices<StateDual>&) = nullptr;
  // A and Q over a step from x to x + step, step > 0.
  void (*move)(const KernelOptions&, const double* theta, double step,
               StateMatrices<double>&) = nullptr;
  void (*move_dual)(const KernelOptions&, const StateDual* theta, double step,
                    StateMatrices<StateDual>&) = nullptr;
  void (*observe)(const KernelOptions&, double x, double* h) = nullptr;
  bool is_approximate = false;
};

// A positional argument behind the columns, as 1 in periodic(x, 1): an option, or a parameter that it fixes.
struct KernelArgument {
  std::string_view name, help;
  bool is_order = false;  // KernelOptions::order
  double least = 0.0, most = kInfinity, standard = 0.0;
  bool is_half = false;  // nu = order + 1/2
};

enum class KernelColumns { numbers, factor, degrees };

struct KernelRow {
  std::string_view name, summary, reference;
  std::string_view words;  // in a report: "a smooth curve"
  Index least_columns = 1, most_columns = 1000;
  KernelColumns columns = KernelColumns::numbers;
  std::vector<KernelArgument> arguments = {};
  bool needs_graph =
      false;  // a text behind the column names a file: pairs of neighbours, or a matrix
  bool is_stationary = false;
  // Mean-square derivatives of a process of it: -1 not continuous, 0 continuous, 1, 2, ...; kSmooth: all.
  int (*smoothness)(const KernelOptions&) = nullptr;
  std::vector<KernelParameter> (*parameters)(const KernelOptions&) = nullptr;
  // Values k(x, z_j) for `count` points z_j, one after another.
  void (*values)(const KernelOptions&, const double* theta, const double* x, const double* z,
                 Index count, double* value) = nullptr;
  // Values with derivatives by the parameters: slope[p * count + j].
  void (*slopes)(const KernelOptions&, const double* theta, const double* x, const double* z,
                 Index count, double* value, double* slope) = nullptr;
  // k, dk/dx_c, dk/dz_c and d²k/dx_c dz_c.
  void (*by_input)(const KernelOptions&, const double* theta, const double* x, const double* z,
                   Index coordinate, std::array<double, 4>& out) = nullptr;
  double (*spectral_density)(const KernelOptions&, const double* theta, double w) = nullptr;
  // Centre and standard deviation of each normal peak of the spectral density, in cycles per unit. Null: it is largest at 0.
  std::vector<std::array<double, 2>> (*spectral_peaks)(const KernelOptions&,
                                                       const double* theta) = nullptr;
  // A frequency of D components, from the spectral density as a distribution.
  void (*draw_frequency)(const KernelOptions&, const double* theta, Rng& rng, double* w) = nullptr;
  const StateForm* states = nullptr;
  // Why an input is no input of this kernel; empty: it is.
  std::string (*refusal)(const KernelOptions&, const double* x) = nullptr;
};
constexpr int kSmooth = 1000;

std::span<const KernelRow* const> kernel_rows();  // alphabetical
const KernelRow* find_kernel(std::string_view name);

}  // namespace credo::models
