// A density pulled back through a map x = T(z) [hoffman2019]:
//
//   log p(T(z)) + log |∂T/∂z|
//
// The nearer the map is to one that makes p of N(0, I), the nearer this is to N(0, I), whatever the shape of p.
#pragma once
#include "density/log_density.hpp"
#include "infer/maps/graph_map.hpp"

namespace credo::infer {

class TransportedDensity final : public density::LogDensity {
 public:
  // Knows the density, which outlives it.
  TransportedDensity(const density::LogDensity& of, const GraphTransport& map)
      : of_(of), map_(map) {}
  Index dimension() const override { return of_.dimension(); }
  bool has_gradient() const override { return of_.has_gradient(); }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override;
  const GraphTransport& map() const { return map_; }  // to be copied

 private:
  const density::LogDensity& of_;
  GraphTransport map_;
};

}  // namespace credo::infer
