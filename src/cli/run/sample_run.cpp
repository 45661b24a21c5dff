#include "cli/run/sample_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/archive.hpp"
#include "base/memory.hpp"
#include "base/ranks.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/selection_arguments.hpp"
#include "cli/options/start_files.hpp"
#include "cli/results.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/mode_report.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/run_facts.hpp"
#include "cli/term/page_process.hpp"
#include "cli/term/stop.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/table.hpp"
#include "io/data/data_files.hpp"
#include "io/file.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "results/draws/cross_check.hpp"
#include "results/files/data_like.hpp"
#include "results/files/evidence.hpp"
#include "results/files/more_draws.hpp"

namespace credo::cli {

std::string run_file_of(const std::string& output) { return output + ".run"; }
std::string result_of_run_file(const std::string& path) {
  return path.ends_with(".run") ? path.substr(0, path.size() - 4) : path;
}

namespace {
constexpr MemoryUse kOutputs{"parameters and outputs of the program",
                             "a program with fewer of them needs less"};
constexpr MemoryUse kChains{"the chains", "fewer chains, or --metric diag_e, need less"};
constexpr MemoryUse kResult{"the result file", ""};
constexpr MemoryUse kSummary{"the summary", "--drop leaves outputs out"};

}  // namespace

std::string SampleRun::run_file() const { return out.file.empty() ? "" : run_file_of(out.file); }

SampleRun::SampleRun(std::optional<infer::Family> family) : family_(family) {
  if (family != infer::Family::optimum) return;
  model_.jacobian = false;
  sampler_.sampler = "lbfgs";
}

void SampleRun::describe(Arguments& a) {
  model_.describe(a);
  a.group("Run");
  const bool climbs = family_ == infer::Family::optimum;
  climbs ? describe_climbs(a) : field_options(a, options_);
  if (!climbs) describe_temperature(a);
  init_.describe(a);
  metric_.describe(a);
  describe_output(a);
  if (climbs) return sampler_.describe_climbs(a);
  sampler_.describe(a);
  scheme_.describe(a);
  describe_cross_check(a);
}

void SampleRun::describe_temperature(Arguments& a) {
  const infer::FieldSpec spec = spec_of_field<ModelSpec>(model_, "temperature");
  a.option("--temperature", model_.temperature, std::string(spec.help), values_of(spec));
}

// A power of the density has values and gradients only.
void SampleRun::check_temperature() const {
  if (model_.temperature == 1.0) return;
  const infer::SamplerSpec& row = infer::find_sampler(options_.sampler);
  const std::string_view reason = infer::why_no_part(row);
  if (options_.sampler != infer::kCompositionName && !reason.empty())
    throw Error(ErrorCode::usage,
                fmt::format("{} can't sample a power of the density: {}", row.name, reason),
                "--temperature", "take a sampler that moves one point, as nuts or slice");
  if (cross_.is_asked())
    throw Error(ErrorCode::usage, "a cross-check is one of the posterior, not of a power of it",
                "--cross-check", "leave out --temperature or --cross-check");
}

void SampleRun::describe_climbs(Arguments& a) {
  a.option("--starts", options_.num_chains, "climbs, each from a point of its own",
           range_of(options_, "num_chains"));
  a.flag("--jacobian", jacobian_,
         "the mode of the density of the unconstrained values, as Laplace's approximation and "
         "samplers see "
         "it");
  a.flag("--no-jacobian", no_jacobian_,
         "the mode of the density of the parameters (the default): maximum likelihood or a "
         "posteriori");
  const infer::FieldSpec threads = spec_of_field(options_, "num_threads");
  a.option(std::string(threads.option), options_.num_threads, std::string(threads.help),
           values_of(threads));
}

void SampleRun::describe_output(Arguments& a) {
  a.group("Output");
  field_options(a, out);
  cli::describe(out.selection, a);
  a.option("--max-time", max_time,
           "stop after so long, but with a transition of each chain: seconds, or as 90s, 15m, 2h; "
           "credo resume continues");
  if (family_ != infer::Family::optimum)
    a.flag("--keep-run", keeps_run,
           "keep the run file when the run is done: credo resume OUTPUT.run --draws N continues "
           "it");
  a.flag("--live", is_live,
         "serve a page of this machine on which the run can be watched, and stopped, while it "
         "lasts; needs --output");
}

bool SampleRun::is_netcdf() const {
  return out.format.empty() ? out.file.ends_with(".nc") : out.format == "netcdf";
}

void SampleRun::check_options() {
  model_.settle();
  if (!out.format.empty() && out.format != "csv" && out.format != "netcdf")
    throw Error(ErrorCode::usage, fmt::format("unknown format '{}'", out.format), "--format",
                "use netcdf or csv");
  if (!seeds_differ_) options_.seed = model_.seed;
  scheme_.apply(options_);
  if (!scheme_.path.empty()) sampler_.sampler = options_.sampler;
  check_climbs();
  sampler_.apply(options_);
  validate_run(options_);
  check_cross_check();
  check_temperature();
}

void SampleRun::require_family() const {
  if (!family_ || climbs() == (family_ == infer::Family::optimum)) return;
  const std::string& name = sampler_.sampler;
  if (climbs())
    throw Error(ErrorCode::usage, fmt::format("{} climbs to a mode and draws nothing", name),
                "--sampler", fmt::format("credo optimize --method {}", name));
  const bool is_known = std::any_of(infer::samplers().begin(), infer::samplers().end(),
                                    [&](const auto* row) { return row->name == name; });
  throw Error(ErrorCode::usage,
              is_known ? fmt::format("{} draws, and climbs to no mode", name)
                       : fmt::format("there is no method '{}'", name),
              "--method",
              is_known ? fmt::format("credo sample --sampler {}", name)
                       : "credo optimize --help lists those there are");
}

// A climb yields one draw.
void SampleRun::check_climbs() {
  require_family();
  if (jacobian_ && no_jacobian_)
    throw Error(ErrorCode::usage, "--jacobian and --no-jacobian exclude each other", "--jacobian",
                "give one of them");
  if (jacobian_ || no_jacobian_) model_.jacobian = jacobian_;
  if (climbs()) options_.num_draws = options_.thin = 1;
}

// Before the run: a run whose draws can't be written is lost time.
void SampleRun::check_output(Output& output) {
  if (out.file.empty()) return;
  require_places(result_output(), options_.num_chains);
  const std::size_t slash = out.file.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : out.file.substr(0, slash + 1);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorCode::io,
                fmt::format("can't write to directory {}: {}", directory, std::strerror(errno)),
                "--output", "create it first");
  take_lock(output);
  io::remove_left_parts(run_file());
  io::remove_left_parts(out.file);
  io::RunFile::require_free(run_file());
  if (cross_.is_asked()) io::RunFile::require_free(cross_run_file_of(out.file));
}

// Until the end of this command nobody else writes this output.
void SampleRun::take_lock(Output& output) {
  lock_.emplace(run_file());
  if (lock_->is_supported()) return;
  output.note(
      fmt::format("{}: this file system has no locks, so nothing keeps a second process "
                  "from writing this run: begin it and resume it once at a time\n",
                  lock_->path()));
}

void SampleRun::release_lock(Output& output) {
  if (lock_ && !lock_->release())
    output.note(fmt::format("{}: the lock file can't be removed: {}\n", lock_->path(),
                            std::strerror(errno)));
}

void SampleRun::watch(RunStore& store, Output& output) {
  store.warn = [&output](const std::string& text) { output.note(text + "\n"); };
  if (!lock_) return;
  store.look_after_lock = [this] {
    if (lock_->keep()) return;
    throw Error(ErrorCode::io, "another process has begun a run with this output", run_file());
  };
  store.end_gently(gentle_stop(), stop_now);
}

// The page can't affect the run: it is a process of its own.
void SampleRun::show_page(Output& output) const {
  if (!is_live) return;
  if (out.file.empty())
    throw Error(ErrorCode::usage,
                "the page reads the run file, and a run without --output has none", "--live",
                "add -o fit.nc");
  output.note(fmt::format("watch the run at {}\n", begin_page(run_file())));
}

void SampleRun::tell_pipes(Output& output) const {
  if (out.file.empty() || out.quiet) return;
  std::error_code failed;
  for (const std::string& path : files_of(result_output(), options_.num_chains))
    if (std::filesystem::is_fifo(path, failed))
      output.note(
          fmt::format("{} is a pipe: its draws wait for a reader when they are written\n", path));
}

// Includes are known once the program is read.
void SampleRun::check_inputs() const {
  if (out.file.empty()) return;
  std::vector<std::string> inputs = also_read;
  for (const auto& [path, content] : model_.files.contents()) inputs.push_back(path);
  if (!scheme_.path.empty()) inputs.push_back(scheme_.path);
  require_places(result_output(), options_.num_chains, inputs);
}

std::unique_ptr<model::Model> SampleRun::prepare(Output& output, bool json) {
  check_options();
  gentle_stop().is_awaited = lock_.has_value();
  model_.tells = !out.quiet;
  if (!max_time.empty()) stop_after(parse_duration(max_time, "--max-time"));
  lang::PrintSink print;
  if (!out.quiet)
    print = [&output](std::string_view text) { output.note(std::string(text) + "\n"); };
  auto model = load_model(model_, output, json, print);
  find_parameters_of_scheme(options_, *model);
  if (init_.text == kNearMode) keep_points_near_modes(*model, model_.files, options_);
  keep_starts({.init = init_.text, .inv_metric = metric_.path}, *model, model_.files,
              options_.num_chains);
  const std::string warnings = init_.apply(*model, model_.files, options_);
  metric_.apply(*model, model_.files, options_);
  if (!out.quiet && !warnings.empty()) output.note(warnings);
  options_.stop = current_stop();
  return model;
}

RunSpec SampleRun::spec() {
  check_options();
  return {.model = model_,
          .run = options_,
          .init = init_.text,
          .inv_metric = metric_.path,
          .output = out,
          .cross_check = cross_};
}

void SampleRun::take(const RunSpec& spec, io::InputFiles files) {
  static_cast<ModelSpec&>(model_) = spec.model;
  model_.files = std::move(files);
  seeds_differ_ = spec.model.seed != spec.run.seed;
  options_ = spec.run;
  sampler_.sampler = spec.run.sampler;
  init_.text = spec.init;
  metric_.path = spec.inv_metric;
  out = spec.output;
  cross_ = spec.cross_check;
}

int SampleRun::begin(Output& output, bool json) {
  const MemoryScope memory(kOutputs);
  check_output(output);
  progress_.emplace(output, out.quiet, json);
  show_page(output);
  tell_pipes(output);
  const auto model = prepare(output, json);
  infer::require_kernels(options_);
  check_inputs();
  readers_ = model_.files.readers(left_out());
  io::RunFile::Facts facts = run_facts(model_, *model, spec());
  facts["readers"] = readers_.text();
  if (keeps_run) facts[kKeptFact] = "true";
  forget_request(output);  // left by an earlier run
  auto store = std::make_unique<RunStore>(*model, options_,
                                          RunPlace{.path = run_file(),
                                                   .facts = std::move(facts),
                                                   .selection = out.selection,
                                                   .readers = model_.files.readers(),
                                                   .at_once = keeps_run || cross_.is_asked()});
  watch(*store, output);
  tell_ranks();
  return run(*model, std::move(store), output, json);
}

void SampleRun::take_like(const Fit& fit, Given given) {
  const RunSpec then = spec_of(fit).repeatable();
  sampler_.sampler = then.run.sampler;
  require_family();
  take(then, files_of_repeated(fit, then, given));
  Arguments arguments("credo sample");
  describe(arguments);
  given.try_emplace("model", std::vector{then.model.model});
  assign(arguments, given);
  if (given.contains("--seed")) seeds_differ_ = false;
  if (!infer::find_sampler(then.run.sampler).has_warmup && !given.contains("--warmup"))
    options_.num_warmup = infer::SampleOptions{}.num_warmup;
}

std::vector<std::string> SampleRun::left_out() const {
  return out.no_data ? io::data_files(model_.data) : std::vector<std::string>{};
}

// ---- the run file ----

// Takes the settings that a fit has kept; threads, --quiet and --strict of this command stay.
void SampleRun::take_own(const Fit& fit) {
  const Index threads = options_.num_threads;
  const bool silent = out.quiet, judged = out.strict;
  take(spec_of(fit), io::InputFiles(fit.files()));
  if (threads > 0) options_.num_threads = threads;
  out.quiet = out.quiet || silent;
  out.strict = out.strict || judged;
}

bool lacks_data(const Fit& fit) {
  const std::vector<std::string> paths = io::data_files(fit.origin().data_path);
  if (paths.empty()) return false;
  const io::InputFiles::Contents kept = fit.files();
  return !std::ranges::all_of(paths, [&](const std::string& path) { return kept.contains(path); });
}

std::unique_ptr<model::Model> rebuild_model(const Fit& fit, const model::DataFiles* data,
                                            bool may_lack_outcomes) {
  SampleRun run;
  run.out.quiet = true;
  return run.model_of(fit, data, may_lack_outcomes);
}

std::unique_ptr<model::Model> SampleRun::model_of(const Fit& fit, const model::DataFiles* data,
                                                  bool may_lack_outcomes) {
  take_own(fit);
  model_.may_lack_outcomes = may_lack_outcomes;
  if (data != nullptr) {
    model_.data =
        results::recipe_like(
            fit, io::parse_data_recipe(data->recipe),
            [&](const std::string& path) -> const std::string& { return data->texts.at(path); },
            results::GivenData::other)
            .text();
    for (const auto& [path, text] : data->texts) model_.files.add(path, text);
  }
  Output silent;
  return prepare(silent, false);
}

// The result belongs beside the run file, wherever that is now.
int SampleRun::resume(const std::string& path, Output& output, bool json) {
  const MemoryScope memory(kOutputs);
  {  // closed before the run: see results/files/apart.hpp
    const auto fit = open_fit(std::span(&path, 1));
    take_own(*fit);
    if (more_draws) require_can_extend(fit->origin(), *more_draws);
  }
  out.file = result_of_run_file(path);
  if (more_draws && ask_who_writes(path, output)) return 0;
  io::RunFile::require_writable(path);  // before there is a lock beside it
  take_lock(output);
  progress_.emplace(output, out.quiet, json);
  show_page(output);
  const auto model = prepare(output, json);
  check_inputs();
  io::RunFile file = io::RunFile::open_to_write(path);
  check_arithmetic(file, other_arithmetic);  // for the instructions that its arguments name
  take_request(file);
  options_.states = states_of(file);
  readers_ = io::Readers::from_text(file.facts().at("readers"));
  if (!out.no_data) readers_.narrow(path);
  for (Index c = 0; c < file.num_chains(); ++c) done_.push_back(file.state(c).iteration);
  auto store = std::make_unique<RunStore>(*model, options_, std::move(file));
  watch(*store, output);
  tell_ranks();
  return run(*model, std::move(store), output, json);
}

void SampleRun::write_as_asked(const std::string& path, Fit& fit, bool no_data) {
  take_own(fit);
  out.no_data = out.no_data || no_data;
  out.file = result_of_run_file(path);
  readers_.narrow(path);
  write_fit(fit, result_output());
}

// ---- the run ----

// No point has a finite log density because of a value in the data file.
Error SampleRun::bad_data(const model::Advice& advice) {
  const io::DataTable data = io::read_data(
      model_.data,
      [&](const std::string& path) -> const std::string& { return model_.files.read(path); });
  return Error(ErrorCode::data, advice.reason + ", so no log density is finite",
               data.where_element(advice.data_variable, advice.data_element), advice.hint);
}

// If no initial point was found, the error gives the reason at a point like those that were tried.
infer::RunResult SampleRun::run_or_explain(const model::Model& model, RunStore& store) {
  try {
    const RanksScope over(ranks);
    return infer::run_chains(model, options_, store);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation || !error.where().starts_with("chain")) throw;
    std::vector<double> point(static_cast<std::size_t>(model.dimension()));
    constexpr std::uint32_t kTries = 20;
    for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
      Rng rng({.seed = options_.seed,
               .purpose = purpose::kInitialPoint,
               .chain = 0,
               .iteration = attempt});
      for (std::size_t d = 0; d < point.size(); ++d) {
        const double drawn = rng.uniform(-options_.init_radius, options_.init_radius);
        const bool given = !options_.init.empty() && !std::isnan(options_.init[0][d]);
        point[d] = given ? options_.init[0][d] : drawn;
      }
      const model::Advice advice = model.advice(point);
      if (advice.hint.empty()) continue;
      if (!advice.data_variable.empty()) throw bad_data(advice);
      throw Error(error.code(),
                  error.message() + (advice.reason.empty() ? "" : "\n  " + advice.reason),
                  error.where(), advice.hint);
    }
    throw;
  }
}

// More draws that were requested during the run are made before the result is written.
infer::RunResult SampleRun::run_to_the_end(const model::Model& model,
                                           std::unique_ptr<RunStore>& kept, Output& output) {
  const MemoryScope chains(kChains);
  chains_begun_ = infer::clock_seconds();
  infer::RunResult ended;
  do {
    progress_->begin(
        options_,
        {.model = model_.model, .output = out.file, .run_file = run_file(), .done = done_});
    ended = run_or_explain(model, *kept);
    progress_->ran(ended);
    kept->close();
  } while (!ended.interrupted && goes_on(kept, model, output));
  chains_ended_ = infer::clock_seconds();
  return ended;
}

int SampleRun::run(const model::Model& model, std::unique_ptr<RunStore> kept, Output& output,
                   bool json) {
  infer::RunResult ended = run_to_the_end(model, kept, output);
  RunStore& store = *kept;
  if (ended.interrupted && (!out.file.empty() || store.num_draws(false) == 0)) throw Stopped{};
  const StopScope rest(ended.interrupted ? nullptr : current_stop());
  normalise_evidence(ended, model);
  if (model_.temperature != 1.0)
    ended.warnings.push_back(
        fmt::format("--temperature {0}: the draws are of the density of the parameters to the "
                    "power 1 / {0}, not of the posterior.",
                    model_.temperature));
  store.keep(std::move(ended));
  cross_check(model, store, output);
  gentle_stop().has_kept = false;  // the result can't be written in parts
  try {
    const MemoryScope result(kResult);
    if (!out.file.empty()) write_fit(store, result_output());
  } catch (const Error& error) {
    if (!store.has_file()) throw;
    throw Error(error.code(), error.message(), error.where(),
                store.is_kept()
                    ? fmt::format("all draws are in {0}: credo export {0} -o OTHER", run_file())
                    : fmt::format("{} is gone, and with it the draws", run_file()));
  }
  return conclude(model, store, output, json);
}

// Called after the result is written, or without a result file: prints the report and ends the run file.
int SampleRun::conclude(const model::Model& model, RunStore& store, Output& output, bool json) {
  int judged = 0;
  gentle_stop().is_awaited = false;
  try {
    judged = report(output, json, model, store);
  } catch (const Stopped&) {
    if (out.file.empty()) throw;
    end_run_file(store, output);
    const std::string result = is_netcdf() ? out.file : out.file + "_*.csv";
    throw Error(
        ErrorCode::interrupted, "stopped; the result is complete, its summary isn't", out.file,
        fmt::format("credo diagnose {0} gives the verdict, credo summary {0} the table", result));
  }
  end_run_file(store, output);
  release_lock(output);
  const int status = store.result().interrupted ? static_cast<int>(ErrorCode::interrupted) : judged;
  progress_->end(status);
  return status;
}

FitOutput SampleRun::result_output() const {
  std::vector<std::string> tables;
  for (const infer::RowGroup& group : infer::find_sampler(options_.sampler).groups())
    tables.emplace_back(group.name);
  if (cross_.is_asked()) tables.emplace_back(kCrossCheckTable);
  return {.path = out.file,
          .netcdf = is_netcdf(),
          .sig_figs = out.sig_figs,
          .with_data = !out.no_data,
          .tables = std::move(tables),
          .readers = readers_};
}

int SampleRun::report(Output& output, bool json, const model::Model& model,
                      const RunStore& store) const {
  const MemoryScope memory(kSummary);
  if (climbs()) return report_modes(output, json, model, store);
  tell_last_work(output, store);
  // Someone who stopped a run isn't made to wait for more evaluations.
  const verdict::Verdict judged = verdict_of(store, store.result().interrupted ? nullptr : &model);
  const int status = out.strict ? strict_status(judged) : 0;
  const infer::RunResult& result = store.result();
  if (out.quiet && !json) {
    output.print(warnings_text(result, store.notes()) + verdict_text(judged));
    return status;
  }
  Summary summary = out.quiet ? Summary() : summarise(store);
  if (json) {
    output.print(run_json(out.quiet ? nullptr : &summary, result, store.notes(),
                          verdict_json(judged), times()) +
                 "\n");
    return status;
  }
  label_levels(summary, store);
  const std::string below = run_text(result, store.notes(), times()) + verdict_text(judged);
  output.print(summary_text(summary, table_use(below)) + below);
  return status;
}

// Notes that verdict and summary of many draws take seconds or minutes, because no other output appears meanwhile.
void SampleRun::tell_last_work(Output& output, const RunStore& store) const {
  constexpr Index kLong = 10'000'000;  // values: a few seconds of one processor
  const Index draws = store.num_draws(false) * store.num_chains(), outputs = store.layout().size();
  if (out.quiet || draws * outputs < kLong) return;
  output.note(fmt::format(
      "working out the verdict and the summary of {} draws of {} outputs{}\n", draws, outputs,
      out.file.empty() ? "" : "; the result is written, Ctrl-C leaves the rest"));
}

int SampleRun::report_modes(Output& output, bool json, const model::Model& model,
                            const RunStore& store) const {
  const RunTimes spent = times();
  output.print(json        ? modes_json(store, out.quiet ? nullptr : &model, &spent) + "\n"
               : out.quiet ? modes_line(store)
                           : modes_text(store, &model));
  return out.strict ? strict_status(modes_of(store)) : 0;
}

RunTimes SampleRun::times() const {
  return {.before = chains_begun_ - begun_,
          .chains = chains_ended_ - chains_begun_,
          .after = infer::clock_seconds() - chains_ended_};
}

// Place of the table's remaining rows: the result, or none yet.
TableUse SampleRun::table_use(const std::string& below) const {
  const auto lines = std::count(below.begin(), below.end(), '\n');
  const std::string file = is_netcdf() ? out.file : out.file + "_*.csv";
  return {.lines_below = static_cast<int>(lines),
          .to_see_all = out.file.empty()
                            ? "with -o fit.nc the draws are kept: credo summary fit.nc | less"
                            : fmt::format("all of them: credo summary {} | less", file)};
}

}  // namespace credo::cli
