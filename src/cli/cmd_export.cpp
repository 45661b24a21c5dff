// credo export: the draws that a run file has so far, as a result file.
#include "cli/sample_run.hpp"
#include "cli/stop.hpp"

namespace credo::cli {
namespace {

class Export final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("run", path_, "run file, OUTPUT.run", file_ending(".run"));
    arguments.option("-o,--output", output_,
                     "FILE.nc, or the beginning of the names of CSV files; none: as the run says",
                     any_file());
  }
  int run(Output&) override {
    const StopScope scope(stop_flag());
    try {
      SampleRun().export_draws(path_, output_);
    } catch (const Stopped&) {
      throw stopped_run(path_);
    }
    return 0;
  }

 private:
  std::string path_, output_;
};
}  // namespace

const CommandRow export_command{"export", "write the draws that a run file has so far",
                                "  credo export fit.nc.run -o so_far.nc\n"
                                "  credo export fit.nc.run -o so_far\n",
                                make_command<Export>,
                                "The result file or files, renamed into place when complete."};

}  // namespace credo::cli
