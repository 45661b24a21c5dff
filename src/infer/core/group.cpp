#include "infer/core/group.hpp"

#include <thread>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/processors.hpp"
#include "base/stop.hpp"
#include "infer/core/batch_dealer.hpp"

namespace credo::infer {
namespace {
// The error of "model.stan:2:66: index 0 of a is out of range": the place in the text is the error's place.
Error fatal_error(const std::string& text) {
  constexpr const char* kHint = "the run has ended";
  const std::size_t end = text.find(": ");
  const std::string place = text.substr(0, end);
  const bool is_place = end != text.npos && std::count(place.begin(), place.end(), ':') >= 2 &&
                        std::isdigit(static_cast<unsigned char>(place.back())) != 0;
  if (!is_place) return Error(ErrorCode::evaluation, text, "", kHint);
  return Error(ErrorCode::evaluation, text.substr(end + 2), place, kHint);
}

// Throws if the answer is an error that ends the run.
void note(density::Request& request, ChainProgram& chain, const density::LogDensity& density) {
  ++chain.num_evaluations;
  if (request.status.ok()) return;
  chain.refusals.add(request.status, density);
  request.log_density = -kInfinity;
  if (request.status.fatal) throw fatal_error(density.describe(request.status));
}

void note_answers(Evaluate& question, ChainProgram& chain, const density::LogDensity& density) {
  if (question.many.empty()) return note(question.request, chain, density);
  for (density::Request* request : question.many) note(*request, chain, density);
}

class Group {
 public:
  Group(const density::LogDensity& density, std::span<ChainProgram> chains, BatchDealer& dealer,
        const std::atomic<bool>& failed);
  bool run();

 private:
  Index resume_chains();
  void answer(density::Want want);
  void run_parts(std::vector<ChainProgram>& parts);
  void run_alone(ChainProgram& part, density::Evaluator& evaluator) const;
  void take_stock(ChainProgram& chain);
  bool has_to_end() const { return failed_.load(std::memory_order_relaxed) || stop_asked(); }

  const density::LogDensity& density_;
  std::span<ChainProgram> chains_;
  BatchDealer& dealer_;
  const std::atomic<bool>& failed_;  // another group has
  std::vector<density::Request*> batch_;
};

Group::Group(const density::LogDensity& density, std::span<ChainProgram> chains,
             BatchDealer& dealer, const std::atomic<bool>& failed)
    : density_(density), chains_(chains), dealer_(dealer), failed_(failed) {
  batch_.reserve(chains.size());
}

bool Group::run() {
  while (resume_chains() > 0) {
    if (has_to_end()) return false;
    for (Index want = 0; want < density::kNumWants; ++want)
      answer(static_cast<density::Want>(want));
    for (ChainProgram& chain : chains_) take_stock(chain);
  }
  return true;
}

// Returns how many chains wait for an answer.
Index Group::resume_chains() {
  Index num_waiting = 0;
  for (ChainProgram& chain : chains_) {
    if (chain.program.done()) continue;
    chain.program.resume();
    if (!chain.program.done()) ++num_waiting;
  }
  return num_waiting;
}

void Group::answer(density::Want want) {
  batch_.clear();
  for (ChainProgram& chain : chains_) {
    Evaluate* const question = chain.program.done() ? nullptr : chain.program.pending();
    if (!question || question->parts || question->want != want) continue;
    if (question->many.empty())
      batch_.push_back(&question->request);
    else
      batch_.insert(batch_.end(), question->many.begin(), question->many.end());
  }
  if (!batch_.empty()) dealer_.evaluate(want, batch_);
}

void Group::take_stock(ChainProgram& chain) {
  if (chain.program.done()) return;
  Evaluate& question = *chain.program.pending();
  if (!question.parts) return note_answers(question, chain, density_);
  run_parts(*question.parts);
  for (const ChainProgram& part : *question.parts) {
    chain.num_evaluations += part.num_evaluations;
    chain.refusals.add(part.refusals);
  }
}

void Group::run_parts(std::vector<ChainProgram>& parts) {
  constexpr std::size_t kTogether =
      16;  // side by side, at most: a large population would need all its memory at once
  if (dealer_.wants_batches(ssize(parts))) {
    const std::span all(parts);
    for (std::size_t first = 0; first < all.size(); first += kTogether) {
      const std::span some = all.subspan(first, std::min(kTogether, all.size() - first));
      if (!Group(density_, some, dealer_, failed_).run()) throw Stopped();
    }
    return;
  }
  struct Deal {
    const Group& group;
    std::vector<ChainProgram>& parts;
  } deal{*this, parts};
  const BatchDealer::Work run_one = [](void* context, Index k, density::Evaluator& evaluator) {
    const auto& all = *static_cast<const Deal*>(context);
    all.group.run_alone(all.parts[static_cast<std::size_t>(k)], evaluator);
  };
  dealer_.share_out(ssize(parts), run_one, &deal);
}

void Group::run_alone(ChainProgram& part, density::Evaluator& evaluator) const {
  for (part.program.resume(); !part.program.done(); part.program.resume()) {
    if (has_to_end()) throw Stopped();
    Evaluate& question = *part.program.pending();
    density::Request* const one[] = {&question.request};
    evaluator.evaluate(question.want, question.many.empty() ? std::span(one) : question.many);
    note_answers(question, part, density_);
  }
}

Index threads_to_use(Index asked) { return asked > 0 ? asked : num_processors(); }
}  // namespace

// The numbers of sources are those of this process: what came from a file is found by its text.
void RefusalCounts::add(const density::Status& status, const density::LogDensity& density) {
  for (Refusal& entry : entries_)
    if (entry.source == status.source) return void(++entry.count);
  const std::string kind = density.describe({.source = status.source});
  for (Refusal& entry : entries_) {
    if (entry.source != 0 || entry.kind != kind) continue;
    entry.source = status.source;
    return void(++entry.count);
  }
  append({density.describe(status), status.source, 1, kind});
}

void RefusalCounts::add(const RefusalCounts& others) {
  for (const Refusal& refusal : others.entries_) {
    const auto same = std::ranges::find(entries_, refusal.kind, &Refusal::kind);
    if (same != entries_.end())
      same->count += refusal.count;
    else
      append(refusal);
  }
}

void RefusalCounts::append(const Refusal& refusal) {
  if (entries_.size() < kMaxReasons)
    entries_.push_back(refusal);
  else
    entries_.back().count += refusal.count;
}

bool run_groups(const density::LogDensity& density, std::span<ChainProgram> chains,
                const GroupOptions& options) {
  if (chains.empty()) return true;
  CREDO_ASSERT(options.far == nullptr || chains.size() == 1, "ranks help a single program");
  const Index num_threads = threads_to_use(options.num_threads);
  const Index count = std::min(num_threads, ssize(chains));
  std::atomic<bool> failed = false, stopped = false;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));

  const StopFlag* const stop = options.stop ? options.stop : current_stop();
  const MemoryUse& memory_use = *current_memory_use();
  const auto run_group = [&](Index g) {
    const StopScope scope(stop);
    const MemoryScope memory(memory_use);
    const auto share = [&](Index i) { return static_cast<std::size_t>(ssize(chains) * i / count); };
    const Index lent = num_threads * (g + 1) / count - num_threads * g / count;
    try {
      BatchDealer dealer(density, lent, options.far);
      Group group(density, chains.subspan(share(g), share(g + 1) - share(g)), dealer, failed);
      if (!group.run()) stopped = true;
    } catch (const Stopped&) {  // inside an evaluation or a draw: its transition is lost
      stopped = true;
    } catch (...) {
      failures[static_cast<std::size_t>(g)] = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (Index g = 1; g < count; ++g) threads.emplace_back(run_group, g);
    } catch (const std::system_error& reason) {
      failed = true;  // ends those that run
      thread_refused(ssize(threads) + 2, count, reason);
    }
    run_group(0);
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return !stopped;
}

}  // namespace credo::infer
