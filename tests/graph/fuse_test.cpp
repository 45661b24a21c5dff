// Fused programs against the direct sweep: equal bits, whatever the sizes, lanes and SIMD target.
#include <bit>
#include <random>

#include "graph/differentiate.hpp"
#include "graph/program.hpp"
#include "numerics/arithmetic.hpp"
#include "support/alloc_count.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::graph {
namespace {

std::vector<double> numbers(Index count, double phase) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = std::sin(0.7 * double(i) + phase);
  return values;
}

struct Results {
  std::vector<std::uint64_t> bits;
  std::vector<LaneStatus> status;
};

// All outputs at eight points, `lanes` at a time.
Results results(const Program& program, std::size_t num_outputs, Index lanes) {
  Workspace workspace(program, lanes);
  Results found;
  for (Index first = 0; first < kMaxLanes; first += lanes) {
    workspace.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l)
      workspace.set_input(l, numbers(program.input_size(), 0.3 * double(first + l)));
    workspace.run();
    for (Index l = 0; l < lanes; ++l) {
      found.status.push_back(workspace.status(l));
      for (std::size_t k = 0; k < num_outputs; ++k) {
        for (Index e = 0; e < program.output_size(k); ++e)
          found.bits.push_back(std::bit_cast<std::uint64_t>(workspace.output(k, e, l)));
      }
    }
  }
  return found;
}

void expect_equal(const Results& a, const Results& b, const std::string& where) {
  ASSERT_EQ(a.bits, b.bits) << where;
  for (std::size_t k = 0; k < a.status.size(); ++k) {
    ASSERT_EQ(a.status[k].check, b.status[k].check) << where;
    const auto bits = [&](const Results& r) {
      return std::bit_cast<std::uint64_t>(r.status[k].value);
    };
    ASSERT_EQ(bits(a), bits(b)) << where;
  }
}

void expect_fused_is_direct(const Graph& graph, NodeId input, std::span<const Expr> outputs,
                            const std::string& what) {
  const Program direct(graph, input, outputs, {.fuse = false});
  const Program fused(graph, input, outputs);
  for (const Index lanes : {1, 2, 4, 8}) {
    const std::string where = what + ", " + std::to_string(lanes) + " lanes\n";
    expect_equal(results(direct, outputs.size(), lanes), results(fused, outputs.size(), lanes),
                 where);
  }
}

// A random graph over vectors of a few sizes and scalars: everything the planner treats by itself.
class RandomGraph {
 public:
  RandomGraph(std::uint64_t seed, Index size) : random_(seed), size_(size) {
    input = graph.add_input(vector_shape(size + 3));
    const Expr x(graph, {input, -1});
    for (Index i = 0; i < 3; ++i) scalars_.push_back(x.element(size + i));
    vectors_.push_back(gather(vector_shape(size), x, range(0)));
    vectors_.push_back(gather(vector_shape(size), x, range(1)));
    for (int k = 0; k < 60; ++k) add();
    std::vector<Expr> total = {sum(vectors_.back()), scalars_.back()};
    for (const Expr& v : vectors_) total.push_back(dot(v, vectors_[at_random(vectors_.size())]));
    for (const Expr& s : scalars_) total.push_back(s);
    const Expr all = sum(pack(vector_shape(ssize(total)), total));
    outputs = {all, vectors_.back(), scalars_.back(), vectors_[vectors_.size() / 2]};
    if (!all.is_constant()) outputs.push_back(gradient(graph, all, std::array{input})[0]);
  }
  Graph graph;
  NodeId input;
  std::vector<Expr> outputs;

 private:
  std::size_t at_random(std::size_t count) { return random_() % count; }
  std::vector<std::int32_t> range(Index first) const {
    std::vector<std::int32_t> index(static_cast<std::size_t>(size_));
    std::iota(index.begin(), index.end(), static_cast<std::int32_t>(first));
    return index;
  }
  std::vector<std::int32_t> any_index(Index count) {
    std::vector<std::int32_t> index;
    for (Index i = 0; i < count; ++i)
      index.push_back(static_cast<std::int32_t>(at_random(static_cast<std::size_t>(size_))));
    return index;
  }
  Expr data() { return constant(vector_shape(size_), numbers(size_, double(random_() % 100))); }
  Expr vector() { return vectors_[at_random(vectors_.size())]; }
  Expr scalar() {
    const Expr v = vector();
    if (size_ > 0 && random_() % 3 == 0)
      return v.element(static_cast<Index>(at_random(static_cast<std::size_t>(size_))));
    return random_() % 5 == 0 ? Expr(0.25) : scalars_[at_random(scalars_.size())];
  }
  Expr map(const Expr& a, const Expr& b) {
    switch (random_() % 7) {
      case 0:
        return a + b;
      case 1:
        return a * b;
      case 2:
        return a - 0.5 * b;
      case 3:
        return log1p_exp(a);
      case 4:
        return a / (1.5 + square(b));
      case 5:
        return select(less(a, b), exp(-square(a)), b);
      default:
        return tanh(a);
    }
  }
  Expr operand() {
    if (random_() % 5 == 0) return data();
    return random_() % 3 == 0 ? scalar() : vector();
  }
  Expr packed() {
    std::vector<Expr> parts;
    for (Index i = 0; i < size_; ++i) parts.push_back(i % 3 == 2 ? scalar() * 0.5 : scalar());
    return pack(vector_shape(size_), parts);
  }
  void keep(const Expr& x) {
    if (x.size() == size_ && (size_ != 1 || random_() % 2 == 0)) {
      vectors_.push_back(x);
    } else if (x.is_scalar()) {
      scalars_.push_back(0.1 * tanh(x));
    }
  }
  void add() {
    const Shape shape = vector_shape(size_);
    switch (random_() % 11) {
      case 0:
        return keep(sum(vector()));
      case 1:
        return keep(dot(vector(), operand()));
      case 2:
        return keep(size_ > 0 ? gather(shape, vector(), any_index(size_)) : vector());
      case 3:
        return keep(scatter_add(shape, vector(), any_index(size_)));
      case 4:
        return keep(packed());
      case 5:
        return keep(broadcast(shape, scalar()) * operand());
      case 6:
        return keep(log_sum_exp(vector()));
      case 7:
        return keep(map(scalar(), scalar()));
      case 8:
        check();
        [[fallthrough]];
      default:
        return keep(map(vector(), operand()));
    }
  }
  void check() { check_greater(vector(), -0.9, ++num_checks_); }

  std::mt19937_64 random_;
  Index size_;
  std::vector<Expr> vectors_, scalars_;
  std::int32_t num_checks_ = 0;
};

TEST(fused_programs, equal_the_direct_sweep_on_random_graphs) {
  for (const Index size : {0, 1, 2, 7, 8, 9, 33, 64, 65, 511, 512, 513, 1023, 1024, 1025}) {
    for (std::uint64_t seed = 0; seed < (size < 100 ? 20 : 6); ++seed) {
      const RandomGraph g(1000 * seed + static_cast<std::uint64_t>(size), size);
      const std::string what = "size " + std::to_string(size) + ", seed " + std::to_string(seed);
      expect_fused_is_direct(g.graph, g.input, g.outputs, what);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(fused_programs, equal_the_direct_sweep_on_every_simd_target) {
  const auto before = numerics::active_target();
  for (const auto target : numerics::supported_targets()) {
    numerics::force_target(target);
    for (const Index size : {1, 3, 9, 65, 513, 1030}) {
      const RandomGraph g(static_cast<std::uint64_t>(size), size);
      expect_fused_is_direct(g.graph, g.input, g.outputs,
                             std::string(numerics::target_name(target)));
    }
  }
  numerics::force_target(before);
}

TEST(fused_programs, allocate_nothing_when_run) {
  const RandomGraph g(7, 700);
  const Program program(g.graph, g.input, g.outputs);
  Workspace workspace(program, 8);
  const std::vector<double> point = numbers(program.input_size(), 0.2);
  std::vector<double> slope(point.size());
  const auto evaluate = [&](Index lanes) {
    workspace.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) workspace.set_input(l, point);
    workspace.run();
    workspace.copy_output(4, 0, slope);
  };
  evaluate(8), evaluate(1);
  const testing::AllocationCount count;
  for (int k = 0; k < 3; ++k) evaluate(8), evaluate(1);
  EXPECT_EQ(count.value(), 0);
}

// A scalar in two packs, an element of a packed node used elsewhere, packs of inputs and of
// constants, an output inside a pack.
TEST(fused_programs, compute_packed_scalars_in_place_and_once) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(5));
  const Expr x(graph, {input, -1});
  const Expr a = exp(x.element(0)), b = a * x.element(1), c = log1p_exp(b);
  const Shape four = vector_shape(4);
  const Expr first = pack(four, std::array{a, b, Expr(2.0), c});
  const Expr second = pack(four, std::array{c, a, a, x.element(3)});
  const Expr inputs = pack(vector_shape(3), std::array{x.element(2), x.element(3), x.element(4)});
  const Expr mixed = first.element(3) * second + first;
  const std::array outputs{first, second, inputs, mixed, b, dot(mixed, second)};
  expect_fused_is_direct(graph, input, outputs, "packs");
  const Program program(graph, input, outputs);
  EXPECT_LE(program.num_instructions(), 10) << program.dump();
}

// Checks report the first broken one of the program, also where groups move values around.
TEST(fused_programs, report_the_first_failed_check) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(200));
  const Expr x(graph, {input, -1});
  const Expr total = sum(exp(x));
  check_less(total, 1.0, 1);           // fails everywhere
  check_greater(square(x), -1.0, 2);   // holds
  check_greater(x * total, 1e300, 3);  // fails everywhere
  const std::array outputs{total};
  expect_fused_is_direct(graph, input, outputs, "checks");
}

// Few elements have a function of their own, also where the sum has an end: nothing there, all
// -infinity, an infinity, NaN.
TEST(fused_programs, add_few_exponentials_as_the_row_does) {
  for (const Index size : {0, 1, 2, 3, 5, 8, 9}) {
    Graph graph;
    const NodeId input = graph.add_input(vector_shape(size));
    const Expr x(graph, {input, -1});
    const std::array outputs{log_sum_exp(x * 1.0),
                             log_sum_exp(log(x - 2.0)),
                             log_sum_exp(log(less(0.3, x))),
                             log_sum_exp(1.0 / less(0.3, x)),
                             log_sum_exp(-1.0 / less(0.3, x)),
                             log_sum_exp(900.0 * x)};
    expect_fused_is_direct(graph, input, outputs, "size " + std::to_string(size));
  }
}

// The chain of an elementwise log likelihood and its derivative is one group that reads data where
// they lie and stores the gradient only.
TEST(fused_programs, run_a_likelihood_and_its_adjoint_in_one_group) {
  constexpr Index kRows = 5000;
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(kRows));
  const Expr x(graph, {input, -1}), y = constant(vector_shape(kRows), numbers(kRows, 0.1));
  const Expr total = sum(y * x - log1p_exp(x));
  const Expr slope = gradient(graph, total, std::array{input})[0];
  const std::array outputs{total, slope};
  const Program program(graph, input, outputs);
  const std::string text = program.dump();
  const auto first = text.find("fused over");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("fused over", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("data0"), std::string::npos) << text;
  expect_fused_is_direct(graph, input, outputs, "likelihood");
}

// A regression over rows of a constant matrix: A x and A'y in a group of their own or with others,
// read as blocks, as whole values, from the left as rows and more than once.
class Regression {
 public:
  Regression(Index rows, Index cols) : rows_(rows) {
    input = graph.add_input(vector_shape(cols + 1));
    const Expr x(graph, {input, -1}), alpha = x.element(cols);
    std::vector<std::int32_t> first(static_cast<std::size_t>(cols));
    std::iota(first.begin(), first.end(), 0);
    const Expr beta = gather(vector_shape(cols), x, first);
    const Expr a = constant(matrix_shape(rows, cols), numbers(rows * cols, 0.4));
    const Expr y = constant(vector_shape(rows), numbers(rows, 1.1));
    const Expr eta = vector(matmul(a, beta)) + alpha;
    const Expr total = sum(y * eta - log1p_exp(eta));
    const Expr slope = gradient(graph, total, std::array{input})[0];
    const Expr back = matmul(a, 0.01 * tanh(eta), true), again = matmul(a, back);
    const Expr weights = exp(-square(vector(again)));
    const Expr left = matmul(weights.reshaped(matrix_shape(1, rows)), a);
    const Expr right = matmul(beta.reshaped(matrix_shape(1, cols)), a, false, true);
    const Expr third = vector(right) * weights;
    outputs = {total, slope, back, again, left, dot(third, eta), third, right};
    const Expr all = sum(left) + dot(third, eta);
    outputs.push_back(gradient(graph, all, std::array{input})[0]);
  }
  Graph graph;
  NodeId input;
  std::vector<Expr> outputs;

 private:
  Expr vector(const Expr& x) const { return x.reshaped(vector_shape(rows_)); }
  Index rows_;
};

TEST(fused_programs, multiply_by_a_constant_matrix_as_the_direct_sweep_does) {
  for (const Index cols : {1, 2, 3, 5, 7, 8, 9, 20, 33, 64, 65}) {
    for (const Index rows : {1, 65, 125, 128, 206, 511, 512, 513, 1023, 1024, 1025, 2049, 2500}) {
      const Regression g(rows, cols);
      expect_fused_is_direct(g.graph, g.input, g.outputs,
                             std::to_string(rows) + " x " + std::to_string(cols));
      if (HasFatalFailure()) return;
    }
  }
  const Regression tall(5000, 1);
  expect_fused_is_direct(tall.graph, tall.input, tall.outputs, "one column");
}

TEST(fused_programs, multiply_by_a_constant_matrix_on_every_simd_target) {
  const auto before = numerics::active_target();
  for (const auto target : numerics::supported_targets()) {
    numerics::force_target(target);
    for (const auto& [rows, cols] :
         std::vector<std::pair<Index, Index>>{{130, 33}, {1027, 9}, {2500, 20}}) {
      const Regression g(rows, cols);
      expect_fused_is_direct(g.graph, g.input, g.outputs,
                             std::string(numerics::target_name(target)));
    }
  }
  numerics::force_target(before);
}

// A logistic regression and its gradient are one group, so the matrix is read from memory once.
TEST(fused_programs, run_a_regression_and_its_gradient_in_one_group) {
  constexpr Index kRows = 2000, kCols = 20;
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(kCols));
  const Expr x(graph, {input, -1}), y = constant(vector_shape(kRows), numbers(kRows, 0.1));
  const Expr a = constant(matrix_shape(kRows, kCols), numbers(kRows * kCols, 0.4));
  const Expr eta = matmul(a, x).reshaped(vector_shape(kRows));
  const Expr total = sum(y * eta - log1p_exp(eta));
  const std::array outputs{total, gradient(graph, total, std::array{input})[0]};
  const Program program(graph, input, outputs);
  const std::string text = program.dump();
  const auto first = text.find("fused over 2000");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("fused over", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("block0 = matmul data0"), std::string::npos) << text;
  expect_fused_is_direct(graph, input, outputs, "regression");
}

}  // namespace
}  // namespace credo::graph
