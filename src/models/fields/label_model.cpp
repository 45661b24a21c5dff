#include "models/fields/label_model.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {

Expression right_side(const std::string& text, std::vector<std::string>& columns) {
  FormulaFaults faults;
  const Formula formula = parse_formula(text, faults);
  if (!faults.empty())
    throw Error(ErrorCode::usage, fmt::format("'{}' is no formula:\n{}", text, faults.text(text)),
                "formula", "label ~ word + suffix(word, 3) + next(word)");
  if (formula.parts.size() != 1 || !formula.parts[0].left)
    throw Error(ErrorCode::usage, "a formula of labels has one part", "formula",
                "label ~ word + suffix(word, 3)");
  const std::function<void(const Expression&)> take = [&](const Expression& e) {
    if (e.is_operation("+") && e.parts.size() == 2) {
      take(e.parts[0]), take(e.parts[1]);
      return;
    }
    if (e.kind != Expression::Kind::name)
      throw Error(ErrorCode::usage, fmt::format("'{}' is no column of labels", e.text()), "formula",
                  "the left side is a column, or two with + between them for fat(a, b)");
    columns.push_back(e.word);
  };
  take(*formula.parts[0].left);
  return formula.parts[0].right;
}

std::vector<RowRange> rows_of_sequences(const std::string& by, LabelTable& table,
                                        std::vector<std::string>& names) {
  if (by.empty()) {
    names = {"all rows"};
    return {{.first = 0, .length = table.num_rows()}};
  }
  const LabelColumn& column = table.texts(by);
  std::vector<RowRange> ranges = sequences_of(column);
  for (const RowRange& range : ranges) names.push_back(column.text(range.first));
  return ranges;
}

void check_label_columns(const LabelRequest& request, const LabelStructure& structure,
                         const std::vector<std::string>& columns) {
  const Index needed = structure.row().num_label_columns;
  if (ssize(columns) != needed)
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}' has {} column{} of labels, and {} needs {}", request.formula,
                    columns.size(), columns.size() == 1 ? "" : "s", structure.text(), needed),
        "formula",
        needed == 2 ? "a + b ~ word with --structure fat(a, b)"
                    : "two columns of labels need --structure fat(a, b)");
  if (structure.is("fat") && columns != structure.columns())
    throw Error(
        ErrorCode::usage,
        fmt::format("{} and the formula's left side have different columns", structure.text()),
        "--structure", fmt::format("fat({})", fmt::join(columns, ", ")));
}

LabelSet read_label_set(const std::string& name, LabelTable& table) {
  LabelSet set{.column = name, .names = {}};
  const LabelColumn& column = table.texts(name, true);
  for (Index n = 0; n < table.num_rows(); ++n)
    if (column.is_missing(n))
      throw Error(ErrorCode::data, fmt::format("{} has no label in row {}", name, n + 1),
                  column.where(n),
                  "a training table has all labels; --predict labels the rows of another table");
  set.names = column.levels;
  if (set.names.size() < 2)
    throw Error(ErrorCode::data, fmt::format("{} has one label only, {}", name, set.names[0]),
                table.path(), "two labels are needed at least");
  return set;
}

// Labels of all columns, row after row.
std::vector<Index> read_labels(const LabelModel& model, LabelTable& table) {
  std::vector<std::vector<Index>> places;
  std::vector<const LabelColumn*> columns;
  for (const LabelSet& set : model.sets) {
    const LabelColumn& column = table.texts(set.column);
    std::vector<Index> own;
    for (const std::string& level : column.levels) {
      const auto found = std::ranges::find(set.names, level);
      own.push_back(found == set.names.end() ? -1 : found - set.names.begin());
    }
    columns.push_back(&column);
    places.push_back(std::move(own));
  }
  std::vector<Index> labels;
  for (Index n = 0; n < table.num_rows(); ++n)
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto code = static_cast<std::size_t>(columns[k]->codes[static_cast<std::size_t>(n)]);
      if (places[k][code] < 0)
        throw Error(ErrorCode::data,
                    fmt::format("{} is {} in row {}, a label that the training table doesn't have",
                                columns[k]->name, columns[k]->text(n), n + 1),
                    columns[k]->where(n),
                    fmt::format("the labels are {}", fmt::join(model.sets[k].names, ", ")));
      labels.push_back(places[k][code]);
    }
  return labels;
}

// -1: the set has no such label.
Index place_of_label(const LabelSet& set, const std::string& name) {
  const auto found = std::ranges::find(set.names, name);
  return found == set.names.end() ? -1 : found - set.names.begin();
}

[[noreturn]] void refuse_pair(const LabelModel& model, const std::string& from,
                              const std::string& to, const std::string& pair) {
  std::vector<std::string> names;
  for (const LabelSet& set : model.sets)
    names.insert(names.end(), set.names.begin(), set.names.end());
  for (const std::string& name : {from, to}) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string near = did_you_mean(name, names);
    throw Error(ErrorCode::usage, fmt::format("'{}': there is no label {}", pair, name), "--forbid",
                near.empty() ? fmt::format("the labels are {}", fmt::join(names, ", ")) : near);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}': no column has both labels", pair), "--forbid",
              "forbidden pairs are those of one column, of a row and the next one");
}

// A pair is forbidden for each type of edges within a column that has both labels: in grids on the right and below.
void forbid_pairs(LabelModel& model) {
  for (const std::string& pair : model.request.forbidden) {
    const std::size_t comma = pair.find(',');
    if (comma == pair.npos || pair.find(',', comma + 1) != pair.npos)
      throw Error(
          ErrorCode::usage, fmt::format("'{}' is no pair of labels", pair), "--forbid",
          "--forbid FROM,TO: the label of a row, then that of the next one (or of head and row)");
    const std::string from = pair.substr(0, comma), to = pair.substr(comma + 1);
    bool is_used = false;
    for (std::size_t type = 0; type < model.types.size(); ++type) {
      if (!model.types[type].may_forbid) continue;
      const LabelSet& set = model.sets[static_cast<std::size_t>(model.types[type].from)];
      const Index a = place_of_label(set, from), b = place_of_label(set, to);
      if (a < 0 || b < 0) continue;
      model.forbidden[type][static_cast<std::size_t>(a * ssize(set.names) + b)] = 1;
      is_used = true;
    }
    if (!is_used) refuse_pair(model, from, to, pair);
  }
}

bool is_bio_label(const std::string& name) {
  return name == "O" || (name.size() > 2 && name[1] == '-' && (name[0] == 'B' || name[0] == 'I'));
}

// I-x stands behind B-x or I-x alone.
void apply_bio(LabelModel& model) {
  if (!model.types[0].is_move)
    throw Error(ErrorCode::usage, fmt::format("{} has no order of rows", model.structure.text()),
                "--scheme", "schemes of labels are for chain, memm, skip and fat");
  bool is_used = false;
  Index first = 0;
  for (std::size_t k = 0; k < model.sets.size(); first += ssize(model.sets[k].names), ++k) {
    const std::vector<std::string>& names = model.sets[k].names;
    if (!std::ranges::all_of(names, is_bio_label)) continue;
    is_used = true;
    for (std::size_t b = 0; b < names.size(); ++b) {
      if (names[b][0] != 'I') continue;
      model.forbidden_first[static_cast<std::size_t>(first) + b] = 1;
      for (std::size_t a = 0; a < names.size(); ++a)
        if (names[a][0] == 'O' || names[a].substr(2) != names[b].substr(2))
          model.forbidden[k][a * names.size() + b] = 1;
    }
  }
  if (!is_used)
    throw Error(ErrorCode::usage, "no column has labels O, B-... and I-... only", "--scheme",
                "leave --scheme out, or correct the labels");
}

void note_unseen_pairs(LabelModel& model, const LabelData& data) {
  if (!model.request.pairs_seen || model.structure.is("parts")) return;
  for (std::vector<char>& unseen : model.is_unseen) unseen.assign(unseen.size(), 1);
  if (!model.types[0].rules.empty()) model.is_unseen[0].assign(model.is_unseen[0].size(), 0);
  std::size_t node = 0;
  for (const FieldGraph& graph : data.graphs) {
    for (const FieldEdge& edge : graph.edges) {
      const auto type = static_cast<std::size_t>(edge.type);
      const Index a = data.labels[node + static_cast<std::size_t>(edge.from)],
                  b = data.labels[node + static_cast<std::size_t>(edge.to)],
                  cols = ssize(model.sets[static_cast<std::size_t>(model.types[type].to)].names);
      model.is_unseen[type][static_cast<std::size_t>(a * cols + b)] = 0;
      if (model.types[type].is_symmetric)
        model.is_unseen[type][static_cast<std::size_t>(b * cols + a)] = 0;
    }
    node += static_cast<std::size_t>(graph.num_nodes());
  }
}

// Labels of parts are places, in rising order.
void set_places(LabelModel& model) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const std::string& name : model.sets[0].names) {
    const auto place = io::parse_number(name);
    if (!place || !std::isfinite(*place))
      throw Error(ErrorCode::data, fmt::format("the label {} is no place on a line", name),
                  "--structure", "labels of parts are numbers");
    sorted.emplace_back(*place, name);
  }
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    model.sets[0].names[k] = sorted[k].second;
    model.places.push_back(sorted[k].first);
  }
  for (const double a : model.places)
    for (const double b : model.places)
      model.types[0].fixed.push_back(-model.structure.number() * (a - b) * (a - b));
}

void set_grammar(LabelModel& model) {
  if (model.request.rules.empty())
    throw Error(ErrorCode::usage, "a grammar needs rules", "--rules", "--rules FILE");
  auto grammar =
      std::make_shared<Grammar>(parse_grammar(model.request.rules, model.request.rules_path));
  order_labels(*grammar, model.sets[0].names, model.request.rules_path);
  for (std::size_t k = 0; k < grammar->rules.size(); ++k) {
    model.types[0].rules.push_back(grammar->rule_name(k));
    model.types[0].fixed.push_back(grammar->rules[k].log_weight);
  }
  model.grammar = std::move(grammar);
}

void set_types(LabelModel& model) {
  model.types = model.structure.row().types();
  if (model.structure.is("parts")) set_places(model);
  if (model.structure.is("grammar")) set_grammar(model);
}

// A set whose labels are those of the columns with scores.
LabelSet set_of_scores(const std::string& column, const std::string& prefix,
                       const LabelTable& table) {
  LabelSet set{.column = column, .names = {}};
  for (const std::string& name : table.names())
    if (!prefix.empty() && name.starts_with(prefix) && name.size() > prefix.size())
      set.names.push_back(name.substr(prefix.size()));
  if (set.names.size() < 2)
    throw Error(ErrorCode::usage, "without a fit, labels are those of columns with scores",
                "--scores", "--scores p_ with the columns p_A, p_B, ...");
  return set;
}

// Scores of columns, for each row those of all labels.
void read_offsets(const LabelModel& model, LabelTable& table, LabelData& data) {
  if (model.request.scores.empty()) return;
  std::vector<const LabelColumn*> columns;
  for (const LabelSet& set : model.sets)
    for (const std::string& name : set.names)
      columns.push_back(&table.numbers(model.request.scores + name));
  for (std::size_t n = 0; n < static_cast<std::size_t>(table.num_rows()); ++n)
    for (const LabelColumn* column : columns) data.offsets.push_back(column->numbers[n]);
}

void set_rules(LabelModel& model) {
  for (std::size_t type = 0; type < model.types.size(); ++type) {
    const auto size = static_cast<std::size_t>(model.pair_size(type));
    model.forbidden.emplace_back(size, 0);
    model.is_unseen.emplace_back(size, 0);
  }
  model.forbidden_first.assign(static_cast<std::size_t>(model.num_labels()), 0);
  if (!model.structure.row().may_forbid &&
      (!model.request.forbidden.empty() || model.request.is_bio))
    throw Error(ErrorCode::usage,
                fmt::format("{} has no forbidden pairs", model.structure.row().name), "--forbid",
                "leave it out, or take another --structure");
  if (model.structure.is("parts")) model.is_unseen[0].assign(model.is_unseen[0].size(), 1);
  forbid_pairs(model);
  if (model.request.is_bio) apply_bio(model);
}

void add_graphs(const LabelModel& model, LabelTable& table, LabelData& data) {
  const std::vector<Index> sizes = model.sizes();
  for (const RowRange& range : data.sequences)
    data.graphs.push_back(graph_of(model.structure, table, range, sizes));
}

std::vector<std::string> columns_for_dot(const LabelModel& model, const LabelTable& table) {
  std::vector<std::string> columns;
  for (const std::string& name : table.names()) {
    const bool is_label =
        std::ranges::any_of(model.sets, [&](const LabelSet& set) { return set.column == name; });
    const bool is_score = !model.request.scores.empty() && name.starts_with(model.request.scores);
    const std::vector<std::string>& own = model.structure.columns();
    const bool is_structure =
        !model.structure.is("skip") && std::ranges::find(own, name) != own.end();
    if (name != model.request.by && !is_label && !is_score && !is_structure)
      columns.push_back(name);
  }
  return columns;
}
}  // namespace

Index LabelModel::num_labels() const {
  Index count = 0;
  for (const LabelSet& set : sets) count += ssize(set.names);
  return count;
}
std::vector<Index> LabelModel::sizes() const {
  std::vector<Index> made;
  for (const LabelSet& set : sets) made.push_back(ssize(set.names));
  return made;
}
Index LabelModel::pair_size(std::size_t type) const {
  if (!types[type].rules.empty()) return ssize(types[type].rules);
  return ssize(sets[static_cast<std::size_t>(types[type].from)].names) *
         ssize(sets[static_cast<std::size_t>(types[type].to)].names);
}
Index LabelModel::first_pair(std::size_t type) const {
  Index place = ssize(features.names) * num_labels();
  for (std::size_t t = 0; t < type; ++t) place += pair_size(t);
  return place;
}
Index LabelModel::num_weights() const { return first_pair(types.size()); }
std::string LabelModel::pair_name(std::size_t type, Index place) const {
  if (!types[type].rules.empty()) return types[type].rules[static_cast<std::size_t>(place)];
  const std::vector<std::string>& to = sets[static_cast<std::size_t>(types[type].to)].names;
  return sets[static_cast<std::size_t>(types[type].from)]
             .names[static_cast<std::size_t>(place / ssize(to))] +
         " -> " + to[static_cast<std::size_t>(place % ssize(to))];
}
std::string LabelModel::label_name(Index label) const {
  for (const LabelSet& set : sets) {
    if (label < ssize(set.names)) return set.names[static_cast<std::size_t>(label)];
    label -= ssize(set.names);
  }
  return {};
}

std::vector<std::string> label_columns(const std::string& formula) {
  std::vector<std::string> columns;
  right_side(formula, columns);
  return columns;
}

LabelModel make_label_model(const LabelRequest& request, LabelTable& table, LabelData& data) {
  LabelModel model;
  model.request = request;
  model.structure = LabelStructure(request.structure);
  std::vector<std::string> columns;
  const Expression right = right_side(request.formula, columns);
  check_label_columns(request, model.structure, columns);
  for (const std::string& name : columns)
    model.sets.push_back(request.is_given ? set_of_scores(name, request.scores, table)
                                          : read_label_set(name, table));
  set_types(model);
  data.sequences = rows_of_sequences(request.by, table, data.names);
  if (!request.is_given)
    model.features.terms = read_feature_terms(
        right, [&](const std::string& name) { return table.is_text(name); },
        columns_for_dot(model, table));
  for (const FeatureTerm& term : model.features.terms.terms)
    for (const FeatureFactor& factor : term.factors)
      if (std::ranges::find(columns, factor.column) != columns.end())
        throw Error(ErrorCode::usage, fmt::format("{} is a label, and no feature", factor.column),
                    "formula", "pairs of labels are the structure's: leave the term out");
  set_rules(model);
  add_graphs(model, table, data);
  read_offsets(model, table, data);
  if (!request.is_given) data.labels = read_labels(model, table);
  data.rows = learn_features(model.features, table, data.sequences, request.min_count);
  if (request.is_given) return model;
  note_unseen_pairs(model, data);
  for (std::size_t s = 0; s < data.sequences.size(); ++s)
    if (const std::string fault = forbidden_in(model, data, s); !fault.empty())
      throw Error(ErrorCode::data, fault, table.path(),
                  request.is_bio ? "correct the labels, or leave --scheme out"
                                 : "correct the labels, or leave --forbid out");
  return model;
}

LabelData read_label_data(const LabelModel& model, LabelTable& table, bool with_labels,
                          UnknownFeatures& unknown) {
  LabelData data;
  data.sequences = rows_of_sequences(model.request.by, table, data.names);
  add_graphs(model, table, data);
  if (with_labels) data.labels = read_labels(model, table);
  read_offsets(model, table, data);
  data.rows = features_of(model.features, table, data.sequences, unknown);
  return data;
}

KeptLabelModel kept_label_model(const LabelModel& model) {
  KeptLabelModel kept{.request = model.request,
                      .terms = model.features.terms.has_intercept ? "1" : "0",
                      .sets = model.sets,
                      .features = model.features.names,
                      .text_columns = {},
                      .scales = model.features.scales};
  std::set<std::string> texts;
  for (const FeatureTerm& term : model.features.terms.terms) {
    kept.terms += " + " + term.text;
    for (const FeatureFactor& factor : term.factors)
      if (factor.uses_text()) texts.insert(factor.column);
  }
  kept.text_columns.assign(texts.begin(), texts.end());
  return kept;
}

LabelModel restored_label_model(const KeptLabelModel& kept) {
  LabelModel model;
  model.request = kept.request;
  model.structure = LabelStructure(kept.request.structure);
  model.sets = kept.sets;
  set_types(model);
  std::vector<std::string> columns;
  model.features.terms = read_feature_terms(right_side("labels ~ " + kept.terms, columns),
                                            [&](const std::string& name) {
                                              // Numbers have a scale; factor(x) takes their texts, too.
                                              return !kept.scales.contains(name) &&
                                                     std::ranges::find(kept.text_columns, name) !=
                                                         kept.text_columns.end();
                                            },
                                            {});
  model.features.scales = kept.scales;
  for (const std::string& name : kept.features) model.features.add(name);
  set_rules(model);
  return model;
}

void restore_unseen_pairs(LabelModel& model, std::span<const double> weights) {
  if (!model.request.pairs_seen || model.request.is_given || model.structure.is("parts")) return;
  for (std::size_t type = 0; type < model.types.size(); ++type) {
    if (!model.types[type].rules.empty()) continue;
    const auto first = static_cast<std::size_t>(model.first_pair(type));
    for (std::size_t k = 0; k < model.is_unseen[type].size(); ++k)
      model.is_unseen[type][k] = weights[first + k] == 0.0;
  }
}

std::string forbidden_in(const LabelModel& model, const LabelData& data, std::size_t sequence) {
  const RowRange& range = data.sequences[sequence];
  const Index num_sets = ssize(model.sets);
  const auto label_at = [&](Index node) {
    return data.labels[static_cast<std::size_t>(range.first * num_sets + node)];
  };
  for (Index k = 0, first = 0; k < num_sets;
       first += ssize(model.sets[static_cast<std::size_t>(k)].names), ++k)
    if (model.forbidden_first[static_cast<std::size_t>(first + label_at(k))] != 0)
      return fmt::format("row {} begins a sequence with {}, which is forbidden", range.first + 1,
                         model.label_name(first + label_at(k)));
  for (const FieldEdge& edge : data.graphs[sequence].edges) {
    const auto type = static_cast<std::size_t>(edge.type);
    const Index cols = ssize(model.sets[static_cast<std::size_t>(model.types[type].to)].names);
    const Index place = label_at(edge.from) * cols + label_at(edge.to);
    if (model.forbidden[type][static_cast<std::size_t>(place)] != 0)
      return fmt::format("row {} has the label {} and row {} has {}, a forbidden pair",
                         range.first + edge.from / num_sets + 1,
                         model.sets[static_cast<std::size_t>(model.types[type].from)]
                             .names[static_cast<std::size_t>(label_at(edge.from))],
                         range.first + edge.to / num_sets + 1,
                         model.sets[static_cast<std::size_t>(model.types[type].to)]
                             .names[static_cast<std::size_t>(label_at(edge.to))]);
  }
  return {};
}

std::vector<PairTable> pair_tables(const LabelModel& model, std::span<const double> weights) {
  std::vector<PairTable> tables;
  for (std::size_t type = 0; type < model.types.size(); ++type) {
    const PairType& own_type = model.types[type];
    const Index cols = own_type.rules.empty()
                           ? ssize(model.sets[static_cast<std::size_t>(own_type.to)].names)
                           : ssize(own_type.rules),
                rows = model.pair_size(type) / cols;
    PairTable table{.rows = rows, .cols = cols};
    const std::span<const double> own = weights.subspan(
        static_cast<std::size_t>(model.first_pair(type)), static_cast<std::size_t>(rows * cols));
    for (Index a = 0; a < rows; ++a)
      for (Index b = 0; b < cols; ++b) {
        const auto at = static_cast<std::size_t>(a * cols + b),
                   turned = static_cast<std::size_t>(b * cols + a);
        const double weight = model.is_unseen[type][at] != 0 ? 0.0
                              : own_type.is_symmetric        ? 0.5 * (own[at] + own[turned])
                                                             : own[at];
        table.scores.push_back(model.forbidden[type][at] != 0
                                   ? -kInfinity
                                   : (own_type.fixed.empty() ? 0.0 : own_type.fixed[at]) + weight);
      }
    table.prepare();
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace credo::models
