#include "model/data/program_table.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data/settled_table.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

bool follows_states(const ProgramSource& source) {
  return std::ranges::any_of(source.program.functions, [](const typed::Function& f) {
    return f.name.starts_with("observation_lp");
  });
}

bool takes_gaps(const ProgramSource& source) {
  const auto asks = [&](const lang::SourceRange& range) {
    return source.source.text(range).find("is_nan(") != std::string_view::npos;
  };
  return follows_states(source) || std::ranges::any_of(source.program.statement_ranges, asks);
}

void require_use_of_gaps(const ProgramSource& source, const io::DataTable& table) {
  if (takes_gaps(source)) return;
  for (const std::string& name : declared_data(source.program)) {
    const io::DataValue* value = table.find(name);
    if (value == nullptr || value->column == nullptr || value->column->gaps.empty()) continue;
    const io::ColumnFacts& column = *value->column;
    throw Error(
        ErrorCode::data,
        fmt::format("variable {}: {} has no value in row {}, and the program has no function "
                    "observation_lpdf, which takes a gap for a time without an outcome",
                    name, column.lines == nullptr ? name : "column " + column.name,
                    column.gaps.front() / column.width + 1),
        column.where(column.gaps.front()),
        "--missing drop leaves out the rows that lack a value (docs/data.md, Missing values)");
  }
}

// Without the row that is left out, the times before and after it would count as neighbours.
void note_lost_times(io::DataTable& table) {
  const std::vector<io::DataNote> notes = table.notes();
  for (const io::DataNote& note : notes)
    if (note.is_loss)
      return table.note({note.variable,
                         "the program has observation_lpdf: if rows are times, --missing nan keeps "
                         "those without an outcome in their place",
                         true});
}
}  // namespace

std::vector<std::string> declared_data(const typed::Program& program) {
  std::vector<std::string> names;
  for (const typed::GlobalVariable& variable : program.globals)
    if (variable.block == typed::BlockKind::data) names.push_back(variable.name);
  return names;
}

io::DataTable table_for(const ProgramSource& source, io::DataTable table) {
  const io::MissingUse missing = table.rules().missing;
  io::DataTable own = io::settled(std::move(table), declared_data(source.program));
  if (missing == io::MissingUse::nan) require_use_of_gaps(source, own);
  if (missing == io::MissingUse::drop && follows_states(source)) note_lost_times(own);
  return own;
}

}  // namespace credo::model
