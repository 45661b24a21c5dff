// The model of a fit: the program and the data that it keeps, or files that are named.
#pragma once
#include "cli/load.hpp"
#include "cli/results.hpp"
#include "model/remake.hpp"
#include "results/draws/outcome_rows.hpp"
#include "results/files/data_like.hpp"

namespace credo::cli {

// Opens the result, notes doubts about it, and checks that its draws lie in the support that its program declares, if
// the files contain the program. Throws the errors of open_fit and require_support.
std::unique_ptr<Fit> open_result(std::span<const std::string> paths, Output& output);
// Like open_result; throws Error(usage) for modes, because they are no draws.
std::unique_ptr<Fit> open_draws(std::span<const std::string> paths, Output& output);

// Makes `arguments.data` a recipe that reads the given data as the fit's own were read (results/files/data_like.hpp).
// Throws Error.
void read_like(const Fit& fit, ModelArguments& arguments, results::GivenData given);

// Like read_like, for commands whose program is named beside a fit (--fit): without --data they read the data that the fit
// keeps. Throws Error(usage) if it was written without them.
void read_like_or_own(const Fit& fit, ModelArguments& arguments);

// Throws Error(data) if the fit has its data and they differ from those of the model.
void require_data_of(const Fit& fit, const model::Model& model, Output& output, bool json);

// Notes centres and scales that the program computes from the data and that differ between the data of the fit and those of
// predictions. The fit's parameters belong to the fit's values.
void note_centres(const model::Model& fitted, const model::Model& predicted, Output& output);

// The quantities that patterns of --columns name, in the order of the patterns, each once. Throws Error(usage).
std::vector<Index> named_quantities(const Fit& fit, std::span<const std::string> patterns);

// Those of its model, whatever they were put together from; empty without one.
DataText data_of(const Fit& fit, const model::Model* model);

// --rows: definition of a row of the likelihood, for programs with a log_lik of their own.
class RowsArgument {
 public:
  void describe(Arguments& arguments);
  std::unique_ptr<model::Model> apply(const model::Model& model) const;
  void require_default(
      const std::string& name) const;  // for a ready-made model, which has one kind of rows

 private:
  std::string rows_ = "own";
};
// Says which rows were used, for models with a log_lik; empty for others.
std::string rows_sentence(const density::Names& names, bool has_own_rows);

class FittedModel {
 public:
  // --model, --data and how they are read, --include. `columns_option`: its name if --columns means something else.
  void describe(Arguments& arguments, std::string_view columns_option = "--columns");

  // The fit's model. Null for CSV files and predictions without --model, and, which is noted with `without`, for a result
  // without its data and no --data.
  std::unique_ptr<model::Model> of(const Fit& fit, Output& output, bool json,
                                   std::string_view without);
  // Like of(), but throws Error(usage) with this way out instead of returning null.
  std::unique_ptr<model::Model> needed(const Fit& fit, Output& output, bool json,
                                       const std::string& way_out);

  bool is_given(const Fit& fit) const;  // other data than the fit's may be meant
  model::DataFiles data();
  const io::InputFiles::Contents& files_read() const { return model_.files.contents(); }
  // Called before the others if with_file is used: given reading options (--missing, ...) apply to other files,
  // too, and to them alone unless --data is given.
  void read_others_alike();
  // The fit's program with the data of another file, read as the fit's data were and as the options say.
  // Outcomes may be unknown (model/model.hpp).
  std::unique_ptr<model::Model> with_file(const Fit& fit, const std::string& path, Output& output,
                                          bool json);

 private:
  void require_own_data(const Fit& fit);
  ModelArguments model_;
  DataArguments others_;  // reading options of other files
};

}  // namespace credo::cli
