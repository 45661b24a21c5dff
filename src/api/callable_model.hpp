// A callable over the numbers of the parameters as a model: a log density of the unconstrained values, by the
// map to the parameters and back (api/parameter_map.hpp). It is called one point at a time.
#pragma once
#include "api/parameter_map.hpp"
#include "credo/parts.hpp"
#include "density/model.hpp"

namespace credo {

struct Callable {
  GradientCallable with_gradient = nullptr;  // exactly one of the two is set
  ValueCallable without_gradient = nullptr;
  // Parts of the model beside the log density, which is then that of the prior; at most one of the last three.
  std::function<void(Random& random, std::span<double> theta)> draw_prior = nullptr;
  std::optional<Rows> rows = {};
  std::optional<Simulator> simulator = {};
  std::optional<StateSpace> states = {};

  bool has_prior() const { return rows || simulator || states; }
};

std::shared_ptr<const density::Model> make_callable_model(const std::string& name,
                                                          const Parameters& parameters,
                                                          Callable callable);

}  // namespace credo
