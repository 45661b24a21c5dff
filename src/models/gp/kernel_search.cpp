// Greedy search over sums of products of base kernels. Each candidate is climbed from its parent's hyperparameters with those of the new factor
// at their centres; new periods start at the largest peaks of the periodogram of the outcome without its line.
#include "models/gp/kernel_search.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/optimise/mode.hpp"
#include "models/formula/formula_rows.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/worker_team.hpp"

namespace credo::models {
namespace {
using Base = SearchAtom::Base;
constexpr std::array kBases{Base::se, Base::rq, Base::periodic, Base::rising, Base::falling};
constexpr std::size_t kPeaks = 3, kMostFactors = 3;
constexpr double kLeastGain = 0.5;  // smaller gains of the score are noise of the climbs

struct SearchColumn {
  std::string name;
  double low = 0.0, high = 1.0;
  std::vector<double> periods = {};  // periods at the largest peaks
};

// A candidate, with the hyperparameters at its optimum by the names of their atoms.
struct ScoredExpression {
  SearchExpression expression;
  std::map<std::string, double> values = {};  // by "length of se(x)"
  std::vector<double> theta = {};
  SearchStep step = {};
};

std::string shifted(const std::string& column, double by) {
  return by == 0.0 ? column
                   : fmt::format("{} {} {:.12g}", column, by > 0.0 ? "-" : "+", std::abs(by));
}
std::string atom_text(const SearchAtom& atom, const std::map<std::string, SearchColumn>& columns) {
  const SearchColumn& own = columns.at(atom.column);
  switch (atom.base) {
    case Base::se:
      return fmt::format("se({})", atom.column);
    case Base::rq:
      return fmt::format("rq({})", atom.column);
    case Base::periodic:
      return fmt::format("periodic({})", atom.column);
    case Base::rising:
      return fmt::format("linear({})", shifted(atom.column, own.low));
    case Base::falling:
      return fmt::format("linear({})", shifted(atom.column, own.high));
  }
  return "";
}
std::string expression_text(const SearchExpression& expression,
                            const std::map<std::string, SearchColumn>& columns) {
  std::string text;
  for (const std::vector<SearchAtom>& term : expression) {
    if (!text.empty()) text += " + ";
    for (std::size_t k = 0; k < term.size(); ++k)
      text += (k > 0 ? " * " : "") + atom_text(term[k], columns);
  }
  return text;
}

bool is_line(Base base) { return base == Base::rising || base == Base::falling; }

// A product of two se of one column is one; a falling line alone is a rising one.
bool is_sensible(const std::vector<SearchAtom>& term) {
  if (term.size() > kMostFactors) return false;
  if (term.size() == 1 && term[0].base == Base::falling) return false;
  for (std::size_t a = 0; a < term.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (term[a].column == term[b].column &&
          (term[a].base == term[b].base ||
           (!is_line(term[a].base) && !is_line(term[b].base) && term[a].base != Base::periodic &&
            term[b].base != Base::periodic)))
        return false;
  return true;
}
SearchExpression sorted(SearchExpression e) {
  for (std::vector<SearchAtom>& term : e) std::ranges::sort(term);
  std::ranges::sort(e);
  return e;
}

// Neighbours by one move, each once.
std::set<SearchExpression> moves_from(const SearchExpression& e,
                                      std::span<const SearchAtom> atoms) {
  std::set<SearchExpression> made;
  const auto add = [&](SearchExpression one) {
    one = sorted(std::move(one));
    for (std::size_t t = 0; t < one.size(); ++t)
      if (!is_sensible(one[t]) || (t > 0 && one[t] == one[t - 1])) return;
    if (one != e) made.insert(std::move(one));
  };
  for (const SearchAtom& atom : atoms) {
    SearchExpression more = e;
    more.push_back({atom});
    add(more);
    for (std::size_t t = 0; t < e.size(); ++t) {
      SearchExpression product = e;
      product[t].push_back(atom);
      add(product);
      for (std::size_t f = 0; f < e[t].size(); ++f) {
        SearchExpression replaced = e;
        replaced[t][f] = atom;
        add(replaced);
      }
    }
  }
  return made;
}

// ---- periods

// Power of the outcome without its line at `count` frequencies k / (2 range).
std::vector<double> peaks_of(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  const double slope = xx > 0.0 ? xy / xx : 0.0;
  const auto [low, high] = std::ranges::minmax(x);
  const double range = high > low ? high - low : 1.0;
  const auto count = static_cast<Index>(std::min(1000.0, n));
  std::vector<double> power;
  for (Index k = 2; k <= count; ++k) {
    double c = 0.0, s = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double angle = std::numbers::pi * static_cast<double>(k) * (x[i] - low) / range;
      const double r = y[i] - my - slope * (x[i] - mx);
      c += r * std::cos(angle), s += r * std::sin(angle);
    }
    power.push_back(c * c + s * s);
  }
  std::vector<std::size_t> tops;
  for (std::size_t k = 1; k + 1 < power.size(); ++k)
    if (power[k] >= power[k - 1] && power[k] > power[k + 1]) tops.push_back(k);
  std::ranges::sort(tops, std::ranges::greater{}, [&](std::size_t k) { return power[k]; });
  std::vector<double> periods;
  for (std::size_t k = 0; k < std::min(kPeaks, tops.size()); ++k)
    periods.push_back(2.0 * range / static_cast<double>(tops[k] + 2));
  if (periods.empty()) periods.push_back(0.25 * range);
  return periods;
}

// ---- scores

// The first ? from `first` on that isn't in quotes.
std::size_t place_of_question(std::string_view formula, std::size_t first = 0) {
  char quote = 0;
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const char c = formula[k];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '`' || c == '"' || c == '\'')
      quote = c;
    else if (c == '?' && k >= first)
      return k;
  }
  return std::string::npos;
}

class KernelSearcher {
 public:
  KernelSearcher(const GpRequest& request, const GpTextOf& text_of,
                 const KernelSearchOptions& options, FormulaFaults& faults)
      : request_(request), text_of_(text_of), options_(options), faults_(faults) {
    const std::size_t place = place_of_question(request.formula);
    before_ = request.formula.substr(0, place);
    read_formula(place);
  }
  bool is_ready() const { return faults_.empty() && !columns_.empty(); }
  const std::map<std::string, SearchColumn>& columns() const { return columns_; }
  std::string formula_of(const SearchExpression& e) const {
    return before_ + expression_text(e, columns_);
  }

  KernelSearch search(const std::function<void(const SearchStep&)>& on_step) {
    KernelSearch made;
    measure_columns();
    if (!faults_.empty()) return made;
    made.num_rows = ssize(rows_);
    made.steps.push_back(noise_alone());
    if (on_step) on_step(made.steps.back());
    std::vector<SearchAtom> atoms;
    for (const auto& [name, column] : columns_)
      for (const Base base : kBases) atoms.push_back({base, name});
    ScoredExpression best{.expression = {}, .step = made.steps[0]};
    WorkerTeam team(options_.num_threads);
    for (Index depth = 0; depth < options_.max_depth && !made.has_finished; ++depth) {
      const std::set<SearchExpression> moves = moves_from(best.expression, atoms);
      std::vector<ScoredExpression> candidates;
      for (const SearchExpression& e : moves) candidates.push_back({.expression = e});
      team.for_each(ssize(candidates),
                    [&](Index k, Index) { score(candidates[static_cast<std::size_t>(k)], best); });
      stop_if_asked();
      const auto top = std::ranges::max_element(
          candidates, {}, [](const ScoredExpression& one) { return one.step.score; });
      made.has_finished =
          top == candidates.end() || !(top->step.score > best.step.score + kLeastGain);
      if (made.has_finished) break;
      best = std::move(*top);
      best.step.num_candidates = ssize(candidates);
      made.steps.push_back(best.step);
      if (on_step) on_step(best.step);
    }
    made.expression = best.expression, made.theta = best.theta;
    if (!best.expression.empty()) made.formula = formula_of(best.expression);
    return made;
  }

 private:
  // The formula with a name in the place of the question mark: its part behind ~ or | is this name, alone or with names of columns.
  void read_formula(std::size_t place) {
    std::string with_name = request_.formula;
    with_name[place] = 'q';
    const Formula formula = parse_formula(with_name, faults_);
    if (!faults_.empty()) return;
    const std::string_view front = trimmed(before_);
    const bool has_place = front.ends_with('~') || front.ends_with('|');
    const Expression* right = &formula.parts[0].right;
    if (right->is_operation("|")) right = &right->parts[1];
    const bool is_alone = has_place && formula.parts.size() == 1 && formula.parts[0].left &&
                          is_question(*right) &&
                          place_of_question(request_.formula, place + 1) == std::string::npos;
    if (!is_alone)
      throw Error(ErrorCode::usage, "the ? stands alone in the place of the kernels", "FORMULA",
                  "y ~ ?, y ~ ?(a, b) or y ~ 1 + x | ?; or name the kernels: y ~ se(x)");
    read_columns(*formula.parts[0].left, right->parts);
  }
  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
      text.remove_suffix(1);
    return text;
  }
  static bool is_question(const Expression& e) {
    if (e.in_parentheses || e.word != "q") return false;
    if (e.kind == Expression::Kind::name) return true;
    return e.kind == Expression::Kind::call && !e.parts.empty() &&
           std::ranges::all_of(
               e.parts,
               [](const Expression& part) { return part.kind == Expression::Kind::name; }) &&
           std::ranges::all_of(e.labels, [](const std::string& label) { return label.empty(); });
  }
  // Columns in the parentheses behind the ?, or all numbers of the table but those of the outcome.
  void read_columns(const Expression& outcome, std::span<const Expression> named) {
    FormulaFaults own;
    FormulaRows rows(request_.data, request_.is_usable, text_of_, own);
    std::set<std::string> outcome_names;
    collect_names(outcome, outcome_names);
    for (const Expression& e : named) {
      if (outcome_names.contains(e.word))
        throw Error(ErrorCode::usage, fmt::format("{} is a column of the outcome", e.text()),
                    "FORMULA", "kernels are searched for over other columns");
      columns_[e.text()] = {.name = e.text()};
    }
    if (!named.empty()) return;
    for (const std::string& name : rows.frame().column_names()) {
      const Expression e{.word = name};
      if (!outcome_names.contains(name) && !rows.frame().is_text(e))
        columns_[e.text()] = {.name = e.text()};
    }
    if (columns_.empty())
      throw Error(ErrorCode::usage, "no column of numbers is left to search over", "FORMULA",
                  "y ~ ?(x) names the columns");
  }

  std::optional<GpTable> table_of(const SearchExpression& e, FormulaFaults& faults) const {
    GpRequest request = request_;
    request.formula = formula_of(e);
    GpTable table = make_gp_table(request, text_of_, faults);
    if (!faults.empty()) return std::nullopt;
    return table;
  }
  // Ranges, periods, and the rows that scores use.
  void measure_columns() {
    SearchExpression all;
    for (const auto& [name, column] : columns_) all.push_back({{Base::se, name}});
    const std::optional<GpTable> table = table_of(all, faults_);
    if (!table) return;
    const Index n = table->num_rows(), kept = std::min(n, options_.num_rows);
    std::vector<Index> places;
    for (Index k = 0; k < kept; ++k) places.push_back(k * n / kept);
    for (const Index place : places) rows_.push_back(table->rows[static_cast<std::size_t>(place)]);
    std::vector<double> y;
    for (const Index row : places) y.push_back(table->problem.y[static_cast<std::size_t>(row)]);
    std::size_t next = 0;
    for (auto& [name, column] : columns_) {
      const std::vector<double>& x = table->columns[next++];
      const auto [low, high] = std::ranges::minmax(x);
      column.low = low, column.high = high;
      std::vector<double> part;
      for (const Index row : places) part.push_back(x[static_cast<std::size_t>(row)]);
      column.periods = peaks_of(part, y);
    }
    mean_ = subset_of(table->problem, places);
  }
  // Places of the searched rows in a table that may have dropped fewer rows than the one of all columns.
  std::vector<Index> places_in(const GpTable& table) const {
    std::vector<Index> places;
    for (const Index row : rows_) {
      const auto found = std::ranges::lower_bound(table.rows, row);
      CREDO_ASSERT(found != table.rows.end() && *found == row, "rows with all columns have some");
      places.push_back(found - table.rows.begin());
    }
    return places;
  }
  // log p of y = H beta + noise: at its best noise, of the residuals of least squares, unless the noise is stated.
  SearchStep noise_alone() const {
    const Index n = mean_.num_rows(), q = mean_.mean_columns.cols;
    numerics::DenseMatrix cross(q, q);
    std::vector<double> right(static_cast<std::size_t>(q), 0.0);
    double square = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double y = mean_.y[static_cast<std::size_t>(i)];
      square += y * y;
      for (Index a = 0; a < q; ++a) {
        right[static_cast<std::size_t>(a)] += mean_.mean_columns(i, a) * y;
        for (Index b = 0; b < q; ++b)
          cross(a, b) += mean_.mean_columns(i, a) * mean_.mean_columns(i, b);
      }
    }
    GpMean mean = solve_mean(cross, right, square);
    const auto free = static_cast<double>(n - q);
    const bool is_stated = request_.noise >= 0.0;
    const double variance = is_stated ? request_.noise * request_.noise
                                      : mean.quadratic / free;  // at the largest evidence
    if (is_stated && !(variance > 0.0)) return {.formula = before_ + "noise"};
    mean.quadratic = is_stated ? mean.quadratic / variance : free;
    mean.log_determinant -= static_cast<double>(q) * std::log(variance);
    const double evidence = gp_log_evidence(static_cast<double>(n) * std::log(variance), mean, n);
    return {.formula = before_ + "noise",
            .evidence = evidence,
            .score = is_stated ? evidence : evidence - 0.5 * std::log(static_cast<double>(n))};
  }

  static std::string key_of(const CovarianceParameter& p) { return p.name + " of " + p.of; }
  // Starts of a candidate: its parent's values where an atom or a term is the parent's, else centres; each new period at each peak.
  std::vector<std::vector<double>> starts_of(const GpProblem& p,
                                             const ScoredExpression& parent) const {
    const std::vector<CovarianceParameter>& parameters = p.covariance.parameters();
    std::vector<double> theta = centre_of(p.covariance);
    std::vector<std::pair<std::size_t, const SearchColumn*>> new_periods;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const auto known = parent.values.find(key_of(parameters[k]));
      if (known != parent.values.end()) {
        theta[k] = known->second;
      } else if (parameters[k].name == "period") {
        for (const auto& [name, column] : columns_)
          if (parameters[k].of == fmt::format("periodic({})", name))
            new_periods.emplace_back(k, &column);
      }
    }
    std::vector<std::vector<double>> starts{centre_of(p.covariance)};
    starts.push_back(theta);
    for (const auto& [k, column] : new_periods)
      for (const double period : column->periods) {
        starts.push_back(theta);
        starts.back()[k] = period;
      }
    return starts;
  }
  void score(ScoredExpression& one, const ScoredExpression& parent) const {
    FormulaFaults faults;
    const std::optional<GpTable> table = table_of(one.expression, faults);
    if (!table) return;
    GpProblem problem = subset_of(table->problem, places_in(*table));
    problem.num_threads = 1;
    const std::vector<Index> estimated = estimated_parameters(problem.covariance);
    const auto solver = make_exact_solver(problem);
    const auto density = evidence_density(problem, *solver, false);
    const std::vector<CovarianceParameter>& parameters = problem.covariance.parameters();
    one.step.formula = formula_of(one.expression);
    for (const std::vector<double>& start : starts_of(problem, parent)) {
      std::vector<double> free;
      for (const Index p : estimated)
        free.push_back(
            parameters[static_cast<std::size_t>(p)].to_free(start[static_cast<std::size_t>(p)]));
      const auto mode = infer::find_mode_if_defined(
          *density, {.max_iterations = 100, .tolerance = 1e-5, .start = free});
      if (!mode || !(mode->log_density > one.step.evidence)) continue;
      one.step.evidence = mode->log_density;
      one.theta = centre_of(problem.covariance);
      for (std::size_t k = 0; k < estimated.size(); ++k) {
        const CovarianceParameter& p = parameters[static_cast<std::size_t>(estimated[k])];
        one.values[key_of(p)] = one.theta[static_cast<std::size_t>(estimated[k])] =
            p.from_free(mode->position[k]);
      }
    }
    one.step.score = one.step.evidence - 0.5 * static_cast<double>(estimated.size()) *
                                             std::log(static_cast<double>(problem.num_rows()));
  }

  const GpRequest& request_;
  const GpTextOf& text_of_;
  const KernelSearchOptions& options_;
  FormulaFaults& faults_;
  std::string before_;  // the formula up to the kernels
  std::map<std::string, SearchColumn> columns_;
  std::vector<Index> rows_;  // numbers of the file's rows
  GpProblem mean_;
};

// ---- words

class KernelWords {
 public:
  KernelWords(const GpTable& table, std::span<const double> theta) : table_(table), theta_(theta) {}

  std::string sentence(const SearchExpression& e) {
    std::string text;
    for (const std::vector<SearchAtom>& term : e)
      text += (text.empty() ? "" : ", plus ") + phrase(term);
    const double noise = theta_[static_cast<std::size_t>(table_.problem.noise)];
    return text + fmt::format("{}noise of standard deviation {:.3g}", text.empty() ? "" : ", plus ",
                              noise);
  }

 private:
  // The factor that names the term first: a period, then a curve, then a line.
  static int rank(const SearchAtom& atom) {
    return atom.base == Base::periodic ? 0 : is_line(atom.base) ? 2 : 1;
  }
  std::string phrase(std::vector<SearchAtom> term) {
    std::ranges::stable_sort(term, {}, rank);
    const auto lines =
        std::ranges::count_if(term, [](const SearchAtom& atom) { return is_line(atom.base); });
    if (lines == ssize(term))
      return lines == 1 ? fmt::format("a linear trend in {}", term[0].column)
             : lines == 2 && term[0].column == term[1].column
                 ? fmt::format("a quadratic trend in {}", term[0].column)
                 : "a product of linear trends";
    std::string text = main_words(term[0]);
    for (std::size_t k = 1; k < term.size(); ++k)
      text += (k > 1 ? " and" : "") + rest_words(term[k], term[0]);
    return text;
  }
  std::string main_words(const SearchAtom& atom) {
    if (atom.base == Base::periodic)
      return fmt::format("a pattern of period {:.3g} in {}",
                         value("period", "periodic", atom.column), atom.column);
    const double length = value("length", atom.base == Base::se ? "se" : "rq", atom.column);
    return atom.base == Base::se
               ? fmt::format("a smooth curve of length scale {:.3g} in {}", length, atom.column)
               : fmt::format("a curve with length scales around {:.3g} in {}", length, atom.column);
  }
  std::string rest_words(const SearchAtom& atom, const SearchAtom& main) {
    const std::string in = atom.column == main.column ? "" : " with " + atom.column;
    switch (atom.base) {
      case Base::rising:
        return " whose size grows" + in;
      case Base::falling:
        return " whose size shrinks" + in;
      case Base::periodic:
        return fmt::format(" whose size repeats with period {:.3g} in {}",
                           value("period", "periodic", atom.column), atom.column);
      default:
        return fmt::format(" whose form changes {} over {:.3g} in {}",
                           atom.base == Base::se ? "smoothly" : "on several scales",
                           value("length", atom.base == Base::se ? "se" : "rq", atom.column),
                           atom.column);
    }
  }
  // Parameters come in the order of the terms, so each atom's is the next one of its name.
  double value(std::string_view name, std::string_view kernel, const std::string& column) {
    const std::string of = fmt::format("{}({})", kernel, column);
    const auto& parameters = table_.problem.covariance.parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].name == name && parameters[k].of == of && used_.insert(k).second)
        return theta_[k];
    return std::numeric_limits<double>::quiet_NaN();
  }

  const GpTable& table_;
  std::span<const double> theta_;
  std::set<std::size_t> used_;
};
}  // namespace

bool asks_for_kernel(const std::string& formula) {
  return place_of_question(formula) != std::string::npos;
}

KernelSearch search_kernel(const GpRequest& request, const GpTextOf& text_of,
                           const KernelSearchOptions& options, FormulaFaults& faults,
                           const std::function<void(const SearchStep&)>& on_step) {
  KernelSearcher searcher(request, text_of, options, faults);
  if (!searcher.is_ready()) return {};
  return searcher.search(on_step);
}

std::string kernel_in_words(const SearchExpression& expression, const GpTable& table,
                            std::span<const double> theta) {
  return KernelWords(table, theta).sentence(expression);
}

}  // namespace credo::models
