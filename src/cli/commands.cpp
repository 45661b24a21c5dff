#include "cli/command.hpp"

namespace credo::cli {

std::span<const CommandRow* const> commands() {
  static const std::array rows{
      &bench_command,    &chain_command,  &check_command,    &completion_command,
      &diagnose_command, &export_command, &help_command,     &info_command,
      &log_prob_command, &man_command,    &optimize_command, &resume_command,
      &run_command,      &sample_command, &samplers_command, &summary_command};
  return rows;
}

}  // namespace credo::cli
