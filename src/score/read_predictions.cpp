#include "score/read_predictions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/number_text.hpp"
#include "numerics/elementary.hpp"

namespace credo::score {
namespace {
constexpr double kSumError = 1e-6;  // error of a sum of probabilities
constexpr std::string_view kProbability = "p", kLogit = "logit", kGiven = "log_given";

// A column of a family: "p_cat" of "p" is called "cat".
struct Member {
  Index column;
  std::string name;
};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return c >= '0' && c <= '9'; });
}

// "p1", "p_cat", "p.cat", and "p" itself, whose name is empty.
std::vector<Member> family(const CsvColumns& table, std::string_view stem) {
  std::vector<Member> members;
  for (Index k = 0; k < ssize(table.names()); ++k) {
    const std::string_view name = table.names()[static_cast<std::size_t>(k)];
    if (!name.starts_with(stem)) continue;
    const std::string_view rest = name.substr(stem.size());
    if (rest.empty() || all_digits(rest))
      members.push_back({k, std::string(rest)});
    else if (rest.size() > 1 && (rest[0] == '_' || rest[0] == '.'))
      members.push_back({k, std::string(rest.substr(1))});
  }
  return members;
}

// Quantiles "q0.05", by their levels.
std::map<double, Index> quantile_columns(const CsvColumns& table) {
  std::map<double, Index> found;
  for (Index k = 0; k < ssize(table.names()); ++k) {
    std::string_view name = table.names()[static_cast<std::size_t>(k)];
    if (!name.starts_with("q")) continue;
    name.remove_prefix(name.size() > 1 && name[1] == '_' ? 2 : 1);
    const auto level = io::parse_number(name);
    if (level && *level > 0.0 && *level < 1.0) found[*level] = k;
  }
  return found;
}

struct Found {
  Form form;
  std::string_view stem = {};  // beginning of the names of class columns
  std::vector<Member> members = {};
};

std::vector<Member> draws_of(const CsvColumns& table) {
  for (const std::string_view stem : {"draw", "y_rep"}) {
    std::vector<Member> members = family(table, stem);
    if (!members.empty()) return members;
  }
  return {};
}

std::vector<Member> likelihoods_of(const CsvColumns& table) {
  std::vector<Member> members = family(table, "loglik");
  return members.empty() ? family(table, "log_lik") : members;
}

std::vector<Found> forms_of(const CsvColumns& table) {
  std::vector<Found> found;
  for (const std::string_view stem : {kProbability, kLogit, kGiven})
    if (auto members = family(table, stem); !members.empty())
      found.push_back({Form::classes, stem, std::move(members)});
  if (table.find("mean")) found.push_back({table.find("sd") ? Form::normal : Form::point, {}, {}});
  if (!quantile_columns(table).empty()) found.push_back({Form::quantiles, {}, {}});
  if (auto members = draws_of(table); !members.empty())
    found.push_back({Form::draws, {}, std::move(members)});
  if (auto members = likelihoods_of(table); !members.empty())
    found.push_back({Form::likelihood, {}, std::move(members)});
  return found;
}

Found form_of(const CsvColumns& table, const ReadOptions& options) {
  std::vector<Found> found = forms_of(table);
  if (options.form)
    std::erase_if(found, [&](const Found& one) { return one.form != *options.form; });
  // Probabilities and logits of the same classes: the logits say more.
  const bool has_logits =
      std::any_of(found.begin(), found.end(), [](const Found& one) { return one.stem == kLogit; });
  if (has_logits) std::erase_if(found, [](const Found& one) { return one.stem == kProbability; });
  if (found.empty())
    throw Error(ErrorCode::data,
                options.form ? fmt::format("no column holds predictions of the form '{}'",
                                           name_of(*options.form))
                             : fmt::format("no column holds predictions; there are {}",
                                           fmt::join(table.names(), ", ")),
                table.source(),
                "name them p1 ... pK, logit1 ... logitK, mean and sd, q0.05 ..., draw1 ... or "
                "log_lik.1 ... (docs/score.md)");
  if (found.size() > 1) {
    std::vector<std::string_view> names;
    for (const Found& one : found) names.push_back(name_of(one.form));
    throw Error(ErrorCode::usage,
                fmt::format("the table holds several predictions: {}", fmt::join(names, ", ")),
                table.source(), fmt::format("say which is meant: --form {}", names[0]));
  }
  return found[0];
}

// Reads one table.
class Reader {
 public:
  Reader(const CsvColumns& table, const ReadOptions& options) : table_(table), options_(options) {}

  Predictions read() {
    const Found found = form_of(table_, options_);
    all_.form = found.form, all_.source = table_.source();
    if (found.form == Form::classes)
      read_classes(found);
    else if (found.form == Form::quantiles)
      read_quantiles();
    else if (found.form == Form::normal || found.form == Form::point)
      read_distributions();
    else
      read_columns(found.members);
    if (found.form == Form::draws && is_of_vectors()) read_vectors();
    if (found.form == Form::draws) sort_draws(all_);
    if (all_.dimension == 1) read_outcomes();
    read_others();
    return std::move(all_);
  }

 private:
  void read_classes(const Found& found) {
    const bool alone = found.members.size() == 1;
    if (alone && (found.stem == kGiven || !found.members[0].name.empty()))
      throw Error(ErrorCode::data, fmt::format("there is one class, '{}'", found.members[0].name),
                  table_.source(), "give a column for each class, or p alone: of 1 against 0");
    for (const Member& member : found.members) {
      if (!alone && member.name.empty())
        throw Error(ErrorCode::data,
                    fmt::format("'{}' stands beside columns of classes", found.stem),
                    table_.source(), "say which class it is of: p_NAME");
      all_.classes.push_back(member.name);
    }
    if (alone) all_.classes = {"0", "1"};
    if (found.stem == kGiven) set_prior();
    if (found.stem != kProbability) all_.logits.num_columns = all_.num_classes();
    for (Index i = 0; i < table_.num_rows(); ++i)
      found.stem == kProbability ? add_probabilities(found, i) : add_logits(found, i);
  }
  void set_prior() {
    const auto k = static_cast<std::size_t>(all_.num_classes());
    log_prior_.assign(k, 0.0);
    if (options_.class_prior.empty()) return;
    if (options_.class_prior.size() != k)
      throw Error(ErrorCode::usage,
                  fmt::format("{} probabilities for {} classes", options_.class_prior.size(), k),
                  "--class-prior");
    for (std::size_t c = 0; c < k; ++c) log_prior_[c] = numerics::log(options_.class_prior[c]);
  }
  void add_probabilities(const Found& found, Index i) {
    std::vector<double> p;
    for (const Member& member : found.members) {
      p.push_back(table_.finite(i, member.column));
      if (p.back() < 0.0 || (!options_.normalise && p.back() > 1.0 + kSumError))
        throw Error(ErrorCode::data, fmt::format("{} is no probability", p.back()),
                    table_.place(i, member.column));
    }
    if (p.size() == 1) p = {1.0 - std::min(p[0], 1.0), p[0]};
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    if (!(sum > 0.0) || (!options_.normalise && std::abs(sum - 1.0) > kSumError))
      throw Error(ErrorCode::data, fmt::format("the probabilities add up to {}, not to 1", sum),
                  table_.place(i, found.members[0].column),
                  "--normalise divides them by their sum");
    if (options_.normalise)
      for (double& x : p) x /= sum;
    add_distribution(all_, distribution_of_probabilities(std::move(p)));
  }
  void add_logits(const Found& found, Index i) {
    std::vector<double> logits;
    for (const Member& member : found.members) logits.push_back(table_.finite(i, member.column));
    if (logits.size() == 1) logits.insert(logits.begin(), 0.0);
    for (std::size_t c = 0; c < log_prior_.size(); ++c) logits[c] += log_prior_[c];
    all_.logits.add(logits);
    add_distribution(all_, distribution_of_logits(logits));
  }
  void read_quantiles() {
    const std::map<double, Index> columns = quantile_columns(table_);
    for (const auto& [level, column] : columns) all_.levels.push_back(level);
    all_.values.num_columns = ssize(columns);
    for (Index i = 0; i < table_.num_rows(); ++i)
      for (const auto& [level, column] : columns)
        all_.values.values.push_back(table_.finite(i, column));
  }
  void read_distributions() {
    const Index mean = *table_.find("mean"), sd = table_.find("sd").value_or(-1);
    const bool has_sd = all_.form == Form::normal;
    all_.values.num_columns = has_sd ? 2 : 1;
    for (Index i = 0; i < table_.num_rows(); ++i) {
      all_.values.values.push_back(table_.finite(i, mean));
      if (!has_sd) continue;
      all_.values.values.push_back(table_.finite(i, sd));
      if (!(all_.values.values.back() > 0.0))
        throw Error(ErrorCode::data,
                    fmt::format("a standard deviation is above 0, here it is {}",
                                all_.values.values.back()),
                    table_.place(i, sd));
    }
  }
  void read_columns(std::span<const Member> members) {
    all_.values.num_columns = ssize(members);
    for (Index i = 0; i < table_.num_rows(); ++i)
      for (const Member& member : members)
        all_.values.values.push_back(all_.form == Form::draws ? table_.finite(i, member.column)
                                                              : likelihood(i, member.column));
  }
  double likelihood(Index i, Index column) const {  // -infinity is a likelihood of 0
    const double value = table_.number(i, column);
    if (std::isnan(value) || value == kInfinity)
      throw Error(ErrorCode::data, "a log likelihood is missing or infinite",
                  table_.place(i, column));
    return value;
  }
  bool is_of_vectors() const { return !table_.find(options_.outcome) && !vector_columns().empty(); }
  std::vector<Index> vector_columns() const {
    std::vector<Index> columns;
    for (Index d = 1;; ++d) {
      const auto column = table_.find(fmt::format("{}.{}", options_.outcome, d));
      if (!column) return columns;
      columns.push_back(*column);
    }
  }
  // draw.S.D in any order of the columns.
  void read_vectors() {
    const std::vector<Index> outcomes = vector_columns();
    all_.dimension = ssize(outcomes);
    const Index num_draws = all_.values.num_columns / all_.dimension;
    std::vector<Index> columns;
    for (Index s = 1; s <= num_draws; ++s)
      for (Index d = 1; d <= all_.dimension; ++d) {
        const auto column = table_.find(fmt::format("draw.{}.{}", s, d));
        if (!column)
          throw Error(ErrorCode::data,
                      fmt::format("there is no column draw.{}.{}, of {} draws of {} numbers", s, d,
                                  num_draws, all_.dimension),
                      table_.source(), "draws of vectors are called draw.DRAW.ELEMENT");
        columns.push_back(*column);
      }
    all_.values = {.num_columns = ssize(columns)};
    for (Index i = 0; i < table_.num_rows(); ++i) {
      for (const Index column : columns) all_.values.values.push_back(table_.finite(i, column));
      for (const Index column : outcomes) all_.outcomes.push_back(outcome(i, column));
    }
  }
  void read_outcomes() {
    const auto column = table_.find(options_.outcome);
    if (!column && options_.outcome != "y")
      throw Error(ErrorCode::data, fmt::format("there is no column '{}'", options_.outcome),
                  table_.source(), fmt::format("columns are {}", fmt::join(table_.names(), ", ")));
    for (Index i = 0; i < table_.num_rows(); ++i)
      all_.outcomes.push_back(!column                      ? kNaN
                              : all_.form == Form::classes ? class_in(i, *column)
                                                           : outcome(i, *column));
  }
  double outcome(Index i, Index column) const {
    return is_missing(table_.cell(i, column)) ? kNaN : table_.finite(i, column);
  }
  double class_in(Index i, Index column) const {
    const std::string& text = table_.cell(i, column);
    if (is_missing(text)) return kNaN;
    const auto number = io::parse_number(text);
    for (std::size_t k = 0; k < all_.classes.size(); ++k) {
      const auto other = io::parse_number(all_.classes[k]);
      if (all_.classes[k] == text || (number && other && *number == *other))
        return static_cast<double>(k);
    }
    throw Error(
        ErrorCode::data, fmt::format("there is no class '{}'", text), table_.place(i, column),
        fmt::format("classes are {}, by the names of the columns", fmt::join(all_.classes, ", ")));
  }
  void read_others() {
    const auto take = [&](const char* name, std::vector<double>& values) {
      if (const auto column = table_.find(name)) values = table_.numbers(*column);
    };
    take("weight", all_.weights), take("log_density", all_.log_density);
    take("log_true", all_.log_true), take("confidence", all_.confidence);
    for (std::size_t i = 0; i < all_.weights.size(); ++i)
      if (all_.weights[i] < 0.0)
        throw Error(ErrorCode::data, fmt::format("a weight is {}, below 0", all_.weights[i]),
                    table_.place(static_cast<Index>(i), *table_.find("weight")));
    std::map<std::string, Index> numbers;
    if (const auto column = table_.find("block"))
      for (Index i = 0; i < table_.num_rows(); ++i)
        all_.blocks.push_back(
            numbers.emplace(table_.cell(i, *column), ssize(numbers)).first->second);
  }

  const CsvColumns& table_;
  const ReadOptions& options_;
  Predictions all_;
  std::vector<double> log_prior_;
};
}  // namespace

Predictions read_predictions(const CsvColumns& table, const ReadOptions& options) {
  return Reader(table, options).read();
}

void require_same_kind(const Predictions& a, const Predictions& b) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::data, fmt::format("{} than in {}", what, a.source), b.source,
                "both files hold predictions of one program for rows of one kind");
  };
  if (a.form != b.form) refuse(fmt::format("other predictions ({})", name_of(b.form)));
  if (a.classes != b.classes) refuse("other classes");
  if (a.levels != b.levels) refuse("quantiles at other levels");
  if (a.dimension != b.dimension) refuse("outcomes of another dimension");
  if (a.weights.empty() != b.weights.empty()) refuse("weights in one only, otherwise");
}

}  // namespace credo::score
