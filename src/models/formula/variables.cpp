#include "models/formula/variables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest_name.hpp"
#include "io/data/data_recipe.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {
using Kind = Expression::Kind;
constexpr Index kMostColumns = 500;

const Expression* argument(const Expression& call, std::string_view label, std::size_t place) {
  for (std::size_t k = 0; k < call.parts.size(); ++k)
    if (call.labels[k] == label) return &call.parts[k];
  std::size_t unnamed = 0;
  for (std::size_t k = 0; k < call.parts.size(); ++k)
    if (call.labels[k].empty() && unnamed++ == place) return &call.parts[k];
  return nullptr;
}

// Arguments of a call beside the first one.
struct CallSpec {
  std::string_view name;
  std::vector<std::string_view> labels;  // in the order of unnamed arguments, behind the first one
};
const std::vector<CallSpec>& calls() {
  static const std::vector<CallSpec> kCalls{
      {"I", {}},           {"poly", {"degree", "raw"}}, {"scale", {}},
      {"center", {}},      {"bs", {"df", "degree"}},    {"ns", {"df"}},
      {"cut", {"breaks"}}, {"kernel", {"length"}},      {"factor", {"contrasts", "ref"}},
      {"C", {"contr"}}};
  return kCalls;
}

const CallSpec* find_call(std::string_view name) {
  for (const CallSpec& call : calls())
    if (call.name == name) return &call;
  return nullptr;
}

std::optional<Index> whole_number(const Expression* e) {
  if (e == nullptr || e->kind != Kind::number) return std::nullopt;
  const auto number = io::parse_number(e->word);
  if (!number || *number != std::floor(*number) || *number < 0.0 || *number > 1e6)
    return std::nullopt;
  return static_cast<Index>(*number);
}

// The word of a name or a text: sum, "sum"; R's contr.sum means the same.
std::string word_of(const Expression* e) {
  std::string word = e == nullptr ? "" : e->word;
  if (word.starts_with("contr.")) word.erase(0, 6);
  return word;
}

bool is_factor_call(const Expression& e) { return e.is_call("factor") || e.is_call("C"); }

const Expression& column_of_factor(const Expression& call) {
  const Expression& first = call.parts[0];
  return first.is_call("factor") && !first.parts.empty() ? first.parts[0] : first;
}

bool check_labels(const Expression& e, const CallSpec& spec, Frame& frame) {
  bool is_right = true;
  for (std::size_t k = 1; k < e.parts.size(); ++k) {
    const bool is_known =
        e.labels[k].empty() || std::ranges::find(spec.labels, e.labels[k]) != spec.labels.end();
    if (is_known && k <= spec.labels.size()) continue;
    frame.faults().add(e.parts[k].place,
                       fmt::format("{}() has no argument {}", e.word,
                                   e.labels[k].empty() ? e.parts[k].text() : e.labels[k]),
                       spec.labels.empty() ? "it has one argument"
                                           : fmt::format("beside the first one there are {}",
                                                         fmt::join(spec.labels, ", ")));
    is_right = false;
  }
  return is_right;
}

bool use_factor(const Expression& e, Frame& frame) {
  const Expression& column = column_of_factor(e);
  if (column.kind != Kind::name) {
    frame.faults().add(column.place, fmt::format("{}() is made of a column", e.word));
    return false;
  }
  const Expression* const kind = argument(e, e.word == "C" ? "contr" : "contrasts", 1);
  const std::string word = word_of(kind);
  if (kind != nullptr && std::ranges::find(kContrastKinds, word) == kContrastKinds.end()) {
    frame.faults().add(kind->place, fmt::format("there are no contrasts {}", word),
                       fmt::format("use one of {}", fmt::join(kContrastKinds, ", ")));
    return false;
  }
  return frame.use(column, ColumnRole::factor).has_value();
}

// The length of kernel(x, length = 2).
std::optional<double> kernel_length(const Expression& e) {
  const Expression* const given = argument(e, "length", 1);
  const auto length = given == nullptr ? std::nullopt : io::parse_number(given->word);
  return length && *length > 0.0 && std::isfinite(*length) ? length : std::nullopt;
}
bool check_length(const Expression& e, Frame& frame) {
  if (kernel_length(e)) return true;
  frame.faults().add(e.place, "kernel() needs its length, a positive number in units of the column",
                     "kernel(x, length = 2)");
  return false;
}

bool check_numbers(const Expression& e, Frame& frame) {
  const auto need = [&](std::string_view label, std::size_t place, Index least) {
    const Expression* const given = argument(e, label, place);
    const auto number = whole_number(given);
    if (number && *number >= least && *number <= kMostColumns) return true;
    frame.faults().add(given == nullptr ? e.place : given->place,
                       fmt::format("{}() needs a whole number {} from {} to {}", e.word, label,
                                   least, kMostColumns));
    return false;
  };
  if (e.word == "poly") return need("degree", 1, 1);
  if (e.word == "ns") return need("df", 1, 1);
  if (e.word == "kernel") return check_length(e, frame);
  if (e.word != "bs") return true;
  const Index degree = whole_number(argument(e, "degree", 2)).value_or(3);
  return need("df", 1, std::max<Index>(degree, 1));
}

// Numbers of c(1, 2.5, 4), or none.
std::vector<double> listed_numbers(const Expression& e) {
  std::vector<double> numbers;
  if (!e.is_call("c")) return numbers;
  for (const Expression& part : e.parts) {
    const bool is_signed = part.kind == Kind::operation && part.parts.size() == 1;
    const auto number = io::parse_number(is_signed ? part.parts[0].word : part.word);
    if (!number) return {};
    numbers.push_back(is_signed && part.word == "-" ? -*number : *number);
  }
  return numbers;
}

bool check_breaks(const Expression& e, Frame& frame) {
  const Expression* const breaks = argument(e, "breaks", 1);
  const bool is_right =
      breaks != nullptr &&
      (whole_number(breaks).value_or(0) >= 2 ||
       (listed_numbers(*breaks).size() >= 3 && std::ranges::is_sorted(listed_numbers(*breaks))));
  if (!is_right)
    frame.faults().add(e.place, "cut() needs the number of pieces, or ascending borders",
                       "cut(x, 4), or cut(x, breaks = c(0, 10, 20, 50))");
  return is_right;
}
}  // namespace

bool use_variable(const Expression& e, Frame& frame) {
  if (e.kind == Kind::name)
    return frame
        .use(e,
             frame.find(e) != nullptr && frame.is_text(e) ? ColumnRole::factor : ColumnRole::number)
        .has_value();
  if (e.kind != Kind::call) return use_columns(e, frame);
  const CallSpec* const spec = find_call(e.word);
  if (is_lag_call(e)) return use_columns(e, frame);
  if (spec == nullptr && !is_numeric_function(e.word)) {
    std::vector<std::string> names = numeric_function_names();
    for (const CallSpec& call : calls()) names.emplace_back(call.name);
    for (const char* lag : {"lag", "diff"}) names.emplace_back(lag);
    const std::string near = did_you_mean(e.word, names);
    frame.faults().add(e.place, fmt::format("there is no function {}() in formulas", e.word),
                       near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near);
    return false;
  }
  if (e.parts.empty()) {
    frame.faults().add(e.place, fmt::format("{}() needs an argument", e.word));
    return false;
  }
  if (spec != nullptr && !check_labels(e, *spec, frame)) return false;
  if (is_factor_call(e)) return use_factor(e, frame);
  const bool is_right = check_numbers(e, frame) && (e.word != "cut" || check_breaks(e, frame));
  return use_columns(spec == nullptr ? e : e.parts[0], frame) && is_right;
}

namespace {
// Makes the columns of one variable.
class VariableMaker {
 public:
  VariableMaker(const Expression& e, Frame& frame, StanParts& parts)
      : e_(e), frame_(frame), parts_(parts) {
    made_.text = e.text();
    std::string name;
    for (const char c : made_.text) {
      const bool is_letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (is_letter || (!name.empty() && name.back() != '_')) name += is_letter ? c : '_';
    }
    made_.name = io::name_for_programs(name);
    while (made_.name.ends_with('_')) made_.name.pop_back();
  }

  FormulaVariable make() {
    if (e_.kind == Kind::name && frame_.is_text(e_)) return factor(e_);
    if (is_factor_call(e_)) return factor(column_of_factor(e_));
    const bool is_call = e_.kind == Kind::call && !is_numeric_function(e_.word) && e_.word != "I" &&
                         !is_lag_call(e_);
    inner_ = arithmetic_of(is_call ? e_.parts[0] : e_, frame_);
    if (!require_numbers()) return std::move(made_);
    if (!is_call) return plain(inner_.values, inner_.stan);
    if (e_.word == "scale" || e_.word == "center") return scaled();
    if (e_.word == "poly") return poly();
    if (e_.word == "cut") return pieces();
    if (e_.word == "kernel") return kernel();
    return spline();
  }

 private:
  bool require_numbers() {
    if (!inner_.is_vector) {
      frame_.faults().add(e_.place, "this has no column");
      return false;
    }
    for (std::size_t k = 0; k < inner_.values.size(); ++k) {
      if (std::isfinite(inner_.values[k])) continue;
      frame_.faults().add(
          e_.place,
          fmt::format("{} is {} in row {}", made_.text, io::number_text(inner_.values[k]), k + 1),
          "a term is a finite number in each row: correct the cell, take another "
          "function, or leave the row out");
      return false;
    }
    return true;
  }

  FormulaVariable factor(const Expression& column) {
    const std::string name = frame_.use(column, ColumnRole::factor)->name;
    made_.is_factor = true;
    made_.codes_name = name;
    made_.codes = frame_.codes(name);
    made_.levels = frame_.levels(name);
    if (is_factor_call(e_)) choose_contrasts();
    return with_contrasts(column.place);
  }
  FormulaVariable with_contrasts(FormulaPlace place) {
    if (made_.levels.size() < 2) {
      frame_.faults().add(
          place,
          fmt::format("{} has {} in these rows, so it explains nothing", made_.text,
                      made_.levels.empty() ? "no level" : "one level, " + made_.levels[0] + ","),
          "leave the term out");
      return std::move(made_);
    }
    made_.contrasts = contrasts_of(made_.contrast_kind, made_.levels, made_.reference);
    return std::move(made_);
  }
  void choose_contrasts() {
    const Expression* const kind = argument(e_, e_.word == "C" ? "contr" : "contrasts", 1);
    if (kind != nullptr) made_.contrast_kind = word_of(kind);
    const Expression* const level = argument(e_, "ref", 2);
    if (level == nullptr) return;
    const auto found = std::ranges::find(made_.levels, level->word);
    if (found != made_.levels.end())
      made_.reference = static_cast<std::size_t>(found - made_.levels.begin());
    else
      frame_.faults().add(level->place, fmt::format("{} is no level", level->word),
                          did_you_mean(level->word, made_.levels).empty()
                              ? fmt::format("the levels are {}", fmt::join(made_.levels, ", "))
                              : did_you_mean(level->word, made_.levels));
  }

  FormulaVariable plain(std::vector<double> values, std::string stan) {
    made_.columns = {std::move(values)};
    made_.column_names = {""};
    made_.stan = std::move(stan);
    return std::move(made_);
  }

  std::string constant(const std::string& prefix, std::vector<Index> dims,
                       std::vector<double> values, const std::string& comment) {
    std::string name = frame_.names().take(prefix + "_" + made_.name);
    parts_.constants.push_back(
        {.name = name, .dims = std::move(dims), .values = std::move(values), .comment = comment});
    return name;
  }
  std::string constant(const std::string& prefix, const std::vector<double>& values,
                       const std::string& comment) {
    return constant(prefix, {ssize(values)}, values, comment);
  }

  FormulaVariable scaled() {
    const double centre = sample_mean(inner_.values), scale = sample_sd(inner_.values);
    const bool divides = e_.word == "scale";
    if (divides && !(scale > 0.0)) {
      frame_.faults().add(e_.place, fmt::format("all values of {} are equal", inner_.stan),
                          "leave the term out");
      return std::move(made_);
    }
    std::vector<double> values = inner_.values;
    for (double& x : values) x = (x - centre) / (divides ? scale : 1.0);
    std::string stan = fmt::format("({} - {})", inner_.stan, constant("centre", {}, {centre}, ""));
    if (divides) stan = fmt::format("{} / {}", stan, constant("scale", {}, {scale}, ""));
    return plain(std::move(values), std::move(stan));
  }

  Index num_different() const {
    return ssize(std::set(inner_.values.begin(), inner_.values.end()));
  }
  bool require_different(Index least) {
    if (num_different() >= least) return true;
    frame_.faults().add(e_.place,
                        fmt::format("{} needs {} different values, and there are {}", made_.text,
                                    least, num_different()),
                        "take fewer functions of the column");
    return false;
  }
  // A matrix of transformed data.
  FormulaVariable matrix(Columns columns, const std::string& call) {
    made_.is_matrix = true;
    made_.stan = frame_.names().take(made_.name + "_columns");
    for (std::size_t k = 0; k < columns.size(); ++k)
      made_.column_names.push_back(fmt::format("{}", k + 1));
    parts_.prepared.push_back(
        fmt::format("matrix[N, {}] {} = {};", columns.size(), made_.stan, call));
    made_.columns = std::move(columns);
    return std::move(made_);
  }

  FormulaVariable poly() {
    const Index degree = *whole_number(argument(e_, "degree", 1));
    const std::string raw = word_of(argument(e_, "raw", 2));
    if (!require_different(degree + 1)) return std::move(made_);
    if (raw == "TRUE" || raw == "T") {
      Columns columns(static_cast<std::size_t>(degree), inner_.values);
      for (std::size_t d = 0; d < columns.size(); ++d)
        for (double& x : columns[d]) x = std::pow(x, static_cast<double>(d + 1));
      use_function(parts_, "power_columns");
      return matrix(std::move(columns), fmt::format("power_columns({}, {})", inner_.stan, degree));
    }
    const PolyBasis basis = poly_basis(inner_.values, degree);
    use_function(parts_, "poly_columns");
    const std::string alpha = constant("alpha", basis.alpha, "centres of the polynomials"),
                      norm2 = constant("norm2", basis.norm2, "their squared norms");
    return matrix(poly_columns(inner_.values, basis),
                  fmt::format("poly_columns({}, {}, {})", inner_.stan, alpha, norm2));
  }

  // A column for each different value of the table: exp(-½ ((x - value) / length)²).
  FormulaVariable kernel() {
    const double length = *kernel_length(e_);
    const std::set<double> values(inner_.values.begin(), inner_.values.end());
    if (ssize(values) > kMostColumns) {
      frame_.faults().add(
          e_.place,
          fmt::format("{} has {} different values, and kernel() makes a column of each, {} at most",
                      inner_.stan, values.size(), kMostColumns),
          "s(x) and gp(x) take long tables");
      return std::move(made_);
    }
    if (!require_different(2)) return std::move(made_);
    const std::vector<double> centres(values.begin(), values.end());
    use_function(parts_, "kernel_columns");
    const std::string known = constant("centres", centres, "values that columns belong to");
    FormulaVariable made = matrix(
        kernel_columns(inner_.values, centres, length),
        fmt::format("kernel_columns({}, {}, {})", inner_.stan, known, io::number_text(length)));
    for (std::size_t k = 0; k < centres.size(); ++k)
      made.column_names[k] = fmt::format(" at {}", io::number_text(centres[k]));
    made.may_be_collinear = true;
    return made;
  }

  FormulaVariable spline() {
    const Index df = *whole_number(argument(e_, "df", 1));
    const Index degree = e_.word == "ns" ? 3 : whole_number(argument(e_, "degree", 2)).value_or(3);
    if (!require_different(df + 1)) return std::move(made_);
    const SplineBasis basis =
        e_.word == "ns" ? natural_spline(inner_.values, df) : b_spline(inner_.values, df, degree);
    made_.range = {basis.first(), basis.last()};
    made_.inside = inner_.values;
    use_function(parts_, "spline_columns");
    const std::string knots = constant("knots", basis.knots, "with those at the ends repeated");
    std::string call = fmt::format("spline_columns({}, {}, {})", inner_.stan, knots, degree);
    if (!basis.map.empty()) call += " * " + map_constant(basis.map);
    return matrix(spline_columns(inner_.values, basis), call);
  }
  std::string map_constant(const Columns& map) {
    std::vector<double> by_rows;
    for (std::size_t r = 0; r < map[0].size(); ++r)
      for (const std::vector<double>& column : map) by_rows.push_back(column[r]);
    return constant("map", {ssize(map[0]), ssize(map)}, by_rows,
                    "natural splines as sums of B-splines");
  }

  FormulaVariable pieces() {
    const Expression& given = *argument(e_, "breaks", 1);
    const auto number = whole_number(&given);
    const std::vector<double> breaks =
        number ? equal_breaks(inner_.values, *number) : listed_numbers(given);
    made_.is_factor = true;
    made_.levels = piece_names(breaks);
    for (std::size_t k = 0; k < inner_.values.size(); ++k) {
      const double x = inner_.values[k];
      const auto after = std::ranges::lower_bound(breaks, x);
      if (after == breaks.begin() || after == breaks.end()) {
        frame_.faults().add(e_.place,
                            fmt::format("{} in row {} is outside of the borders", x, k + 1));
        return std::move(made_);
      }
      made_.codes.push_back(static_cast<std::int32_t>(after - breaks.begin()));
    }
    use_function(parts_, "piece_numbers");
    made_.codes_name = frame_.names().take(made_.name);
    const std::string name = constant("breaks", breaks, "borders of the pieces");
    parts_.prepared.push_back(fmt::format("array[N] int {} = piece_numbers({}, {});",
                                          made_.codes_name, inner_.stan, name));
    return with_contrasts(e_.place);
  }

  const Expression& e_;
  Frame& frame_;
  StanParts& parts_;
  FormulaVariable made_;
  Arithmetic inner_;
};
}  // namespace

FormulaVariable make_variable(const Expression& e, Frame& frame, StanParts& parts) {
  return VariableMaker(e, frame, parts).make();
}

}  // namespace credo::models
