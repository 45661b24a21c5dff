// Generated quantities of a model at the draws of a fit, with other data or other generated quantities than the
// fit's; or outcomes that are drawn by the statements of the likelihood: y_rep for y.
#pragma once
#include "density/model.hpp"
#include "results/files/selection.hpp"

namespace credo::results {

struct PredictOptions {
  std::uint64_t seed = 1;               // for the random numbers of generated quantities
  bool outcomes = false;                // even if the program has generated quantities
  Selection selection = {};             // quantities that are computed
  std::string model_path, data_path;    // paths of the model, for the result
  io::InputFiles::Contents files = {};  // files of the model
  std::string asked = {};               // specification of the command, for the result
  bool keeps_reached = false;           // see density::Written
};

// Predictions at each draw of the fit, in memory, with the sampler's statistics of each. The fit must live as long.
// Throws Error(data) if the fit lacks a parameter of the model or has it in another size, or has no draws;
// Error(program) if there are no generated quantities and outcomes can't be drawn; Error(usage) if the
// selection matches no quantity.
std::unique_ptr<Fit> predict(const Fit& fit, const density::Model& model,
                             const PredictOptions& options);

}  // namespace credo::results
