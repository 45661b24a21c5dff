// Rows of the likelihood as the program computes them itself: the elements of a generated quantity
// called log_lik, where the statements of the model block don't tell (docs/design/queries.md).
#include "base/error.hpp"
#include "model/model.hpp"

namespace credo::model {
namespace typed = lang::typed;
namespace {
constexpr const char* kName = "log_lik";

// The statement that declares it.
std::int32_t declaration_of(const typed::Program& program) {
  for (const typed::Statement& s : program.generated_quantities.statements) {
    const auto* d = std::get_if<typed::Declaration>(&s.node);
    if (d != nullptr && d->name == kName) return s.id;
  }
  return 0;
}
}  // namespace

std::vector<Index> Model::log_lik_columns() const {
  const std::optional<Index> variable = outputs_.find_variable(kName);
  if (!variable || declaration_of(source_->program) == 0) return {};
  std::vector<Index> columns(
      static_cast<std::size_t>(outputs_.variables()[static_cast<std::size_t>(*variable)].size()));
  std::iota(columns.begin(), columns.end(), outputs_.first(*variable));
  return columns;
}

// The same from two seeds: no random number enters.
bool Model::is_random(std::span<const double> point, const std::vector<Index>& columns) const {
  std::vector<std::vector<double>> rows;
  for (const std::uint32_t k : {0U, 1U}) {
    Rng rng({.seed = options_.seed, .purpose = purpose::kGenerated, .chain = 0, .iteration = k});
    rows.push_back(write(point, rng, nullptr, {.density_prints = false, .columns = columns}));
  }
  return rows[0] != rows[1];
}

density::Capability Model::answer_log_lik(std::span<const double> point,
                                          const density::Capability& of_statements) const {
  density::Capability answer = of_statements;
  const std::vector<Index> columns = log_lik_columns();
  const bool is_whole = options_.query.terms == density::Terms::all && options_.query.batch == 0;
  if (columns.empty() || !is_whole || discrete_.size() > 0) {
    answer.hint += "; or compute the rows in generated quantities, as `vector[N] log_lik`";
    return answer;
  }
  if (!is_random(point, columns)) return {};
  return {.can = false,
          .reason = "random numbers enter log_lik",
          .where = source_->where(declaration_of(source_->program)),
          .hint = "compute it from parameters and data alone"};
}

// The machine has run the model block.
void Model::take_log_lik(graph::Traced& traced, lang::Machine& machine,
                         TracedDensity& result) const {
  const std::vector<Index> columns = log_lik_columns();
  machine.run(typed::BlockKind::generated_quantities);
  traced.outputs = {outputs_as_row(machine, *traced.graph, {.columns = columns})};
  result.rows = {{declaration_of(source_->program), ssize(columns)}};
  result.num_rows = ssize(columns);
  result.summed_statements.clear();
}

}  // namespace credo::model
