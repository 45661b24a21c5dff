// The parameters of a model: names, shapes and constraints.
//
//   credo::Parameters parameters;
//   const auto mu = parameters.real("mu");
//   const auto tau = parameters.real("tau", credo::lower(0));
//   const auto eta = parameters.vector("eta", 8);
//
// Samplers move an unconstrained vector; the library maps it to the parameters and adds
// the log Jacobian of the map to the log density, so that a callable's density is that of the
// parameters as declared. The maps are those of the Stan language.
#pragma once
#include "credo/value.hpp"

namespace credo {

class Parameters;

// A declared parameter, by which a traced callable reads its value. In the vector of numbers that
// other callables take, its elements are first, first + 1, ..., matrices column by column.
template <class T>
struct Parameter {
  Index number = 0;  // in order of declaration
  Index first = 0;
  Index size = 1;

  std::span<const double> in(std::span<const double> theta) const {
    return theta.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
  }
  std::span<double> in(std::span<double> theta) const {
    return theta.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
  }
};

// Constraint of every element of a parameter.
struct Constraint {
  enum class Kind { none, lower, upper, interval, affine };
  Kind kind = Kind::none;
  double a = 0.0, b = 0.0;
};
inline Constraint lower(double bound) { return {Constraint::Kind::lower, bound, 0.0}; }
inline Constraint upper(double bound) { return {Constraint::Kind::upper, bound, 0.0}; }
inline Constraint interval(double lower, double upper) {  // lower < upper
  return {Constraint::Kind::interval, lower, upper};
}
// offset + multiplier * an unconstrained value: no constraint, but a scale near 1 for the sampler.
inline Constraint affine(double offset, double multiplier) {  // multiplier > 0
  return {Constraint::Kind::affine, offset, multiplier};
}

// Names are words of letters, digits and underscores that begin with a letter, each used once. The
// functions throw Error(usage) for other names, negative sizes and bounds that make no sense.
class CREDO_API Parameters {
 public:
  Parameters();
  ~Parameters();
  Parameters(const Parameters& other);
  Parameters& operator=(const Parameters& other);

  Parameter<Real> real(const std::string& name, Constraint constraint = {});
  Parameter<Vector> vector(const std::string& name, Index size, Constraint constraint = {});
  Parameter<Matrix> matrix(const std::string& name, Index rows, Index cols,
                           Constraint constraint = {});
  Parameter<Vector> simplex(const std::string& name, Index size);  // >= 0, sum 1
  Parameter<Vector> ordered(const std::string& name, Index size);  // ascending
  Parameter<Vector> positive_ordered(const std::string& name, Index size);
  Parameter<Vector> unit_vector(const std::string& name, Index size);         // length 1
  Parameter<Vector> sum_to_zero_vector(const std::string& name, Index size);  // sum 0
  Parameter<Matrix> corr_matrix(const std::string& name, Index size);
  Parameter<Matrix> cov_matrix(const std::string& name, Index size);
  Parameter<Matrix> cholesky_factor_corr(const std::string& name, Index size);
  Parameter<Matrix> cholesky_factor_cov(const std::string& name, Index size);

  Index size() const;  // numbers of all parameters

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace credo
