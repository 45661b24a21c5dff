#include "models/formula/design.hpp"

#include <fmt/format.h>

#include "numerics/linear_algebra/triangular_factor.hpp"

namespace credo::models {

bool DesignTerm::is_numeric(const std::vector<FormulaVariable>& all) const {
  return std::ranges::none_of(variables,
                              [&](Index v) { return all[static_cast<std::size_t>(v)].is_factor; });
}

Columns Design::all_columns(Index num_rows, bool with_intercept) const {
  Columns all;
  if (with_intercept) all.emplace_back(static_cast<std::size_t>(num_rows), 1.0);
  for (const DesignTerm& term : terms)
    all.insert(all.end(), term.columns.begin(), term.columns.end());
  return all;
}

std::vector<std::string> Design::all_names(bool with_intercept) const {
  std::vector<std::string> all;
  if (with_intercept) all.emplace_back("(Intercept)");
  for (const DesignTerm& term : terms) all.insert(all.end(), term.names.begin(), term.names.end());
  return all;
}

bool use_terms(const TermList& terms, Frame& frame) {
  bool is_right = true;
  for (const Expression& variable : terms.variables)
    is_right = use_variable(variable, frame) && is_right;
  for (const Expression& offset : terms.offsets) is_right = use_columns(offset, frame) && is_right;
  return is_right;
}

namespace {
// Columns of one variable in a term, with their names.
std::pair<Columns, std::vector<std::string>> coded(const FormulaVariable& variable,
                                                   bool by_contrasts) {
  std::vector<std::string> names;
  if (!variable.is_factor) {
    for (const std::string& name : variable.column_names) names.push_back(variable.text + name);
    return {variable.columns, names};
  }
  const Contrasts by_levels = contrasts_of("none", variable.levels);
  const Contrasts& contrasts = by_contrasts ? variable.contrasts : by_levels;
  Columns columns;
  for (const std::vector<double>& contrast : contrasts.columns) {
    std::vector<double>& column = columns.emplace_back();
    for (const std::int32_t code : variable.codes)
      column.push_back(contrast[static_cast<std::size_t>(code - 1)]);
  }
  for (const std::string& name : contrasts.names) names.push_back(variable.text + name);
  return {columns, names};
}

void multiply(DesignTerm& term, const Columns& columns, const std::vector<std::string>& names) {
  if (term.columns.empty()) {
    term.columns = columns, term.names = names;
    return;
  }
  Columns products;
  std::vector<std::string> product_names;
  for (std::size_t b = 0; b < columns.size(); ++b)
    for (std::size_t a = 0; a < term.columns.size(); ++a) {
      std::vector<double> product = term.columns[a];
      for (std::size_t i = 0; i < product.size(); ++i) product[i] *= columns[b][i];
      products.push_back(std::move(product));
      product_names.push_back(term.names[a] + ":" + names[b]);
    }
  term.columns = std::move(products), term.names = std::move(product_names);
}
}  // namespace

Design make_design(const TermList& terms, Frame& frame, StanParts& parts) {
  Design design{.has_intercept = terms.has_intercept, .variables = {}, .terms = {}};
  const std::size_t before = frame.faults().size();
  std::vector<bool> is_factor;
  for (const Expression& e : terms.variables) {
    design.variables.push_back(make_variable(e, frame, parts));
    is_factor.push_back(design.variables.back().is_factor);
  }
  if (frame.faults().size() > before) return design;
  for (std::size_t k = 0; k < terms.terms.size(); ++k) {
    DesignTerm term{
        .text = {}, .variables = terms.terms[k], .contrasts = {}, .columns = {}, .names = {}};
    for (const Index v : term.variables) {
      const FormulaVariable& variable = design.variables[static_cast<std::size_t>(v)];
      const bool by_contrasts = variable.is_factor && is_coded_by_contrasts(terms, k, v, is_factor);
      term.contrasts.push_back(by_contrasts);
      term.text += (term.text.empty() ? "" : ":") + variable.text;
      const auto [columns, names] = coded(variable, by_contrasts);
      multiply(term, columns, names);
    }
    term.place = terms.variables[static_cast<std::size_t>(term.variables[0])].place;
    design.terms.push_back(std::move(term));
  }
  return design;
}

namespace {
std::string combination(const std::vector<double>& weights, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (std::abs(weights[k]) < 1e-6) continue;
    const double size = std::abs(weights[k]);
    text += text.empty() ? (weights[k] < 0.0 ? "-" : "") : weights[k] < 0.0 ? " - " : " + ";
    text += std::abs(size - 1.0) < 1e-6 ? names[k] : fmt::format("{:.4g} * {}", size, names[k]);
  }
  return text.empty() ? "0" : text;
}
double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
constexpr double kDependent = 1e-7;  // R's tolerance for the rest of a column, relative to its norm
constexpr double kMostWork = 4e9;

// Columns of as many rows as there are columns, with the same products with each other.
Columns triangle_of(const Columns& columns) {
  constexpr std::size_t kBlock = 256;
  const std::size_t n = columns[0].size(), k = columns.size();
  numerics::TriangularFactor factor(k);
  std::vector<double> rows;
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t count = std::min(kBlock, n - first);
    rows.clear();
    for (const std::vector<double>& column : columns)
      rows.insert(rows.end(), &column[first], &column[first] + count);
    factor.add(rows, count);
  }
  Columns triangle;
  for (std::size_t j = 0; j < k; ++j)
    triangle.emplace_back(&factor.factor()[j * k], &factor.factor()[j * k] + k);
  return triangle;
}
}  // namespace

// Gram and Schmidt, twice, with the weights of each orthogonal column in terms of the columns themselves.
std::vector<std::string> collinear_columns(const Columns& all_rows,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> found;
  if (all_rows.empty() || static_cast<double>(all_rows[0].size()) *
                                  static_cast<double>(all_rows.size() * all_rows.size()) >
                              kMostWork)
    return found;
  const Columns columns = triangle_of(all_rows);
  Columns basis;
  std::vector<std::vector<double>> made_of;  // weights of the columns, by basis vector
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::vector<double> rest = columns[k], weights(columns.size(), 0.0);
    const double norm = std::sqrt(product_of(rest, rest));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t b = 0; b < basis.size(); ++b) {
        const double along = product_of(rest, basis[b]);
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= along * basis[b][i];
        for (std::size_t c = 0; c < weights.size(); ++c) weights[c] += along * made_of[b][c];
      }
    const double left = std::sqrt(product_of(rest, rest));
    if (left <= kDependent * norm) {
      found.push_back(fmt::format("{} = {}", names[k], combination(weights, names)));
      continue;
    }
    for (double& x : rest) x /= left;
    for (double& w : weights) w /= -left;
    weights[k] = 1.0 / left;
    basis.push_back(std::move(rest));
    made_of.push_back(std::move(weights));
  }
  return found;
}

}  // namespace credo::models
