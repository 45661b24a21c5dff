// A callable over the numbers of the parameters as a model: a log density of the unconstrained values, by the
// map to the parameters and back (api/parameter_map.hpp). It is called one point at a time.
#pragma once
#include "api/parameter_map.hpp"
#include "credo/model.hpp"
#include "density/model.hpp"

namespace credo {

struct Callable {
  GradientCallable with_gradient = nullptr;  // exactly one of the two is set
  ValueCallable without_gradient = nullptr;
};

std::shared_ptr<const density::Model> make_callable_model(const std::string& name,
                                                          const Parameters& parameters,
                                                          Callable callable);

}  // namespace credo
