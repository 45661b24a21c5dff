#include "results/draws/work.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/seal.hpp"
#include "infer/core/recorder.hpp"
#include "results/files/fit.hpp"

namespace credo::results {
namespace {
constexpr double kStatePeriod = 1.0,
                 kMostShare = 0.05;  // seconds between states; share of the time

void require_same(const Specification& own, const io::RunFile& file) {
  const Specification there = specification_of(file.facts(), file.path());
  if (there.identity() != own.identity())
    throw Error(ErrorCode::usage,
                "these are results of another program, other data or other options: " +
                    difference_of(there, own),
                file.path(), "remove the file, or name another --output");
}
}  // namespace

Work::Work(WorkOptions options) : options_(std::move(options)), begin_(infer::clock_seconds()) {
  if (options_.file.empty()) return;
  const std::string path = io::run_file_of(options_.file);
  lock_.emplace(path, options_.note);
  io::remove_left_parts(path);
  if (::access(path.c_str(), F_OK) != 0) {
    io::RunFile::require_free(path);
    return;
  }
  take(path);
  num_done_ = std::ranges::count_if(done_, [&](const auto& p) { return p.first < options_.count; });
  if (num_done_ > 0 || !found_.empty())
    note(fmt::format("resumes with {} {} of {}\n", num_done_, options_.what, path));
}

void Work::take(const std::string& path) {
  require_run_file(path);
  require_same(options_.spec, io::RunFile::open(path));
  file_.emplace(io::RunFile::open_to_write(path));
  for (const Index piece : file_->chains()) {
    const io::ChainState kept = file_->state(piece);
    num_written_[piece] = kept.iteration;
    if (kept.finished)
      done_[piece] = unsealed(kept.result, path);
    else if (const auto state = unsealed(kept.state, path); !state.empty())
      found_[piece] = state;
  }
  if (options_.spec.text() != file_->facts().at(kSpecFact))
    file_->set_facts(facts());  // the same pieces, another number of them
}

// ---- whole pieces

void Work::add(Index piece, const std::string& result) {
  if (keeps()) push(piece, "", result, true);
  ++num_done_;
  const Index tenth = 10 * num_done_ / std::max<Index>(options_.count, 1);
  if (!options_.reports_progress || tenth == tenths_noted_) return;
  tenths_noted_ = tenth;
  note(fmt::format("{} of {} {}\n", num_done_, options_.count, options_.what));
}

void Work::note(const std::string& text) const {
  if (options_.note) options_.note(text);
}

std::function<void(const std::string&)> Work::warn() const {
  return [this](const std::string& text) { note(text + "\n"); };
}

// ---- states of pieces in progress

std::string Work::kept(Index piece) {
  const auto place = found_.find(piece);
  return place == found_.end() ? std::string() : place->second;
}

bool Work::is_due(Index piece) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;  // the next question is soon
  const auto place = written_.find(piece);
  const double last = place == written_.end() ? begin_ : place->second;
  return keeps() && infer::clock_seconds() - last >= std::max(kStatePeriod, cost_ / kMostShare);
}

void Work::keep(Index piece, const std::string& state) {
  if (keeps()) push(piece, state, "", false);
}

// ---- the file

void Work::push(Index piece, const std::string& state, const std::string& result, bool finished) {
  const std::lock_guard lock(mutex_);
  written_[piece] = infer::clock_seconds();
  queue_.push({.chain = piece,
               .iteration = ++num_written_[piece],
               .groups = {{}},
               .state = sealed(state),
               .result = sealed(result),
               .finished = finished});
}

io::RunFile::Facts Work::facts() const {
  return {{"num_chains", std::to_string(options_.count)},
          {"num_columns", ""},
          {kSpecFact, options_.spec.text()}};
}

// On the queue's thread.
void Work::commit(std::span<const io::RunBlock> blocks) {
  const double begin = infer::clock_seconds();
  if (file_) {
    file_->look_after([this] { lock_->require_kept(); }, warn());
    file_->append(blocks);
  } else {
    file_.emplace(io::RunFile::create(io::run_file_of(options_.file), facts(), blocks,
                                      io::Readers::from_text("owner")));
  }
  cost_ = infer::clock_seconds() - begin;
}

void Work::end() {
  if (!keeps()) return;
  try {
    queue_.end();
  } catch (const std::exception&) {  // the answer doesn't need the pieces any more
  }
  if (file_) file_->remove(warn());
  file_.reset();
  lock_->release();
}

}  // namespace credo::results
