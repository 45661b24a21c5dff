// Parts of graphs: the same bits as the whole, and no more elements than the values need.
#include "graph/passes/part.hpp"

#include "graph/core/op.hpp"
#include "support/random_graph.hpp"

namespace credo::graph::part_test {
namespace {
using testing::RandomGraph;
using testing::results;

// Up to four elements of the outputs, by a seed.
std::vector<Expr> some_elements(const RandomGraph& g, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Expr> chosen;
  for (int k = 0; k < 4; ++k) {
    const Expr& output = g.outputs[random() % g.outputs.size()];
    if (output.size() == 0) continue;
    const auto e = static_cast<Index>(random() % static_cast<std::uint64_t>(output.size()));
    chosen.push_back(output.is_constant() ? Expr(output.value(e)) : output.element(e));
  }
  return chosen;
}

TEST(part_of_a_graph, has_the_bits_of_the_whole) {
  for (const Index size : {0, 1, 2, 7, 9, 33, 65, 513}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const RandomGraph g(900 * seed + static_cast<std::uint64_t>(size), size);
      const std::vector<Expr> values = some_elements(g, seed);
      const Traced part = part_of(g.graph, g.input, values);
      ASSERT_EQ(verify(*part.graph), "");
      const Program whole(g.graph, g.input, values), cut(*part.graph, part.input, part.outputs);
      ASSERT_EQ(results(whole, values.size(), 4).bits, results(cut, values.size(), 4).bits)
          << "size " << size << ", seed " << seed;
    }
  }
}

Index num_elements(const Graph& graph) {
  Index sum = 0;
  for (NodeId id = 1; id < graph.num_nodes(); ++id) {
    if (graph.node(id).op->kind != OpKind::source) sum += graph.node(id).shape.size();
  }
  return sum;
}

// A chain of pairs and a likelihood: three neighbours enter the two summands, however long it is.
TEST(part_of_a_graph, does_not_grow_with_what_it_does_not_need) {
  std::vector<Index> sizes;
  for (const Index n : {20, 2000}) {
    Graph graph;
    const NodeId input = graph.add_input(vector_shape(n));
    const Expr x(graph, {input, -1});
    std::vector<std::int32_t> first(static_cast<std::size_t>(n - 1)), second;
    std::iota(first.begin(), first.end(), 0);
    for (const std::int32_t i : first) second.push_back(i + 1);
    const Expr pairs =
        0.3 * gather(vector_shape(n - 1), x, first) * gather(vector_shape(n - 1), x, second);
    const Expr own = -0.5 * square(constant(vector_shape(n), testing::numbers(n, 0.1)) - x);
    const std::vector<Expr> blanket{pairs.element(8), pairs.element(9), own.element(9)};
    const Traced part = part_of(graph, input, blanket);
    sizes.push_back(num_elements(*part.graph));
    EXPECT_EQ(inputs_of(graph, input, blanket), (std::vector<std::int32_t>{8, 9, 10}));
  }
  EXPECT_EQ(sizes[0], sizes[1]);
  EXPECT_LE(sizes[0], 20);
}

}  // namespace
}  // namespace credo::graph::part_test
