// credo export: the draws of a run file, of a NetCDF file or of CSV files, as another result file.
#include "cli/fit/fitted_model.hpp"
#include "cli/options/selection_arguments.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/run/summarise.hpp"
#include "cli/term/stop.hpp"
#include "io/file.hpp"
#include "results/arrays/array_tables.hpp"
#include "results/files/write_fit.hpp"

namespace credo::cli {
namespace {

class Export final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_,
                          "a run file (OUTPUT.run), a NetCDF file, or CSV files, one a chain",
                          any_file());
    arguments.option(
        "-o,--output", output_,
        "FILE.nc, or the beginning of the names of CSV files, in the place of files with "
        "these names; FILE.json has all arrays; none: as the run says",
        output_file("*", Writes::draws));
    cli::describe(selection_, arguments);
    arguments.flag("--no-data", no_data_,
                   "leave the data out of the file; diagnose and --like need them again then");
    arguments.option("--sig-figs", sig_figs_, "significant digits in CSV files; 0: all",
                     from_to(0, kMostDigits));
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    try {
      write(output);
    } catch (const Stopped&) {
      throw is_run_file(files_[0]) ? stopped_run(files_[0]) : stopped_command();
    }
    return 0;
  }

 private:
  // The tables of a result without draws.
  void write_tables(const results::ArrayResult& answer) const {
    if (output_.ends_with(".nc") || output_.empty())
      throw Error(ErrorCode::usage, "a result without draws becomes CSV files or JSON", "--output",
                  "name FILE.json, or the beginning of the names of CSV files");
    if (is_json())
      write_json(answer);
    else
      results::write_array_tables(answer, output_, readers());
  }

  bool is_json() const { return output_.ends_with(".json"); }

  void write_json(const results::ArrayResult& arrays) const {
    io::OutputFile file(output_, readers());
    file.write(results::arrays_json(arrays));
    file.commit();
  }

  void write(Output& output) {
    const auto answer = files_.size() == 1 ? open_answer(files_[0]) : nullptr;
    if (answer != nullptr && !has_draws(*answer)) return write_tables(*answer);
    if (answer != nullptr && is_json() && selection_.empty()) return write_json(*answer);
    auto fit = selected(open_result(files_, output), selection_);
    if (fit->num_draws(false) + fit->num_draws(true) == 0)
      throw Error(ErrorCode::usage, "there is no draw yet that every chain has", files_[0],
                  "let the run continue: credo resume");
    if (output_.empty() && !is_run_file(files_[0]))
      throw Error(ErrorCode::usage, "no output file was given", "--output", "add -o FILE");
    if (output_.empty())
      write_as_asked(*fit);
    else if (is_json())
      write_json(results::FitArrays(std::move(fit)));
    else
      write_to(*fit, {.path = output_,
                      .netcdf = output_.ends_with(".nc"),
                      .sig_figs = sig_figs_,
                      .with_data = !no_data_,
                      .readers = readers()});
  }

  // Writes it under the name and with the options of the run.
  void write_as_asked(Fit& fit) const {
    RunArguments run;
    run.take_own(fit);
    run.out.no_data = run.out.no_data || no_data_;
    run.out.file = result_of_run_file(files_[0]);
    write_fit(fit, run.result(readers()));
  }

  void write_to(Fit& fit, const FitOutput& output) const {
    require_places(output, fit.num_chains() / fit.num_walkers(), files_);
    write_fit(fit, output);
  }

  io::Readers readers() const {
    io::Readers all;
    for (const std::string& file : files_) all.narrow(file);
    return all;
  }

  std::vector<std::string> files_;
  std::string output_;
  Index sig_figs_ = 0;
  bool no_data_ = false;
  Selection selection_;
};
}  // namespace

extern const CommandRow export_command{
    "export", "write the draws of a run file or a fit as another file",
    "  credo export fit.nc.run -o so_far.nc\n"
    "  credo export fit.nc.run -o so_far\n"
    "  credo export fit.nc -o fit\n"
    "  credo export fit.nc -o fit.json\n"
    "  credo export fit_1.csv fit_2.csv -o fit.nc\n",
    make_command<Export>, "The result file or files, renamed into place when complete."};

}  // namespace credo::cli
