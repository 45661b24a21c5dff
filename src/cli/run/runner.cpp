#include "cli/run/runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/memory.hpp"
#include "base/ranks.hpp"
#include "cli/run/closed_form.hpp"
#include "cli/run/cross_check.hpp"
#include "cli/run/longer_run.hpp"
#include "cli/run/rank_tasks.hpp"
#include "cli/run/run_facts.hpp"
#include "cli/run/run_report.hpp"
#include "cli/term/page_process.hpp"
#include "cli/term/run_progress.hpp"
#include "cli/term/stop.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/recorder.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/batches.hpp"
#include "io/data/data_files.hpp"
#include "io/file.hpp"
#include "io/lock_file.hpp"
#include "model/model.hpp"
#include "results/files/evidence.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/more_draws.hpp"

namespace credo::cli {
namespace {
// Rows of the likelihood, if a fit of it goes over them by batches.
std::optional<Index> whole_rows(const infer::SampleOptions& options,
                                const density::LogDensity& density) {
  if (!infer::is_approximation(options.sampler) || density.num_rows() == 0) return std::nullopt;
  for (const infer::FieldValue& field : infer::fields_of(options.kernel))
    if ((field.name == "batch" || field.name.ends_with(".batch")) && field.value != "0")
      return density.num_rows();
  return std::nullopt;
}

constexpr MemoryUse kOutputs{"parameters and outputs of the program",
                             "a program with fewer of them needs less"};
constexpr MemoryUse kChains{"the chains", "fewer chains, or --metric diag_e, need less"};
constexpr MemoryUse kResult{"the result file", ""};

class Runner {
 public:
  Runner(RunArguments& run, Output& output, bool json, Ranks* ranks, const OwnRun* own = nullptr)
      : run_(run),
        own_(own),
        output_(output),
        json_(json),
        ranks_(ranks),
        clock_{.begun = infer::clock_seconds()} {}
  int begin();
  int resume(const std::string& path);
  int begin_or_continue();  // an own run
  void do_share();

 private:
  void require_output();
  void limit_work(Index num_rows);
  void note(const std::string& text) const;  // unless --quiet
  void take_lock();
  void show_page() const;
  void note_pipes() const;
  void check_inputs() const;
  void prepare();
  io::RunFile::Facts facts();
  int go_on(const std::string& path);
  void require_own_file(const io::RunFile& file) const;
  void watch(RunStore& store);
  void continue_in(io::RunFile file);
  void send_to_ranks();  // sends them the run
  void forget_failed_fit(const Error& error);
  infer::RunResult run_chains();
  infer::RunResult run_to_the_end();
  int run();
  void begin_writing();
  [[noreturn]] void refuse_unwritten(const Error& error) const;
  void end_writing();
  bool is_written();  // false without a result file; doesn't wait
  int conclude();
  FitOutput result() const { return run_.result(readers_); }
  const density::Model& model() const {
    return own_ != nullptr ? *own_->model : static_cast<const density::Model&>(*program_);
  }

  RunArguments& run_;
  const OwnRun* const own_;  // null: the run of a program
  Output& output_;
  const bool json_;
  Ranks* const ranks_;
  RunClock clock_;
  std::vector<Index> done_;  // transitions by chain, of a run that is resumed
  std::optional<RunProgress> progress_;
  io::Readers readers_;  // access to the result
  std::optional<io::LockFile> lock_;
  std::unique_ptr<model::Model> program_;  // null: the model isn't a program
  std::unique_ptr<RunStore> store_;
  std::optional<results::FitWriting> writing_;  // the result
};

}  // namespace

int Runner::begin() {
  const MemoryScope memory(kOutputs);
  require_output();
  progress_.emplace(output_, run_.out.quiet, json_);
  show_page();
  note_pipes();
  prepare();
  if (own_ == nullptr) infer::require_kernels(run_.options);
  check_inputs();
  const io::InputFiles& files = run_.program.files;
  readers_ = files.readers(run_.out.no_data ? io::data_files(run_.program.data)
                                            : std::vector<std::string>{});
  forget_request(run_, output_);  // left by an earlier run
  store_ = std::make_unique<RunStore>(
      model(), run_.options,
      RunPlace{.path = run_.run_file(),
               .facts = facts(),
               .selection = run_.out.selection,
               .readers = files.readers(),
               .at_once = run_.conduct.keeps_run || run_.cross.is_asked()});
  watch(*store_);
  send_to_ranks();
  return run();
}

io::RunFile::Facts Runner::facts() {
  io::RunFile::Facts facts =
      own_ != nullptr ? own_->facts : run_facts(run_.program, *program_, run_.spec());
  facts["readers"] = readers_.text();
  if (run_.conduct.keeps_run) facts[kKeptFact] = "true";
  return facts;
}

// The result belongs beside the run file, wherever that is now.
int Runner::resume(const std::string& path) {
  const MemoryScope memory(kOutputs);
  const std::optional<Index> more = run_.conduct.more_draws;
  {  // closed before the run: see io/apart.hpp
    const auto fit = open_fit(std::span(&path, 1));
    run_.take_own(*fit);
    if (more) require_can_extend(fit->origin(), *more);
  }
  run_.out.file = result_of_run_file(path);
  if (more && ask_who_writes(path, *more, output_)) return 0;
  return go_on(path);
}

int Runner::begin_or_continue() {
  if (run_.out.file.empty() || !std::filesystem::exists(run_.run_file())) return begin();
  const MemoryScope memory(kOutputs);
  require_places(result(), run_.options.num_chains);
  return go_on(run_.run_file());
}

// Options of the whole run are known, and its file exists.
int Runner::go_on(const std::string& path) {
  io::RunFile::require_writable(path);  // before there is a lock beside it
  take_lock();
  progress_.emplace(output_, run_.out.quiet, json_);
  show_page();
  prepare();
  check_inputs();
  io::RunFile file = io::RunFile::open_to_write(path);
  if (own_ != nullptr) {
    require_own_file(file);
  } else {
    check_arithmetic(
        file,
        run_.conduct.other_arithmetic);  // for the instructions that its arguments name
    take_request(run_, file);
  }
  readers_ = io::Readers::from_text(file.facts().at("readers"));
  if (!run_.out.no_data) readers_.narrow(path);
  continue_in(std::move(file));
  send_to_ranks();
  return run();
}

// The specification names data by their digests, and the arithmetic.
void Runner::require_own_file(const io::RunFile& file) const {
  const auto kept = file.facts().find(results::kSpecFact);
  if (kept != file.facts().end() && kept->second == own_->facts.at(results::kSpecFact)) return;
  throw Error(ErrorCode::usage,
              "the run file is one of another model, other data, other options or other arithmetic",
              file.path(), "remove the file, or name another --output");
}

void Runner::continue_in(io::RunFile file) {
  run_.options.states = states_of(file);
  done_.clear();
  for (Index c = 0; c < file.num_chains(); ++c) done_.push_back(file.state(c).iteration);
  store_ = std::make_unique<RunStore>(model(), run_.options, std::move(file));
  watch(*store_);
}

// ---- before the run

// Before the run: a run whose draws can't be written is lost time.
void Runner::require_output() {
  const std::string& path = run_.out.file;
  if (path.empty()) return;
  require_places(result(), run_.options.num_chains);
  const std::size_t slash = path.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorCode::io,
                fmt::format("can't write to directory {}: {}", directory, std::strerror(errno)),
                "--output", "create it first");
  take_lock();
  io::remove_left_parts(run_.run_file());
  io::remove_left_parts(path);
  io::RunFile::require_free(run_.run_file());
  if (run_.cross.is_asked()) io::RunFile::require_free(cross_run_file_of(path));
}

// Until the end of this command nobody else writes this output.
void Runner::take_lock() {
  lock_.emplace(run_.run_file(), [this](const std::string& text) { output_.note(text); });
}

// The page can't affect the run: it is a process of its own.
void Runner::show_page() const {
  if (!run_.conduct.is_live) return;
  if (run_.out.file.empty())
    throw Error(ErrorCode::usage,
                "the page reads the run file, and a run without --output has none", "--live",
                "add -o fit.nc");
  output_.note(fmt::format("watch the run at {}\n", begin_page(run_.run_file())));
}

void Runner::note_pipes() const {
  if (run_.out.file.empty() || run_.out.quiet) return;
  std::error_code failed;
  for (const std::string& path : files_of(result(), run_.options.num_chains))
    if (std::filesystem::is_fifo(path, failed))
      output_.note(
          fmt::format("{} is a pipe: its draws wait for a reader when they are written\n", path));
}

// Includes are known once the program is read.
void Runner::check_inputs() const {
  if (run_.out.file.empty()) return;
  std::vector<std::string> inputs = run_.conduct.also_read;
  for (const auto& [path, content] : run_.program.files.contents()) inputs.push_back(path);
  if (!run_.scheme.path.empty()) inputs.push_back(run_.scheme.path);
  require_places(result(), run_.options.num_chains, inputs);
}

void Runner::prepare() {
  if (own_ == nullptr) run_.check();
  gentle_stop().is_awaited = lock_.has_value();
  const std::string& limit = run_.conduct.max_time;
  if (!limit.empty()) stop_after(parse_duration(limit, "--max-time"));
  if (own_ == nullptr) {
    program_ = run_.load(output_, json_);
    if (const auto rows = whole_rows(run_.options, *program_)) limit_work(*rows);
  } else {
    run_.options.stop = current_stop();
  }
}

void Runner::note(const std::string& text) const {
  if (!run_.out.quiet && !json_) output_.note(text);
}

// Someone who fits by batches has so many rows that a draw, whose weight takes all of them, may cost as much as many steps.
void Runner::limit_work(Index num_rows) {
  constexpr Index kMostRowsOfChecks = 100'000;  // these take some thousand gradients
  const Index most = std::max<Index>(
      1, infer::most_draws_of_all_rows(num_rows) / std::max<Index>(1, run_.options.num_chains));
  if (!run_.conduct.has_draws && most < run_.options.num_draws) {
    run_.options.num_draws = most;
    note(
        fmt::format("each draw's weight takes all {} rows: {} draws of each set are made "
                    "(--draws N makes more)\n",
                    num_rows, most));
  }
  if (run_.conduct.no_check || num_rows <= kMostRowsOfChecks) return;
  run_.conduct.no_check = true;
  note(
      fmt::format("with {} rows other modes and a drift of the draws aren't looked for: credo "
                  "diagnose {} looks for them, and takes minutes\n",
                  num_rows, run_.out.file.empty() ? "fit.nc, after -o fit.nc," : run_.out.file));
}

void Runner::watch(RunStore& store) {
  store.warn = [this](const std::string& text) { output_.note(text + "\n"); };
  if (!lock_) return;
  store.look_after_lock = [this] { lock_->require_kept(); };
  store.end_gently(gentle_stop(), stop_now);
}

// ---- over ranks (docs/mpi.md)

// With the files that were read, so that other machines need none of them.
void Runner::send_to_ranks() {
  if (ranks_ == nullptr) return;
  RankTask task{.spec = to_json(run_.spec())};
  for (const auto& [path, content] : run_.program.files.contents())
    task.files.push_back({path, content});
  give_task(*ranks_, task);
}

namespace {
// Nothing comes here: what a rank draws goes to rank 0.
class NoDraws final : public infer::DrawSink {
 public:
  void draw(const infer::DrawRecord&) override {}
};
}  // namespace

void Runner::do_share() {
  run_.out = {.quiet = true};
  run_.cross = {};  // rank 0 does it alone
  prepare();
  constexpr double kReportEvery = 0.2;  // seconds
  run_.options.progress_every = 0;
  run_.options.progress_seconds = kReportEvery;
  run_.options.on_progress = [](const infer::Progress&) {};  // reports go to rank 0
  NoDraws none;
  const RanksScope over(ranks_);
  infer::run_chains(model(), run_.options, none);
}

// ---- the run

namespace {
// No point has a finite log density because of a value in the data file.
Error bad_data(const model::Advice& advice, io::InputFiles& files, const std::string& recipe) {
  const io::DataTable data = io::read_data(
      recipe, [&](const std::string& path) -> const std::string& { return files.read(path); });
  return Error(ErrorCode::data, advice.reason + ", so no log density is finite",
               data.where_element(advice.data_variable, advice.data_element), advice.hint);
}

std::vector<double> initial_point(const infer::SampleOptions& options, Index dimension,
                                  std::uint32_t attempt) {
  std::vector<double> point(static_cast<std::size_t>(dimension));
  Rng rng(
      {.seed = options.seed, .purpose = purpose::kInitialPoint, .chain = 0, .iteration = attempt});
  for (std::size_t d = 0; d < point.size(); ++d) {
    const double drawn = rng.uniform(-options.init_radius, options.init_radius);
    const bool given = !options.init.empty() && !std::isnan(options.init[0][d]);
    point[d] = given ? options.init[0][d] : drawn;
  }
  return point;
}

// No initial point was found: the error with the reason at a point like those that were tried.
Error explained(const Error& error, const model::Model& model, RunArguments& run) {
  constexpr std::uint32_t kTries = 20;
  for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
    const model::Advice advice =
        model.advice(initial_point(run.options, model.dimension(), attempt));
    if (advice.hint.empty()) continue;
    if (!advice.data_variable.empty()) return bad_data(advice, run.program.files, run.program.data);
    return Error(error.code(),
                 error.message() + (advice.reason.empty() ? "" : "\n  " + advice.reason),
                 error.where(), advice.hint);
  }
  return error;
}
}  // namespace

// A fit that fails does so each time, so that its state is removed. It is kept if the file failed.
void Runner::forget_failed_fit(const Error& error) {
  const bool is_own_failure = error.code() != ErrorCode::io;
  if (is_own_failure && store_->is_fitting()) store_->remove_file();
}

infer::RunResult Runner::run_chains() {
  try {
    const RanksScope over(ranks_);
    const infer::FitScope fit(store_.get());
    return own_ != nullptr ? own_->run_chains(run_.options, *store_)
                           : infer::run_chains(model(), run_.options, *store_);
  } catch (const Error& error) {
    forget_failed_fit(error);
    if (own_ != nullptr || error.code() != ErrorCode::evaluation ||
        !error.where().starts_with("chain"))
      throw;
    throw explained(error, *program_, run_);
  }
}

// More draws that were requested during the run are made before the result is written.
infer::RunResult Runner::run_to_the_end() {
  const MemoryScope chains(kChains);
  clock_.chains_begun = infer::clock_seconds();
  for (;;) {
    progress_->begin(run_.options,
                     {.model = own_ != nullptr ? own_->model->name() : run_.program.model,
                      .output = run_.out.file,
                      .run_file = run_.run_file(),
                      .done = done_});
    infer::RunResult ended = run_chains();
    progress_->ran(ended);
    store_->close();
    clock_.chains_ended = infer::clock_seconds();
    if (ended.interrupted || ranks_ != nullptr) return ended;  // the other ranks have ended
    std::optional<io::RunFile> file = extended(run_, *store_, output_);
    if (!file) return ended;
    continue_in(std::move(*file));
  }
}

int Runner::run() {
  infer::RunResult ended = run_to_the_end();
  const bool interrupted = ended.interrupted;
  if (interrupted && (!run_.out.file.empty() || store_->num_draws(false) == 0)) throw Stopped{};
  const StopScope rest(interrupted ? nullptr : current_stop());
  normalise_evidence(ended, model());
  if (own_ == nullptr && !interrupted && ended.sampler == infer::kStandardApproximation)
    if (auto words = words_on_closed_form(*program_, run_.options.seed))
      ended.warnings.push_back(*std::move(words));
  if (const double temperature = run_.program.temperature; temperature != 1.0)
    ended.warnings.push_back(
        fmt::format("--temperature {0}: the draws are of the density of the parameters to the "
                    "power 1 / {0}, not of the posterior.",
                    temperature));
  store_->keep(std::move(ended));
  if (own_ == nullptr)
    cross_check(run_, *program_, *store_, output_, [this](RunStore& store) { watch(store); });
  gentle_stop().has_kept = false;  // the result can't be written in parts
  if (!run_.out.file.empty()) begin_writing();
  return conclude();
}

void Runner::begin_writing() {
  try {
    const MemoryScope memory(kResult);
    writing_.emplace(*store_, result());
  } catch (const Error& error) {
    refuse_unwritten(error);
  }
}

void Runner::end_writing() {
  if (!writing_) return;
  gentle_stop().is_awaited = true;  // a time limit doesn't break the file off
  try {
    writing_->wait();
    gentle_stop().is_awaited = false;
  } catch (const Error& error) {
    refuse_unwritten(error);
  }
}

// A time limit ends the summary; the file gets the time that it needs.
bool Runner::is_written() {
  if (!writing_) return false;
  const bool is_late = stop_reason() == StopReason::time;
  const StopScope patient(is_late ? nullptr : current_stop());
  if (is_late) end_writing();
  try {
    return writing_->is_complete();
  } catch (const Error& error) {
    refuse_unwritten(error);
  }
}

void Runner::refuse_unwritten(const Error& error) const {
  if (!store_->has_file()) throw error;
  throw Error(error.code(), error.message(), error.where(),
              store_->is_kept()
                  ? fmt::format("all draws are in {0}: credo export {0} -o OTHER", run_.run_file())
                  : fmt::format("{} is gone, and with it the draws", run_.run_file()));
}

// Called while the result is written, or without a result file: prints the report and ends the run file.
int Runner::conclude() {
  int judged = 0;
  gentle_stop().is_awaited = false;
  try {
    const RunEnd end{run_.out,
                     *store_,
                     clock_,
                     [this] { end_writing(); },
                     run_.conduct.no_check,
                     &run_.conduct.judged,
                     run_.conduct.row_names};
    judged = own_ != nullptr ? report_own_run(end, *own_->model, json_, output_)
                             : report_run(end, *program_, json_, output_);
    if (run_.conduct.after && !store_->result().interrupted) run_.conduct.after(*store_, output_);
  } catch (const Stopped&) {
    if (!is_written()) throw;
    end_run_file(run_, *store_, output_);
    throw Error(ErrorCode::interrupted, "stopped; the result is complete, its summary isn't",
                run_.out.file,
                fmt::format("credo diagnose {0} gives the verdict, credo summary {0} the table",
                            result_files(run_.out)));
  } catch (...) {  // the summary failed, the result stays
    end_writing();
    throw;
  }
  end_run_file(run_, *store_, output_);
  if (lock_) lock_->release();
  const int status =
      store_->result().interrupted ? static_cast<int>(ErrorCode::interrupted) : judged;
  progress_->end(status);
  return status;
}

// ---- for commands

int begin_run(RunArguments& run, Output& output, bool json, Ranks* ranks) {
  return Runner(run, output, json, ranks).begin();
}

int resume_run(const std::string& path, RunArguments& run, Output& output, bool json,
               Ranks* ranks) {
  return Runner(run, output, json, ranks).resume(path);
}

int begin_own_run(RunArguments& run, OwnRun own, Output& output, bool json) {
  return Runner(run, output, json, nullptr, &own).begin_or_continue();
}

void do_share(RunArguments& run, Ranks& ranks) {
  Output silent;
  silent.is_silent = true;
  Runner(run, silent, false, &ranks).do_share();
}

}  // namespace credo::cli
