// Sums of known columns, each times a scalar, become one product of a matrix with a vector:
//
//   a + b_1 x_1 - b_2 x_2 + ... = a + (x_1 -x_2 ...) (b_1 b_2 ...)'
//
// A product reads its matrix once for the value and once for the gradient. The columns one by one need
// a pass over the sum of products for each, and a dot product of the adjoint for each.
#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify.hpp"
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {
namespace {

class Designs {
 public:
  explicit Designs(const Graph& graph)
      : graph_(graph),
        builder_(graph, true),
        users_(static_cast<std::size_t>(graph.num_nodes()), 0),
        inside_(static_cast<std::size_t>(graph.num_nodes()), 0) {}

  Traced run(const Traced& traced) {
    count_users(traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (graph_.is_constant(id)) continue;
      if (is_sum(id) && !inside_[at(id)] && place_sum(id)) continue;
      builder_.place(id);
    }
    return builder_.rebuild().finish(traced);
  }

 private:
  // With fewer columns, or shorter ones, a product is as slow.
  static constexpr std::size_t kFewestColumns = 4;
  static constexpr Index kFewestRows = 32;

  struct Column {
    Ref known, scalar;
    double sign = 1.0;
  };
  struct Term {
    Ref ref;
    bool negative = false;
  };
  struct Sum {
    std::vector<Column> columns;
    std::vector<Term> others;
  };

  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  // A sum whose one user is a sum is a part of that one.
  void count_users(const Traced& traced) {
    std::vector<char> by_sum(users_.size(), 1);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      for (const Ref& ref : graph_.operands(graph_.node(id))) {
        ++users_[at(ref.node)];
        if (!ref.whole() || !is_sum(id)) by_sum[at(ref.node)] = 0;
      }
    }
    for (const Expr& output : traced.outputs) {
      if (!output.is_constant()) ++users_[at(output.ref().node)], by_sum[at(output.ref().node)] = 0;
    }
    for (NodeId id = 0; id < graph_.num_nodes(); ++id)
      inside_[at(id)] = is_sum(id) && users_[at(id)] == 1 && by_sum[at(id)];
  }

  bool is_sum(NodeId id) const {
    const Node& node = graph_.node(id);
    const bool sum = node.op == rows().add || node.op == rows().sub || node.op == rows().neg;
    return sum && node.shape.size() >= kFewestRows;
  }

  bool is_known_column(Ref ref, Index size) const {
    return ref.whole() && graph_.is_constant(ref.node) && graph_.shape_of(ref).size() == size;
  }

  // A known column times a scalar with one reader, if `ref` is one.
  bool add_column(Ref ref, bool negative, Sum& sum) const {
    const Node& node = graph_.node(ref.node);
    if (!ref.whole() || node.op != rows().mul || users_[at(ref.node)] != 1) return false;
    const auto refs = graph_.operands(node);
    for (std::size_t k = 0; k < 2; ++k) {
      if (!is_known_column(refs[k], node.shape.size())) continue;
      if (!graph_.shape_of(refs[1 - k]).is_scalar()) return false;
      sum.columns.push_back({refs[k], refs[1 - k], negative ? -1.0 : 1.0});
      return true;
    }
    return false;
  }

  void add_terms(NodeId id, bool negative, Sum& sum) const {
    const Node& node = graph_.node(id);
    const auto refs = graph_.operands(node);
    for (std::size_t k = 0; k < refs.size(); ++k) {
      const bool turned = node.op == rows().neg || (node.op == rows().sub && k == 1);
      const bool sign = negative != turned;
      if (refs[k].whole() && inside_[at(refs[k].node)]) {
        add_terms(refs[k].node, sign, sum);
      } else if (!add_column(refs[k], sign, sum)) {
        sum.others.push_back({refs[k], sign});
      }
    }
  }

  bool place_sum(NodeId id) {
    Sum sum;
    add_terms(id, false, sum);
    if (sum.columns.size() < kFewestColumns) return false;
    const Node& node = graph_.node(id);
    builder_.graph().statement = node.statement;
    Expr total = product(sum.columns, node.shape);
    for (const Term& term : sum.others) {
      const Expr x = builder_.operand(term.ref);
      total = term.negative ? builder_.sub(total, x) : builder_.add(total, x);
    }
    builder_.rebuild().set_value(id, total);
    return true;
  }

  Expr product(const std::vector<Column>& columns, Shape shape) {
    const auto length = static_cast<std::int32_t>(shape.size());
    const auto count = static_cast<std::int32_t>(columns.size());
    auto values = std::make_shared<AlignedArray>(shape.size() * ssize(columns));
    std::vector<Expr> scalars;
    double* out = values->data();
    for (const Column& column : columns) {
      for (const double x : graph_.constant(column.known.node)->span()) *out++ = column.sign * x;
      scalars.push_back(builder_.operand(column.scalar));
    }
    const Expr design(matrix_shape(length, count), Buffer(std::move(values)));
    return builder_.matmul(design, builder_.pack(vector_shape(count), std::move(scalars)),
                           {length, count, 1, 0, 0})
        .reshaped(shape);
  }

  const Graph& graph_;
  Builder builder_;
  std::vector<std::int32_t> users_;
  std::vector<char> inside_;  // a sum that is a term of its one user
};
}  // namespace

Traced join_columns(const Traced& traced) { return Designs(*traced.graph).run(traced); }

}  // namespace credo::graph
