// The generated quantities of a model at the draws of a fit: of other data than the fit's, of a program whose generated
// quantities are other ones. Or its outcomes, drawn by the statements of the likelihood: y_rep of y.
#pragma once
#include "density/model.hpp"
#include "results/files/selection.hpp"

namespace credo::results {

struct PredictOptions {
  std::uint64_t seed = 1;               // of the random numbers of generated quantities
  bool outcomes = false;                // of a program without generated quantities in any case
  Selection selection = {};             // which of them; others aren't computed
  std::string model_path, data_path;    // of the model, for the result
  io::InputFiles::Contents files = {};  // of the same
};

// As many draws as the fit has, in memory; what the sampler told of each stays beside them. The fit must live as long.
// Throws Error(data) where the fit lacks a parameter of the model or has it in another size or there are no draws, Error(program)
// where there are no generated quantities and outcomes can't be drawn, Error(usage) for a selection that fits none.
std::unique_ptr<Fit> predict(const Fit& fit, const density::Model& model,
                             const PredictOptions& options);

}  // namespace credo::results
