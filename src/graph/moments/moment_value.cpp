#include "graph/moments/moment_value.hpp"

namespace credo::graph {
namespace {
constexpr std::string_view kNotSplit = "uses elements of a Cholesky factor by themselves";

Expr bound_elements(const Expr& bound, std::span<const std::int32_t> index, Shape shape) {
  if (bound.empty() || bound.is_scalar()) return bound;
  return gather(shape, bound, {index.begin(), index.end()});
}

bool are_all(std::span<const double> values, const auto& holds) {
  return std::ranges::all_of(values, holds);
}

Expr as_expr(std::span<const double> values) {
  return values.size() == 1 ? Expr(values[0]) : constant(vector_shape(ssize(values)), values);
}

void refuse_root(const MomentValue& value) {
  if (value.root != nullptr) throw NoMoments{std::string(kNotSplit)};
}

void keep_rows(LogSum& sum, const Expectations::Batch& batch);

Shape joint_shape(const MomentValue& a, const MomentValue& b) {
  return a.size() >= b.size() ? a.shape : b.shape;
}

// Element by element, where one of them is a list.
template <class Function>
MomentValue by_element(const MomentValue& a, const MomentValue& b, Function function) {
  MomentValue result{.shape = joint_shape(a, b)};
  for (Index i = 0; i < result.size(); ++i) {
    const auto at = static_cast<std::int32_t>(i);
    const auto one = [&](const MomentValue& x) {
      return x.size() == 1 ? x : elements_of(x, std::array{at}, Shape{});
    };
    result.elements.push_back(function(one(a), one(b)));
  }
  return result;
}
}  // namespace

std::optional<std::vector<double>> MomentValue::constant() const {
  if (has_bound() || root != nullptr) return std::nullopt;
  if (!is_list()) return sum.constant();
  std::vector<double> all;
  for (const MomentValue& element : elements) {
    const auto one = element.constant();
    if (!one) return std::nullopt;
    all.push_back(one->front());
  }
  return all;
}

MomentValue constant_value(Shape shape, std::vector<double> values) {
  return {.shape = shape, .sum = MomentTerm{.coefficient = std::move(values)}};
}

MomentValue with_shape(MomentValue value, Shape shape) {
  value.shape = shape;
  return value;
}

namespace {
bool same_form(const LogSum& a, const LogSum& b) {
  if (a.rows != 1 || b.rows != 1 || a.alternatives.size() != b.alternatives.size()) return false;
  for (std::size_t k = 0; k < a.alternatives.size(); ++k) {
    const auto &s = a.alternatives[k].terms(), &t = b.alternatives[k].terms();
    const auto is_alike = [](const MomentTerm& x, const MomentTerm& y) {
      return !x.is_summed && !y.is_summed && std::ranges::equal(x.factors, y.factors, is_same);
    };
    if (!std::ranges::equal(s, t, is_alike)) return false;
  }
  return true;
}

// A cheap key that sums of one form share.
std::size_t form_key(const LogSum& sum) {
  std::size_t key = sum.alternatives.size();
  for (const MomentSum& x : sum.alternatives)
    for (const MomentTerm& term : x.terms()) {
      key = 31 * key + term.factors.size();
      for (const MomentFactor& f : term.factors)
        key = 31 * key + static_cast<std::size_t>(f.at->front()) + 7 * f.at->size();
    }
  return key;
}

// Alternative k of scalar sums of one form, as a vector with a row for each.
MomentSum alternative_of(std::span<const LogSum* const> sums, std::size_t k) {
  MomentSum result;
  const auto& terms = sums[0]->alternatives[k].terms();
  for (std::size_t t = 0; t < terms.size(); ++t) {
    MomentTerm term = terms[t];
    term.coefficient.clear();
    for (const LogSum* sum : sums)
      term.coefficient.push_back(sum->alternatives[k].terms()[t].coefficient[0]);
    const bool all_equal =
        std::ranges::all_of(term.coefficient, [&](double c) { return c == term.coefficient[0]; });
    if (all_equal) term.coefficient.resize(1);
    result.add(std::move(term));
  }
  return result;
}

// Scalar sums of one form as one sum with rows.
LogSum joined(std::span<const LogSum* const> sums) {
  if (sums.size() == 1) return *sums[0];
  LogSum result{.alternatives = {}, .rows = ssize(sums), .weights = {}, .is_total = true};
  for (std::size_t k = 0; k < sums[0]->alternatives.size(); ++k)
    result.alternatives.push_back(alternative_of(sums, k));
  for (const LogSum* sum : sums) result.weights.push_back(sum->weights[0]);
  return result;
}

std::vector<LogSum> joined_by_form(std::span<const LogSum> sums) {
  std::vector<std::vector<const LogSum*>> classes;
  std::unordered_multimap<std::size_t, std::size_t> index;
  for (const LogSum& sum : sums) {
    const std::size_t key = form_key(sum);
    const auto [first, last] = index.equal_range(key);
    const auto found = std::find_if(
        first, last, [&](const auto& e) { return same_form(*classes[e.second].front(), sum); });
    if (found != last) {
      classes[found->second].push_back(&sum);
      continue;
    }
    index.emplace(key, classes.size());
    classes.push_back({&sum});
  }
  std::vector<LogSum> result;
  for (const auto& one : classes) result.push_back(joined(one));
  return result;
}

void keep_rows(LogSum& sum, const Expectations::Batch& batch) {
  for (MomentSum& x : sum.alternatives) x = elements_of(x, batch.rows);
  std::vector<double> weights;
  for (const std::int32_t r : batch.rows)
    weights.push_back(batch.weight *
                      sum.weights[sum.weights.size() == 1 ? 0 : static_cast<std::size_t>(r)]);
  sum.weights = std::move(weights);
  sum.rows = ssize(batch.rows);
}

// A number, or for a vector that isn't summed one for each row.
Expr expectation_of(LogSum sum, Expectations& expectations) {
  const bool is_total = sum.is_total || sum.rows == 1;
  if (is_total)
    if (const auto batch = expectations.batch_of(sum.rows); !batch.rows.empty())
      keep_rows(sum, batch);
  const Shape shape = sum.rows == 1 ? Shape{} : vector_shape(sum.rows);
  std::vector<Expr> alternatives;
  for (MomentSum& x : sum.alternatives)
    alternatives.push_back(expectation_of({.shape = shape, .sum = std::move(x)}, expectations));
  Expr logs = expectations.replaced(alternatives, sum.rows);
  if (logs.empty()) {
    logs = alternatives[0];
    for (const Expr& x : std::span(alternatives).subspan(1)) logs = log_sum_exp(logs, x);
  }
  if (!is_total) return logs * as_expr(sum.weights);
  if (sum.weights == std::vector{1.0}) return graph::sum(logs);
  return dot(as_expr(sum.weights), logs);
}
}  // namespace

namespace {
using TermForm = std::vector<std::pair<std::int32_t, Atom>>;

bool is_scalar_term(const MomentTerm& term) {
  return !term.is_summed && term.coefficient.size() == 1 && !term.factors.empty() &&
         std::ranges::all_of(term.factors, [](const MomentFactor& f) {
           return f.weights == nullptr && f.at->size() == 1;
         });
}

// Terms of a scalar that differ in coefficients and coordinates alone, as sums over vectors.
MomentSum bundled(const MomentSum& sum) {
  constexpr std::size_t kFewTerms = 16;
  if (sum.terms().size() <= kFewTerms) return sum;
  std::map<TermForm, std::vector<const MomentTerm*>> forms;
  MomentSum result;
  for (const MomentTerm& term : sum.terms()) {
    if (!is_scalar_term(term)) {
      result.add(term);
      continue;
    }
    TermForm form;
    for (const MomentFactor& f : term.factors) form.emplace_back(f.group, f.atom);
    forms[std::move(form)].push_back(&term);
  }
  for (const auto& [form, terms] : forms) {
    MomentTerm all = *terms[0];
    all.coefficient.clear();
    for (const MomentTerm* term : terms) all.coefficient.push_back(term->coefficient[0]);
    for (std::size_t k = 0; k < all.factors.size(); ++k) {
      std::vector<std::int32_t> at;
      for (const MomentTerm* term : terms) at.push_back(term->factors[k].at->front());
      all.factors[k].at = coordinates_of(std::move(at));
    }
    all.is_summed = terms.size() > 1;
    result.add(std::move(all));
  }
  return result;
}
}  // namespace

namespace {
// Σ_t c_t s_t with a column c_t of numbers for each scalar s_t: the distinct columns as a matrix, times sums of scalars.
class ColumnsOfNumbers {
 public:
  void add(const std::vector<double>& column, const Expr& scalar) {
    const auto [place, is_new] = places_.try_emplace(column, sums_.size());
    if (is_new)
      sums_.push_back(scalar);
    else
      sums_[place->second] = sums_[place->second] + scalar;
  }
  bool empty() const { return sums_.empty(); }
  Expr product() const {
    const Index rows = ssize(places_.begin()->first), count = ssize(sums_);
    if (count == 1) return as_expr(places_.begin()->first) * sums_[0];
    std::vector<double> matrix(static_cast<std::size_t>(rows * count));
    for (const auto& [column, place] : places_)
      std::ranges::copy(column, matrix.begin() + static_cast<std::ptrdiff_t>(place) * rows);
    const Expr numbers = pack(vector_shape(count), sums_).reshaped(matrix_shape(count, 1));
    return matmul(constant(matrix_shape(rows, count), matrix), numbers)
        .reshaped(vector_shape(rows));
  }

 private:
  std::map<std::vector<double>, std::size_t> places_;
  std::vector<Expr> sums_;
};

bool is_column_times_scalar(const MomentTerm& term) {
  return !term.is_summed && term.coefficient.size() > 1 && !term.factors.empty() &&
         std::ranges::all_of(term.factors, [](const MomentFactor& f) { return f.size() == 1; });
}

// The sum over the terms; empty without terms.
Expr expectation_of(const MomentSum& sum, Expectations& expectations) {
  Expr all;
  const auto add = [&](const Expr& one) { all = all.empty() ? one : all + one; };
  ColumnsOfNumbers columns;
  for (const MomentTerm& term : sum.terms()) {
    if (!is_column_times_scalar(term)) {
      add(expectations.of(term));
      continue;
    }
    MomentTerm scalar = term;
    scalar.coefficient = {1.0};
    columns.add(term.coefficient, expectations.of(scalar));
  }
  if (!columns.empty()) add(columns.product());
  return all;
}
}  // namespace

Expr expectation_of(const MomentValue& value, Expectations& expectations) {
  refuse_root(value);
  if (value.is_list()) {
    std::vector<Expr> parts;
    for (const MomentValue& element : value.elements)
      parts.push_back(expectation_of(element, expectations));
    return pack(value.shape, parts);
  }
  Expr all = value.bound;
  for (LogSum& sum : joined_by_form(value.log_sums)) {
    const Expr one = expectation_of(std::move(sum), expectations);
    all = all.empty() ? one : all + one;
  }
  const Expr sum = expectation_of(value.size() == 1 ? bundled(value.sum) : value.sum, expectations);
  if (!sum.empty()) all = all.empty() ? sum : all + sum;
  if (all.empty()) all = 0.0;
  return all.is_scalar() ? broadcast(value.shape, all) : all.reshaped(value.shape);
}

MomentValue compacted(const MomentValue& value) {
  MomentValue result = value;
  result.sum = bundled(value.sum);
  result.log_sums = joined_by_form(value.log_sums);
  return result;
}

MomentValue plus(const MomentValue& a, const MomentValue& b) {
  refuse_root(a), refuse_root(b);
  if (a.is_list() || b.is_list()) return by_element(a, b, plus);
  MomentValue result{.shape = joint_shape(a, b), .sum = a.sum, .bound = a.bound};
  result.sum.add(b.sum);
  if (!b.bound.empty()) result.bound = a.bound.empty() ? b.bound : a.bound + b.bound;
  result.log_sums = a.log_sums;
  result.log_sums.insert(result.log_sums.end(), b.log_sums.begin(), b.log_sums.end());
  for (const LogSum& one : result.log_sums)
    if (result.size() > 1 && (one.is_total || one.rows != result.size()))
      throw NoMoments{"adds log_sum_exp of one row to each of several rows",
                      "add it to the target by itself"};
  return result;
}

MomentValue scaled_by(const MomentValue& a, std::span<const double> by) {
  const Shape shape = ssize(by) > a.size() ? vector_shape(ssize(by)) : a.shape;
  return product_of(a, constant_value(ssize(by) > 1 ? shape : Shape{}, {by.begin(), by.end()}));
}

MomentValue product_of(const MomentValue& a, const MomentValue& b) {
  refuse_root(a), refuse_root(b);
  if (a.is_list() || b.is_list()) return by_element(a, b, product_of);
  MomentValue result{.shape = joint_shape(a, b), .sum = product(a.sum, b.sum)};
  if (!a.has_bound() && !b.has_bound()) return result;
  const MomentValue &bounded = a.has_bound() ? a : b, &other = a.has_bound() ? b : a;
  const auto factor = other.constant();
  if (!factor)
    throw NoMoments{"multiplies log_sum_exp or log_mix by a parameter",
                    "add the logarithm of a weight inside of it"};
  if (are_all(*factor, [](double c) { return c == 0.0; })) return result;
  if (!are_all(*factor, [](double c) { return c >= 0.0; }))
    throw NoMoments{
        "subtracts log_sum_exp, log1p_exp or log_mix of parameters, which has no lower "
        "bound by expectations",
        "logits have no conjugate prior: use --method normal"};
  if (!bounded.bound.empty()) result.bound = bounded.bound * as_expr(*factor);
  result.log_sums = bounded.log_sums;
  for (LogSum& one : result.log_sums) {
    if (factor->size() > 1 && (one.is_total || one.rows != ssize(*factor)))
      throw NoMoments{"multiplies log_sum_exp of one row by several numbers"};
    one.weights = times(one.weights, *factor);
  }
  return result;
}

MomentValue elements_of(const MomentValue& a, std::span<const std::int32_t> index, Shape shape) {
  if (a.root != nullptr && a.root->form == MatrixRoot::Form::factor) {
    const Index side = a.root->side;
    for (Index i = 0; i < ssize(index); ++i)
      if (ssize(index) != side || index[static_cast<std::size_t>(i)] != i + i * side)
        refuse_root(a);
    auto diagonal = std::make_shared<MatrixRoot>(*a.root);
    diagonal->form = MatrixRoot::Form::diagonal;
    return {.shape = shape, .root = diagonal};
  }
  refuse_root(a);
  if (a.size() == 1) return with_shape(a, shape);
  if (a.is_list()) {
    if (index.size() == 1) return with_shape(a.elements[static_cast<std::size_t>(index[0])], shape);
    MomentValue result{.shape = shape};
    for (const std::int32_t i : index)
      result.elements.push_back(a.elements[static_cast<std::size_t>(i)]);
    return result;
  }
  MomentValue result{.shape = shape,
                     .sum = elements_of(a.sum, index),
                     .bound = bound_elements(a.bound, index, shape),
                     .log_sums = a.log_sums};
  for (LogSum& one : result.log_sums)
    keep_rows(one, {.rows = {index.begin(), index.end()}, .weight = 1.0});
  return result;
}

MomentValue total_of(const MomentValue& a) {
  refuse_root(a);
  if (a.is_list()) {
    MomentValue result{.shape = {}};
    std::vector<Expr> bounds;
    for (const MomentValue& element : a.elements) {
      result.sum.add(element.sum);
      result.log_sums.insert(result.log_sums.end(), element.log_sums.begin(),
                             element.log_sums.end());
      if (!element.bound.empty()) bounds.push_back(element.bound);
    }
    if (!bounds.empty()) result.bound = sum(pack(vector_shape(ssize(bounds)), bounds));
    return result;
  }
  MomentValue result{.shape = {}, .sum = total(a.sum, a.size()), .log_sums = a.log_sums};
  for (LogSum& one : result.log_sums) {
    if (one.is_total || one.rows != a.size())  // a scalar that is repeated
      one.weights = times(one.weights, std::array{static_cast<double>(a.size())});
    one.is_total = true;
  }
  if (!a.bound.empty())
    result.bound = a.bound.is_scalar() ? static_cast<double>(a.size()) * a.bound : sum(a.bound);
  return result;
}

const MomentRule* find_moment_rule(std::string_view op) {
  for (const auto rules : {moment_rules(), matrix_moment_rules()})
    for (const MomentRule& rule : rules)
      if (rule.op == op) return &rule;
  return nullptr;
}

}  // namespace credo::graph
