// A sampling run over ranks (docs/mpi.md): the task that rank 0 sends to the others, and their work.
#include "base/ranks.hpp"
#include "cli/run/rank_tasks.hpp"
#include "cli/run/sample_run.hpp"
#include "model/model.hpp"

namespace credo::cli {
namespace {
// Nothing comes here: what a rank draws goes to rank 0.
class NoDraws final : public infer::DrawSink {
 public:
  void draw(const infer::DrawRecord&) override {}
};
}  // namespace

// With the files that were read, so that other machines need none of them.
void SampleRun::tell_ranks() {
  if (ranks == nullptr) return;
  RankTask task{.spec = to_json(spec())};
  for (const auto& [path, content] : model_.files.contents()) task.files.push_back({path, content});
  give_task(*ranks, task);
}

void SampleRun::do_share() {
  out = {.quiet = true};
  cross_ = {};  // rank 0 does it alone
  Output silent;
  silent.is_silent = true;
  const auto model = prepare(silent, false);
  constexpr double kReportEvery = 0.2;  // seconds
  options_.progress_every = 0;
  options_.progress_seconds = kReportEvery;
  options_.on_progress = [](const infer::Progress&) {};  // reports go to rank 0
  NoDraws none;
  const RanksScope over(ranks);
  infer::run_chains(*model, options_, none);
}

}  // namespace credo::cli
