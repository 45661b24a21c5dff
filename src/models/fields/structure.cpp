#include "models/fields/structure.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "numerics/elementary.hpp"

namespace credo::models {
namespace {

void add_chain(const LabelStructure& /*own*/, LabelTable& /*table*/, const RowRange& range,
               FieldGraph& to) {
  for (Index t = 0; t + 1 < range.length; ++t) to.edges.push_back({.from = t, .to = t + 1});
}

void add_fat_chain(const LabelStructure& /*own*/, LabelTable& /*table*/, const RowRange& range,
                   FieldGraph& to) {
  for (Index t = 0; t < range.length; ++t) {
    to.edges.push_back({.from = 2 * t, .to = 2 * t + 1, .type = 2});
    if (t + 1 == range.length) break;
    for (Index k = 0; k < 2; ++k)
      to.edges.push_back({.from = 2 * t + k, .to = 2 * t + 2 + k, .type = k});
  }
}

void add_skips(const LabelStructure& own, LabelTable& table, const RowRange& range,
               FieldGraph& to) {
  add_chain(own, table, range, to);
  const LabelColumn& column = table.texts(own.columns()[0], true);
  std::map<std::int32_t, Index> last;
  for (Index t = 0; t < range.length; ++t) {
    if (column.is_missing(range.first + t)) continue;
    const std::int32_t code = column.codes[static_cast<std::size_t>(range.first + t)];
    if (const auto before = last.find(code); before != last.end())
      to.edges.push_back({.from = before->second, .to = t, .type = 1});
    last[code] = t;
  }
}

// Whole number in a row; `most` included.
Index number_at(const LabelColumn& column, Index row, Index most) {
  const double x = column.numbers[static_cast<std::size_t>(row)];
  if (x == std::floor(x) && x >= 0.0 && x <= static_cast<double>(most))
    return static_cast<Index>(x);
  throw Error(ErrorCode::data, fmt::format("{} is {} in row {}", column.name, x, row + 1),
              column.where(row), fmt::format("whole numbers from 0 to {} are needed", most));
}

void add_tree(const LabelStructure& own, LabelTable& table, const RowRange& range, FieldGraph& to) {
  const LabelColumn& column = table.numbers(own.columns()[0]);
  for (Index t = 0; t < range.length; ++t) {
    const Index head = number_at(column, range.first + t, range.length);
    if (head == 0) continue;
    if (head == t + 1)
      throw Error(
          ErrorCode::data,
          fmt::format("row {} is its own head ({} {})", range.first + t + 1, column.name, head),
          column.where(range.first + t), "heads count the rows of a sequence from 1; 0: no head");
    to.edges.push_back({.from = head - 1, .to = t});
  }
  if (!is_forest(to))
    throw Error(
        ErrorCode::data,
        fmt::format("the heads of the sequence that begins with row {} go round in a circle",
                    range.first + 1),
        column.where(range.first), "at least one row of each sequence has head 0");
}

void add_grid(const LabelStructure& own, LabelTable& table, const RowRange& range, FieldGraph& to) {
  constexpr Index kMost = 1000000;
  const LabelColumn &rows = table.numbers(own.columns()[0]),
                    &cols = table.numbers(own.columns()[1]);
  std::map<std::pair<Index, Index>, Index> cells;
  for (Index t = 0; t < range.length; ++t) {
    const std::pair<Index, Index> cell{number_at(rows, range.first + t, kMost),
                                       number_at(cols, range.first + t, kMost)};
    if (!cells.emplace(cell, t).second)
      throw Error(ErrorCode::data,
                  fmt::format("cell ({}, {}) is there twice, in rows {} and {}", cell.first,
                              cell.second, range.first + cells[cell] + 1, range.first + t + 1),
                  rows.where(range.first + t),
                  "a grid has a row for each cell; several grids need --by");
  }
  for (const auto& [cell, t] : cells) {
    const auto right = cells.find({cell.first, cell.second + 1}),
               below = cells.find({cell.first + 1, cell.second});
    if (right != cells.end()) to.edges.push_back({.from = t, .to = right->second});
    if (below != cells.end()) to.edges.push_back({.from = t, .to = below->second, .type = 1});
  }
}

void add_all_pairs(const LabelStructure& own, LabelTable& table, const RowRange& range,
                   FieldGraph& to) {
  constexpr Index kMost = 3000;
  if (range.length > kMost)
    throw Error(ErrorCode::data,
                fmt::format("the sequence that begins with row {} has {} rows", range.first + 1,
                            range.length),
                table.path(),
                fmt::format("dense structures take up to {} rows of a sequence", kMost));
  std::vector<const LabelColumn*> columns;
  for (const std::string& name : own.columns()) columns.push_back(&table.numbers(name));
  for (Index i = 0; i < range.length; ++i)
    for (Index j = i + 1; j < range.length; ++j) {
      double square = 0.0;
      for (const LabelColumn* column : columns) {
        const double step = column->numbers[static_cast<std::size_t>(range.first + i)] -
                            column->numbers[static_cast<std::size_t>(range.first + j)];
        square += step * step;
      }
      to.edges.push_back({.from = i,
                          .to = j,
                          .weight = numerics::exp(-0.5 * square / (own.number() * own.number()))});
    }
}

std::vector<PairType> chain_types() { return {{.name = "next row", .is_move = true}}; }
std::vector<PairType> fat_types() {
  return {{.name = "next row, first label", .is_move = true},
          {.name = "next row, second label", .from = 1, .to = 1, .is_move = true},
          {.name = "both labels of a row", .from = 0, .to = 1, .may_forbid = false}};
}
std::vector<PairType> skip_types() {
  return {{.name = "next row", .is_move = true}, {.name = "same text", .may_forbid = false}};
}
std::vector<PairType> tree_types() { return {{.name = "head and row"}}; }
std::vector<PairType> grid_types() { return {{.name = "on the right"}, {.name = "below"}}; }
void add_no_edges(const LabelStructure& /*own*/, LabelTable& /*table*/, const RowRange& /*range*/,
                  FieldGraph& /*to*/) {}

std::vector<PairType> part_types() { return {{.name = "head and row"}}; }
std::vector<PairType> grammar_types() { return {{.name = "rule"}}; }
std::vector<PairType> dense_types() { return {{.name = "all pairs", .is_symmetric = true}}; }

constexpr StructureRow kRows[] = {
    {.name = "chain",
     .words = "each row with the next one; exact",
     .use = "chain",
     .types = chain_types,
     .add_edges = add_chain},
    {.name = "memm",
     .words = "a chain of conditionals that are normalised one by one; exact, with label bias",
     .use = "memm",
     .types = chain_types,
     .add_edges = add_chain},
    {.name = "fat",
     .words = "two labels a row: both chains, and both labels of each row; exact",
     .use = "fat(a, b)",
     .least_columns = 2,
     .most_columns = 2,
     .num_label_columns = 2,
     .types = fat_types,
     .add_edges = add_fat_chain},
    {.name = "skip",
     .words = "a chain, and each row with the next one that has the same text",
     .use = "skip(word)",
     .least_columns = 1,
     .most_columns = 1,
     .types = skip_types,
     .add_edges = add_skips},
    {.name = "tree",
     .words =
         "each row with its head: the column has the head's number in the sequence, or 0; exact",
     .use = "tree(head)",
     .least_columns = 1,
     .most_columns = 1,
     .types = tree_types,
     .add_edges = add_tree},
    {.name = "grid",
     .words = "each cell with its neighbours",
     .use = "grid(row, column)",
     .least_columns = 2,
     .most_columns = 2,
     .types = grid_types,
     .add_edges = add_grid},
    {.name = "dense",
     .words = "all pairs, less the further apart they are; mean field",
     .use = "dense(x, y, width = 3)",
     .least_columns = 1,
     .most_columns = 20,
     .number = "width",
     .may_forbid = false,
     .types = dense_types,
     .add_edges = add_all_pairs},
    {.name = "parts",
     .words = "a tree of parts with springs: labels are places on a line; exact",
     .use = "parts(head, spring = 0.5)",
     .least_columns = 1,
     .most_columns = 1,
     .number = "spring",
     .may_forbid = false,
     .types = part_types,
     .add_edges = add_tree},
    {.name = "grammar",
     .words = "binary trees by the rules of --rules; exact",
     .use = "grammar",
     .may_forbid = false,
     .types = grammar_types,
     .add_edges = add_no_edges},
};

std::string structure_uses() {
  std::string text;
  for (const StructureRow& row : kRows) text += (text.empty() ? "" : ", ") + std::string(row.use);
  return text;
}

[[noreturn]] void refuse_structure(const std::string& message) {
  throw Error(ErrorCode::usage, message, "--structure", "structures are " + structure_uses());
}
}  // namespace

std::span<const StructureRow> structure_rows() { return kRows; }

LabelStructure::LabelStructure(const std::string& text) {
  FormulaFaults faults;
  const Formula formula = parse_formula("labels ~ " + text, faults);
  if (!faults.empty() || formula.parts.size() != 1)
    refuse_structure(fmt::format("'{}' is no structure", text));
  const Expression& e = formula.parts[0].right;
  const bool is_name = e.kind == Expression::Kind::name || e.kind == Expression::Kind::call;
  for (const StructureRow& row : kRows)
    if (is_name && row.name == e.word) row_ = &row;
  if (row_ == nullptr) {
    std::vector<std::string> names;
    for (const StructureRow& row : kRows) names.emplace_back(row.name);
    const std::string near = is_name ? did_you_mean(e.word, names) : "";
    refuse_structure(
        fmt::format("there is no structure {}{}", text, near.empty() ? "" : "; " + near));
  }
  for (std::size_t k = 0; k < e.parts.size(); ++k) {
    const Expression& part = e.parts[k];
    if (!row_->number.empty() && e.labels[k] == row_->number &&
        part.kind == Expression::Kind::number)
      number_ = std::stod(part.word);
    else if (!e.labels[k].empty() || part.kind != Expression::Kind::name)
      refuse_structure(fmt::format("'{}' is no column of {}", part.text(), row_->use));
    else
      columns_.push_back(part.word);
  }
  if (!(number_ > 0.0)) refuse_structure(fmt::format("{} is a positive number", row_->number));
  if (ssize(columns_) < row_->least_columns || ssize(columns_) > row_->most_columns)
    refuse_structure(fmt::format("'{}' has {} column{}; {} is used so: {}", text, columns_.size(),
                                 columns_.size() == 1 ? "" : "s", row_->name, row_->use));
}

std::string LabelStructure::text() const {
  if (columns_.empty()) return std::string(row_->name);
  return fmt::format("{}({}{})", row_->name, fmt::join(columns_, ", "),
                     row_->number.empty() ? "" : fmt::format(", {} = {}", row_->number, number_));
}

FieldGraph graph_of(const LabelStructure& structure, LabelTable& table, const RowRange& range,
                    std::span<const Index> num_labels) {
  FieldGraph made;
  for (Index t = 0; t < range.length; ++t)
    for (const Index count : num_labels) made.add_node(count);
  structure.row().add_edges(structure, table, range, made);
  return made;
}

}  // namespace credo::models
