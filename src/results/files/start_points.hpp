// Start of a run from the result of another: points and an inverse metric, as a JSON text that is
// kept with the inputs of the new run, so that it can be repeated without the other result.
#pragma once
#include "density/names.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// Points of D unconstrained values each.
struct StartPoints {
  std::vector<std::string> free_names;  // D of the model
  std::vector<std::vector<double>>
      points;                      // points of all chains, or one for all; empty unless requested
  std::vector<double> inv_metric;  // D or D × D; empty unless requested
};

// Places of the model's parameters among the quantities of the fit, in the model's order; -1 for whole
// numbers that it lacks. Throws Error(data) that names a parameter that the fit lacks or has in another size.
std::vector<Index> places_of_parameters(const Fit& fit, const density::Names& names);

// The last draw of each chain; with fewer chains than are to begin, draws spread over them. For climbs:
// the best mode, for all. Throws Error(data) that names a parameter of the model that the fit lacks or has
// in another size, and for a fit without draws.
std::vector<std::vector<double>> points_from(const Fit& fit, const density::Model& model,
                                             Index num_chains);
// Inverse metric from the warm-up of chain 1; for climbs (-∇² log p)⁻¹ at the best mode. Throws Error(data) if
// it is missing or belongs to other unconstrained values.
std::vector<double> inv_metric_from(const Fit& fit, const density::Names& names);

std::string to_json(const StartPoints& starts);
bool is_start_json(std::string_view text);
// Throws Error(data) unless it belongs to a model with these unconstrained values.
StartPoints parse_start_json(std::string_view text, const std::string& source,
                             std::span<const std::string> free_names);

}  // namespace credo::results
