// A callable over the numbers of the parameters as a log density of the free values.
//
// The map to the parameters, its Jacobian and the chain rule are one program, the bridge: with the
// parameters theta(x) and as many numbers a beside them, its log density is
//
//   a . theta(x) + log |det J(x)|,
//
// so that its gradient by a is theta(x), and by x, at a = the callable's gradient, the gradient of
// the whole. Without constraints there is no bridge, and theta is x.
#pragma once
#include "credo/model.hpp"
#include "density/log_density.hpp"

namespace credo {

struct Callable {
  GradientCallable with_gradient = nullptr;  // one of the two
  ValueCallable without_gradient = nullptr;
};

std::shared_ptr<const density::LogDensity> make_callable_density(const Parameters& parameters,
                                                                 Index dimension,
                                                                 Callable callable);

}  // namespace credo
