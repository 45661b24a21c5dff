// The Jacobian of a map, as little of it as its determinant needs.
//
//   J[i][j] = d out_i / d in_j is 0 wherever out_i's expression doesn't reach in_j. A row (or a
//   column) with one entry that may differ from 0 is a factor of the determinant: it is taken out
//   with its column (row), which may leave other such rows. The rest, the core, is a dense
//   determinant.
#include "infer/jumps/map.hpp"

#include <fmt/format.h>

#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::infer::rj {
namespace {

constexpr std::size_t kValues = 0, kDerivatives = 1;  // outputs of the program

struct TracedMap {
  std::unique_ptr<graph::Graph> graph = std::make_unique<graph::Graph>();
  graph::NodeId input = graph::kNoNode;
  std::vector<Expr> outputs;
};

// Inputs on which each output may depend: S x S.
using Pattern = std::vector<std::vector<bool>>;

struct Entry {
  std::size_t row, col;
};
struct Factors {
  std::vector<Entry> single;  // entries alone in a row or column, without those that are 1
  std::vector<std::size_t> rows, cols;  // rows and columns of the core
};

TracedMap trace(const Formula& formula, Index size, std::string_view which);
Pattern pattern_of(const TracedMap& map);
Factors factors_of(const TracedMap& map, Pattern pattern);
std::vector<Expr> derivatives(TracedMap& map, const Factors& factors);
std::unique_ptr<const graph::Program> compile(TracedMap map, std::vector<Expr> outputs);

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(ErrorCode::usage, message, "map", hint);
}
Expr packed(const std::vector<Expr>& values) {
  return graph::pack(graph::vector_shape(ssize(values)), values);
}
}  // namespace

SmoothMap::SmoothMap(const MapFormulas& formulas) : size_(formulas.size) {
  TracedMap there = trace(formulas.forward, size_, "forward");
  TracedMap back = trace(formulas.inverse, size_, "inverse");
  const Factors factors = factors_of(there, pattern_of(there));
  num_single_ = ssize(factors.single);
  core_size_ = ssize(factors.rows);
  std::vector<Expr> outputs = {packed(there.outputs)};
  if (num_derivatives() > 0) outputs.push_back(packed(derivatives(there, factors)));
  forward_ = compile(std::move(there), std::move(outputs));
  std::vector<Expr> values = {packed(back.outputs)};
  inverse_ = compile(std::move(back), std::move(values));
}

namespace {

TracedMap trace(const Formula& formula, Index size, std::string_view which) {
  if (!formula) refuse(fmt::format("the {} formula is missing", which), "state both directions");
  if (size < 1) refuse(fmt::format("a map of {} numbers; it needs at least one", size), "");
  TracedMap map;
  map.input = map.graph->add_input(graph::vector_shape(size));
  std::vector<Expr> elements;
  for (Index j = 0; j < size; ++j)
    elements.emplace_back(*map.graph, graph::Ref{map.input, static_cast<std::int32_t>(j)});
  map.outputs = formula(elements);
  if (ssize(map.outputs) != size)
    refuse(fmt::format("the {} formula makes {} numbers of {}; their dimensions must match", which,
                       map.outputs.size(), size),
           "add auxiliaries on the smaller side");
  for (std::size_t i = 0; i < map.outputs.size(); ++i)
    if (map.outputs[i].empty() || !map.outputs[i].is_scalar() || map.outputs[i].is_constant())
      refuse(fmt::format("output {} of the {} formula isn't a number that depends on an input", i,
                         which),
             "a map that forgets a coordinate has no inverse");
  return map;
}

// ---- structure ----

void mark_inputs(const TracedMap& map, graph::Ref ref, std::vector<bool>& seen,
                 std::vector<bool>& reached) {
  if (ref.node == map.input) {
    if (!ref.whole())
      reached[static_cast<std::size_t>(ref.element)] = true;
    else
      reached.assign(reached.size(), true);
    return;
  }
  if (seen[static_cast<std::size_t>(ref.node)]) return;
  seen[static_cast<std::size_t>(ref.node)] = true;
  for (const graph::Ref operand : map.graph->operands(map.graph->node(ref.node)))
    mark_inputs(map, operand, seen, reached);
}

Pattern pattern_of(const TracedMap& map) {
  Pattern pattern;
  for (const Expr& output : map.outputs) {
    std::vector<bool> seen(static_cast<std::size_t>(map.graph->num_nodes()));
    pattern.emplace_back(map.outputs.size());
    mark_inputs(map, output.ref(), seen, pattern.back());
  }
  return pattern;
}

// The first row, or column, with one entry.
std::optional<Entry> single_entry(const Pattern& pattern, bool by_row) {
  const std::size_t n = pattern.size();
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t count = 0, where = 0;
    for (std::size_t b = 0; b < n; ++b)
      if (by_row ? pattern[a][b] : pattern[b][a]) ++count, where = b;
    if (count == 1) return by_row ? Entry{a, where} : Entry{where, a};
  }
  return std::nullopt;
}

void take_out(Pattern& pattern, Entry entry) {
  for (std::size_t k = 0; k < pattern.size(); ++k)
    pattern[entry.row][k] = pattern[k][entry.col] = false;
}

Factors factors_of(const TracedMap& map, Pattern pattern) {
  const std::size_t n = pattern.size();
  Factors factors;
  std::vector<bool> row_left(n, true), col_left(n, true);
  for (;;) {
    std::optional<Entry> entry = single_entry(pattern, true);
    if (!entry) entry = single_entry(pattern, false);
    if (!entry) break;
    take_out(pattern, *entry);
    row_left[entry->row] = col_left[entry->col] = false;
    const graph::Ref ref = map.outputs[entry->row].ref();
    if (ref.node != map.input) factors.single.push_back(*entry);
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (row_left[k]) factors.rows.push_back(k);
    if (col_left[k]) factors.cols.push_back(k);
  }
  return factors;
}

// ---- derivatives ----

Expr derivative_of(TracedMap& map, std::size_t output) {
  try {
    return graph::gradient(*map.graph, map.outputs[output], std::span(&map.input, 1)).front();
  } catch (const graph::NotDifferentiable& cause) {
    refuse(fmt::format("output {} uses '{}', which has no derivative", output, cause.op),
           "state the map with differentiable functions");
  }
}

// The single entries, and the core column by column; a row that isn't needed isn't differentiated.
std::vector<Expr> derivatives(TracedMap& map, const Factors& factors) {
  std::vector<Expr> entries;
  for (const Entry& entry : factors.single)
    entries.push_back(derivative_of(map, entry.row).element(static_cast<Index>(entry.col)));
  const std::size_t core = entries.size(), n = factors.rows.size();
  entries.resize(core + n * n);
  for (std::size_t r = 0; r < n; ++r) {
    const Expr row = derivative_of(map, factors.rows[r]);
    for (std::size_t c = 0; c < n; ++c)
      entries[core + c * n + r] = row.element(static_cast<Index>(factors.cols[c]));
  }
  return entries;
}

std::unique_ptr<const graph::Program> compile(TracedMap map, std::vector<Expr> outputs) {
  const graph::Traced ready =
      graph::Passes().run({std::move(map.graph), map.input, std::move(outputs)});
  return std::make_unique<const graph::Program>(*ready.graph, ready.input, ready.outputs);
}
}  // namespace

// ---- numbers ----

MapRunner::MapRunner(const SmoothMap& map)
    : map_(map),
      forward_(*map.forward_, 1),
      inverse_(*map.inverse_, 1),
      derivatives_(static_cast<std::size_t>(map.num_derivatives())),
      pivots_(static_cast<std::size_t>(map.core_size_)) {
  forward_.set_lanes(1);
  inverse_.set_lanes(1);
}

double MapRunner::forward(std::span<const double> in, std::span<double> out) {
  CREDO_ASSERT(ssize(in) == map_.size() && ssize(out) == map_.size(), "a map keeps the dimension");
  forward_.set_input(0, in);
  forward_.run();
  forward_.copy_output(kValues, 0, out);
  return log_abs_det();
}

void MapRunner::inverse(std::span<const double> in, std::span<double> out) {
  CREDO_ASSERT(ssize(in) == map_.size() && ssize(out) == map_.size(), "a map keeps the dimension");
  inverse_.set_input(0, in);
  inverse_.run();
  inverse_.copy_output(kValues, 0, out);
}

double MapRunner::log_abs_det() {
  if (derivatives_.empty()) return 0.0;
  forward_.copy_output(kDerivatives, 0, derivatives_);
  const std::span<double> single(derivatives_.data(), static_cast<std::size_t>(map_.num_single_));
  double* const core = derivatives_.data() + single.size();
  const Index n = map_.core_size_;
  if (n > 0) numerics::lu_factor(n, core, pivots_.data());
  double sum = 0.0;
  for (const double entry : single) sum += numerics::log(std::fabs(entry));
  for (Index k = 0; k < n; ++k) sum += numerics::log(std::fabs(core[k * (n + 1)]));
  return sum;
}

MapFormulas identity_map(Index size) {
  const auto same = [](Scalars x) { return std::vector<Expr>(x.begin(), x.end()); };
  return {.size = size, .forward = same, .inverse = same};
}

}  // namespace credo::infer::rj
