// Arguments of commands on state-space models: the program at one point of its parameters, runs, threads and a file.
#pragma once
#include "cli/load.hpp"
#include "cli/options/row_options.hpp"
#include "filters/method_row.hpp"
#include "infer/smc/particle_filter.hpp"
#include "model/states/state_model.hpp"
#include "results/estimates/state_rows.hpp"
#include "results/files/write_fit.hpp"

namespace credo::cli {

struct StateSpaceArguments {
  ModelArguments model = {};
  std::string parameters, output;
  Index num_repeats = 10, num_threads = 0;

  void describe_parameters(Arguments& arguments);
  // --repeats, --threads, --output.
  struct RepeatWords {
    Index least = 1;
    std::string help = "independent runs, from which errors are known";
  };
  void describe_runs(Arguments& arguments, const RepeatWords& words);

  // The model must outlive the states. Throws Error.
  struct Loaded {
    std::unique_ptr<model::Model> model;
    std::unique_ptr<model::StateModel> states;
  };
  // `position_of`: where the parameters come from, if not from --parameters.
  using PositionOf = std::function<std::vector<double>(const model::Model& model)>;
  // `num_more`: times after those of the data.
  Loaded load(Output& to, bool json, const char* command, const PositionOf& position_of = {},
              Index num_more = 0);
  // Place of the result, which has the readers of the input files. Throws if it is one of those files.
  results::FitOutput place() const;
  // Observed outcomes; NaN where one is missing.
  static results::Outcomes outcomes(const model::Model& model, const model::StateModel& states);
  // Seed and threads, of particles.
  void settle(infer::FilterOptions& options) const;
};

// The chosen method of a table, and its options.
template <class Kind>
class MethodArguments {
 public:
  // If `standard` is empty, the command chooses the method when none is given, and `rule` says in help which.
  MethodArguments(filters::MethodTable<Kind> rows, std::string_view standard, std::string rule = {})
      : rows_(rows), name_(standard), rule_(std::move(rule)) {}
  void describe(Arguments& arguments) {
    std::string help;
    std::vector<std::string> names;
    for (const auto* row : rows_) {
      help +=
          (help.empty() ? "" : "; ") + std::string(row->name) + ": " + std::string(row->summary);
      names.emplace_back(row->name);
    }
    arguments.option("--method", name_, help + rule_, one_of(names));
  }
  void describe_options(Arguments& arguments) {
    arguments.group(title_of_rows(arguments, "--method", "methods"));
    options_.describe(arguments, "--method", option_rows());
  }

  const std::string& name() const { return name_; }  // empty: none is given
  void choose(std::string_view name) { name_ = name; }
  // With the given options. Both throw Error(usage).
  infer::KernelOptions options() const {
    return options_.options_of(name_, "--method", option_rows());
  }
  std::unique_ptr<Kind> make() const {
    return filters::row_named<Kind>(rows_, name_, "--method").make(options());
  }

 private:
  std::vector<OptionRow> option_rows() const {
    std::vector<OptionRow> all;
    for (const auto* row : rows_) all.push_back({row->name, row->options()});
    return all;
  }

  filters::MethodTable<Kind> rows_;
  std::string name_, rule_;
  RowOptions options_;
};

}  // namespace credo::cli
