// The commands, in alphabetical order.
#include "base/row_list.hpp"
#include "cli/command.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(approximate_command) \
  row(bench_command) \
  row(bottleneck_command) \
  row(chain_command) \
  row(check_command) \
  row(cluster_command) \
  row(compare_command) \
  row(completion_command) \
  row(data_command) \
  row(diagnose_command) \
  row(effects_command) \
  row(evidence_command) \
  row(exact_command) \
  row(examples_command) \
  row(expect_command) \
  row(export_command) \
  row(filter_command) \
  row(gp_command) \
  row(help_command) \
  row(impact_command) \
  row(info_command) \
  row(information_command) \
  row(label_command) \
  row(laplace_command) \
  row(log_prob_command) \
  row(loo_command) \
  row(man_command) \
  row(network_command) \
  row(new_command) \
  row(optimize_command) \
  row(pathfinder_command) \
  row(plot_command) \
  row(ppc_command) \
  row(predict_command) \
  row(ready_command) \
  row(regression_command) \
  row(report_command) \
  row(resume_command) \
  row(run_command) \
  row(sample_command) \
  row(samplers_command) \
  row(sbc_command) \
  row(score_command) \
  row(select_command) \
  row(sensitivity_command) \
  row(series_command) \
  row(simulate_command) \
  row(smooth_command) \
  row(summary_command) \
  row(topics_command) \
  row(watch_command)
// clang-format on

namespace credo::cli {
using Row = CommandRow;
CREDO_ROWS(CREDO_DECLARE_ROW)

std::span<const CommandRow* const> commands() {
  static constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return kRows;
}

}  // namespace credo::cli
