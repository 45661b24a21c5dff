#include "results/files/run_store.hpp"

#include <fmt/format.h>

#include "base/archive.hpp"
#include "base/memory.hpp"
#include "base/seal.hpp"
#include "base/stop.hpp"
#include "infer/core/recorder.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/neutra.hpp"
#include "io/apart.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results {
namespace {
constexpr std::size_t kBlockValues = (std::size_t{1} << 20) / sizeof(double);
constexpr double kFileAfter = 0.1, kPeriod = 1.0;  // seconds
constexpr double kCostShare = 0.005;               // share of a chain's time, for its blocks
constexpr double kFitCostShare = 0.02;  // share of a fit's time, for its states, which may be long
constexpr const char* kFitFact = "fit";
constexpr MemoryUse kInMemory{"draws that are kept in memory",
                              "with --output they go to a file; --thin or --drop keeps fewer"};
constexpr MemoryUse kBlocks{"draws on their way to the run file",
                            "fewer chains, or outputs left out (--drop), need less"};

// Contents of a block on its chain, besides the state.
struct Remarks {
  infer::ChainResult result;
  std::vector<FitNote> notes;
  std::vector<infer::Divergence> divergences;
  std::vector<infer::Refusal> refusals;
  static void saved(auto& self, auto&& field) {
    field(self.result);
    field(self.notes);
    field(self.divergences);
    field(self.refusals);
  }
};

Remarks remarks_of(const io::RunFile& file, Index chain, const io::ChainState& state) {
  if (state.result.empty()) return {};
  const std::string source = fmt::format("{}, result of chain {}", file.path(), chain + 1);
  return from_archive<Remarks>(unsealed(state.result, source), source);
}

// Places of a run's outputs among those of the program.
std::vector<Index> kept_places(std::span<const std::string> kept, const density::Layout& all,
                               const std::string& path) {
  std::vector<Index> places;
  for (const std::string& name : kept) {
    const auto place = all.find(name);
    if (!place || (!places.empty() && *place <= places.back()))
      throw Error(ErrorCode::io, fmt::format("the program has no output '{}' any more", name),
                  path);
    places.push_back(*place);
  }
  return places;
}

void add_note(std::vector<RunStore::Note>& notes, const std::string& text, Index count) {
  const auto known = std::find_if(notes.begin(), notes.end(),
                                  [&](const RunStore::Note& note) { return note.text == text; });
  if (known != notes.end())
    known->count += count;
  else
    notes.push_back({text, count});
}

std::vector<FitNote> sorted(std::vector<FitNote> notes) {
  std::sort(notes.begin(), notes.end(),
            [](const FitNote& a, const FitNote& b) { return a.text < b.text; });
  return notes;
}
}  // namespace

RunStore::RunStore(const density::Model& model, const infer::SampleOptions& options, RunPlace place)
    : model_(model),
      options_(options),
      place_(std::move(place)),
      is_in_memory_(place_.path.empty()),
      origin_(origin_of(place_.facts, place_.path)) {
  select(chosen(place_.selection, model.outputs()));
}

RunStore::RunStore(const density::Model& model, const infer::SampleOptions& options,
                   io::RunFile file)
    : RunStore(model, options) {
  is_in_memory_ = false;
  origin_ = origin_of(file.facts(), file.path());
  file_.emplace(std::move(file));
  const auto kept = file_->facts().find("outputs");
  if (kept == file_->facts().end()) return;
  select(kept_places(from_archive<std::vector<std::string>>(kept->second, file_->path()),
                     model.outputs(), file_->path()));
}

void RunStore::select(std::vector<Index> places) {
  places_ = std::move(places);
  layout_ = model_.outputs().selected(places_);
}

void RunStore::name_columns(std::span<const infer::FieldSpec> columns,
                            std::span<const infer::RowGroup> groups) {
  columns_.clear();
  for (const infer::FieldSpec& column : columns) columns_.push_back(column_of(column));
  tables_.clear();
  for (const infer::RowGroup& group : groups) tables_.push_back(table_of(group));
}

// ---- the fit before the draws

std::string RunStore::kept_fit() {
  if (!file_) return {};
  const auto kept = file_->facts().find(kFitFact);
  return kept == file_->facts().end() ? std::string() : kept->second;
}

// The columns of the draws, and so the whole file, are known before the first of them.
void RunStore::begin_fit() {
  const auto* neutra = options_.kernel.as<infer::NeutraOptions>();
  const infer::SamplerSpec& row =
      infer::find_sampler(neutra != nullptr ? neutra->base : options_.sampler);
  const std::vector<infer::FieldSpec> columns = row.columns();
  const std::vector<infer::RowGroup> groups = row.groups();
  name_columns(columns, groups);
  num_chains_ = options_.num_chains;
  is_fitting_ = true;
  start_ = fit_since_ = infer::clock_seconds();
  fit_period_ = kFileAfter;
  if (!file_) memory_ = io::RunMemory(num_chains_, columns_by_group(tables_, num_columns()));
}

bool RunStore::is_fit_due() {
  if (is_in_memory_) return false;
  fit_asked_ = infer::clock_seconds();
  return is_end_asked() || fit_asked_ - fit_since_ >= fit_period_;
}

// No chain has begun, so that nobody else uses the file.
void RunStore::keep_fit(const std::string& state) {
  if (file_) {
    file_->look_after(look_after_lock, warn);
    file_->set_facts({{kFitFact, state}});
  } else {
    place_.facts[kFitFact] = state;
    make_file();
  }
  fit_since_ = infer::clock_seconds();
  fit_period_ = std::max(kPeriod, (fit_since_ - fit_asked_) / kFitCostShare);
  if (gentle_ == nullptr) return;
  gentle_->has_kept = true;
  if (is_end_asked()) end_();
}

// ---- draws

void RunStore::begin(const Sizes& sizes) {
  is_fitting_ = false;
  name_columns(sizes.columns, sizes.groups);
  CREDO_ASSERT(!file_ || file_->num_columns(io::kDraws) == num_columns(),
               "a fit names the columns that its draws have");
  num_chains_ = options_.num_chains;
  num_walkers_ = sizes.num_chains / num_chains_;
  start_ = infer::clock_seconds();
  open_.assign(static_cast<std::size_t>(num_chains_), {.since = start_, .period = kFileAfter});
  for (Open& open : open_) open.tables.resize(tables_.size());
  density::Written what;
  if (ssize(places_) < model_.outputs().size()) what.columns = places_;
  const density::OutputWriters& writers = model_.writers().require(model_.name());
  for (Index c = 0; c < num_chains_; ++c) writers_.push_back(writers.make_writer(what));
  num_unkept_ = num_unsafe_ = num_unfinished_ = num_chains_;
  if (file_) {
    for (Index c = 0; c < num_chains_; ++c) {
      const io::ChainState state = file_->state(c);
      open_[static_cast<std::size_t>(c)].notes = remarks_of(*file_, c, state).notes;
      if (state.finished) leave_out(open_[static_cast<std::size_t>(c)]);
    }
  } else {
    memory_ = io::RunMemory(num_chains_, columns_by_group(tables_, num_columns()));
  }
  evaluators_.resize(static_cast<std::size_t>(num_chains_));
}

void RunStore::draw(const infer::DrawRecord& record) {
  const MemoryScope memory(is_in_memory_ ? kInMemory : kBlocks);
  const Index chain = record.chain / num_walkers_;
  std::vector<Waiting>& waiting = open_[static_cast<std::size_t>(chain)].waiting;
  waiting.push_back({{record.position.begin(), record.position.end()},
                     {record.info.begin(), record.info.end()},
                     {.seed = options_.seed,
                      .purpose = purpose::kGenerated,
                      .chain = static_cast<std::uint32_t>(options_.first_chain + record.chain),
                      .iteration = static_cast<std::uint32_t>(record.iteration)}});
  const density::Writer& writer = *writers_[static_cast<std::size_t>(chain)];
  if (ssize(waiting) >= writer.num_lanes()) write_waiting(chain);
}

void RunStore::row(const infer::RowRecord& record) {
  const MemoryScope memory(is_in_memory_ ? kInMemory : kBlocks);
  std::vector<double>& rows =
      open_[static_cast<std::size_t>(record.chain)].tables[static_cast<std::size_t>(record.group)];
  rows.insert(rows.end(), record.values.begin(), record.values.end());
}

// The draws of a chain that wait for others to be written with, in their order.
void RunStore::write_waiting(Index chain) {
  const auto c = static_cast<std::size_t>(chain);
  Open& open = open_[c];
  std::vector<density::DrawRequest> draws;
  for (const Waiting& draw : open.waiting) draws.push_back({draw.position, Rng(draw.key)});
  writers_[c]->write(draws);
  for (std::size_t k = 0; k < draws.size(); ++k) {
    if (!draws[k].note.empty()) add_note(open.notes, draws[k].note, 1);
    // The first column is the log density: lp__ leaves the dropped constants out, unless parameters are integrated out, so that it
    // is a log likelihood.
    const std::vector<double>& info = open.waiting[k].info;
    const bool is_whole = !options_.marginal.empty();
    open.rows.push_back(info[0] - (is_whole ? 0.0 : dropped_at(chain, open.waiting[k].position)));
    open.rows.insert(open.rows.end(), info.begin() + 1, info.end());
    open.rows.insert(open.rows.end(), draws[k].row.begin(), draws[k].row.end());
  }
  open.num_rows += ssize(draws);
  open.waiting.clear();
}

// The dropped constants; if decisions on parameters change them, those of the position's own path.
double RunStore::dropped_at(Index chain, std::span<const double> position) {
  const auto statements = model_.statements();
  const auto everywhere = statements ? statements->dropped(position) : std::optional(0.0);
  if (everywhere) return *everywhere;
  std::unique_ptr<density::Evaluator>& evaluator = evaluators_[static_cast<std::size_t>(chain)];
  if (evaluator == nullptr) evaluator = model_.make_evaluator();
  density::Request request{.position = position, .gradient = {}, .status = {}};
  evaluator->evaluate(density::Want::value, std::array{&request});
  return request.dropped;
}

// A block has rows of one phase, so it ends with warm-up.
bool RunStore::wants_state(Index chain, Index iteration, bool finished) {
  Open& open = open_[static_cast<std::size_t>(chain)];
  open.iteration = iteration;
  const bool phase_ends = finished || iteration == options_.num_warmup;
  if (phase_ends || open.rows.size() >= kBlockValues) return true;
  if (is_end_asked() && !open.is_safe) return true;
  return infer::clock_seconds() - open.since >= open.period;
}

void RunStore::state(const infer::StateRecord& record) {
  const MemoryScope memory(is_in_memory_ ? kInMemory : kBlocks);
  Open& open = open_[static_cast<std::size_t>(record.chain)];
  write_waiting(record.chain);
  const double begin = infer::clock_seconds();
  const std::size_t num_values = open.rows.size();
  queue_.push({.chain = record.chain,
               .iteration = record.iteration,
               .groups = take_rows(open),
               .state = sealed(std::string(record.bytes)),
               .result = sealed(archived(
                   Remarks{.result = record.result,
                           .notes = open.notes,
                           .divergences = {record.divergences.begin(), record.divergences.end()},
                           .refusals = {record.refusals.begin(), record.refusals.end()}})),
               .finished = record.finished});
  if (!record.finished) open.rows.reserve(std::min(num_values, 2 * kBlockValues));
  open.since = infer::clock_seconds();
  open.period = std::max(kPeriod, (open.since - begin) / kCostShare);
  note_kept(open, record.finished);
}

// Takes the rows of the draws last: they come with the state, which is always written.
std::vector<QueuedRows> RunStore::take_rows(Open& open) {
  std::vector<QueuedRows> all;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Index num_rows = ssize(open.tables[t]) / ssize(tables_[t].columns);
    if (num_rows > 0)
      all.push_back({.group = io::kNumDrawGroups + static_cast<Index>(t),
                     .num_rows = num_rows,
                     .rows = std::exchange(open.tables[t], {})});
  }
  all.push_back({.group = io::draw_group(open.iteration <= options_.num_warmup),
                 .num_rows = std::exchange(open.num_rows, 0),
                 .rows = std::exchange(open.rows, {})});
  return all;
}

void RunStore::end_gently(GentleStop& gentle, std::function<void()> end) {
  gentle_ = &gentle;
  end_ = std::move(end);
  gentle_->has_kept = false;
}

void RunStore::leave_out(Open& open) {
  open.has_kept = open.is_safe = true;
  --num_unkept_, --num_unsafe_, --num_unfinished_;
}

// Chains do this at the same time. A run that is at its end isn't ended: its result is next.
void RunStore::note_kept(Open& open, bool finished) {
  if (gentle_ == nullptr) return;
  if (finished) --num_unfinished_;
  if (!std::exchange(open.has_kept, true) && --num_unkept_ == 0) gentle_->has_kept = true;
  if (open.is_safe || !(finished || is_end_asked())) return;
  open.is_safe = true;
  if (--num_unsafe_ == 0 && is_end_asked() && num_unfinished_ > 0) end_();
}

// On the queue's thread.
void RunStore::commit(std::span<const io::RunBlock> blocks) {
  const MemoryScope memory(is_in_memory_ ? kInMemory : kBlocks);
  const bool is_time =
      place_.at_once || is_end_asked() || infer::clock_seconds() - start_ >= kFileAfter;
  if (!file_ && !place_.path.empty() && is_time) make_file();
  if (file_) file_->look_after(look_after_lock, warn);
  target().append(blocks);
}

void RunStore::make_file() {
  place_.facts["num_chains"] = std::to_string(num_chains_);
  place_.facts["num_walkers"] = archived(num_walkers_);
  add_columns(place_.facts, columns_);
  add_layout(place_.facts, layout_, ssize(columns_));
  add_tables(place_.facts, tables_, num_columns());
  file_.emplace(io::RunFile::create(place_.path, place_.facts, memory_.blocks(), place_.readers));
  memory_ = {};
  place_.facts.clear();
}

void RunStore::close() {
  queue_.end();
  if (file_) return;
  for (std::size_t c = 0; c < open_.size(); ++c) {
    Open& open = open_[c];
    write_waiting(static_cast<Index>(c));
    for (const QueuedRows& rows : take_rows(open))
      memory_.append(io::RunBlock{.chain = static_cast<Index>(c),
                                  .group = rows.group,
                                  .iteration = open.iteration,
                                  .num_rows = rows.num_rows,
                                  .rows = rows.rows});
  }
}

void RunStore::add_table(RowTable table, std::vector<double> rows) {
  tables_.push_back(std::move(table));
  added_.push_back(std::move(rows));
}

void RunStore::add_settings(const std::map<std::string, std::string>& settings) {
  for (const auto& [name, value] : settings) origin_.settings[name] = value;
}

std::unique_ptr<WorkApart> RunStore::apart(const std::function<void()>& work) {
  queue_.end();
  const auto reading = [&] {
    cache_.keep_no_more();
    work();
  };
  if (!file_) return std::make_unique<WorkApart>(reading);
  auto begun = std::make_unique<WorkApart>(reading, *file_);
  cache_.keep_all(*this,
                  [this](const DrawSlab& all) { return draws_of_rows(rows(), num_walkers_, all); });
  return begun;
}

void RunStore::remove_file() {
  if (file_) file_->remove(warn);
  file_.reset();
}

Index RunStore::num_draws(bool warmup) const {
  return num_complete_rows(rows(), num_chains_, warmup) / num_walkers_;
}

io::InputFiles::Contents RunStore::files() const {
  return files_of(file_ ? file_->facts() : place_.facts);
}

density::Draws RunStore::read(const DrawSlab& slab) const {
  return cache_.read(*this, within(*this, slab), [this](const DrawSlab& all) {
    return draws_of_rows(rows(), num_walkers_, all);
  });
}

std::vector<RunStore::Note> RunStore::notes() const {
  std::vector<Note> all;
  for (const Open& open : open_)
    for (const Note& note : open.notes) add_note(all, note.text, note.count);
  return sorted(std::move(all));
}

std::vector<std::string> states_of(const io::RunFile& file) {
  std::vector<std::string> states;
  for (Index c = 0; c < file.num_chains(); ++c) {
    const std::string bytes = file.state(c).state;
    const std::string source = fmt::format("{}, state of chain {}", file.path(), c + 1);
    states.emplace_back(bytes.empty() ? std::string_view() : unsealed(bytes, source));
  }
  return states;
}

infer::RunResult result_of(const io::RunFile& file, const std::string& sampler, Index num_walkers) {
  infer::RunResult result;
  result.sampler = sampler;
  result.num_walkers = num_walkers;
  for (Index c = 0; c < file.num_chains(); ++c) {
    const io::ChainState state = file.state(c);
    Remarks remarks = remarks_of(file, c, state);
    result.chains.push_back(std::move(remarks.result));
    std::move(remarks.divergences.begin(), remarks.divergences.end(),
              std::back_inserter(result.divergences));
    for (infer::Refusal& refusal : remarks.refusals) infer::add_refusal(result, std::move(refusal));
    result.interrupted = result.interrupted || !state.finished;
  }
  return result;
}

std::vector<FitNote> notes_of(const io::RunFile& file) {
  std::vector<FitNote> all;
  for (Index c = 0; c < file.num_chains(); ++c)
    for (const FitNote& note : remarks_of(file, c, file.state(c)).notes)
      add_note(all, note.text, note.count);
  return sorted(std::move(all));
}

Index num_complete_rows(const io::RunRows& rows, Index num_chains, bool warmup) {
  const Index group = io::draw_group(warmup);
  Index fewest = std::numeric_limits<Index>::max();
  for (Index c = 0; c < num_chains; ++c) fewest = std::min(fewest, rows.num_rows(c, group));
  return num_chains == 0 ? 0 : fewest;
}

}  // namespace credo::results
