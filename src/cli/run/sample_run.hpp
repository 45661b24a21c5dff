// A sampling run of a command line: from the options to the result's files. `credo sample` begins
// one, `credo resume` continues one, `credo export` writes the draws of one.
#pragma once
#include "cli/load.hpp"
#include "cli/options/initial_metric.hpp"
#include "cli/options/initial_values.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "cli/options/scheme_argument.hpp"
#include "cli/results.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "cli/term/run_progress.hpp"
#include "infer/core/recorder.hpp"
#include "infer/core/table.hpp"
#include "io/lock_file.hpp"
#include "results/files/run_store.hpp"
#include "results/files/write_fit.hpp"

namespace credo {
class Ranks;
}
namespace credo::model {
struct Advice;
}

namespace credo::cli {

inline constexpr const char* kKeptFact = "kept";  // the run file stays when its run is done

class SampleRun {
 public:
  // `family`: algorithms to choose from on a command line; nullopt: all, by the file.
  explicit SampleRun(std::optional<infer::Family> family = std::nullopt);
  void describe(Arguments& arguments);

  // Takes the settings of a specification, with the files that were read already.
  void take(const RunSpec& spec, io::InputFiles files = {});
  // Options are checked first. Throws Error(usage).
  RunSpec spec();

  // Takes the settings of a fit's run, except options given here.
  void take_like(const Fit& fit, Given given);

  // On a rank other than 0: its share of the run that take() was given.
  void do_share();

  // These return the exit status.
  int begin(Output& output, bool json);
  // With everything from the file.
  int resume(const std::string& path, Output& output, bool json);
  // Writes the content of a run file as its run would have written it.
  void write_as_asked(const std::string& path, Fit& fit, bool no_data);
  // `data`: in the place of the fit's own.
  std::unique_ptr<model::Model> model_of(const Fit& fit, const model::DataFiles* data,
                                         bool may_lack_outcomes);

  std::string run_file() const;  // beside the result; "" without one

  Index& threads() { return options_.num_threads; }

  Ranks* ranks = nullptr;  // over which the run is dealt; none: this process alone
  OutputSpec out;
  bool other_arithmetic = false;    // a run that was begun with another may be resumed
  std::string max_time;             // of this command, not of the run: a resumed one has its own
  bool is_live = false;             // of this command, too: a page shows the run
  bool keeps_run = false;           // the run file stays when the run is done
  std::optional<Index> more_draws;  // resume: transitions of each chain after warm-up, in all
  std::vector<std::string> also_read = {};  // beside program, includes, data and initial values

 private:
  std::unique_ptr<model::Model> prepare(Output& output, bool json);
  void check_options();
  void check_output(Output& output);
  void tell_pipes(Output& output) const;
  void check_inputs() const;
  void take_lock(Output& output);
  void release_lock(Output& output);
  void watch(RunStore& store, Output& output);
  void show_page(Output& output) const;
  std::vector<std::string> left_out() const;  // files that were read but aren't kept in the result
  Error bad_data(const model::Advice& advice);
  infer::RunResult run_or_explain(const model::Model& model, RunStore& store);
  bool ask_who_writes(const std::string& path, Output& output) const;
  void take_request(io::RunFile& file);
  void tell_ranks();  // sends them the specification of the run
  std::optional<Index> request(const RunStore& store, Output& output) const;
  void forget_request(Output& output) const;
  bool goes_on(std::unique_ptr<RunStore>& store, const model::Model& model, Output& output);
  infer::RunResult run_to_the_end(const model::Model& model, std::unique_ptr<RunStore>& store,
                                  Output& output);
  void end_run_file(RunStore& store, Output& output) const;
  int run(const model::Model& model, std::unique_ptr<RunStore> store, Output& output, bool json);
  int conclude(const model::Model& model, RunStore& store, Output& output, bool json);
  FitOutput result_output() const;
  bool climbs() const { return infer::climbs_to_modes(sampler_.sampler); }
  void describe_climbs(Arguments& arguments);
  void describe_temperature(Arguments& arguments);
  void check_temperature() const;
  void describe_output(Arguments& arguments);
  void describe_cross_check(Arguments& arguments);
  void check_cross_check();
  std::unique_ptr<RunStore> cross_store(const model::Model& model, infer::SampleOptions& run);
  // The second run, if requested; its findings are written to the first run's fit.
  void cross_check(const model::Model& model, RunStore& first, Output& output);
  void require_family() const;
  void check_climbs();
  void tell_last_work(Output& output, const RunStore& store) const;
  int report_modes(Output& output, bool json, const model::Model& model,
                   const RunStore& store) const;
  // Prints the report of the run; returns the exit status for --strict.
  int report(Output& output, bool json, const model::Model& model, const RunStore& store) const;
  RunTimes times() const;
  TableUse table_use(const std::string& below) const;
  void take_own(const Fit& fit);
  bool is_netcdf() const;

  const std::optional<infer::Family> family_;
  ModelArguments model_;
  bool jacobian_ = false, no_jacobian_ = false;  // options given on this command line
  infer::SampleOptions options_;
  SamplerArguments sampler_;
  SchemeArgument scheme_;
  CrossCheckSpec cross_;
  bool seeds_differ_ = false;              // the model's and the run's: --seed sets both
  double begun_ = infer::clock_seconds();  // with the command
  double chains_begun_ = begun_, chains_ended_ = begun_;
  std::vector<Index> done_;  // transitions by chain, of a run that is resumed
  std::optional<RunProgress> progress_;
  InitialValues init_;
  InitialMetric metric_;
  io::Readers readers_;  // access to the result
  std::optional<io::LockFile> lock_;
};

// The program and the data again, as the run had them. Throws Error(usage) where the fit hasn't
// kept them. `data`: other ones, and those of a fit that lacks its own (--no-data). `may_lack_outcomes`: model/model.hpp.
std::unique_ptr<model::Model> rebuild_model(const Fit& fit, const model::DataFiles* data = nullptr,
                                            bool may_lack_outcomes = false);
bool lacks_data(const Fit& fit);

// "fit.nc" is written from "fit.nc.run".
std::string run_file_of(const std::string& output);
std::string result_of_run_file(const std::string& path);
std::string cross_run_file_of(const std::string& output);  // for instance "fit.nc.cross.run"

}  // namespace credo::cli
