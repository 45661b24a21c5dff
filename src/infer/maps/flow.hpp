// Flows: stacks of bijections of standard normal values [rezende2015, papamakarios2021], which begin at a normal distribution:
//
//   x = c + R f_T(… f_1(z)),   log q(x) = log N(z) - log |R| - Σ_t log |∂f_t|
//
// c and R are fixed, those of the normal distribution; every layer is the identity at the start.
#pragma once
#include "infer/maps/graph_map.hpp"

namespace credo::infer {

// Shape of a flow, and the normal distribution that it begins at. Equal specifications are equal maps, to the bit.
struct FlowSpec {
  std::string layers = "iaf:5";  // "iaf:3,planar:8": names of layers with their numbers; "": none
  Index hidden = 32;             // units of each layer's network
  std::vector<double> centre;    // c, D
  std::vector<double> root;      // R: lower triangular, D × D row by row, or its diagonal, D
};

// Throws Error(usage) for layers that there aren't, with the names there are, and if the sizes of centre and root don't fit.
std::shared_ptr<const GraphMap> make_flow(const FlowSpec& spec);

// The names of the layers, one after another. Throws Error(usage).
std::vector<std::string> parse_layers(std::string_view text);

}  // namespace credo::infer
