// Questions of credo information: each makes a report.
#pragma once
#include "cli/tables/information_report.hpp"

namespace credo::cli {

struct InformationQuestion {
  const models::EntropyEstimator* estimator = nullptr;  // for levels
  models::DependenceOptions options = {};
  bool in_bits = false;
  Index num_states = 0;  // states of a column, if it has more than were seen
};

// H of each column, of all together, and of each given those before it; the table of its states, too, if there is one column.
InformationReport entropies(const InformationQuestion& question,
                            std::span<const models::LevelColumn> columns);
// I(first; second), and where there is a condition I(first; second | given) with the parts of the chain rule.
InformationReport dependence(const InformationQuestion& question,
                             std::span<const models::LevelColumn> columns);
// I(first; second) of numbers; `by_kernels`: by densities of kernels instead of neighbours.
InformationReport dependence(const InformationQuestion& question,
                             std::span<const models::NumberColumn> columns, bool by_kernels);
InformationReport words(const InformationQuestion& question, const models::LevelColumn& column,
                        Index length);
// Divergences between the distributions of a column in two tables: shares of rows.
InformationReport divergences(const InformationQuestion& question,
                              const models::LevelColumn& column, const models::LevelColumn& other,
                              double alpha);
// Capacity and the decoder with the least error, for the distribution of the inputs that carries the capacity, or a given one.
InformationReport carried_by(const InformationQuestion& question, const models::Channel& channel,
                             std::vector<std::string> inputs, std::vector<std::string> outputs,
                             std::vector<double> input_distribution);

}  // namespace credo::cli
