// A log-linear field from a formula and a table: features, labels, structure and rules, and the same for other tables.
#pragma once
#include "models/fields/features.hpp"
#include "models/fields/grammar.hpp"
#include "models/fields/structure.hpp"

namespace credo::models {

// Weights are those of features, for each one its labels (of all label columns), then the tables of pairs, type by type.
struct LabelSet {
  std::string column;
  std::vector<std::string> names;
};

struct LabelRequest {
  std::string formula;  // "label ~ word + suffix(word, 3)"
  std::string by = {};  // column of sequences; empty: the table is one
  std::string structure = "chain";
  bool pairs_seen = false;  // only pairs of the training table have weights; others have 0
  bool is_bio = false;      // labels O, B-x, I-x: I-x follows B-x or I-x alone
  std::vector<std::string> forbidden = {};  // "FROM,TO"
  Index min_count = 1;
  double exact_states = 4096.0;             // largest table of exact sums over graphs with cycles
  std::string rules = {}, rules_path = {};  // a grammar's file: its text and name
  std::string scores =
      {};  // columns PREFIX + label have scores that are added to those of the features
  bool is_given = false;  // no weights: scores and rules are all there is
  Index num_steps = 0;    // of mean field in dense structures; 0: to convergence
};

// A table with its features and graphs.
struct LabelData {
  std::vector<RowRange> sequences;
  std::vector<std::string> names;  // sequences' names
  std::vector<FieldGraph> graphs;
  FeatureRows rows;
  std::vector<Index> labels;    // row after row; empty: the table has no labels
  std::vector<double> offsets;  // row after row, for each label; empty: none
  Index num_rows() const { return rows.num_rows(); }
};

struct LabelModel {
  LabelRequest request;
  LabelStructure structure{"chain"};
  std::vector<LabelSet> sets;
  FeatureList features;
  std::vector<PairType> types;
  std::shared_ptr<const Grammar> grammar = nullptr;
  std::vector<double> places = {};           // labels' places on a line, for parts
  std::vector<std::vector<char>> forbidden;  // by type and pair
  std::vector<std::vector<char>> is_unseen;  // the same: the score of the pair is 0
  std::vector<char> forbidden_first;         // labels (of all sets) that begin no sequence

  Index num_labels() const;  // all sets together
  std::vector<Index> sizes() const;
  Index pair_size(std::size_t type) const;
  Index num_weights() const;
  Index first_pair(std::size_t type) const;  // place of its weights
  // "O -> B-PER".
  std::string pair_name(std::size_t type, Index place) const;
  std::string label_name(Index label) const;  // label: a number over all sets
};

// Throws Error(data) and Error(usage).
LabelModel make_label_model(const LabelRequest& request, LabelTable& table, LabelData& data);
// The rows of another table. With `with_labels` its labels are read: those that the model doesn't know are Error(data).
LabelData read_label_data(const LabelModel& model, LabelTable& table, bool with_labels,
                          UnknownFeatures& unknown);

// A model as a file keeps it.
struct KeptLabelModel {
  LabelRequest request;
  std::string terms;  // right side of a formula with the terms of the fit
  std::vector<LabelSet> sets;
  std::vector<std::string> features, text_columns;
  std::map<std::string, ColumnScale> scales;
};
KeptLabelModel kept_label_model(const LabelModel& model);
LabelModel restored_label_model(const KeptLabelModel& kept);
// Marks the pairs that had no weight in the fit, whose weights are exactly 0: draws of weights leave them so. `weights`: those of the fit,
// num_weights() of them.
void restore_unseen_pairs(LabelModel& model, std::span<const double> weights);

// The first forbidden pair or beginning of labels that stand in a table: a sentence with rows; empty without one.
std::string forbidden_in(const LabelModel& model, const LabelData& data, std::size_t sequence);

// Scores of pairs with these weights.
std::vector<PairTable> pair_tables(const LabelModel& model, std::span<const double> weights);
// The columns that a formula's left side names.
std::vector<std::string> label_columns(const std::string& formula);

}  // namespace credo::models
