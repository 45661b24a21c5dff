// Commands that are killed and resumed: each runs in a process of its own, and what a file holds is compared bit for bit.
#pragma once
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "cli/options/command_spec.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/fit.hpp"
#include "support/command_run.hpp"

namespace credo::testing {

using Words = std::vector<std::string>;

// Whole pieces in a run file that may be written at the same time, or isn't there.
inline Index num_pieces(const std::string& file) {
  if (!results::is_run_file(file)) return 0;
  try {
    const io::RunFile kept = io::RunFile::open(file);
    return std::ranges::count_if(kept.chains(),
                                 [&](Index piece) { return kept.progress(piece).finished; });
  } catch (const Error&) {  // it is gone by now
    return 0;
  }
}

// Removes a run file with its log.
inline void remove_run_file(const std::string& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file + suffix);
}

class KilledRun : public CommandRun {
 protected:
  using CommandRun::CommandRun;

  static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Attributes and arrays of the file except the seconds of an evidence and the specification, which has the threads.
  static std::string content(const std::string& file) {
    const auto answer = results::read_arrays(file);
    std::string text;
    for (const auto& [name, value] : answer->attributes())
      if (name != results::kSpecFact) text += name + " " + results::text_of(value) + "\n";
    for (const results::Group& group : answer->groups())
      for (const results::Field& field : group.fields) {
        if (field.name == "seconds") continue;
        text += fmt::format("{}/{} {}", group.name, field.name, fmt::join(field.labels, ","));
        for (const double x : answer->read(group, field)) text += fmt::format(" {:a}", x);
        text += "\n";
      }
    return text;
  }
  // Runs the words in a process of its own.
  pid_t start(const Words& words) {
    const pid_t child = fork();
    if (child == 0) _exit(run(words));
    return child;
  }
  // True if the process was killed by this call: it was still running when `is_time` said so.
  template <class IsTime>
  bool kill_when(pid_t child, const IsTime& is_time) {
    int status = 0;
    while (!is_time()) {
      if (waitpid(child, &status, WNOHANG) != 0) return false;
      usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }
};

}  // namespace credo::testing
