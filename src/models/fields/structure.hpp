// Structures of labels: which rows of a sequence interact, a row of a table for each one.
//
//   chain, memm                 each row with the next one
//   fat(a, b)                   two labels a row: both chains, and both labels of a row
//   skip(column)                a chain, and each row with the next one that has the same text
//   tree(column)                each row with its head, whose number in the sequence the column has; 0: a root
//   grid(row, column)           each cell with its neighbours on the right and below
//   dense(x, y, width = w)      all pairs, weighted by exp(-½ distance² / w²)
//   parts(column, spring = s)   a tree as above; labels are places on a line, and pairs have the score -s (difference of places)²
//   grammar                     binary trees by the rules of a file, over the whole sequence
#pragma once
#include "models/fields/field.hpp"
#include "models/fields/label_table.hpp"
#include "models/formula/expression.hpp"

namespace credo::models {

// Pairs of labels that one kind of edge scores.
struct PairType {
  std::string name;
  Index from = 0, to = 0;     // numbers of the label columns
  bool is_symmetric = false;  // pairs (a, b) and (b, a) have one score
  bool is_move = false;       // from one row to a later one: pairs may be forbidden by --scheme
  bool may_forbid = true;     // by --forbid; both labels are of one column then
  std::vector<std::string> rules = {};  // names of rules, which have scores in the place of pairs
  std::vector<double> fixed = {};       // scores to which weights are added; empty: 0
};

class LabelStructure;
struct StructureRow {
  std::string_view name, words, use;  // use: "skip(word)"
  Index least_columns = 0, most_columns = 0;
  Index num_label_columns = 1;
  std::string_view number = {};  // name of its number: "width"
  bool may_forbid = true;        // pairs may be forbidden
  std::vector<PairType> (*types)();
  // Adds the edges of a sequence to its graph, whose nodes are there. Throws Error(data) with the row.
  void (*add_edges)(const LabelStructure& own, LabelTable& table, const RowRange& range,
                    FieldGraph& to);
};
std::span<const StructureRow> structure_rows();

class LabelStructure {
 public:
  // Throws Error(usage) for a text that is no structure.
  explicit LabelStructure(const std::string& text);

  const StructureRow& row() const { return *row_; }
  std::string text() const;
  const std::vector<std::string>& columns() const { return columns_; }
  double number() const { return number_; }
  bool is(std::string_view name) const { return row_->name == name; }

 private:
  const StructureRow* row_ = nullptr;
  std::vector<std::string> columns_;
  double number_ = 1.0;
};

// The graph of a sequence: a node for each label column of each row, in this order.
FieldGraph graph_of(const LabelStructure& structure, LabelTable& table, const RowRange& range,
                    std::span<const Index> num_labels);

}  // namespace credo::models
