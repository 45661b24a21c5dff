#include "models/fields/grammar.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/fields/field_draws.hpp"

namespace credo::models {
namespace {

// A way to make a symbol over rows i to j: a rule, and the last row of its first part.
struct Split {
  std::size_t rule = 0;
  Index last = 0;
};

class Chart {
 public:
  // `scores_of_nodes` may forbid labels.
  Chart(const Grammar& grammar, const FieldGraph& graph, std::span<const double> nodes,
        std::span<const double> rules)
      : grammar_(grammar),
        rules_(rules),
        n_(graph.num_nodes()),
        num_symbols_(ssize(grammar.symbols)),
        num_labels_(ssize(grammar.labels)),
        inside_(static_cast<std::size_t>(n_ * n_ * num_symbols_), -kInfinity) {
    for (Index i = 0; i < n_; ++i)
      for (Index a = 0; a < num_labels_; ++a)
        inside_[at(i, i, a)] = nodes[static_cast<std::size_t>(i * num_labels_ + a)];
  }

  double collect(bool by_maximum) {
    std::vector<double> terms;
    for (Index length = 2; length <= n_; ++length)
      for (Index i = 0; i + length <= n_; ++i)
        for (Index a = num_labels_; a < num_symbols_; ++a) {
          const Index j = i + length - 1;
          terms.clear();
          for_each_split(i, j, a, [&](const Split&, double x) { terms.push_back(x); });
          if (terms.empty()) continue;
          inside_[at(i, j, a)] = by_maximum ? *std::max_element(terms.begin(), terms.end())
                                            : numerics::log_sum_exp(terms);
        }
    return inside_[at(0, n_ - 1, grammar_.start)];
  }

  // From the whole sequence down: probabilities of symbols over rows i to j.
  void distribute(FieldMoments& to) const {
    std::vector<double> p(inside_.size(), 0.0);
    p[at(0, n_ - 1, grammar_.start)] = 1.0;
    for (Index length = n_; length >= 2; --length)
      for (Index i = 0; i + length <= n_; ++i)
        for (Index a = num_labels_; a < num_symbols_; ++a) {
          const Index j = i + length - 1;
          const double own = p[at(i, j, a)];
          if (own == 0.0) continue;
          for_each_split(i, j, a, [&](const Split& split, double x) {
            const double share = own * probability_of(x, inside_[at(i, j, a)]);
            const GrammarRule& rule = grammar_.rules[split.rule];
            p[at(i, split.last, rule.first)] += share;
            p[at(split.last + 1, j, rule.second)] += share;
            to.pairs[0][split.rule] += share;
          });
        }
    for (Index i = 0; i < n_; ++i)
      for (Index a = 0; a < num_labels_; ++a)
        to.nodes[static_cast<std::size_t>(i * num_labels_ + a)] = p[at(i, i, a)];
  }

  // choose(logs) among the splits of each symbol; the labels of the rows, and the tree in brackets.
  template <class Choose>
  std::vector<Index> labels(Choose choose, std::string& tree) const {
    std::vector<Index> made(static_cast<std::size_t>(n_), 0);
    tree = subtree(0, n_ - 1, grammar_.start, choose, made);
    return made;
  }

 private:
  std::size_t at(Index i, Index j, Index symbol) const {
    return static_cast<std::size_t>((i * n_ + j) * num_symbols_ + symbol);
  }
  template <class Visit>
  void for_each_split(Index i, Index j, Index symbol, Visit visit) const {
    for (std::size_t r = 0; r < grammar_.rules.size(); ++r) {
      const GrammarRule& rule = grammar_.rules[r];
      if (rule.left != symbol) continue;
      for (Index k = i; k < j; ++k) {
        const double x =
            inside_[at(i, k, rule.first)] + inside_[at(k + 1, j, rule.second)] + rules_[r];
        if (x > -kInfinity) visit(Split{r, k}, x);
      }
    }
  }
  template <class Choose>
  std::string subtree(Index i, Index j, Index symbol, Choose& choose,
                      std::vector<Index>& to) const {
    const std::string& name = grammar_.symbols[static_cast<std::size_t>(symbol)];
    if (i == j) {
      to[static_cast<std::size_t>(i)] = symbol;
      return name;
    }
    std::vector<Split> splits;
    std::vector<double> logs;
    for_each_split(i, j, symbol, [&](const Split& split, double x) {
      splits.push_back(split);
      logs.push_back(x);
    });
    const Split split = splits[static_cast<std::size_t>(choose(logs))];
    const GrammarRule& rule = grammar_.rules[split.rule];
    const std::string first = subtree(i, split.last, rule.first, choose, to);
    return "(" + name + " " + first + " " + subtree(split.last + 1, j, rule.second, choose, to) +
           ")";
  }

  const Grammar& grammar_;
  std::span<const double> rules_;
  Index n_, num_symbols_, num_labels_;
  std::vector<double> inside_;
};

class GrammarEngine final : public FieldEngine {
 public:
  explicit GrammarEngine(std::shared_ptr<const Grammar> grammar) : grammar_(std::move(grammar)) {}
  bool is_exact() const override { return true; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    FieldMoments made = FieldMoments::zero(graph, scores);
    Chart chart(*grammar_, graph, scores.nodes, scores.pairs[0].scores);
    made.log_z = chart.collect(false);
    require_tree(made.log_z);
    chart.distribute(made);
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    std::string tree;
    return best_tree(graph, scores, tree);
  }
  std::string words_of_best(const FieldGraph& graph, const FieldScores& scores) const override {
    std::string tree;
    best_tree(graph, scores, tree);
    return tree;
  }
  std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                          Rng& rng) const override {
    Chart chart(*grammar_, graph, scores.nodes, scores.pairs[0].scores);
    require_tree(chart.collect(false));
    std::string tree;
    return chart.labels([&](const std::vector<double>& logs) { return draw_of_logs(logs, rng); },
                        tree);
  }
  // log Σ over trees with these labels - log Σ over all trees; the slope is the difference of both expectations.
  double log_probability(const FieldGraph& graph, const FieldScores& scores,
                         std::span<const Index> labels, FieldMoments* slope) const override {
    std::vector<double> nodes(scores.nodes.size(), -kInfinity);
    const Index width = ssize(grammar_->labels);
    for (Index i = 0; i < graph.num_nodes(); ++i) {
      const auto place = static_cast<std::size_t>(i * width + labels[static_cast<std::size_t>(i)]);
      nodes[place] = scores.nodes[place];
    }
    const FieldMoments all = moments(graph, scores);
    Chart chart(*grammar_, graph, nodes, scores.pairs[0].scores);
    const double log_sum = chart.collect(false);
    if (slope == nullptr) return log_sum - all.log_z;
    require_tree(log_sum);
    *slope = FieldMoments::zero(graph, scores);
    chart.distribute(*slope);
    for (std::size_t k = 0; k < all.nodes.size(); ++k) slope->nodes[k] -= all.nodes[k];
    for (std::size_t k = 0; k < all.pairs[0].size(); ++k) slope->pairs[0][k] -= all.pairs[0][k];
    return log_sum - all.log_z;
  }

 private:
  static void require_tree(double log_sum) {
    if (log_sum == -kInfinity)
      throw Error(ErrorCode::data, "a sequence has no tree by these rules", "--rules",
                  "add rules, or leave the sequence out");
  }
  std::vector<Index> best_tree(const FieldGraph& graph, const FieldScores& scores,
                               std::string& tree) const {
    Chart chart(*grammar_, graph, scores.nodes, scores.pairs[0].scores);
    require_tree(chart.collect(true));
    return chart.labels([](const std::vector<double>& logs) { return place_of_largest(logs); },
                        tree);
  }
  std::shared_ptr<const Grammar> grammar_;
};

std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

struct NamedRule {
  std::array<std::string, 3> names;  // left, first, second
  double log_weight = 0.0;
};

NamedRule rule_of(const std::vector<std::string>& words, const std::string& where) {
  const auto weight = words.size() == 5 ? io::parse_number(words[4]) : std::optional<double>(1.0);
  const bool is_rule = (words.size() == 4 || words.size() == 5) && words[1] == "->";
  if (!is_rule || !weight || !(*weight > 0.0) || !std::isfinite(*weight))
    throw Error(ErrorCode::data, fmt::format("'{}' is no rule", fmt::join(words, " ")), where,
                "LEFT -> FIRST SECOND WEIGHT, with a positive weight: S -> NP VP 0.8");
  return {.names = {words[0], words[2], words[3]}, .log_weight = numerics::log(*weight)};
}

Index place_of(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) - names.begin();
}

Grammar grammar_of(const std::vector<NamedRule>& rules, const std::vector<std::string>& labels) {
  Grammar made;
  made.labels = made.symbols = labels;
  for (const NamedRule& rule : rules)
    if (place_of(made.symbols, rule.names[0]) == ssize(made.symbols))
      made.symbols.push_back(rule.names[0]);
  for (const NamedRule& rule : rules)
    made.rules.push_back({.left = place_of(made.symbols, rule.names[0]),
                          .first = place_of(made.symbols, rule.names[1]),
                          .second = place_of(made.symbols, rule.names[2]),
                          .log_weight = rule.log_weight});
  made.start = made.rules[0].left;
  return made;
}
}  // namespace

std::string Grammar::rule_name(std::size_t rule) const {
  const GrammarRule& own = rules[rule];
  return symbols[static_cast<std::size_t>(own.left)] + " -> " +
         symbols[static_cast<std::size_t>(own.first)] + " " +
         symbols[static_cast<std::size_t>(own.second)];
}

Grammar parse_grammar(const std::string& text, const std::string& path) {
  std::vector<NamedRule> rules;
  Index line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1, ++line_number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> words = words_of_line(line);
    if (!words.empty()) rules.push_back(rule_of(words, fmt::format("{}:{}", path, line_number)));
  }
  if (rules.empty())
    throw Error(ErrorCode::data, "the file has no rule", path, "a line is a rule: S -> NP VP 0.8");
  std::vector<std::string> lefts, labels;
  for (const NamedRule& rule : rules) lefts.push_back(rule.names[0]);
  for (const NamedRule& rule : rules)
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
      if (place_of(lefts, rule.names[k]) == ssize(lefts) &&
          place_of(labels, rule.names[k]) == ssize(labels))
        labels.push_back(rule.names[k]);
  return grammar_of(rules, labels);
}

void order_labels(Grammar& grammar, const std::vector<std::string>& labels,
                  const std::string& path) {
  for (const std::string& label : labels)
    if (place_of(grammar.labels, label) == ssize(grammar.labels))
      throw Error(ErrorCode::data, fmt::format("no rule has the label {}", label), path,
                  fmt::format("labels of the rules are {}", fmt::join(grammar.labels, ", ")));
  for (const std::string& label : grammar.labels)
    if (place_of(labels, label) == ssize(labels))
      throw Error(ErrorCode::data, fmt::format("no row has the label {} of the rules", label), path,
                  "leave its rules out");
  std::vector<NamedRule> rules;
  for (const GrammarRule& rule : grammar.rules)
    rules.push_back({.names = {grammar.symbols[static_cast<std::size_t>(rule.left)],
                               grammar.symbols[static_cast<std::size_t>(rule.first)],
                               grammar.symbols[static_cast<std::size_t>(rule.second)]},
                     .log_weight = rule.log_weight});
  grammar = grammar_of(rules, labels);
}

std::unique_ptr<FieldEngine> grammar_engine(std::shared_ptr<const Grammar> grammar) {
  return std::make_unique<GrammarEngine>(std::move(grammar));
}

}  // namespace credo::models
