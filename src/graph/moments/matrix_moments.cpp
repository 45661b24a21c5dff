// Products of matrices, and the Cholesky factor of a matrix of coordinates, of which densities use its log determinant and squares.
#include <fmt/format.h>

#include "graph/moments/moment_value.hpp"

namespace credo::graph {
namespace {
constexpr Index kMostInner = 64;

// The elements of op(a), rows x cols by columns.
MomentValue turned(const MomentValue& a, Index rows, Index cols, bool transposed) {
  if (!transposed) return a;
  std::vector<std::int32_t> index;
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) index.push_back(static_cast<std::int32_t>(j + i * cols));
  return elements_of(a, index, matrix_shape(rows, cols));
}

// Σ_j a[, j] b[j, ], element by element.
MomentValue by_columns(const MomentValue& a, const MomentValue& b, Index rows, Index inner,
                       Index cols) {
  if (inner > kMostInner)
    throw NoMoments{
        fmt::format("multiplies two matrices of parameters, or is longer than {}", kMostInner)};
  const Shape shape = matrix_shape(rows, cols);
  MomentValue result = constant_value(shape, {0.0});
  for (Index k = 0; k < inner; ++k) {
    std::vector<std::int32_t> of_a, of_b;
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) {
        of_a.push_back(static_cast<std::int32_t>(i + k * rows));
        of_b.push_back(static_cast<std::int32_t>(k + j * inner));
      }
    result = plus(result, product_of(elements_of(a, of_a, shape), elements_of(b, of_b, shape)));
  }
  return result;
}

MomentValue times_root(const MomentValue& root, const MomentValue& residuals, bool is_inverse,
                       Shape shape) {
  auto made = std::make_shared<MatrixRoot>(*root.root);
  made->form = MatrixRoot::Form::residuals;
  made->is_inverse = is_inverse;
  made->residuals = std::make_shared<const MomentValue>(residuals);
  return {.shape = shape, .root = made};
}

std::vector<double> all_elements(std::vector<double> values, Index size) {
  if (ssize(values) < size) values.resize(static_cast<std::size_t>(size), values[0]);
  return values;
}

// ---- what densities use of a factor

MomentSum element_of(const MatrixRoot& root, Index i, Index j, double weight,
                     std::int32_t statement) {
  const auto place = static_cast<std::int32_t>(root.first + i + j * root.side);
  return MomentTerm{.coefficient = {weight},
                    .factors = {{.group = root.group,
                                 .atom = root.is_inverse ? Atom{AtomKind::inverse, 1.0} : Atom{},
                                 .at = coordinates_of({place})}},
                    .statement = statement};
}

}  // namespace

MomentValue log_determinant(const MatrixRoot& root, std::int32_t statement) {
  MomentSum sum(MomentTerm{.coefficient = {0.5},
                           .factors = {{.group = root.group,
                                        .atom = {AtomKind::log_det, 1.0},
                                        .at = coordinates_of({root.first})}},
                           .statement = statement});
  sum.add(MomentTerm{.coefficient = {0.5 * static_cast<double>(root.side) * std::log(root.scale)}});
  return {.shape = {}, .sum = std::move(sum)};
}

MomentValue quadratic_forms(const MatrixRoot& root, FormOf which, std::int32_t statement) {
  const Index side = root.side, columns = root.residuals->size() / side;
  const Shape shape = which == FormOf::all ? Shape{} : vector_shape(columns);
  MomentValue result{.shape = shape};
  const double scale = root.is_inverse ? 1.0 / root.scale : root.scale;
  const auto row = [&](Index i) {
    std::vector<std::int32_t> index;
    for (Index c = 0; c < columns; ++c)
      index.push_back(static_cast<std::int32_t>(root.is_solved ? c + i * side : i + c * side));
    return elements_of(*root.residuals, index, vector_shape(columns));
  };
  for (Index i = 0; i < side; ++i)
    for (Index j = i; j < side; ++j) {
      const MomentValue element{
          .shape = {}, .sum = element_of(root, i, j, (i == j ? 1.0 : 2.0) * scale, statement)};
      const MomentValue products = product_of(row(i), row(j));
      result =
          plus(result, product_of(element, which == FormOf::all ? total_of(products)
                                                                : with_shape(products, shape)));
    }
  return result;
}

namespace {
// Sums of squares in the columns of L' R or L^-1 R, as a row of equal numbers times the squares.
std::optional<MomentValue> sums_of_squares(const MomentValue& left, const MomentValue& right,
                                           const MomentCall& call) {
  if (right.root == nullptr || right.root->form != MatrixRoot::Form::squares) return std::nullopt;
  const auto weights = left.constant();
  const bool is_row = call.attributes->ints[0] == 1 && call.attributes->ints[4] == 0;
  if (!is_row || !weights || right.root->is_solved ||
      !std::ranges::all_of(*weights, [&](double w) { return w == weights->front(); }))
    throw NoMoments{"weighs squares of a solution by a matrix",
                    "use multi_normal or multi_normal_prec"};
  const MomentValue forms = quadratic_forms(*right.root, FormOf::columns, call.node.statement);
  return with_shape(scaled_by(forms, std::array{weights->front()}), call.node.shape);
}

MomentValue matmul_rule(const MomentCall& call) {
  const auto& ints = call.attributes->ints;
  const Index rows = ints[0], inner = ints[1], cols = ints[2];
  const MomentValue &left = *call.in[0], &right = *call.in[1];
  const Shape shape = call.node.shape;
  if (left.root != nullptr && left.root->form == MatrixRoot::Form::factor && ints[3] != 0 &&
      ints[4] == 0)
    return times_root(left, right, false, shape);
  if (auto sums = sums_of_squares(left, right, call)) return *sums;
  const MomentValue a = turned(left, rows, inner, ints[3] != 0),
                    b = turned(right, inner, cols, ints[4] != 0);
  if (const auto matrix = a.constant(); matrix && cols == 1 && !b.is_list() && !b.has_bound())
    return {.shape = shape, .sum = product(all_elements(*matrix, rows * inner), rows, b.sum)};
  if (const auto matrix = b.constant(); matrix && rows == 1 && !a.is_list() && !a.has_bound()) {
    const std::vector<double> all = all_elements(*matrix, inner * cols);
    std::vector<double> transposed;
    for (Index k = 0; k < inner; ++k)
      for (Index j = 0; j < cols; ++j)
        transposed.push_back(all[static_cast<std::size_t>(k + j * inner)]);
    return {.shape = shape, .sum = product(transposed, cols, a.sum)};
  }
  return by_columns(a, b, rows, inner, cols);
}

MomentValue row_dots_rule(const MomentCall& call) {
  const Index rows = call.attributes->ints[0], cols = call.attributes->ints[1];
  const MomentValue &a = *call.in[0], &b = *call.in[1];
  if (const auto matrix = a.constant(); matrix && !b.is_list() && !b.has_bound())
    return {.shape = call.node.shape,
            .sum = product(all_elements(*matrix, rows * cols), rows, b.sum)};
  return with_shape(by_columns(a, b, rows, cols, 1), call.node.shape);
}

MomentValue cholesky_rule(const MomentCall& call) {
  const MomentValue& a = *call.in[0];
  const Index side = call.node.shape.rows;
  if (a.is_list() || a.has_bound() || a.root != nullptr || a.sum.terms().size() != 1)
    throw NoMoments{"takes the Cholesky factor of a function of parameters",
                    "declare the covariance or precision matrix as a parameter"};
  const MomentTerm& term = a.sum.terms()[0];
  const bool is_plain = term.coefficient.size() == 1 && term.coefficient[0] > 0.0 &&
                        term.factors.size() == 1 && term.factors[0].atom == Atom{} &&
                        term.factors[0].weights == nullptr && term.factors[0].size() == side * side;
  if (!is_plain)
    throw NoMoments{"takes the Cholesky factor of a function of parameters",
                    "declare the covariance or precision matrix as a parameter"};
  const MomentFactor& f = term.factors[0];
  for (Index i = 0; i < f.size(); ++i)
    if (f.coordinate(i) != f.coordinate(0) + i)
      throw NoMoments{"takes the Cholesky factor of elements of several parameters"};
  return {
      .shape = call.node.shape,
      .root = std::make_shared<const MatrixRoot>(MatrixRoot{
          .group = f.group, .first = f.coordinate(0), .side = side, .scale = term.coefficient[0]})};
}

// A^-1 by columns, of a constant lower triangular A.
std::vector<double> inverse_of_lower(const std::vector<double>& lower, Index side) {
  std::vector<double> identity(static_cast<std::size_t>(side * side), 0.0);
  for (Index i = 0; i < side; ++i) identity[static_cast<std::size_t>(i + i * side)] = 1.0;
  const Shape shape = matrix_shape(side, side);
  const Expr inverse = solve_lower(constant(shape, lower), constant(shape, identity));
  return {inverse.values().begin(), inverse.values().end()};
}

MomentValue solve_lower_rule(const MomentCall& call) {
  const MomentValue &left = *call.in[0], &right = *call.in[1];
  const bool transposed = call.attributes->ints[2] != 0;
  const auto is_factor = [](const MomentValue& x) {
    return x.root != nullptr && x.root->form == MatrixRoot::Form::factor;
  };
  if (!transposed && is_factor(left)) return times_root(left, right, true, call.node.shape);
  const auto lower = left.constant();
  if (lower && !transposed && right.root == nullptr) {
    const Index side = left.shape.rows, cols = call.node.shape.size() / side;
    const std::vector<double> inverse = inverse_of_lower(all_elements(*lower, side * side), side);
    if (cols == 1 && !right.is_list() && !right.has_bound())
      return {.shape = call.node.shape, .sum = product(inverse, side, right.sum)};
    return by_columns(constant_value(matrix_shape(side, side), inverse), right, side, side, cols);
  }
  if (transposed || !lower || !is_factor(right))
    throw NoMoments{"solves with a matrix of parameters", "use multi_normal or multi_normal_prec"};
  const Index side = right.root->side;
  MomentValue result =
      times_root(right, constant_value(matrix_shape(side, side), inverse_of_lower(*lower, side)),
                 false, call.node.shape);
  auto made = std::make_shared<MatrixRoot>(*result.root);
  made->is_solved = true;
  result.root = made;
  return result;
}

constexpr MomentRule kMatrixMomentRules[] = {
    {"cholesky", cholesky_rule},
    {"matmul", matmul_rule},
    {"row_dots", row_dots_rule},
    {"solve_lower", solve_lower_rule},
};
}  // namespace

std::span<const MomentRule> matrix_moment_rules() { return kMatrixMomentRules; }

}  // namespace credo::graph
