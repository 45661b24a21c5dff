// The densities that a program adds to its target, in program order, found in the text (docs/design/statements.md).
#pragma once
#include <set>

#include "dist/distribution.hpp"
#include "model/statements/placed_statement.hpp"

namespace credo::model {

enum class OutcomeSource : std::uint8_t {
  data,
  transformed_data,
  parameter,
  transformed_parameter,
  local,
  expression,  // no variable: a number or a formula
};
enum class Selection : std::uint8_t { whole, element, slice, expression };

// The parameters and data from which values are computed, through local variables and transformed parameters. Sizes,
// indices and conditions aren't values.
struct ValueSources {
  std::set<int> parameters = {};  // slots
  std::set<int> in_densities =
      {};  // those in arguments of densities and distribution functions: for a copula
  bool reads_data = false;

  bool reads_parameters() const { return !parameters.empty() || !in_densities.empty(); }
};

struct StatementOutcome {
  const typed::Expression* expression =
      nullptr;  // the outcome as written; null in a term that is written by hand
  Selection selection = Selection::expression;
  OutcomeSource source = OutcomeSource::expression;
  typed::Slot slot{};                         // unless the outcome is an expression
  const typed::Variable* variable = nullptr;  // the same; in a function: the caller's variable
};

struct StatementArgument {
  std::string role;  // "location parameter", or the name in a function of the program
  const typed::Expression* value = nullptr;
};

struct StatementLoop {
  const typed::Statement* loop = nullptr;  // for, for each, while
  bool fills_components = false;           // its rounds are components of a mixture, not rows
};

struct StatementCondition {
  const typed::Expression* condition = nullptr;
  bool holds = true;  // false: the entry is in the other branch
  bool reads_parameters = false;
  bool reads_rows = false;  // elements of data, or values computed from them, decide
};

// A factor of the number of rows: the length of `first:last`. Without `first` it begins at 1; without `last` the
// length isn't stated.
struct RowRange {
  const typed::Expression* first = nullptr;
  const typed::Expression* last = nullptr;
};

enum class StatementKind : std::uint8_t { prior, effects, likelihood, both, unknown };
std::string_view to_string(StatementKind kind);
std::string_view to_string(OutcomeSource source);
std::string_view to_string(Selection selection);

struct ModelStatement {
  std::int32_t statement = 0;   // adds the density to the target
  std::int32_t written_in = 0;  // contains it: another one if a variable or a function is between
  typed::BlockKind block = typed::BlockKind::model;  // block of the statement that adds it
  lang::SourceRange range;                           // of the density or formula
  const typed::Call* density = nullptr;              // null: written by hand
  const dist::Distribution* distribution = nullptr;  // null: a function of the program, or by hand
  const typed::Function* function = nullptr;         // a density that the program defines
  bool is_tail = false;                              // a distribution function of the outcome
  bool is_whole = false;                             // the statement is only this density
  bool is_component = false;  // enters by a mixture or another function of densities
  bool is_negative = false;
  bool adds_increment = false;  // by `target +=`; false: by `~`
  // The parameter of which the whole increment is a density or a mixture of densities, up to constants; -1: none.
  int density_of = -1;
  StatementOutcome outcome;
  std::vector<StatementArgument> arguments;
  const typed::Expression *lower = nullptr, *upper = nullptr;  // bounds of T[,]
  std::vector<const typed::Expression*> factors;               // in front of it
  std::vector<StatementLoop> loops;                            // outermost first
  std::vector<StatementCondition> conditions;
  std::vector<RowRange> rows;  // empty: one row
  std::vector<const typed::Call*>
      calls;  // calls of the program's functions on the way, outermost first
  StatementKind kind = StatementKind::unknown;
  // True for the density of a parameter that has other parameters as arguments, or is on a standard scale that other
  // parameters multiply.
  bool is_of_effects = false;
  ValueSources sources;       // sources of the outcome, or of a term by hand
  ValueSources call_sources;  // of the arguments of the first call
  std::string reason;         // a sentence; empty: outcome, distribution and arguments are known
};

// The program must outlive the list.
std::vector<ModelStatement> model_statements(const typed::Program& program);
// The densities whose logarithms a function of the program returns as a sum: a state-space model needn't call its functions.
std::vector<ModelStatement> function_statements(const typed::Program& program,
                                                const typed::Function& function);

// Reads of the data by the terms that a statement adds. Sizes, indices and conditions aren't values.
struct StatementReads {
  bool value = true;     // the value of an increment, the outcome of `~`
  bool outcome = true;   // the outcome of `~`, or of a density in the increment
  bool mixed = true;     // data and parameters enter one number of such an outcome
  bool decided = false;  // elements of the data decide whether the increment is added
};
// By the statements' numbers. Statements in functions, which may have any arguments, count as reading everything.
std::vector<StatementReads> statement_reads(const typed::Program& program);

}  // namespace credo::model
