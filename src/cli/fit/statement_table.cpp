#include "cli/fit/statement_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/term/terminal.hpp"
#include "io/json_writer.hpp"
#include "model/statements/statements.hpp"

namespace credo::cli {
namespace {
using lang::typed::Expression;
using model::ModelStatement;
using model::ProgramSource;
using model::RowRange;

// ---- texts of the parts of an entry

// Source text of a range, on one line.
std::string text_in(const ProgramSource& program, lang::SourceRange range) {
  std::string text;
  for (const char c : program.source.text(range)) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return text;
}
std::string text_in(const ProgramSource& program, const Expression* e) {
  return e == nullptr ? "" : text_in(program, e->range);
}

std::string row_range_text(const ProgramSource& program, const RowRange& range) {
  if (range.last == nullptr) return "?";
  const std::string last = text_in(program, range.last);
  const std::string first = text_in(program, range.first);
  return first.empty() || first == "1" ? last : first + ":" + last;
}

std::vector<std::string> row_texts(const ProgramSource& program, const ModelStatement& entry) {
  std::vector<std::string> texts;
  for (const RowRange& range : entry.rows) texts.push_back(row_range_text(program, range));
  return texts;
}

// "normal", "normal_lccdf" of a tail, "own" of the program's own_lpdf; empty: by hand.
std::string distribution_name(const ModelStatement& entry) {
  if (entry.density == nullptr) return "";
  const std::string name(entry.density->function.name);
  return entry.is_tail ? name : name.substr(0, name.rfind('_'));
}

std::string distribution_text(const ProgramSource& program, const ModelStatement& entry) {
  if (entry.density == nullptr) return "by hand";
  std::vector<std::string> arguments;
  for (const model::StatementArgument& argument : entry.arguments)
    arguments.push_back(text_in(program, argument.value));
  std::string text = fmt::format("{}({})", distribution_name(entry), fmt::join(arguments, ", "));
  if (entry.lower != nullptr || entry.upper != nullptr)
    text += fmt::format(" T[{}, {}]", text_in(program, entry.lower), text_in(program, entry.upper));
  return text;
}

std::string loop_text(const ProgramSource& program, const model::StatementLoop& loop) {
  const auto& node = loop.loop->node;
  if (const auto* range = std::get_if<lang::typed::ForRange>(&node))
    return row_range_text(program, {&range->first, &range->last});
  if (const auto* each = std::get_if<lang::typed::ForEach>(&node))
    return text_in(program, &each->container);
  return "while " + text_in(program, &std::get<lang::typed::While>(node).condition);
}

std::string condition_text(const ProgramSource& program, const model::StatementCondition& c) {
  const std::string text = text_in(program, c.condition);
  return c.holds ? "if " + text : "if not (" + text + ")";
}

// Remarks on an entry, for properties without a column of their own.
std::vector<std::string> remarks(const ProgramSource& program, const ModelStatement& entry) {
  std::vector<std::string> all;
  if (entry.is_component) all.emplace_back("component");
  for (const Expression* factor : entry.factors)
    all.push_back("with factor " + text_in(program, factor));
  if (entry.is_negative) all.emplace_back("subtracted");
  for (const model::StatementCondition& condition : entry.conditions)
    all.push_back(condition_text(program, condition) +
                  (condition.reads_parameters ? " (reads parameters)" : ""));
  for (const auto* call : entry.calls) all.push_back(fmt::format("in {}", call->function.name));
  if (!entry.reason.empty()) all.push_back(entry.reason);
  return all;
}

// "J x (K - 1)"
std::string product_text(std::span<const std::string> factors) {
  std::string text;
  for (const std::string& factor : factors) {
    const bool is_sum = factors.size() > 1 && factor.find(' ') != std::string::npos;
    text += (text.empty() ? "" : " x ") + (is_sum ? "(" + factor + ")" : factor);
  }
  return text;
}

// ---- the table

using StatementLine = std::array<std::string, 6>;

StatementLine line_of(const ProgramSource& program, const ModelStatement& entry) {
  const std::vector<std::string> rows = row_texts(program, entry);
  const bool is_formula = entry.density == nullptr;
  return {program.source.where(entry.range),
          std::string(to_string(entry.kind)),
          is_formula ? text_in(program, entry.range) : text_in(program, entry.outcome.expression),
          distribution_text(program, entry),
          rows.empty() ? "1" : product_text(rows),
          fmt::format("{}", fmt::join(remarks(program, entry), "; "))};
}

std::string table_of(std::span<const StatementLine> lines) {
  std::array<std::size_t, 6> widths{};
  for (const StatementLine& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  std::string text;
  for (const StatementLine& line : lines) {
    std::string row;
    for (std::size_t k = 0; k < line.size(); ++k)
      row += fmt::format("  {:<{}}", line[k], k + 1 < line.size() ? widths[k] : 0);
    row.resize(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

// ---- JSON

void write_outcome(const ProgramSource& program, const ModelStatement& entry,
                   io::JsonWriter& json) {
  const model::StatementOutcome& outcome = entry.outcome;
  json.key("outcome").begin_object();
  json.key("text").string(text_in(program, outcome.expression));
  json.key("source").string(to_string(outcome.source));
  json.key("selection").string(to_string(outcome.selection));
  if (outcome.variable != nullptr) json.key("variable").string(outcome.variable->name);
  json.end_object();
}

void write_distribution(const ProgramSource& program, const ModelStatement& entry,
                        io::JsonWriter& json) {
  json.key("distribution").string(distribution_name(entry));
  json.key("defined_by").string(entry.distribution != nullptr ? "language" : "program");
  json.key("is_tail").boolean(entry.is_tail);
  json.key("arguments").begin_array();
  for (const model::StatementArgument& argument : entry.arguments)
    json.begin_object()
        .key("role")
        .string(argument.role)
        .key("text")
        .string(text_in(program, argument.value))
        .end_object();
  json.end_array();
  if (entry.lower != nullptr) json.key("lower").string(text_in(program, entry.lower));
  if (entry.upper != nullptr) json.key("upper").string(text_in(program, entry.upper));
}

void write_surroundings(const ProgramSource& program, const ModelStatement& entry,
                        io::JsonWriter& json) {
  json.key("rows").begin_array();
  for (const std::string& range : row_texts(program, entry)) json.string(range);
  json.end_array().key("loops").begin_array();
  for (const model::StatementLoop& loop : entry.loops)
    json.begin_object()
        .key("over")
        .string(loop_text(program, loop))
        .key("fills_components")
        .boolean(loop.fills_components)
        .end_object();
  json.end_array().key("conditions").begin_array();
  for (const model::StatementCondition& condition : entry.conditions)
    json.begin_object()
        .key("text")
        .string(text_in(program, condition.condition))
        .key("holds")
        .boolean(condition.holds)
        .key("reads_parameters")
        .boolean(condition.reads_parameters)
        .end_object();
  json.end_array().key("calls").begin_array();
  for (const auto* call : entry.calls) json.string(call->function.name);
  json.end_array();
}

void write_sources(const ProgramSource& program, const ModelStatement& entry,
                   io::JsonWriter& json) {
  json.key("parameters").begin_array();
  for (const int slot : entry.sources.parameters)
    json.string(program.program.globals[static_cast<std::size_t>(slot)].name);
  json.end_array().key("reads_data").boolean(entry.sources.reads_data);
}

void write_entry(const ProgramSource& program, const ModelStatement& entry, io::JsonWriter& json) {
  json.line_break().begin_object();
  json.key("where").string(program.source.where(entry.range));
  json.key("statement").string(program.where(entry.statement));
  json.key("kind").string(to_string(entry.kind));
  if (entry.density != nullptr) {
    write_outcome(program, entry, json);
    write_distribution(program, entry, json);
  } else {
    json.key("text").string(text_in(program, entry.range));
    json.key("reason").string(entry.reason);
  }
  write_surroundings(program, entry, json);
  json.key("factors").begin_array();
  for (const Expression* factor : entry.factors) json.string(text_in(program, factor));
  json.end_array();
  json.key("is_component").boolean(entry.is_component);
  json.key("is_subtracted").boolean(entry.is_negative);
  write_sources(program, entry, json);
  json.end_object();
}
}  // namespace

std::string statements_text(const ProgramSource& program) {
  std::vector<StatementLine> lines{{"place", "kind", "outcome", "distribution", "rows", ""}};
  for (const ModelStatement& entry : model::model_statements(program.program))
    lines.push_back(line_of(program, entry));
  if (lines.size() == 1) return fmt::format("{}: no density is stated\n", program.name);
  return fmt::format("{}:\n{}", program.name, visible(table_of(lines)));
}

std::string statements_json(const ProgramSource& program) {
  io::JsonWriter json;
  json.begin_object().key("name").string(program.name).key("statements").begin_array();
  for (const ModelStatement& entry : model::model_statements(program.program))
    write_entry(program, entry, json);
  return json.end_array().end_object().text() + "\n";
}

}  // namespace credo::cli
