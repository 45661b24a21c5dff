#include "cli/fit/statement_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/term/terminal.hpp"
#include "model/statements/statements.hpp"
#include "results/arrays/answer_json.hpp"

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

using StatementLine = std::vector<std::string>;

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

}  // namespace

std::string statements_text(const ProgramSource& program) {
  std::vector<StatementLine> lines{{"place", "kind", "outcome", "distribution", "rows", ""}};
  for (const ModelStatement& entry : model::model_statements(program.program))
    lines.push_back(line_of(program, entry));
  if (lines.size() == 1) return fmt::format("{}: no density is stated\n", program.name);
  return fmt::format("{}:\n{}", program.name, visible(text_columns(lines, "  ")));
}

std::string statements_json(const ProgramSource& program) {
  using Entry = ModelStatement;
  const std::vector<Entry> all = model::model_statements(program.program);
  const auto text = [&](const auto* e) { return text_in(program, e); };
  results::ArrayList answer;
  answer.set("name", program.name);
  auto add = answer.add_rows("statements", all).columns(all, results::Missing::left_out);
  add("where", [&](const Entry& e) { return program.source.where(e.range); });
  add("statement", [&](const Entry& e) { return program.where(e.statement); });
  add("kind", [](const Entry& e) { return to_string(e.kind); });
  // Nothing for formulas, which have neither outcome nor distribution.
  const auto add_stated = [&](const std::string& name, auto text_of) {
    add(name, [=](const Entry& e) {
      return e.density == nullptr ? std::string() : std::string(text_of(e));
    });
  };
  add_stated("outcome.text", [&](const Entry& e) { return text(e.outcome.expression); });
  add_stated("outcome.source", [](const Entry& e) { return to_string(e.outcome.source); });
  add_stated("outcome.selection", [](const Entry& e) { return to_string(e.outcome.selection); });
  add_stated("outcome.variable", [](const Entry& e) {
    return e.outcome.variable == nullptr ? "" : e.outcome.variable->name;
  });
  add_stated("distribution", distribution_name);
  add_stated("defined_by",
             [](const Entry& e) { return e.distribution != nullptr ? "language" : "program"; });
  add("text", [&](const Entry& e) { return e.density ? "" : text_in(program, e.range); });
  add("reason", &Entry::reason);
  add("lower", [&](const Entry& e) { return text(e.lower); });
  add("upper", [&](const Entry& e) { return text(e.upper); });
  add("is_tail", &Entry::is_tail), add("is_component", &Entry::is_component);
  add("is_subtracted", &Entry::is_negative);
  add("reads_data", [](const Entry& e) { return e.sources.reads_data; });
  const auto rows_within = [&](const std::string& name, const auto& rows) {
    return answer.add_rows(name, rows, {.of = "statements"}).columns(rows);
  };
  const auto arguments = results::elements_within(all, &Entry::arguments);
  auto add_argument = rows_within("arguments", arguments);
  add_argument("role", &model::StatementArgument::role);
  add_argument("text", [&](const model::StatementArgument& a) { return text(a.value); });
  const auto loops = results::elements_within(all, &Entry::loops);
  auto add_loop = rows_within("loops", loops);
  add_loop("over", [&](const model::StatementLoop& loop) { return loop_text(program, loop); });
  add_loop("fills_components", &model::StatementLoop::fills_components);
  const auto conditions = results::elements_within(all, &Entry::conditions);
  auto add_condition = rows_within("conditions", conditions);
  add_condition("text", [&](const model::StatementCondition& c) { return text(c.condition); });
  add_condition("holds", &model::StatementCondition::holds);
  add_condition("reads_parameters", &model::StatementCondition::reads_parameters);
  const auto add_texts = [&](const std::string& key, auto list_of, auto text_of) {
    answer.add_lists("statements", key, results::elements_within(all, [=](const Entry& e) {
                       std::vector<std::string> texts;
                       for (const auto& part : e.*list_of) texts.emplace_back(text_of(part));
                       return texts;
                     }));
  };
  add_texts("rows", &Entry::rows, [&](const RowRange& r) { return row_range_text(program, r); });
  add_texts("calls", &Entry::calls, [](const auto* call) { return call->function.name; });
  add_texts("factors", &Entry::factors, text);
  answer.add_lists(
      "statements", "parameters", results::elements_within(all, [&](const Entry& e) {
        std::vector<std::string> names;
        for (const int slot : e.sources.parameters)
          names.push_back(program.program.globals[static_cast<std::size_t>(slot)].name);
        return names;
      }));
  return answer_json(answer);
}

}  // namespace credo::cli
