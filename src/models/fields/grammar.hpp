// Context-free grammars with scores of rules: sums over all trees of a sequence by inside-outside, the best tree by CKY, draws.
//
//   inside(i, j, A) = log Σ_{A -> B C} Σ_k exp(rule + inside(i, k, B) + inside(k + 1, j, C)),   inside(i, i, A) = node_i(A)
//
// Symbols on no rule's left side are labels of rows; their scores are those of nodes. With probabilities as rules and nodes the
// sum is the probability of the sequence (a PCFG); with weights it is the normaliser of a log-linear grammar [murphy2023, sec. 19.2.1.5].
#pragma once
#include "models/fields/field.hpp"

namespace credo::models {

struct GrammarRule {
  Index left = 0, first = 0, second = 0;  // symbols; labels are the first ones
  double log_weight = 0.0;                // log of the number of the file
};

struct Grammar {
  std::vector<std::string> labels;   // symbols of rows, in the order of a label set
  std::vector<std::string> symbols;  // labels, then the others
  std::vector<GrammarRule> rules;
  Index start = 0;  // the first rule's left side

  std::string rule_name(std::size_t rule) const;  // "S -> NP VP"
};

// Lines LEFT -> FIRST SECOND [WEIGHT]; # begins a comment. Weights are positive, 1 without one. Throws Error(data) with the line.
Grammar parse_grammar(const std::string& text, const std::string& path);
// Puts labels into this order. Throws Error(data) for labels that no rule has.
void order_labels(Grammar& grammar, const std::vector<std::string>& labels,
                  const std::string& path);

// scores.pairs[0] has a score for each rule, in one row. Labellings of log_probability() are sums over their trees.
std::unique_ptr<FieldEngine> grammar_engine(std::shared_ptr<const Grammar> grammar);

}  // namespace credo::models
