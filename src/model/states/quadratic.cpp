#include "model/states/quadratic.hpp"

#include "graph/core/op.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::model {
namespace {
constexpr double kLogOf2Pi = 1.8378770664093454836;

std::size_t place_in(Index row, Index col, Index rows) {
  return static_cast<std::size_t>(row + col * rows);
}
}  // namespace

std::vector<std::vector<double>> quadratic_points(Index n) {
  std::vector<std::vector<double>> points{std::vector<double>(static_cast<std::size_t>(n), 0.0)};
  const auto point = [&](Index i, double x, Index j, double y) {
    std::vector<double> z(static_cast<std::size_t>(n), 0.0);
    z[static_cast<std::size_t>(i)] += x;
    if (j >= 0) z[static_cast<std::size_t>(j)] += y;
    points.push_back(std::move(z));
  };
  for (Index i = 0; i < n; ++i) point(i, 1.0, -1, 0.0), point(i, -1.0, -1, 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) point(i, 1.0, j, 1.0);
  return points;
}

Quadratic quadratic_of(Index n, std::span<const double> value) {
  Quadratic q{n, std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n * n))};
  for (Index i = 0; i < n; ++i) {
    const double plus = value[static_cast<std::size_t>(1 + 2 * i)],
                 minus = value[static_cast<std::size_t>(2 + 2 * i)];
    q.gradient[static_cast<std::size_t>(i)] = 0.5 * (plus - minus);
    q.curvature[place_in(i, i, n)] = (plus - value[0]) + (minus - value[0]);
  }
  std::size_t next = static_cast<std::size_t>(1 + 2 * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j, ++next)
      q.curvature[place_in(i, j, n)] = q.curvature[place_in(j, i, n)] =
          (value[next] - value[static_cast<std::size_t>(1 + 2 * i)]) -
          (value[static_cast<std::size_t>(1 + 2 * j)] - value[0]);
  return q;
}

std::optional<LinearGaussian> linear_gaussian_of(Index m, const Quadratic& q) {
  const Index n = q.size, k = n - m;
  for (const auto* part : {&q.gradient, &q.curvature})
    if (!std::ranges::all_of(*part, [](double x) { return std::isfinite(x); })) return std::nullopt;
  std::vector<double> precision(static_cast<std::size_t>(m * m)),
      right(static_cast<std::size_t>(m * (m + k + 1)), 0.0);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) precision[place_in(i, j, m)] = -q.curvature[place_in(i, j, n)];
  if (!(numerics::SymmetricEigen({m, m, precision}).values.front() > 0.0)) return std::nullopt;
  for (Index i = 0; i < m; ++i) {
    right[place_in(i, i, m)] = 1.0;
    for (Index j = 0; j < k; ++j) right[place_in(i, m + j, m)] = q.curvature[place_in(i, m + j, n)];
    right[place_in(i, m + k, m)] = q.gradient[static_cast<std::size_t>(i)];
  }
  std::vector<double> pivots(static_cast<std::size_t>(m));
  numerics::lu_factor(m, precision.data(), pivots.data());
  numerics::lu_solve({.n = m, .cols = m + k + 1}, precision.data(), pivots.data(), right.data());
  LinearGaussian found{
      .matrix = std::vector<double>(right.begin() + m * m, right.begin() + m * (m + k)),
      .offset = std::vector<double>(right.begin() + m * (m + k), right.end()),
      .noise = std::vector<double>(right.begin(), right.begin() + m * m)};
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j)
      found.noise[place_in(i, j, m)] = found.noise[place_in(j, i, m)] =
          0.5 * (found.noise[place_in(i, j, m)] + found.noise[place_in(j, i, m)]);
  return found;
}

double log_normal_density(Index m, const LinearGaussian& g, std::span<const double> z) {
  std::vector<double> lu = g.noise, pivots(static_cast<std::size_t>(m)),
                      residual(static_cast<std::size_t>(m)), solved;
  for (Index i = 0; i < m; ++i) {
    double x = z[static_cast<std::size_t>(i)] - g.offset[static_cast<std::size_t>(i)];
    for (Index j = m; j < ssize(z); ++j)
      x -= g.matrix[place_in(i, j - m, m)] * z[static_cast<std::size_t>(j)];
    residual[static_cast<std::size_t>(i)] = x;
  }
  solved = residual;
  numerics::lu_factor(m, lu.data(), pivots.data());
  numerics::lu_solve({.n = m, .cols = 1}, lu.data(), pivots.data(), solved.data());
  double sum = -static_cast<double>(m) * kLogOf2Pi;
  for (Index i = 0; i < m; ++i)
    sum -= numerics::log(std::fabs(lu[place_in(i, i, m)])) +
           residual[static_cast<std::size_t>(i)] * solved[static_cast<std::size_t>(i)];
  return 0.5 * sum;
}

bool is_log_density(double value, double expected) {
  constexpr double kTolerance = 1e-6;
  return std::fabs(value - expected) <= kTolerance * (1.0 + std::fabs(expected));
}

// ---- degrees

PolynomialDegrees::PolynomialDegrees(const graph::Graph& graph, graph::NodeId input,
                                     std::span<const char> is_variable)
    : graph_(graph) {
  for (graph::NodeId id = 0; id < graph.num_nodes(); ++id) {
    const graph::Node& node = graph.node(id);
    Degrees own;
    if (id == input) own.assign(is_variable.begin(), is_variable.end());
    std::uint8_t highest = 0;
    for (const graph::Ref& ref : graph.operands(node)) highest = std::max(highest, of(ref));
    const bool is_check = node.op->kind == graph::OpKind::check;
    if (highest > 0 && !is_check) own = degrees_of(node);
    const bool is_of_finite = node.op->name == "check_finite" || node.op->name == "check_not_nan";
    if (is_check && highest > 0 && !(is_of_finite && highest < kHigher)) checks_are_fixed_ = false;
    all_.push_back(std::move(own));
  }
}

std::uint8_t PolynomialDegrees::of(graph::Ref ref) const {
  const Degrees& degrees = all_[static_cast<std::size_t>(ref.node)];
  if (degrees.empty()) return 0;
  return ref.whole() ? *std::ranges::max_element(degrees)
                     : degrees[static_cast<std::size_t>(ref.element)];
}

// Scalars have the same value for all k.
std::uint8_t PolynomialDegrees::element(graph::Ref ref, std::size_t k) const {
  const Degrees& degrees = all_[static_cast<std::size_t>(ref.node)];
  if (degrees.empty()) return 0;
  if (!ref.whole()) return degrees[static_cast<std::size_t>(ref.element)];
  return degrees.size() == 1 ? degrees[0] : degrees[k];
}

PolynomialDegrees::Degrees PolynomialDegrees::degrees_of(const graph::Node& node) const {
  return node.op->kind == graph::OpKind::elementwise ? of_elementwise(node) : of_structure(node);
}

PolynomialDegrees::Degrees PolynomialDegrees::of_elementwise(const graph::Node& node) const {
  const auto in = graph_.operands(node);
  const std::string_view row = node.op->name;
  Degrees own(static_cast<std::size_t>(node.shape.size()), kHigher);
  for (std::size_t k = 0; k < own.size(); ++k) {
    const std::uint8_t a = element(in[0], k),
                       b = in.size() > 1 ? element(in[1], k) : std::uint8_t{0};
    const std::uint8_t c = in.size() > 2 ? element(in[2], k) : std::uint8_t{0};
    int degree = a == 0 && b == 0 && c == 0 ? 0 : int{kHigher};
    if (row == "add" || row == "sub" || row == "neg") degree = std::max(a, b);
    if (row == "mul") degree = a + b;
    if (row == "square") degree = 2 * a;
    if (row == "div" && b == 0) degree = a;
    if (row == "select" && a == 0) degree = std::max(b, c);
    own[k] = static_cast<std::uint8_t>(std::min(degree, int{kHigher}));
  }
  return own;
}

PolynomialDegrees::Degrees PolynomialDegrees::of_structure(const graph::Node& node) const {
  const auto in = graph_.operands(node);
  const std::string_view row = node.op->name;
  Degrees own(static_cast<std::size_t>(node.shape.size()), kHigher);
  std::uint8_t highest = 0;
  int sum = 0;
  for (const graph::Ref& ref : in) highest = std::max(highest, of(ref)), sum += of(ref);
  const auto all = [&](int degree) {
    std::ranges::fill(own, static_cast<std::uint8_t>(std::min(degree, int{kHigher})));
  };
  if (row == "pack") {
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = of(in[k]);
  } else if (row == "concat") {
    std::size_t to = 0;
    for (const graph::Ref& ref : in)
      for (Index k = 0; k < graph_.shape_of(ref).size(); ++k)
        own[to++] = element(ref, static_cast<std::size_t>(k));
  } else if (row == "gather") {
    const auto& places = graph_.attributes(node).ints;
    for (std::size_t k = 0; k < own.size(); ++k)
      own[k] = element(in[0], static_cast<std::size_t>(places[k]));
  } else if (row == "sum" || row == "broadcast" || row == "scatter_add" ||
             row == "cumulative_sum") {
    all(highest);
  } else if (row == "dot" || row == "row_dots" || row == "matmul") {
    all(sum);
  } else if (row == "solve_lower" && of(in[0]) == 0) {
    all(highest);
  }
  return own;
}

}  // namespace credo::model
