// The options of a run of a sampler or an optimiser, from a command line, a specification or a fit, and the model that they
// describe. Runner (cli/run/runner.hpp) runs them.
#pragma once
#include "cli/load.hpp"
#include "cli/options/initial_metric.hpp"
#include "cli/options/initial_values.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "cli/options/scheme_argument.hpp"
#include "cli/results.hpp"
#include "cli/run/repeat.hpp"
#include "infer/core/table.hpp"
#include "results/draws/summary.hpp"
#include "results/files/write_fit.hpp"
#include "verdict/finding.hpp"

namespace credo::cli {

// How this command does its part of a run. It isn't part of the run: a resumed run has its own.
struct RunConduct {
  std::string max_time = {};
  bool is_live = false;                     // a page shows the run
  bool keeps_run = false;                   // the run file stays when the run is done
  bool other_arithmetic = false;            // a run that was begun with another may be resumed
  std::optional<Index> more_draws = {};     // resume: transitions after warm-up, in all
  std::vector<std::string> also_read = {};  // beside program, includes, data and initial values
  bool no_check = false;                    // the verdict judges the draws alone
  bool has_draws = true;                    // their number was given
  std::string then = "stop";                // after a poor approximation: "sample"
  verdict::Verdict::Word judged = verdict::Verdict::Word::good;  // by the end of the run
  // Rows of the printed table in order, if not all outputs: the output's name, and the one that is printed.
  std::vector<std::pair<std::string, std::string>> row_names = {};
  // Called behind the report of a run that has ended, with its draws or modes. A resumed run has none.
  std::function<void(const Fit&, Output&)> after = {};
};

bool is_netcdf(const OutputSpec& out);

class RunArguments {
 public:
  // `family`: algorithms to choose from on a command line; nullopt: all, by the file.
  // `approximation`: the method that a command for approximations begins with; empty: another command.
  explicit RunArguments(std::optional<infer::Family> family = std::nullopt,
                        std::string_view approximation = {});
  // `has_program`: the program is an argument; false: the command writes it.
  void describe(Arguments& arguments, bool has_program = true);

  // Takes the settings of a specification, with the files that were read already.
  void take(const RunSpec& spec, io::InputFiles files = {});
  // Like take(), but threads, --output, --quiet and --strict that this command was given stay.
  void take_below(const RunSpec& spec, io::InputFiles files = {});
  // Takes the settings that a fit has kept, like take_below().
  void take_own(const Fit& fit);
  // Takes the arguments of a fit's run, except options given here.
  void take_like(const Fit& fit, Given given);

  void check();    // throws Error(usage)
  RunSpec spec();  // checks first
  // The model, with the starts and the metric in the options of the run. After check().
  std::unique_ptr<model::Model> load(Output& output, bool json);

  bool climbs() const { return infer::climbs_to_modes(sampler.sampler); }
  std::string run_file() const;  // beside the result; "" without one
  FitOutput result(const io::Readers& readers = {}) const;

  ModelArguments program;
  infer::SampleOptions options;
  SamplerArguments sampler;
  SchemeArgument scheme;
  CrossCheckSpec cross;
  InitialValues init;
  InitialMetric metric;
  OutputSpec out;
  RunConduct conduct;

 private:
  bool approximates() const { return !approximation_.empty(); }
  void describe_climbs(Arguments& arguments);
  void describe_approximation(Arguments& arguments);
  void describe_output(Arguments& arguments);
  void require_family() const;
  void require_approximation() const;
  void check_climbs();
  void check_temperature() const;
  void describe_target(Arguments& arguments);
  void check_target() const;
  void take_auto_method(const model::Model& model, Output& output, bool is_json);

  const std::optional<infer::Family> family_;
  const std::string approximation_;              // method of --method auto; empty: another command
  bool jacobian_ = false, no_jacobian_ = false;  // options given on this command line
  bool is_auto_ = false;                         // --method auto, until the model is loaded
  bool seeds_differ_ = false;                    // the model's and the run's: --seed sets both
};

}  // namespace credo::cli
