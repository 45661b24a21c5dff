// The model of a fit: the program and the data that it keeps, or files that are named.
#pragma once
#include "cli/load.hpp"
#include "cli/results.hpp"
#include "model/remake.hpp"
#include "results/draws/outcome_rows.hpp"
#include "results/files/data_like.hpp"

namespace credo::cli {

// Opens what the paths name, tells its doubts, and holds its draws to the support that its program declares, as far as the
// files have the program. Throws what open_fit and require_support throw.
std::unique_ptr<Fit> open_result(std::span<const std::string> paths, Output& output);
// The same; throws Error(usage) for modes, which are no draws.
std::unique_ptr<Fit> open_draws(std::span<const std::string> paths, Output& output);

// Data that are given to a command beside a fit are read as the fit's own were (results/files/data_like.hpp): what was given
// for `arguments.data` is in it from now on. Throws Error.
void read_like(const Fit& fit, ModelArguments& arguments, results::GivenData given);

// Draws that know other data say nothing of those of the model: throws Error(data), if the fit has its data.
void require_data_of(const Fit& fit, const model::Model& model, Output& output, bool json);

// The quantities that patterns of --columns name, in the order in which they are asked for, each once. Throws Error(usage).
std::vector<Index> named_quantities(const Fit& fit, std::span<const std::string> patterns);

// Those of its model, whatever they were put together from; empty without one.
DataText data_of(const Fit& fit, const model::Model* model);

// --rows: what a row of the likelihood is, of a program with a log_lik of its own.
class RowsArgument {
 public:
  void describe(Arguments& arguments);
  std::unique_ptr<model::Model> apply(const model::Model& model) const;

 private:
  std::string rows_ = "own";
};
// What was taken, of a model that has a log_lik; empty for others.
std::string rows_sentence(const model::Model& model, bool has_own_rows);

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
  // The program of the fit with the data of another file, read as those of the fit were and as options say. Outcomes may be
  // unknown (model/model.hpp).
  std::unique_ptr<model::Model> with_file(const Fit& fit, const std::string& path, Output& output,
                                          bool json);

 private:
  void require_own_data(const Fit& fit);
  ModelArguments model_;
};

}  // namespace credo::cli
