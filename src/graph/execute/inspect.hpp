// Parts of a program and their shares of its time, for people (credo bench --explain, --profile).
#pragma once
#include <atomic>

#include "graph/execute/program.hpp"

namespace credo::graph {

// Steps that run block by block together.
struct FusedGroup {
  Index elements = 0, block_elements = 0;
  Index parts = 1;  // parts for several threads; 1 if too small or indivisible
  std::vector<std::string_view> rows;
};

struct ProgramSummary {
  Index num_steps = 0;   // elementwise, structural and general rows
  Index num_micros = 0;  // what these became: one element or eight doubles each, a call or a group
  Index num_calls = 0;   // general rows
  std::vector<FusedGroup> groups;
  double workspace_bytes = 0.0;  // memory of one thread, all lanes
  double constant_bytes = 0.0;   // read in place by fused groups
};

struct ProfileShare {
  std::int32_t statement = 0;
  std::string_view row;
  double share = 0.0;  // share of all time
};

class Inspector {
 public:
  // Throws Error(usage) for a program that isn't fused: it has no steps to show.
  explicit Inspector(const Program& program);

  ProgramSummary summary(Index lanes) const;

  // Runs the workspace, whose lanes and inputs are set, for so many seconds, leaving a note of each
  // step before it begins; another thread reads the note now and then. A step of n nanoseconds is
  // met as often as its n nanoseconds deserve, and the program runs nearly as fast as it always
  // does. Largest shares first.
  std::vector<ProfileShare> profile(Workspace& workspace, double seconds) const;

 private:
  // Indices of a micro and, if it is a group, of an operation in it.
  struct Note {
    std::uint32_t micro = 0, op = 0;
  };
  using NotePad = std::atomic<Note>;
  static void run(Workspace& workspace, NotePad& pad);
  std::int32_t step_of(const Code& code, const Note& note) const;

  const Program& program_;
};

}  // namespace credo::graph
