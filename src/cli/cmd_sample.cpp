// credo sample: draws from the posterior of a Stan program with its data.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "cli/draw_files.hpp"
#include "cli/evidence.hpp"
#include "cli/load.hpp"
#include "cli/sampler_arguments.hpp"
#include "cli/stop.hpp"
#include "cli/summarise.hpp"
#include "infer/sample.hpp"
#include "io/json_reader.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {

class Sample final : public Command {
 public:
  void describe(Arguments& a) override {
    model_.describe(a);
    a.option("--chains", options_.num_chains, "chains, each from a point of its own");
    a.option("--warmup", options_.num_warmup, "warm-up transitions per chain");
    a.option("--draws", options_.num_draws, "transitions per chain after warm-up");
    a.option("--thin", options_.thin, "keep every n-th transition");
    a.flag("--save-warmup", options_.save_warmup, "keep warm-up transitions, too");
    a.option("--threads", options_.num_threads,
             "threads; 0: one for each processor. Never changes a draw");
    a.option("--adapt-delta", options_.adapt.step_size.target_accept,
             "target acceptance of a Hamiltonian sampler's warm-up, in (0, 1)");
    sampler_.describe(a);
    a.option("--init", init_, "radius of uniform initial values, or a JSON file of initial values");
    a.option("-o,--output", output_, "files are OUTPUT_1.csv, OUTPUT_2.csv, ...; none: no files");
    a.option("--format", format_, "csv");
    a.option("--sig-figs", sig_figs_, "significant digits in the files; 0: all");
    a.flag("--quiet", quiet_, "no progress, no summary");
  }

  int run(Output& output) override {
    check_options();
    check_output();
    const auto model = load_model(model_, output, json, print_sink(output));
    options_.seed = model_.seed;
    set_init(*model);
    options_.stop = stop_flag();
    if (!quiet_ && !json)
      options_.on_progress = [&](const infer::Progress& p) { output.note(progress_line(p)); };
    DrawStore store(*model, options_);
    infer::RunResult result = infer::run_chains(*model, options_, store);
    normalise_evidence(result, *model);
    if (!output_.empty()) write_csv_files(output_, *model, options_, result, store, sig_figs_);
    report(output, *model, result, store);
    return result.interrupted ? static_cast<int>(ErrorCode::interrupted) : 0;
  }

 private:
  void check_options() {
    if (format_ != "csv") {
      throw Error(ErrorCode::usage, fmt::format("unknown format '{}'", format_), "--format",
                  "use csv");
    }
    sampler_.apply(options_);
    validate_run(options_);
  }

  // Before the run: a run whose draws can't be written is lost time.
  void check_output() const {
    if (output_.empty()) return;
    const std::size_t slash = output_.find_last_of('/');
    const std::string directory = slash == std::string::npos ? "." : output_.substr(0, slash + 1);
    if (access(directory.c_str(), W_OK | X_OK) != 0) {
      throw Error(ErrorCode::io,
                  fmt::format("can't write to directory {}: {}", directory, std::strerror(errno)),
                  "--output", "create it first");
    }
  }

  // A number is a radius, anything else a file: one object for all chains, or a list of one per
  // chain.
  void set_init(const model::Model& model) {
    if (init_.empty()) return;
    if (const auto radius = io::parse_number(init_)) {
      options_.init_radius = *radius;
      return;
    }
    const std::vector<double> missing(static_cast<std::size_t>(model.dimension()), kNaN);
    options_.init = {model.unconstrain(io::read_json_data(init_), missing)};
  }

  lang::PrintSink print_sink(Output& output) const {
    if (json || quiet_) return {};
    return [&output](std::string_view text) { output.note(std::string(text) + "\n"); };
  }

  static std::string progress_line(const infer::Progress& p) {
    const auto percent = 100 * p.iteration / std::max<Index>(p.num_iterations, 1);
    return fmt::format("chain {} iteration {:>6} / {} [{:>3}%] ({})\n", p.chain + 1, p.iteration,
                       p.num_iterations, percent, p.warmup ? "warm-up" : "sampling");
  }

  void report(Output& output, const model::Model& model, const infer::RunResult& result,
              const DrawStore& store) const {
    if (quiet_) return;
    const Summary summary = summarise(model.output_columns(), store.draws(), store.log_density());
    if (json) {
      output.print(run_json(summary, result, store.notes()) + "\n");
      return;
    }
    output.print(summary_text(summary));
    output.print(run_text(model, result, store.notes(), options_));
  }

  ModelArguments model_;
  infer::SampleOptions options_;
  SamplerArguments sampler_;
  std::string init_, output_, format_ = "csv";
  Index sig_figs_ = 0;
  bool quiet_ = false;
};
}  // namespace

const CommandRow sample_command{
    "sample", "draw from the posterior, with the No-U-Turn sampler or another",
    "  credo sample model.stan --data data.json\n"
    "  credo sample model.stan --data data.json --chains 4 --warmup 1000 --draws 1000 --seed 1 -o "
    "fit\n"
    "  credo sample model.stan --data data.json --metric dense_e --adapt-delta 0.95 --json\n"
    "  credo sample model.stan --data data.json --sampler slice\n",
    make_command<Sample>};

}  // namespace credo::cli
