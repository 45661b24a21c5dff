// Schemes (infer/compose/scheme.hpp) as JSON, and the parameters that they name (docs/algorithms/composition.md).
//
//   {"cycle": [{"sampler": "nuts", "on": ["mu", "tau"]},
//              {"mixture": [{"weight": 0.7, "sampler": "slice"}, {"weight": 0.3, "sampler": "rwm"}],
//               "on": ["theta"]}]}
#pragma once
#include "infer/compose/scheme.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"

namespace credo::density {
class Names;
}

namespace credo::results {

// A part {"own": "walk"} is a kernel of a C++ program's, which results name and nobody else can run
// (infer::require_kernels).
//
// Throws Error(usage) at the place of what isn't a scheme.
infer::Scheme read_scheme(const io::JsonValue& value);
// With every option of its samplers.
void write_scheme(io::JsonWriter& json, const infer::Scheme& scheme);

// Sets the coordinates of the parts from their names. Throws Error(usage), at the part's place, for
// a name that the model lacks or whose unconstrained values aren't its elements, for a part that moves coordinates that the
// one around it doesn't, and where no part moves a parameter.
void find_coordinates(infer::Scheme& scheme, const density::Names& names);

}  // namespace credo::results
