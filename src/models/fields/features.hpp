// Features of tokens from the terms of a formula: label ~ word + suffix(word, 3) + prev(word) + x.
//
//   word, factor(x)         a feature for each text: 1 where the cell is this text
//   suffix(word, n), prefix(word, n), lower(word), shape(word)       the same for a part or form of the text
//   prev(term [, k]), next(term [, k])       the term k rows before or behind, within the sequence; <start>, <end> beyond it
//   first(), last()         1 at the first or last row of a sequence
//   x                       a column of numbers, less its mean and divided by its standard deviation
//   a:b                     both at once: a feature for each pair of texts
#pragma once
#include <set>

#include "models/fields/label_table.hpp"
#include "models/formula/expression.hpp"

namespace credo::models {

struct FeatureFactor {
  enum class Kind { text, suffix, prefix, lower, shape, number, first, last };
  Kind kind = Kind::text;
  std::string column = {};
  Index length = 0;  // letters of suffix and prefix
  Index shift = 0;   // rows behind this one
  bool uses_text() const { return kind <= Kind::shape; }
};

struct FeatureTerm {
  std::string text;  // "suffix(word, 3)"
  std::vector<FeatureFactor> factors;
};

struct FeatureTerms {
  bool has_intercept = true;  // a feature that is 1 in all rows
  std::vector<FeatureTerm> terms;
};

// Throws Error(usage) for a term that isn't one. `is_text` says whether a column has texts and refuses one that isn't there;
// `dot_columns` are those for which . stands.
FeatureTerms read_feature_terms(const Expression& right,
                                const std::function<bool(const std::string&)>& is_text,
                                const std::vector<std::string>& dot_columns);

// Centre and scale of a column of numbers.
struct ColumnScale {
  double mean = 0.0, sd = 1.0;
};

// The features of each row: places in a list of features, and values.
struct FeatureRows {
  std::vector<std::size_t> first = {0};  // by row; one more: the end
  std::vector<std::int32_t> features = {};
  std::vector<double> values = {};
  Index num_rows() const { return ssize(first) - 1; }
};

struct FeatureList {
  FeatureTerms terms;
  std::map<std::string, ColumnScale> scales = {};
  std::vector<std::string> names = {};
  std::unordered_map<std::string, std::int32_t> places = {};
  Index num_rare = 0;  // features left out, since too few rows have them

  void add(const std::string& name);
};

struct UnknownFeatures {
  Index num_cells = 0;  // cells of terms without a known feature
  std::map<std::string, std::set<std::string>> texts =
      {};  // by column: texts that no row of the training table has
};

// Learns scales and features that at least `min_count` rows have, in the order in which they appear.
FeatureRows learn_features(FeatureList& list, LabelTable& table,
                           std::span<const RowRange> sequences, Index min_count);
// Rows of another table. Features that aren't in the list are left out and counted.
FeatureRows features_of(const FeatureList& list, LabelTable& table,
                        std::span<const RowRange> sequences, UnknownFeatures& unknown);

// "Xx-d" of "McDonald-12": capital letters X, other letters x, digits d, repeated ones once.
std::string shape_of(std::string_view text);
// The first or last `count` characters (UTF-8); shorter texts as a whole.
std::string prefix_of(std::string_view text, Index count);
std::string suffix_of(std::string_view text, Index count);

}  // namespace credo::models
