#include "models/series/series.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "models/formula/arithmetic.hpp"
#include "models/series/series_table.hpp"

namespace credo::models {
namespace {
using Kind = Expression::Kind;

class SeriesMaker {
 public:
  SeriesMaker(const SeriesRequest& request, const SeriesTextOf& text_of, FormulaFaults& faults)
      : request_(request),
        text_of_(text_of),
        faults_(faults),
        names_(request.is_usable),
        table_(request.data, request.is_usable, text_of, faults) {
    for (const char* own :
         {"T",       "y",       "Z",     "A",        "q",       "m",       "P",         "E",
          "kind",    "mu",      "sigma", "nu",       "weight",  "seen",    "N",         "A_known",
          "q_known", "P_known", "r",     "ar_parts", "design",  "fixed",   "state",     "spread",
          "x",       "before",  "t",     "k",        "z_start", "z_steps", "y_observed"})
      names_.take(own);
    if (!request.future.files.empty())
      future_.emplace(request.future, request.is_usable, text_of, faults);
  }

  Series make() {
    made_.formula = request_.formula;
    made_.family = request_.family;
    if (!read_formula() || !register_columns()) return std::move(made_);
    table_.read();
    if (future_) future_->read();
    if (!read_axis() || !read_outcome()) return std::move(made_);
    make_components();
    if (!faults_.empty() || !settle_gaps()) return std::move(made_);
    add_outcome_parameters();
    find_kinds();
    set_series_priors();
    if (!faults_.empty()) return std::move(made_);
    made_.program = series_program_text(made_);
    made_.data = series_data_text(made_, false);
    return std::move(made_);
  }

 private:
  // ---- the formula

  bool read_formula() {
    formula_ = parse_formula(request_.formula, faults_);
    made_.formula = formula_.text;
    if (!faults_.empty()) return false;
    if (formula_.parts.size() != 1 || !formula_.parts[0].left) {
      faults_.add(formula_.parts.back().right.place,
                  "a series has one formula, OUTCOME ~ COMPONENTS", "y ~ trend + season(12)");
      return false;
    }
    split(formula_.parts[0].right);
    if (terms_.empty() && !has_one_)
      faults_.add(formula_.parts[0].right.place, "there is no component", "y ~ level, or y ~ 1");
    return faults_.empty();
  }
  void split(const Expression& e) {
    if (e.is_operation("+") && e.parts.size() == 2 && !e.in_parentheses) {
      split(e.parts[0]);
      return split(e.parts[1]);
    }
    if (e.is_operation("-") && e.parts.size() == 2 && e.parts[1].word == "1") {
      split(e.parts[0]);
      has_intercept_ = false;
      return;
    }
    if (e.is_operation("-") && e.parts.size() == 1 && e.parts[0].word == "1") {
      has_intercept_ = false;
      return;
    }
    if (e.kind == Kind::number && (e.word == "0" || e.word == "1")) {
      (e.word == "0" ? has_intercept_ : has_one_) = e.word == "1";
      return;
    }
    terms_.push_back(e);
    const bool is_bare =
        e.kind == Kind::name && !e.in_parentheses && find_series_row(e.word) != nullptr;
    if (is_bare && has_column(e.word))
      faults_.add(e.place,
                  fmt::format("{0} is a component, and the table has a column {0}", e.word),
                  fmt::format("write {0}() for the component, ({0}) for the column", e.word));
    else if (e.kind == Kind::call && find_series_row(e.word) == nullptr &&
             !is_numeric_function(e.word) && e.word != "I")
      refuse_call(e);
    else if (is_arithmetic(e))
      faults_.add(e.place, fmt::format("{} is arithmetic outside I()", e.text()),
                  fmt::format("write I({}) for this number as a column", e.text()));
    else if (e.kind == Kind::text || e.kind == Kind::operation)
      faults_.add(e.place, fmt::format("{} is no component", e.text()),
                  "components are joined by +; products of columns: I(x * z)");
  }
  void refuse_call(const Expression& e) {
    std::vector<std::string> all;
    for (const SeriesRow* row : series_rows()) all.emplace_back(row->name);
    const std::string near = did_you_mean(e.word, all);
    faults_.add(
        e.place, fmt::format("there is no component {}()", e.word),
        near.empty() ? fmt::format("components are {}, and columns", fmt::join(all, ", ")) : near);
  }
  static bool is_arithmetic(const Expression& e) {
    static constexpr std::array kOperators{"+", "-", "*", "/", "^"};
    return std::ranges::any_of(kOperators, [&](const char* op) { return e.is_operation(op); });
  }
  bool has_column(const std::string& name) {
    const auto& all = table_.frame().column_names();
    return std::ranges::find(all, name) != all.end();
  }
  static const SeriesRow* row_of(const Expression& e) {
    const bool is_word = e.kind == Kind::name || e.kind == Kind::call;
    return is_word && !(e.kind == Kind::name && e.in_parentheses) ? find_series_row(e.word)
                                                                  : nullptr;
  }
  // Expressions of columns that a term needs.
  static std::vector<Expression> expressions_of(const Expression& term) {
    const SeriesRow* row = row_of(term);
    if (row != nullptr) return row->used(term);
    return {term.is_call("I") && term.parts.size() == 1 ? term.parts[0] : term};
  }

  bool register_columns() {
    bool is_right = use_columns(*formula_.parts[0].left, table_.frame());
    for (const Expression& term : terms_)
      for (const Expression& e : expressions_of(term)) {
        is_right = use_columns(e, table_.frame()) && is_right;
        if (future_) is_right = use_columns(e, future_->frame()) && is_right;
      }
    return is_right && faults_.empty();
  }

  // ---- times and outcomes

  std::string time_column() {
    if (!request_.time.empty()) return request_.time;
    for (const std::string& column : table_.frame().column_names()) {
      const bool is_used = std::ranges::any_of(
          table_.frame().used(), [&](const UsedColumn& used) { return used.column == column; });
      if (is_time_name(column) && !is_used) return column;
    }
    return {};
  }
  bool take_reading(const TimeReading& reading, const SeriesTable& table,
                    const std::string& column) {
    if (!reading.fault) return true;
    faults_.add_of_table(table.where(reading.fault->row),
                         fmt::format("{}: {}", column, reading.fault->message),
                         reading.fault->hint);
    return false;
  }
  bool read_axis() {
    const std::string column = time_column();
    if (column.empty()) {
      made_.axis = row_times(table_.num_rows());
      for (Index k = 0; k < table_.num_rows(); ++k) places_.push_back(k);
    } else {
      const auto cells = table_.texts(column);
      if (cells.empty()) {
        const std::string near = did_you_mean(column, table_.frame().column_names());
        faults_.add_of_table("--time", fmt::format("there is no column {}", column), near);
        return false;
      }
      TimeReading reading = read_times(cells);
      if (!take_reading(reading, table_, column)) return false;
      made_.axis = reading.axis, places_ = reading.places;
      made_.notes.push_back(fmt::format("times: column {}, {}", column, reading.axis.words()));
      note_sparse_times(column);
    }
    all_times_ = made_.axis.num_times;
    if (request_.last_times >= 0) all_times_ = std::min(all_times_, request_.last_times);
    made_.axis.num_times = all_times_;
    if (request_.fitted_times >= 0)
      made_.axis.num_times = std::min(all_times_, request_.fitted_times);
    made_.num_times = std::max(made_.axis.num_times + request_.ahead, all_times_);
    if (future_ && !read_future(column)) return false;
    if (made_.axis.num_times < 3) {
      faults_.add_of_table(
          "", fmt::format("the series has {} times, and a fit needs 3", made_.axis.num_times), "");
      return false;
    }
    return true;
  }
  // A step that is too small leaves most times without a row.
  void note_sparse_times(const std::string& column) {
    const Index without = made_.axis.num_times - ssize(places_);
    if (2 * without <= made_.axis.num_times) return;
    made_.notes.push_back(fmt::format(
        "{} of {} times have no row: the greatest common step of column {} is {}. If the rows are "
        "meant to follow each other, write the times as months, 2024-03, or as whole numbers",
        without, made_.axis.num_times, column, made_.axis.step_words()));
  }
  bool read_future(const std::string& column) {
    if (column.empty()) {
      for (Index k = 0; k < future_->num_rows(); ++k) future_places_.push_back(all_times_ + k);
    } else {
      const auto cells = future_->texts(column);
      if (cells.empty()) {
        faults_.add_of_table("--future", fmt::format("the table has no column {}", column),
                             "it needs the times of its rows");
        return false;
      }
      TimeAxis whole = made_.axis;
      whole.num_times = all_times_;
      TimeReading reading = read_times_behind(whole, cells);
      if (!take_reading(reading, *future_, column)) return false;
      future_places_ = reading.places;
    }
    if (request_.ahead == 0 && !future_places_.empty())
      made_.num_times = std::max(made_.num_times, future_places_.back() + 1);
    return true;
  }
  // Numbers at all times from the two tables.
  std::vector<double> at_times(const Expression& e) {
    std::vector<double> values(static_cast<std::size_t>(made_.num_times), kNaN);
    const auto take = [&](SeriesTable& table, const std::vector<Index>& places) {
      const Arithmetic found = arithmetic_of(e, table.frame());
      for (std::size_t k = 0; k < places.size(); ++k)
        if (places[k] < made_.num_times)
          values[static_cast<std::size_t>(places[k])] = found.values[found.is_vector ? k : 0];
      if (found.is_vector) refuse_undefined(e, found.values, places, table);
    };
    take(table_, places_);
    if (future_) take(*future_, future_places_);
    return values;
  }
  static void add_names(const Expression& e, std::vector<Expression>& names) {
    if (e.kind == Kind::name) names.push_back(e);
    for (const Expression& part : e.parts) add_names(part, names);
  }
  // False, with a fault, if a value is NaN although all cells that it is computed from have numbers, as log(y) at y = -1.
  bool refuse_undefined(const Expression& e, const std::vector<double>& values,
                        const std::vector<Index>& places, SeriesTable& table) {
    std::vector<Expression> names;
    add_names(e, names);
    std::vector<Arithmetic> cells;
    for (const Expression& name : names) cells.push_back(arithmetic_of(name, table.frame()));
    for (std::size_t k = 0; k < places.size() && places[k] < made_.num_times; ++k) {
      if (!std::isnan(values[k])) continue;
      std::string where;
      for (std::size_t n = 0; n < cells.size(); ++n) {
        const double cell = cells[n].values[cells[n].is_vector ? k : 0];
        if (std::isnan(cell)) where.clear();
        if (std::isnan(cell)) break;
        where += fmt::format("{}{} = {}", n == 0 ? "" : ", ", names[n].word, cell);
      }
      if (where.empty()) continue;
      faults_.add_of_table(table.where(static_cast<Index>(k)),
                           fmt::format("{} is not defined at {}", e.text(), where),
                           "an empty cell is a missing value; use the column without the function");
      return false;
    }
    return true;
  }
  bool read_outcome() {
    const Expression& left = *formula_.parts[0].left;
    made_.outcome = left.text();
    made_.is_plain_outcome = left.kind == Kind::name;
    const Arithmetic found = arithmetic_of(left, table_.frame());
    if (!found.is_vector) {
      faults_.add(left.place, "the outcome is no column", "y ~ level");
      return false;
    }
    if (!refuse_undefined(left, found.values, places_, table_)) return false;
    made_.y.assign(static_cast<std::size_t>(made_.num_times), kNaN);
    made_.later = made_.y;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const double value = found.values[k];
      if (places_[k] >= made_.num_times) break;
      if (std::isinf(value)) {
        faults_.add_of_table(table_.where(static_cast<Index>(k)),
                             fmt::format("{} is {}", made_.outcome, value), "outcomes are finite");
        return false;
      }
      const bool is_fitted = places_[k] < made_.axis.num_times;
      (is_fitted ? made_.y : made_.later)[static_cast<std::size_t>(places_[k])] = value;
    }
    if (!require_counts(left)) return false;
    predictors_ = made_.y;
    if (made_.is_count())
      for (double& y : predictors_)
        y = std::isnan(y) ? y : series_family(made_.family).predictor(y);
    made_.sd = sd_of(predictors_);
    if (made_.num_outcomes() < 3 || !(made_.sd > 0.0)) {
      faults_.add_of_table(
          "",
          fmt::format("{} has {} values at the times of the fit{}", made_.outcome,
                      made_.num_outcomes(), made_.sd > 0.0 ? "" : ", all the same"),
          "a fit needs 3 values that differ");
      return false;
    }
    return true;
  }

  // Outcomes of a family of counts are whole numbers that it can have, and the first state needs a prior.
  bool require_counts(const Expression& left) {
    if (!made_.is_count()) return true;
    const SeriesFamily& family = series_family(made_.family);
    if (request_.preset != "default" || request_.start == "diffuse") {
      faults_.add_of_table(
          request_.preset != "default" ? "--priors" : "--start",
          fmt::format("--family {} has priors on the scale of its link only", made_.family),
          "--priors default, with --prior 'NAME ~ DISTRIBUTION' for others, and --start prior");
      return false;
    }
    for (const std::vector<double>* values : {&made_.y, &made_.later})
      for (std::size_t t = 0; t < values->size(); ++t) {
        const double y = (*values)[t];
        if (std::isnan(y) || (y >= 0.0 && y <= family.largest && y == std::floor(y))) continue;
        faults_.add_of_table(made_.axis.label(static_cast<Index>(t)),
                             fmt::format("{} is {}", left.text(), y),
                             fmt::format("outcomes of --family {} are {}", made_.family,
                                         family.largest == 1.0 ? "0 or 1" : "0, 1, 2, ..."));
        return false;
      }
    return true;
  }

  // ---- components

  void make_components() {
    made_.is_diffuse =
        request_.start == "diffuse" || (request_.start == "auto" && request_.preset == "flat");
    const auto first = std::ranges::find_if(predictors_, [](double y) { return !std::isnan(y); });
    double largest = 0.0;
    for (const double y : predictors_)
      if (!std::isnan(y)) largest = std::max(largest, std::abs(y));
    const SeriesContext context{.axis = made_.axis,
                                .num_times = made_.num_times,
                                .sd = made_.sd,
                                .first = *first,
                                .largest = largest,
                                .is_flat = request_.preset == "flat",
                                .is_prophet = request_.preset == "prophet",
                                .names = names_,
                                .faults = faults_,
                                .values_of = [this](const Expression& e) { return at_times(e); },
                                .has_row = [this](Index t) { return has_row(t); }};
    for (const Expression& term : terms_) {
      const SeriesRow* row = row_of(term);
      const Expression own = expressions_of(term).empty() ? term : expressions_of(term)[0];
      auto made = row != nullptr ? row->make(term, context) : static_component(own, context);
      if (made) made_.components.push_back(*std::move(made));
    }
    if (request_.start != "diffuse" && request_.preset != "flat") note_weights(made_);
    const bool has_level = std::ranges::any_of(made_.components, &SeriesComponent::is_level);
    if (has_level && has_one_ && !request_.needs_level)
      faults_.add(formula_.parts[0].right.place,
                  "1 is an intercept, which the level contains already", "leave the 1 out");
    if (!has_level && request_.needs_level) {
      made_.components.insert(made_.components.begin(),
                              *find_series_row("level")->make({.word = "level"}, context));
      made_.notes.push_back("the formula has no level, so that a level is added");
    } else if (!has_level && has_intercept_)
      made_.components.insert(made_.components.begin(), intercept_component(context));
    for (SeriesComponent& part : made_.components)
      if (!part.columns.empty()) part.matrix = names_.take("X_" + part.key);
    if (std::ranges::count_if(made_.components, &SeriesComponent::is_level) > 1)
      faults_.add(formula_.parts[0].right.place,
                  "two components have a level, which can't be told apart", "keep one of them");
  }

  bool has_row(Index t) const {
    return std::ranges::binary_search(places_, t) || std::ranges::binary_search(future_places_, t);
  }
  // Rows that lack a column have no outcome (--missing drop), or are refused; forecasts need all columns. Times of the table behind the
  // fit are treated as those of the fit.
  bool settle_gaps() {
    Index dropped = 0, missing = 0;
    for (SeriesComponent& part : made_.components) {
      auto settle = [&](std::vector<double>& values) {
        return settle_column(values, part, dropped);
      };
      for (std::vector<double>& column : part.columns)
        if (!settle(column)) return false;
      if (!part.weights.empty() && !settle(part.weights)) return false;
    }
    for (Index t = 0; t < made_.axis.num_times; ++t)
      if (std::isnan(made_.y[static_cast<std::size_t>(t)])) ++missing;
    if (later_dropped_ > 0)
      made_.notes.push_back(fmt::format(
          "{} rows behind the fit lack a column: their outcomes don't count", later_dropped_));
    if (missing > 0)
      made_.notes.push_back(
          fmt::format("{} of {} times have no outcome{}", missing, made_.axis.num_times,
                      dropped > 0 ? fmt::format(" ({} rows lack a column)", dropped) : ""));
    return true;
  }
  bool settle_column(std::vector<double>& values, const SeriesComponent& part, Index& dropped) {
    for (std::size_t t = 0; t < values.size(); ++t) {
      if (std::isfinite(values[t])) continue;
      const bool is_fitted = static_cast<Index>(t) < made_.axis.num_times;
      if (static_cast<Index>(t) >= all_times_) {
        faults_.add_of_table(made_.axis.label(static_cast<Index>(t)),
                             fmt::format("{} has no value, which the forecast needs", part.label),
                             "give its future values: --future X.csv");
        return false;
      }
      double& outcome = (is_fitted ? made_.y : made_.later)[t];
      if (!std::isnan(outcome)) {
        if (request_.data.missing != "drop") {
          faults_.add_of_table(made_.axis.label(static_cast<Index>(t)),
                               fmt::format("{} has no value, and the outcome has one", part.label),
                               "--missing drop treats such outcomes as missing");
          return false;
        }
        outcome = kNaN;
        ++(is_fitted ? dropped : later_dropped_);
      }
      values[t] = 0.0;
    }
    return true;
  }

  // ---- parameters, kinds of steps, priors

  std::string sigma_prior() const {
    double largest = 0.0;
    for (const double y : made_.y)
      if (!std::isnan(y)) largest = std::max(largest, std::abs(y));
    return request_.preset == "prophet" ? fmt::format("normal(0, {:.4g})", 0.5 * largest)
                                        : fmt::format("exponential({:.4g})", 1.0 / made_.sd);
  }
  void add_outcome_parameters() {
    const bool is_flat = request_.preset == "flat";
    for (const SeriesComponent& part : made_.components)
      for (const SeriesParameter& p : part.parameters) made_.parameters.push_back(p);
    made_.is_student = request_.family == "student";
    if (made_.family == "negbinomial")
      made_.parameters.push_back({.name = "spread",
                                  .declaration = "real<lower=0> spread",
                                  .element = "spread",
                                  .prior = "exponential(1)"});
    if (made_.is_count()) return;
    made_.parameters.push_back({.name = "sigma",
                                .declaration = "real<lower=0> sigma",
                                .element = "sigma",
                                .prior = is_flat ? "" : sigma_prior(),
                                .kind = SeriesPriorKind::noise_sd});
    if (!made_.is_student) return;
    const bool is_unknown = std::ranges::any_of(
        request_.priors, [](const std::string& text) { return read_prior(text).name == "nu"; });
    if (is_unknown) {
      made_.freedom = "nu";
      made_.parameters.push_back(
          {.name = "nu", .declaration = "real<lower=1> nu", .element = "nu"});
    }
    made_.parameters.push_back({.name = "weight",
                                .declaration = "vector<lower=0>[T] weight",
                                .element = "weight",
                                .prior = is_unknown ? "gamma(nu / 2, nu / 2)" : "gamma(2, 2)",
                                .size = made_.axis.num_times});
  }
  void find_kinds() {
    for (Index t = 0; t < made_.num_times; ++t) {
      std::vector<bool> moves;
      for (const SeriesComponent& part : made_.components) moves.push_back(t % part.steps == 0);
      if (t == 0) moves.assign(made_.components.size(), true);
      auto found = std::ranges::find(made_.kind_moves, moves);
      if (found == made_.kind_moves.end()) found = made_.kind_moves.insert(found, moves);
      made_.kinds.push_back(found - made_.kind_moves.begin() + 1);
    }
  }
  // sd^2 has an inverse gamma distribution with `size` observations of the sd `guess`, up to `most`, as SdPrior of the package bsts.
  std::string bsts_prior(const SeriesParameter& p, double guess, double size, double most) {
    return fmt::format(
        "target += inv_gamma_lpdf(square({0}) | {1:.6g}, {2:.6g}) + log(2 * {0});{3}", p.element,
        size / 2, size / 2 * guess * guess,
        std::isfinite(most) ? fmt::format("  // {} < {:.4g}", p.element, most) : "");
  }
  void use_bsts(SeriesParameter& p, std::string& statement) {
    const bool has_columns = std::ranges::any_of(made_.components, [](const SeriesComponent& part) {
      return !part.coefficients.empty() && !part.is_level;
    });
    double guess = 0.01 * made_.sd, size = 32.0, most = made_.sd;
    if (p.kind == SeriesPriorKind::noise_sd) {
      guess = has_columns ? std::sqrt(0.2) * made_.sd : made_.sd;
      size = has_columns ? 50.0 : 0.01;
      most = has_columns ? kInfinity : 1.2 * made_.sd;
    }
    statement = bsts_prior(p, guess, size, most);
    if (std::isfinite(most))
      p.declaration = fmt::format("real<lower=0, upper={:.6g}> {}", most, p.element);
  }
  void set_series_priors() {
    for (SeriesParameter& p : made_.parameters) {
      std::string statement = p.prior.empty() ? "" : fmt::format("{} ~ {};", p.element, p.prior);
      std::string own;
      for (const std::string& text : request_.priors)
        if (const SeriesPriorText prior = read_prior(text); prior.name == without_spaces(p.name))
          own = prior.distribution;
      // A stated prior replaces the preset with its upper bound.
      if (!own.empty())
        statement = fmt::format("{} ~ {};", p.element, own);
      else if (request_.preset == "bsts" && p.kind != SeriesPriorKind::other)
        use_bsts(p, statement);
      if (!statement.empty()) made_.statements.push_back(statement);
    }
    for (const std::string& text : request_.priors) require_prior(text);
  }
  void require_prior(const std::string& text) {
    std::vector<std::string> all;
    for (const SeriesParameter& p : made_.parameters) all.push_back(p.name);
    const auto [name, distribution] = read_prior(text);
    const bool is_named = std::ranges::any_of(
        all, [&, &own = name](const std::string& known) { return without_spaces(known) == own; });
    if (distribution.empty() || !is_named)
      return faults_.add_of_table("--prior", fmt::format("'{}' names no parameter", text),
                                  fmt::format("parameters are {}", fmt::join(all, ", ")));
    const std::string function = distribution.substr(0, distribution.find('('));
    if (!request_.distributions.empty() &&
        std::ranges::find(request_.distributions, function) == request_.distributions.end())
      faults_.add_of_table("--prior", fmt::format("there is no distribution {}", function),
                           did_you_mean(function, request_.distributions));
  }

  const SeriesRequest& request_;
  const SeriesTextOf& text_of_;
  FormulaFaults& faults_;
  ProgramNames names_;
  SeriesTable table_;
  std::optional<SeriesTable> future_;
  Formula formula_;
  std::vector<Expression> terms_;
  bool has_intercept_ = true, has_one_ = false;
  std::vector<Index> places_, future_places_;
  std::vector<double> predictors_;  // outcomes at all times; for counts their linear predictors
  Index all_times_ = 0, later_dropped_ = 0;
  Series made_;
};
}  // namespace

Index Series::num_states() const { return first_state(components.size()); }
Index Series::first_state(std::size_t component) const {
  Index first = 0;
  for (std::size_t k = 0; k < component; ++k) first += components[k].num_states;
  return first;
}
Index Series::num_unknown() const {
  Index count = 0;
  for (const SeriesComponent& part : components) count += is_diffuse ? ssize(part.unknown) : 0;
  return count;
}
bool Series::design_varies() const {
  return std::ranges::any_of(components,
                             [](const SeriesComponent& part) { return !part.weights.empty(); });
}
Index Series::num_outcomes() const {
  return std::ranges::count_if(y, [](double value) { return !std::isnan(value); });
}

Series make_series(const SeriesRequest& request, const SeriesTextOf& text_of,
                   FormulaFaults& faults) {
  return SeriesMaker(request, text_of, faults).make();
}

}  // namespace credo::models
