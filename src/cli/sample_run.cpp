#include "cli/sample_run.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <cerrno>

#include "base/archive.hpp"
#include "cli/draw_files.hpp"
#include "cli/evidence.hpp"
#include "cli/result_file.hpp"
#include "cli/stop.hpp"
#include "cli/summarise.hpp"
#include "io/json_reader.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {
constexpr const char* kFilePrefix = "file:";

// What the bits of a draw depend on beside the program and its options (docs/determinism.md).
std::string arithmetic() {
  return fmt::format("credo {}, libm {}", CREDO_VERSION, gnu_get_libc_version());
}

// FNV-1a: to tell data apart, not to protect them.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("fnv1a64:{:016x}", hash);
}

std::string progress_line(const infer::Progress& p) {
  const auto percent = 100 * p.iteration / std::max<Index>(p.num_iterations, 1);
  return fmt::format("chain {} iteration {:>6} / {} [{:>3}%] ({})\n", p.chain + 1, p.iteration,
                     p.num_iterations, percent, p.warmup ? "warm-up" : "sampling");
}
}  // namespace

std::string run_file_of(const std::string& output) { return output + ".run"; }

void SampleRun::describe(Arguments& a) {
  model_.describe(a);
  a.group("Run");
  a.option("--chains", options_.num_chains, "chains, each from a point of its own");
  a.option("--warmup", options_.num_warmup, "warm-up transitions per chain");
  a.option("--draws", options_.num_draws, "transitions per chain after warm-up");
  a.option("--thin", options_.thin, "keep every n-th transition");
  a.flag("--save-warmup", options_.save_warmup, "keep warm-up transitions, too");
  a.option("--threads", num_threads, "threads; 0: one for each processor. Never changes a draw");
  a.option("--adapt-delta", options_.adapt.step_size.target_accept,
           "target acceptance of a Hamiltonian sampler's warm-up, in (0, 1)");
  a.option("--init", init_, "radius of uniform initial values, or a JSON file of initial values",
           {.word = "RADIUS|FILE", .ending = ".json"});
  sampler_.describe(a);
  a.group("Output");
  a.option("-o,--output", output_,
           "result: FILE.nc (NetCDF-4), or OUTPUT_1.csv, OUTPUT_2.csv, ...; none: no files",
           any_file());
  a.option("--format", format_, "netcdf or csv; the default is by the ending of the output",
           one_of({"netcdf", "csv"}));
  a.option("--sig-figs", sig_figs_, "significant digits in the files; 0: all");
  a.flag("--quiet", quiet, "no progress, no summary");
}

bool SampleRun::is_netcdf() const {
  return format_.empty() ? output_.ends_with(".nc") : format_ == "netcdf";
}

void SampleRun::check_options() {
  if (!format_.empty() && format_ != "csv" && format_ != "netcdf")
    throw Error(ErrorCode::usage, fmt::format("unknown format '{}'", format_), "--format",
                "use netcdf or csv");
  options_.num_threads = num_threads;
  sampler_.apply(options_);
  validate_run(options_);
}

// Before the run: a run whose draws can't be written is lost time.
void SampleRun::check_output() const {
  if (output_.empty()) return;
  const std::size_t slash = output_.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : output_.substr(0, slash + 1);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorCode::io,
                fmt::format("can't write to directory {}: {}", directory, std::strerror(errno)),
                "--output", "create it first");
  if (access(run_file_of(output_).c_str(), F_OK) == 0)
    throw Error(ErrorCode::io, "there is a run that hasn't ended", run_file_of(output_),
                fmt::format("credo resume {0} goes on with it; remove it to begin anew",
                            run_file_of(output_)));
}

// A number is a radius, anything else a file: one object for all chains.
void SampleRun::set_init(const model::Model& model) {
  if (init_.empty()) return;
  if (const auto radius = io::parse_number(init_)) {
    options_.init_radius = *radius;
    return;
  }
  const std::vector<double> missing(static_cast<std::size_t>(model.dimension()), kNaN);
  options_.init = {
      model.unconstrain(io::parse_json_data(model_.files.read(init_), init_), missing)};
}

std::unique_ptr<model::Model> SampleRun::prepare(Output& output, bool json) {
  check_options();
  lang::PrintSink print;
  if (!json && !quiet)
    print = [&output](std::string_view text) { output.note(std::string(text) + "\n"); };
  auto model = load_model(model_, output, json, print);
  options_.seed = model_.seed;
  set_init(*model);
  options_.stop = stop_flag();
  if (!quiet && !json)
    options_.on_progress = [&](const infer::Progress& p) { output.note(progress_line(p)); };
  return model;
}

int SampleRun::begin(std::span<const std::string> given, Output& output, bool json) {
  given_.assign(given.begin(), given.end());
  check_output();
  const auto model = prepare(output, json);
  RunStore store(*model, options_,
                 {.path = output_.empty() ? "" : run_file_of(output_), .facts = facts()});
  return run(*model, store, output, json);
}

// ---- the run file ----

io::RunFile::Facts SampleRun::facts() const {
  io::RunFile::Facts all = {{"arguments", archived(given_)}, {"arithmetic", arithmetic()}};
  for (const auto& [name, content] : model_.files.contents()) all[kFilePrefix + name] = content;
  return all;
}

void SampleRun::take_facts(const io::RunFile& file) {
  const auto& facts = file.facts();
  const auto given = facts.find("arguments"), bits = facts.find("arithmetic");
  if (given == facts.end() || bits == facts.end())
    throw Error(ErrorCode::io, "the run file doesn't say how its run was begun", file.path());
  if (bits->second != arithmetic())
    throw Error(ErrorCode::usage,
                fmt::format("the run was begun with {}, this is {}: its draws could differ",
                            bits->second, arithmetic()),
                file.path(), "go on with the program that began it");
  given_ = from_archive<std::vector<std::string>>(given->second, file.path());
  const Index threads = num_threads;
  const bool silent = quiet;
  parse_arguments([this](Arguments& a) { describe(a); }, given_);
  if (threads > 0) num_threads = threads;
  quiet = quiet || silent;
  io::InputFiles::Contents contents;
  for (const auto& [name, value] : facts)
    if (name.starts_with(kFilePrefix)) contents[name.substr(std::strlen(kFilePrefix))] = value;
  model_.files = io::InputFiles(std::move(contents));
  // The result belongs beside the run file, wherever that is now.
  output_ =
      file.path().ends_with(".run") ? file.path().substr(0, file.path().size() - 4) : file.path();
}

int SampleRun::resume(io::RunFile file, Output& output, bool json) {
  take_facts(file);
  const auto model = prepare(output, json);
  options_.states = states_of(file);
  RunStore store(*model, options_, std::move(file));
  return run(*model, store, output, json);
}

void SampleRun::export_draws(io::RunFile file, const std::string& path) {
  take_facts(file);
  Output silent;
  quiet = true;
  const auto model = prepare(silent, false);
  infer::RunResult result;
  result.sampler = options_.sampler;
  for (Index c = 0; c < file.num_chains(); ++c) result.chains.push_back(result_of(file.state(c)));
  RunStore store(*model, options_, std::move(file));
  store.lay_out();
  if (!path.empty()) {
    output_ = path;
    format_.clear();
  }
  write_result(*model, result, store, output_);
}

// ---- the run ----

int SampleRun::run(const model::Model& model, RunStore& store, Output& output, bool json) {
  infer::RunResult result = infer::run_chains(model, options_, store);
  store.close();
  normalise_evidence(result, model);
  const bool goes_on = result.interrupted && store.has_file();
  try {
    if (!output_.empty() && !goes_on) write_result(model, result, store, output_);
  } catch (const Error& error) {
    if (!store.has_file()) throw;
    throw Error(
        error.code(), error.message(), error.where(),
        fmt::format("the draws are in {0}: credo export {0} -o OTHER", run_file_of(output_)));
  }
  report(output, json, model, result, store);
  if (goes_on && !json)
    output.note(fmt::format(
        "stopped. Go on with: credo resume {0}\nWrite what is there with: credo export {0}\n",
        run_file_of(output_)));
  if (store.has_file() && !goes_on) store.remove_file();
  return result.interrupted ? static_cast<int>(ErrorCode::interrupted) : 0;
}

void SampleRun::write_result(const model::Model& model, const infer::RunResult& result,
                             const RunStore& store, const std::string& path) {
  if (!is_netcdf()) return write_csv_files(path, model, options_, result, store, sig_figs_);
  const std::string& data_text =
      model_.data.empty() ? std::string() : model_.files.read(model_.data);
  const io::DataTable data =
      model_.data.empty() ? io::DataTable() : io::parse_json_data(data_text, model_.data);
  std::string arguments;
  for (const std::string& word : given_) arguments += (arguments.empty() ? "" : " ") + word;
  write_netcdf(path,
               {.model = model,
                .options = options_,
                .data = data,
                .attributes = {{"inference_library", "credo"},
                               {"inference_library_version", CREDO_VERSION},
                               {"program", model_.files.read(model_.model)},
                               {"model_name", model.name()},
                               {"data_hash", hash_of(data_text)},
                               {"arguments", arguments},
                               {"sampler", options_.sampler},
                               {"seed", fmt::format("{}", options_.seed)}}},
               store);
}

void SampleRun::report(Output& output, bool json, const model::Model& model,
                       const infer::RunResult& result, const RunStore& store) const {
  if (quiet) return;
  const Summary summary = summarise(model.output_columns(), store);
  if (json) {
    output.print(run_json(summary, result, store.notes()) + "\n");
    return;
  }
  output.print(summary_text(summary));
  output.print(run_text(model, result, store.notes(), options_));
}

}  // namespace credo::cli
