// A model: a log density over named parameters. It is immutable, cheap to copy, and may be used by
// several threads at once.
//
//   const credo::Model a = credo::traced(parameters, [=](credo::Trace& at) {
//     const credo::Vector theta = at[mu] + at[tau] * at[eta];
//     at.output("theta", theta);
//     return credo::normal_lpdf(at[mu], 0, 5) + ... + credo::normal_lpdf(y, theta, sigma);
//   });
//   const credo::Model b = credo::with_gradient(parameters, [](auto theta, auto gradient) {...});
//   const credo::Model c = credo::without_gradient(parameters, [](auto theta) {...});
//   const credo::Model d = credo::stan_file("eight_schools.stan", "eight_schools.data.json");
//
// Log densities are natural logarithms, up to a constant, with respect to the parameters as
// declared: the library adds the Jacobian of their constraints.
#pragma once
#include <functional>

#include "credo/parameters.hpp"

namespace credo {

struct ModelOptions {
  std::string name = "model";  // in messages and result files
  std::string passes = "all";  // of the program's optimiser; "none" is the plain reference
  Index max_lanes = 8;         // points evaluated at once: 1, 2, 4 or 8. Never changes a value
  std::uint64_t seed = 1;      // of random numbers in a Stan program's transformed data
};

// Argument of a traced callable: the parameters' values, and a place for quantities to keep.
class CREDO_API Trace {
 public:
  Real operator[](const Parameter<Real>& parameter) const;
  Vector operator[](const Parameter<Vector>& parameter) const;
  Matrix operator[](const Parameter<Matrix>& parameter) const;

  // Kept for every draw, beside the parameters. Throws Error(usage) for a name that is taken.
  void output(const std::string& name, const Value& value);

  struct Impl;
  explicit Trace(Impl& impl) : impl_(impl) {}
  Trace(const Trace&) = delete;

 private:
  Impl& impl_;
};

// A point's log density; -infinity with a reason where the point is refused.
struct Evaluation {
  double log_density =
      0.0;  // log density of the unconstrained values, with the Jacobian's logarithm
  std::vector<double> gradient;  // with respect to the unconstrained values; empty without one
  std::string refusal;           // empty: the log density is finite
  bool ok() const { return refusal.empty(); }
};

class CREDO_API Model {
 public:
  const std::string& name() const;
  Index dimension() const;  // D, number of unconstrained values
  bool has_gradient() const;
  std::vector<std::string> free_names() const;  // D
  std::vector<std::string> names() const;       // of a draw: parameters, outputs; "theta.1"
  // The Stan program that a traced callable became, or that was given; empty for callables that
  // aren't traced.
  std::string program() const;

  // Evaluates at D unconstrained values. Throws Error(usage) for another number of them, Error(evaluation) for exceptions of
  // the callable (nested) and for a fatal error.
  Evaluation evaluate(std::span<const double> free) const;
  double log_density(std::span<const double> free) const;

  // A draw's numbers, in the order of names(), at D unconstrained values, and the unconstrained values of parameters
  // in the order of names(), of which the first ones are taken. Throws Error(data) if a
  // constraint is broken. Generated quantities of a Stan program draw from `seed`.
  std::vector<double> constrain(std::span<const double> free, std::uint64_t seed = 1) const;
  std::vector<double> unconstrain(std::span<const double> parameters) const;

  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

using TracedCallable = std::function<Real(Trace&)>;
using GradientCallable =
    std::function<double(std::span<const double> theta, std::span<double> gradient)>;
using ValueCallable = std::function<double(std::span<const double> theta)>;

// A callable over values (credo/value.hpp), called once, here: its operations become a Stan
// program with its data, which is checked, optimised, differentiated and run as any other. Returns
// the log density. Throws Error(program) if the language has no such operation, and passes on exceptions of the
// callable.
CREDO_API Model traced(const Parameters& parameters, const TracedCallable& log_density,
                       const ModelOptions& options = {});

// A callable that takes the parameters' numbers and returns the log density.
//
//   theta     all parameters in the order of their declarations (Parameter::in)
//   gradient  to be filled with the derivatives by theta, as many; it begins as zeros
//
// Values. -infinity refuses the point (outside of the support); so do NaN, +infinity, a gradient
// that isn't finite, and a thrown Rejection. Anything else that it throws ends a run with
// Error(evaluation), in which the exception is nested (std::rethrow_if_nested).
// Threads. The callable is copied for each thread, and a copy is used by one thread at a time:
// members held by value are its own working memory. Data that it refers to are shared, and must not be
// changed. The same theta must always give the same numbers.
CREDO_API Model with_gradient(const Parameters& parameters, const GradientCallable& log_density,
                              const ModelOptions& options = {});
// A model without a gradient, for samplers that need none (credo::samplers()).
CREDO_API Model without_gradient(const Parameters& parameters, const ValueCallable& log_density,
                                 const ModelOptions& options = {});

// A Stan program with data in CmdStan's JSON; an empty name or text: no data. Throws Error(program)
// with all diagnostics, Error(data), Error(io).
CREDO_API Model stan_file(const std::string& program_file, const std::string& data_file = {},
                          const ModelOptions& options = {});
CREDO_API Model stan_text(const std::string& program, const std::string& data = {},
                          const ModelOptions& options = {});

// A gradient against finite differences.
struct GradientMismatch {
  std::string name;                     // name of the unconstrained value, "theta.2"
  Index component = 0;                  // from 0
  double given = 0.0, numerical = 0.0;  // derivatives with respect to the unconstrained value
  double error = 0.0;                   // of the numerical one, estimated
  std::vector<double> point;            // D unconstrained values
};
struct GradientCheck {
  std::vector<GradientMismatch> mismatches;  // worst first; empty: none was found
  Index num_points = 0;                      // number of checked points
  bool ok() const { return mismatches.empty(); }
  std::string text() const;  // a line for each mismatch
};

// Compares at `num_points` random points, uniform on (-2, 2), with central differences extrapolated
// to a vanishing step [ridders1982]. With more than 64 components, random directions are compared
// first. Cost: about 12 evaluations a point and component. Throws Error(usage) for a model without
// a gradient, Error(evaluation) where no point has a finite log density.
CREDO_API GradientCheck check_gradient(const Model& model, Index num_points = 3,
                                       std::uint64_t seed = 1);

}  // namespace credo
