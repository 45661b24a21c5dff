#include "infer/core/rank_jobs.hpp"

#include <fmt/format.h>

#include <thread>

#include "base/memory.hpp"
#include "base/rank_meeting.hpp"
#include "base/stop.hpp"
#include "infer/core/far_evaluators.hpp"
#include "infer/core/rank_share.hpp"
#include "infer/core/rank_sink.hpp"

namespace credo::infer {
namespace {
using Jobs = std::span<const std::unique_ptr<Job>>;

// The last message of a rank that does jobs. Records begin with a chain; this one with kShareEnd.
constexpr Index kShareEnd = -1;
struct RankShareEnd {
  bool finished = false;
  RankFailure failure = {};
  std::vector<JobRemarks> jobs = {};
  static void saved(auto& self, auto&& field) {
    field(self.finished);
    field(self.failure);
    field(self.jobs);
  }
};
// Messages of rank 0 meanwhile: the end, or a request for a chain's state.
constexpr Index kStopShare = -1;

Index threads_of(const Ranks& ranks, const SampleOptions& options) {
  return options.num_threads > 0 ? options.num_threads : ranks.num_processors();
}

// Every bit of the log density at one point: other data, another program or another arithmetic show there.
std::string probe(const density::LogDensity& density) {
  std::vector<double> point(static_cast<std::size_t>(density.dimension()));
  for (std::size_t d = 0; d < point.size(); ++d)
    point[d] = 0.25 + 0.01 * static_cast<double>(d % 16);
  const density::DiscreteBlock block = density.discrete_block();
  for (Index k = 0; k < block.size(); ++k)
    point[point.size() - static_cast<std::size_t>(block.size() - k)] =
        static_cast<double>(block.lower[static_cast<std::size_t>(k)]);
  density::Request request{.position = point, .gradient = {}, .status = {}};
  density::Request* const batch[] = {&request};
  density.make_evaluator()->evaluate(density::Want::value, batch);
  return fmt::format("{:a}", request.log_density);
}

std::vector<std::vector<std::string>> settings_of(const RunContext& context) {
  std::vector<std::vector<std::string>> all;
  const auto add = [&](const std::vector<FieldValue>& fields) {
    for (const FieldValue& field : fields)
      if (field.name != "num_threads") all.push_back({field.name, field.value});
  };
  add(fields_of(context.options));
  if (!context.options.kernel.empty()) add(fields_of(context.options.kernel));
  all.push_back({"sampler", context.options.sampler});
  all.push_back({"number of unconstrained values", fmt::format("{}", context.density.dimension())});
  all.push_back({"log density at the point of comparison", probe(context.density)});
  return all;
}

// ---- rank 0

class LeadRank {
 public:
  LeadRank(Ranks& ranks, RunContext& context, Jobs jobs)
      : ranks_(ranks),
        context_(context),
        jobs_(jobs),
        own_(share_of(0, ranks.size(), ssize(jobs))),
        records_(context.sink, ssize(jobs),
                 [&](const Progress& progress) {
                   if (context.options.on_progress) context.report(progress);
                 }),
        remarks_(jobs.size()),
        outer_stop_(context.options.stop ? context.options.stop : current_stop()) {}

  RunResult run() {
    gather_ranks(ranks_, {.settings = settings_of(context_)});
    begin_shares();
    std::vector<ChainProgram> programs =
        programs_of(jobs_.first(static_cast<std::size_t>(own_.end_job)));
    bool finished = false;
    std::exception_ptr failure;
    {
      const std::jthread listener([this, memory = current_memory_use()] { listen(*memory); });
      try {
        finished = run_own(programs);
      } catch (...) {
        failure = std::current_exception();
        stop_ = true;
      }
      is_own_done_ = true;
    }
    if (failure) std::rethrow_exception(failure);
    if (failure_) std::rethrow_exception(failure_);
    for (std::size_t c = 0; c < programs.size(); ++c)
      remarks_[c] = remarks_of(*jobs_[c], programs[c]);
    RunResult result = result_of(context_, std::move(remarks_));
    result.interrupted = !finished || !others_finished_;
    return result;
  }

 private:
  void begin_shares() {
    for (Index r = 1; r < ranks_.size(); ++r) {
      const RankShare share = share_of(r, ranks_.size(), ssize(jobs_));
      std::vector<std::string> states;
      if (share.leads(r)) {
        leaders_.push_back(r);
        for (Index c = 0; c < ssize(jobs_); ++c)
          states.emplace_back(share.has(c) ? context_.state_of(c) : std::string_view());
      }
      ranks_.send(r, RankTag::go, archived(states));
    }
    num_open_ = ssize(leaders_);
  }

  bool run_own(std::vector<ChainProgram>& programs) {
    const RanksScope alone(nullptr);
    FarEvaluators far(ranks_, own_.first_helper, own_.end_rank);
    return run_groups(context_.density, programs,
                      {.num_threads = threads_of(ranks_, context_.options),
                       .stop = &stop_,
                       .far = far.count() > 0 ? &far : nullptr});
  }

  // Until all shares are done, the own one included.
  void listen(const MemoryUse& use) {
    const MemoryScope memory(use);
    double last_look = clock_seconds();
    while (num_open_ > 0 || !is_own_done_) {
      bool heard = false;
      while (auto message = ranks_.take(Ranks::kAnyone, RankTag::records)) {
        heard = true;
        guarded([&] { hear(*message); });
      }
      if (outer_stop_->load(std::memory_order_relaxed)) stop_ = true;
      if (stop_ && !std::exchange(is_stop_sent_, true)) send_to_all(kStopShare);
      constexpr double kLookEvery = 0.01;  // seconds
      if (clock_seconds() - last_look > kLookEvery) {
        last_look = clock_seconds();
        guarded([&] { ask_for_states(); });
      }
      if (!heard) std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

  // The first thing that goes wrong ends the run.
  void guarded(const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  void hear(const Ranks::Message& message) {
    ArchiveReader from(message.bytes, "records of a rank");
    Index chain = 0;
    from(chain);
    if (chain != kShareEnd) {
      if (!failure_) records_.put(message.bytes);
      return;
    }
    --num_open_;
    RankShareEnd end;
    from(end).finish();
    others_finished_ = others_finished_ && end.finished;
    if (end.failure.code != 0) throw error_of(end.failure);
    const RankShare share = share_of(message.from, ranks_.size(), ssize(jobs_));
    for (std::size_t k = 0; k < end.jobs.size(); ++k) {
      end.jobs[k].result.sampling_seconds = end.jobs[k].sampling_seconds;
      remarks_[static_cast<std::size_t>(share.first_job) + k] = std::move(end.jobs[k]);
    }
  }

  void ask_for_states() {
    if (num_open_ == 0 || failure_) return;
    for (const Index c : records_.wanted(own_.end_job, ssize(jobs_)))
      for (const Index r : leaders_)
        if (share_of(r, ranks_.size(), ssize(jobs_)).has(c))
          ranks_.send(r, RankTag::control, archived(c));
  }

  void send_to_all(Index what) {
    for (const Index r : leaders_) ranks_.send(r, RankTag::control, archived(what));
  }

  Ranks& ranks_;
  RunContext& context_;
  Jobs jobs_;
  const RankShare own_;
  RankRecords records_;
  std::vector<JobRemarks> remarks_;  // by job
  const StopFlag* outer_stop_;
  StopFlag stop_{false};
  std::vector<Index> leaders_;  // leaders of the other teams
  Index num_open_ = 0;          // other teams that aren't done
  bool is_stop_sent_ = false, others_finished_ = true;
  std::atomic<bool> is_own_done_ = false;
  std::exception_ptr failure_;
};

// ---- other ranks

class OtherRank {
 public:
  OtherRank(Ranks& ranks, RunContext& context, Jobs jobs)
      : ranks_(ranks),
        context_(context),
        share_(share_of(ranks.rank(), ranks.size(), ssize(jobs))),
        jobs_(jobs.subspan(static_cast<std::size_t>(share_.first_job),
                           static_cast<std::size_t>(share_.end_job - share_.first_job))) {}

  void run() {
    context_.rank_states = from_archive<std::vector<std::string>>(
        meet_rank_0(ranks_, {.settings = settings_of(context_)}), "states from rank 0");
    const RanksScope alone(nullptr);
    if (!share_.leads(ranks_.rank())) {
      help_evaluate(ranks_, share_.leader, context_.density, threads_of(ranks_, context_.options));
      return;
    }
    ArchiveWriter writer;
    writer(kShareEnd)(do_share());
    ranks_.send(0, RankTag::records, writer.bytes());
  }

 private:
  RankShareEnd do_share() {
    RankShareEnd end;
    std::vector<ChainProgram> programs = programs_of(jobs_);
    try {
      end.finished = run_own(programs);
      context_.rank_sink->flush();
      for (std::size_t c = 0; c < jobs_.size(); ++c) {
        end.jobs.push_back(remarks_of(*jobs_[c], programs[c]));
        end.jobs.back().sampling_seconds = end.jobs.back().result.sampling_seconds;
      }
    } catch (...) {
      end.failure = failure_of(std::current_exception());
    }
    return end;
  }

  bool run_own(std::vector<ChainProgram>& programs) {
    const std::jthread listener([&](const std::stop_token& is_over) { listen(is_over); });
    FarEvaluators far(ranks_, share_.first_helper, share_.end_rank);
    return run_groups(context_.density, programs,
                      {.num_threads = threads_of(ranks_, context_.options),
                       .stop = &stop_,
                       .far = far.count() > 0 ? &far : nullptr});
  }

  void listen(const std::stop_token& is_over) {
    while (!is_over.stop_requested()) {
      while (const auto message = ranks_.take(0, RankTag::control)) {
        const auto what = from_archive<Index>(message->bytes, "word of rank 0");
        if (what == kStopShare)
          stop_ = true;
        else
          context_.rank_sink->ask_for_state(what);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Ranks& ranks_;
  RunContext& context_;
  const RankShare share_;
  Jobs jobs_;  // jobs of the share
  StopFlag stop_{false};
};
}  // namespace

RunResult run_jobs_over(Ranks& ranks, RunContext& context, Jobs jobs) {
  if (ranks.rank() == 0) return LeadRank(ranks, context, jobs).run();
  OtherRank(ranks, context, jobs).run();
  throw ShareDone{};
}

}  // namespace credo::infer
