// A fitted map as numbers, for the options of a run in its base space (through.hpp).
#pragma once
#include "infer/core/fields.hpp"

namespace credo::infer {

// Layers "" are the normal distribution with this centre and root.
struct MapValues {
  std::string map_layers = {};
  Index map_hidden = 1;
  std::vector<double> map_centre = {}, map_root = {}, map_parameters = {};
  bool is_given() const { return !map_centre.empty(); }

  static void describe(auto& self, auto&& field) {
    field(self.map_layers, FieldSpec{.name = "map_layers",
                                     .help = "layers of the map in whose base space chains move"});
    field(self.map_hidden, FieldSpec{.name = "map_hidden",
                                     .help = "units of the networks of its layers",
                                     .range = {.lo = 1.0, .hi = 10'000.0}});
    field(self.map_centre,
          FieldSpec{.name = "map_centre", .help = "image of the origin without the layers"});
    field(self.map_root, FieldSpec{.name = "map_root",
                                   .help = "lower triangular factor of its covariance without its "
                                           "layers, row by row, or the diagonal"});
    field(self.map_parameters,
          FieldSpec{.name = "map_parameters", .help = "parameters of its layers"});
  }
};

}  // namespace credo::infer
