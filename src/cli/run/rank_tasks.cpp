#include "cli/run/rank_tasks.hpp"

#include <fmt/format.h>

#include "base/archive.hpp"
#include "base/rank_meeting.hpp"
#include "base/stop.hpp"
#include "cli/run/runner.hpp"

namespace credo::cli {
namespace {

void do_run(const RankTask& task, Ranks& ranks) {
  io::InputFiles::Contents files;
  for (const std::vector<std::string>& file : task.files) files[file.at(0)] = file.at(1);
  RunArguments run;
  run.take(parse_run_spec(task.spec, "run from rank 0"), io::InputFiles(std::move(files)));
  do_share(run, ranks);
}

void do_words(const RankTask& task, Ranks& ranks) {
  const std::span<const std::string> words = task.words;
  const CommandRow& row = find_command(words[0], words.subspan(1));
  const auto command = row.make();
  const Arguments arguments = arguments_of(row, *command);
  assign(arguments, read_words(arguments, words.subspan(1)));
  command->ranks = &ranks;
  Output silent;
  silent.is_silent = true;
  command->run(silent);
}

void do_task(const std::string& bytes, Ranks& ranks) {
  try {
    const auto task = from_archive<RankTask>(bytes, "task from rank 0");
    task.words.empty() ? do_run(task, ranks) : do_words(task, ranks);
  } catch (const ShareDone&) {
  } catch (const RanksDismissed&) {
    throw;
  } catch (...) {
    report_failure(ranks, std::current_exception());
  }
}
}  // namespace

void give_task(Ranks& ranks, const RankTask& task) {
  const std::string bytes = archived(task);
  for (Index r = 1; r < ranks.size(); ++r) ranks.send(r, RankTag::task, bytes);
}

void dismiss_ranks(Ranks& ranks) {
  for (Index r = 1; r < ranks.size(); ++r) ranks.send(r, RankTag::task, "");
}

void go_over_ranks(const CommandRow& row, std::span<const std::string> words, Ranks& ranks) {
  if (row.over_ranks == OverRanks::by_words)
    give_task(ranks, {.words = {words.begin(), words.end()}});
  if (row.over_ranks != OverRanks::refused) return;
  std::vector<std::string_view> names;
  for (const CommandRow* other : commands())
    if (other->over_ranks != OverRanks::refused) names.push_back(other->name);
  throw Error(ErrorCode::usage,
              fmt::format("credo {} runs in one process, and was started as {} ranks", row.name,
                          ranks.size()),
              "mpirun",
              fmt::format("leave out mpirun; over ranks run: {}", fmt::join(names, ", ")));
}

int serve_rank(Ranks& ranks) {
  try {
    for (;;) {
      const Ranks::Message message = receive(ranks, 0, RankTag::task);
      if (message.bytes.empty()) return 0;
      do_task(message.bytes, ranks);
    }
  } catch (const RanksDismissed&) {
    return 0;
  }
}

}  // namespace credo::cli
