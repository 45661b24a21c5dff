// Peak bandwidth and throughput of this machine, and the shares that a few programs reach: `credo bench --suite`.
//
// A program's share of the memory bandwidth counts the bytes of its data once a batch: the least traffic of a
// gradient. Its share of the vector throughput counts the additions and
// multiplications of the textbook formula. Both compare with as many threads as the program has.
#pragma once
#include "base/types.hpp"

namespace credo::cli {

struct MachineSpeed {
  Index threads = 1;
  double read_one = 0.0, read_all = 0.0;              // bytes a second: one thread, all threads
  double operations_one = 0.0, operations_all = 0.0;  // floating-point operations a second
};
MachineSpeed measure_machine();

struct SuiteResult {
  std::string name;
  Index lanes = 1, threads = 1;
  double trace_seconds = 0.0, microseconds = 0.0;  // per gradient
  double bytes = 0.0, operations = 0.0;            // per gradient; 0: not what limits it
  double share_of_bandwidth(const MachineSpeed& machine) const;
  double share_of_throughput(const MachineSpeed& machine) const;
};
std::vector<SuiteResult> run_suite(Index threads);  // with one thread, and with so many

std::string suite_text(const MachineSpeed& machine, std::span<const SuiteResult> results);
std::string suite_json(const MachineSpeed& machine, std::span<const SuiteResult> results);

}  // namespace credo::cli
