// Ways of leaving data out (credo loo): rows of a table (cli/options/chosen_rows.hpp). A new one is a file in cli/fit with a class and its
// row, and the name of the row in loo_schemes.cpp.
#pragma once
#include "cli/fit/loo_report.hpp"
#include "cli/options/chosen_rows.hpp"
#include "cli/run/refit_arguments.hpp"
#include "results/draws/work.hpp"

namespace credo::model {
class Model;
}

namespace credo::cli {

// The request of the command, and its services to a scheme. Fit and model outlive it.
struct LooQuestion {
  const Fit& fit;
  const density::Model& model;
  const model::Model* program;   // the same model; null if it is ready-made
  const RefitArguments& refits;  // options of each fit
  // Values of a variable of the data. Throws Error(data) if it isn't there or isn't of whole numbers.
  std::function<std::vector<Index>(const std::string& name)> data_values;
  // Begins the work of so many pieces ("fits"), which the command keeps beside its output. Called at most once.
  std::function<results::Work&(const char* what, Index count)> begin_work;
};

struct LooAnswer {
  results::ArrayList arrays;  // the result file and --json
  std::string text;           // standard output
};
template <class Report>
LooAnswer answer_of(const Report& report) {
  return {arrays_of(report), text_of(report)};
}

class LooScheme {
 public:
  virtual ~LooScheme() = default;
  // `alone`: the condition that no other scheme is chosen ("!--folds,!--future").
  virtual void describe(Arguments& arguments, const std::string& alone) = 0;
  virtual bool is_chosen() const = 0;
  // Throws Error(program) if the model has no density without these rows, Error(evaluation) if a fit fails that is needed.
  virtual LooAnswer answer(const LooQuestion& question) const = 0;
};

using LooSchemeRow = ChosenRow<LooScheme>;
ChosenTable<LooScheme> loo_schemes();

// ---- parts that schemes share

// The program of the fit. Throws Error(usage) for a ready-made model, whose rows are left out by weights alone.
const model::Model& program_of(const LooQuestion& question);
// An unconstrained point of the fit, at which the model computes its rows.
std::vector<double> point_of(const LooQuestion& question);
// Fits the model once for each fold, as kept work.
std::vector<Refit> fit_without(const LooQuestion& question, std::span<const Fold> folds,
                               std::span<const double> point);

}  // namespace credo::cli
