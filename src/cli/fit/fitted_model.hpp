// The model of a fit: the program and the data that it keeps, or files that are named.
#pragma once
#include "cli/load.hpp"
#include "cli/results.hpp"
#include "model/remake.hpp"
#include "results/draws/outcome_rows.hpp"

namespace credo::cli {

// Opens what the paths name, tells its doubts, and holds its draws to the support that its program declares, as far as the
// files have the program. Throws what open_fit and require_support throw.
std::unique_ptr<Fit> open_result(std::span<const std::string> paths, Output& output);
// The same; throws Error(usage) for modes, which are no draws.
std::unique_ptr<Fit> open_draws(std::span<const std::string> paths, Output& output);

// The quantities that patterns of --columns name, in the order in which they are asked for, each once. Throws Error(usage).
std::vector<Index> named_quantities(const Fit& fit, std::span<const std::string> patterns);

// Those of its model, whatever they were put together from; empty without one.
DataText data_of(const Fit& fit, const model::Model* model);

class FittedModel {
 public:
  // --model, --data and how they are read, --include. `columns_option`: of a command whose --columns are others.
  void describe(Arguments& arguments, std::string_view columns_option = "--columns");

  // Null where there is none: CSV files and predictions without --model, and, which is noted with `without`, a result
  // without its data and no --data.
  std::unique_ptr<model::Model> of(const Fit& fit, Output& output, bool json,
                                   std::string_view without);
  // The same; throws Error(usage) with this way out where there is none.
  std::unique_ptr<model::Model> needed(const Fit& fit, Output& output, bool json,
                                       const std::string& way_out);

  bool is_given(const Fit& fit) const;  // other data than the fit's may be meant
  model::DataFiles data();

 private:
  ModelArguments model_;
};

}  // namespace credo::cli
