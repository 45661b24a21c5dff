// Graphs that make the planner show what it can, and their results bit by bit.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "graph/core/ops.hpp"
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"

namespace credo::testing {
using namespace graph;  // NOLINT

inline std::vector<double> numbers(Index count, double phase) {
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
inline Results results(const Program& program, std::size_t num_outputs, Index lanes,
                       Team* team = nullptr) {
  Workspace workspace(program, lanes);
  workspace.use_team(team);
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

inline void expect_equal(const Results& a, const Results& b, const std::string& where) {
  ASSERT_EQ(a.bits, b.bits) << where;
  for (std::size_t k = 0; k < a.status.size(); ++k) {
    ASSERT_EQ(a.status[k].check, b.status[k].check) << where;
    const auto bits = [&](const Results& r) {
      return std::bit_cast<std::uint64_t>(r.status[k].value);
    };
    ASSERT_EQ(bits(a), bits(b)) << where;
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
    outputs = {all, vectors_.back(), scalars_.back(), vectors_[vectors_.size() / 2],
               apply(ops::sum_log1p_exp, {vectors_.back()})};
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

}  // namespace credo::testing
