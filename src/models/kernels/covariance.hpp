// A covariance function: an expression of kernels, with its parameters.
//
//   covariance = sum of products of kernels; each term of a sum has a standard deviation of its own, a product has one
//
// Parameters are in natural units. The noise of the outcomes is one of them where it is estimated, but no part of the expression.
#pragma once
#include "models/kernels/kernel_row.hpp"

namespace credo::models {

struct KernelNode {
  enum class Kind { atom, sum, product };
  Kind kind = Kind::atom;
  const KernelRow* row = nullptr;  // kernel of an atom
  KernelOptions options = {};
  std::vector<Index> columns = {};  // coordinates of its points: places among the input columns
  std::vector<double> projection =
      {};  // D x columns, by rows: points are P times the columns; empty: the columns
  std::vector<KernelNode> parts = {};
  double factor = 1.0;       // the variance is factor times the square of ...
  Index sd = -1;             // ... this parameter; -1: 1
  Index first = 0;           // an atom's first parameter
  Index num_parameters = 0;  // set by Covariance
  Index id = 0, atom = 0;    // set by Covariance
  std::string text = {};
};

struct CovarianceParameter {
  std::string name, of;  // "length", "se(x)"
  KernelParameter kind = {};
  double scale =
      1.0;  // the unit, in numbers of the table: the prior's centre is kind.centre * scale
  double value = 1.0;  // if it is fixed
  bool is_fixed = false;

  double centre() const { return kind.centre * scale; }
  // Unconstrained values and back; slope: d value / d unconstrained.
  double to_free(double natural) const;
  double from_free(double free) const;
  double slope(double natural) const;
  // Log density of the prior of the unconstrained value, and its derivative.
  std::pair<double, double> log_prior(double free) const;
};

// Points as the kernels of an expression read them.
struct CovariancePoints {
  Index count = 0;
  std::vector<std::vector<double>> by_atom;
};

class Covariance {
 public:
  static constexpr Index kMostAtOnce = 256;

  Covariance() = default;
  Covariance(KernelNode root, std::vector<CovarianceParameter> parameters);
  Covariance(const Covariance& other);
  Covariance& operator=(const Covariance& other);

  const KernelNode& root() const { return root_; }
  std::span<const KernelNode* const> atoms() const { return atoms_; }
  // Addends of the expression: one, unless it is a sum.
  std::vector<const KernelNode*> terms() const;
  const std::vector<CovarianceParameter>& parameters() const { return parameters_; }
  Index num_parameters() const { return ssize(parameters_); }

  CovariancePoints points(std::span<const std::vector<double>> columns) const;

  // Memory of one thread.
  struct Work {
    std::vector<double> values, slopes, weights;
  };
  // k(a_i, b_j) for j = first, ..., first + count - 1, count <= kMostAtOnce, for one node, which is the root or a term.
  void values(const KernelNode& node, std::span<const double> theta, const CovariancePoints& a,
              Index i, const CovariancePoints& b, Index first, Index count, double* out,
              Work& work) const;
  // Adds sum_j weight_j dk(a_i, b_j) / dtheta to `gradient`.
  void add_slopes(std::span<const double> theta, const CovariancePoints& a, Index i,
                  const CovariancePoints& b, Index first, Index count, const double* weights,
                  double* gradient, Work& work) const;
  // k(a_i, a_i)
  double variance(const KernelNode& node, std::span<const double> theta, const CovariancePoints& a,
                  Index i, Work& work) const;
  // k, dk/dx_c, dk/dz_c and d²k/dx_c dz_c for the input column c.
  std::array<double, 4> by_input(const KernelNode& node, std::span<const double> theta,
                                 const CovariancePoints& a, Index i, const CovariancePoints& b,
                                 Index j, Index column) const;
  int smoothness() const;  // mean-square derivatives, as KernelRow::smoothness
  bool is_stationary() const;

 private:
  void number(KernelNode& node, Index& next);
  void collect(const KernelNode& node);
  double scale_of(const KernelNode& node, std::span<const double> theta) const;

  KernelNode root_;
  std::vector<const KernelNode*> atoms_;
  std::vector<CovarianceParameter> parameters_;
  Index num_nodes_ = 0;
};

}  // namespace credo::models
