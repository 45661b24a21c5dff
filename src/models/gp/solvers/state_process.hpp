// The process of an expression of kernels by states, and the moments of a filter along its sorted input.
#pragma once
#include "models/kernels/covariance.hpp"

namespace credo::models {

inline bool is_zero(double x) { return x == 0.0; }
template <int N>
bool is_zero(const Dual<N>& x) {
  return x.v == 0.0 && std::ranges::all_of(x.d, [](double slope) { return slope == 0.0; });
}

// Kronecker product of an n x n and an m x m matrix, by rows.
template <class T>
std::vector<T> kronecker(Index n, const std::vector<T>& a, Index m, const std::vector<T>& b) {
  std::vector<T> made(static_cast<std::size_t>(n * m * n * m));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < m; ++k)
        for (Index l = 0; l < m; ++l)
          made[static_cast<std::size_t>((i * m + k) * n * m + j * m + l)] =
              a[static_cast<std::size_t>(i * n + j)] * b[static_cast<std::size_t>(k * m + l)];
  return made;
}
template <class T>
std::vector<T> plus(std::vector<T> a, const std::vector<T>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = a[k] + b[k];
  return a;
}
// A P A'
template <class T>
std::vector<T> moved(Index n, const std::vector<T>& a, const std::vector<T>& p) {
  std::vector<T> ap(static_cast<std::size_t>(n * n), T(0.0)), made = ap;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < n; ++k) {
      const T& factor = a[static_cast<std::size_t>(i * n + k)];
      if (is_zero(factor)) continue;
      for (Index j = 0; j < n; ++j)
        ap[static_cast<std::size_t>(i * n + j)] = ap[static_cast<std::size_t>(i * n + j)] +
                                                  factor * p[static_cast<std::size_t>(k * n + j)];
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      T sum = 0.0;
      for (Index k = 0; k < n; ++k)
        if (!is_zero(a[static_cast<std::size_t>(j * n + k)]))
          sum = sum +
                ap[static_cast<std::size_t>(i * n + k)] * a[static_cast<std::size_t>(j * n + k)];
      made[static_cast<std::size_t>(i * n + j)] = made[static_cast<std::size_t>(j * n + i)] = sum;
    }
  return made;
}

inline Index num_states(const KernelNode& node) {
  if (node.kind == KernelNode::Kind::atom) return node.row->states->size(node.options);
  Index n = node.kind == KernelNode::Kind::sum ? 0 : 1;
  for (const KernelNode& part : node.parts)
    n = node.kind == KernelNode::Kind::sum ? n + num_states(part) : n * num_states(part);
  return n;
}

// A process by states at parameters of type T.
template <class T>
class NodeStates {
 public:
  explicit NodeStates(std::vector<T> theta) : theta_(std::move(theta)) {}

  StateMatrices<T> start(const KernelNode& node, double x) const {
    StateMatrices<T> made;
    if (node.kind == KernelNode::Kind::atom) {
      const T* t = theta_.data() + node.first;
      if constexpr (std::is_same_v<T, double>)
        node.row->states->start(node.options, t, x, made);
      else
        node.row->states->start_dual(node.options, t, x, made);
    } else {
      for (const KernelNode& part : node.parts) join(node, made, start(part, x), nullptr, nullptr);
    }
    scale(node, made.matrix);
    return made;
  }
  StateMatrices<T> move(const KernelNode& node, double x, double step) const {
    StateMatrices<T> made;
    if (node.kind == KernelNode::Kind::atom) {
      const T* t = theta_.data() + node.first;
      if constexpr (std::is_same_v<T, double>)
        node.row->states->move(node.options, t, step, made);
      else
        node.row->states->move_dual(node.options, t, step, made);
    } else if (node.kind == KernelNode::Kind::sum) {
      for (const KernelNode& part : node.parts)
        join(node, made, move(part, x, step), nullptr, nullptr);
    } else {
      StateMatrices<T> covariance;
      for (const KernelNode& part : node.parts) {
        const StateMatrices<T> own = start(part, x);
        join(node, made, move(part, x, step), &covariance, &own);
        if (covariance.size == 0)
          covariance = own;
        else
          covariance = {covariance.size * own.size,
                        kronecker(covariance.size, covariance.matrix, own.size, own.matrix)};
      }
    }
    scale(node, made.noise);
    return made;
  }

 private:
  void scale(const KernelNode& node, std::vector<T>& matrix) const {
    T factor = node.factor;
    if (node.sd >= 0) {
      const T& sd = theta_[static_cast<std::size_t>(node.sd)];
      factor = node.factor * sd * sd;
    } else if (node.factor == 1.0) {
      return;
    }
    for (T& x : matrix) x = x * factor;
  }
  // Adds the states of a part to those before it. For moves of a product the covariances before the move are needed, too.
  static void join(const KernelNode& node, StateMatrices<T>& made, StateMatrices<T> part,
                   const StateMatrices<T>* covariance, const StateMatrices<T>* own) {
    if (made.size == 0) {
      made = std::move(part);
      return;
    }
    const Index n = made.size, m = part.size;
    if (node.kind == KernelNode::Kind::product) {
      if (own != nullptr) {  // Q = (A P A') x Q2 + Q x (A2 P2 A2') + Q x Q2
        const std::vector<T> before = moved(n, made.matrix, covariance->matrix);
        made.noise = plus(plus(kronecker(n, before, m, part.noise),
                               kronecker(n, made.noise, m, moved(m, part.matrix, own->matrix))),
                          kronecker(n, made.noise, m, part.noise));
      }
      made.matrix = kronecker(n, made.matrix, m, part.matrix);
      made.size = n * m;
      return;
    }
    const auto blocks = [&](const std::vector<T>& a, const std::vector<T>& b) {
      std::vector<T> joined(static_cast<std::size_t>((n + m) * (n + m)), T(0.0));
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          joined[static_cast<std::size_t>(i * (n + m) + j)] =
              a[static_cast<std::size_t>(i * n + j)];
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < m; ++j)
          joined[static_cast<std::size_t>((n + i) * (n + m) + n + j)] =
              b[static_cast<std::size_t>(i * m + j)];
      return joined;
    };
    made.matrix = blocks(made.matrix, part.matrix);
    if (!made.noise.empty()) made.noise = blocks(made.noise, part.noise);
    made.size = n + m;
  }

  std::vector<T> theta_;
};

inline void observe(const KernelNode& node, double x, double* h) {
  if (node.kind == KernelNode::Kind::atom) return node.row->states->observe(node.options, x, h);
  if (node.kind == KernelNode::Kind::sum) {
    for (const KernelNode& part : node.parts) {
      observe(part, x, h);
      h += num_states(part);
    }
    return;
  }
  std::vector<double> all{1.0};
  for (const KernelNode& part : node.parts) {
    std::vector<double> own(static_cast<std::size_t>(num_states(part))), next;
    observe(part, x, own.data());
    for (const double a : all)
      for (const double b : own) next.push_back(a * b);
    all = std::move(next);
  }
  std::ranges::copy(all, h);
}

// Moves are those of the last step again where they depend on the step alone.
inline bool moves_by_step_alone(const KernelNode& node, bool is_factor = false) {
  if (node.kind == KernelNode::Kind::atom)
    return node.row->is_stationary || !is_factor || node.row->name != "brownian";
  return std::ranges::all_of(node.parts, [&](const KernelNode& part) {
    return moves_by_step_alone(part, is_factor || node.kind == KernelNode::Kind::product);
  });
}

// The moves of a filter along sorted inputs.
template <class T>
class Walk {
 public:
  Walk(const KernelNode& root, std::vector<T> theta)
      : root_(root), states_(std::move(theta)), by_step_(moves_by_step_alone(root)) {}
  StateMatrices<T> start(double x) const { return states_.start(root_, x); }
  const StateMatrices<T>& move(double x, double step) {
    if (!by_step_ || step != step_) move_ = states_.move(root_, x, step), step_ = step;
    return move_;
  }

 private:
  const KernelNode& root_;
  NodeStates<T> states_;
  bool by_step_;
  double step_ = kNaN;
  StateMatrices<T> move_;
};

// Moments of the state while it is filtered: means for the outcome and each function of the mean, and one covariance.
template <class T>
struct FilterState {
  Index n = 0, columns = 0;
  std::vector<T> means;       // [column][state]
  std::vector<T> covariance;  // by rows
  std::vector<T> scratch = {};

  void predict(const StateMatrices<T>& move) {
    scratch.assign(static_cast<std::size_t>(n), T(0.0));
    for (Index c = 0; c < columns; ++c) {
      T* mean = means.data() + c * n;
      for (Index i = 0; i < n; ++i) {
        T sum = 0.0;
        for (Index j = 0; j < n; ++j)
          sum = sum + move.matrix[static_cast<std::size_t>(i * n + j)] * mean[j];
        scratch[static_cast<std::size_t>(i)] = sum;
      }
      std::copy_n(scratch.begin(), n, mean);
    }
    covariance = plus(moved(n, move.matrix, covariance), move.noise);
  }
  // P h, and h'P h + noise
  T load(const std::vector<double>& h, const T& noise, std::vector<T>& gain) const {
    T variance = noise;
    for (Index i = 0; i < n; ++i) {
      T sum = 0.0;
      for (Index j = 0; j < n; ++j)
        if (h[static_cast<std::size_t>(j)] != 0.0)
          sum = sum +
                covariance[static_cast<std::size_t>(i * n + j)] * h[static_cast<std::size_t>(j)];
      gain[static_cast<std::size_t>(i)] = sum;
      variance = variance + sum * h[static_cast<std::size_t>(i)];
    }
    return variance;
  }
  void update(const std::vector<T>& gain, const T& variance, const std::vector<T>& innovations) {
    for (Index c = 0; c < columns; ++c) {
      const T factor = innovations[static_cast<std::size_t>(c)] / variance;
      for (Index i = 0; i < n; ++i)
        means[static_cast<std::size_t>(c * n + i)] =
            means[static_cast<std::size_t>(c * n + i)] + gain[static_cast<std::size_t>(i)] * factor;
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        T& entry = covariance[static_cast<std::size_t>(i * n + j)];
        entry = entry -
                gain[static_cast<std::size_t>(i)] * gain[static_cast<std::size_t>(j)] / variance;
        covariance[static_cast<std::size_t>(j * n + i)] = entry;
      }
  }
  T innovation(Index c, const std::vector<double>& h, double y) const {
    T sum = y;
    for (Index i = 0; i < n; ++i)
      if (h[static_cast<std::size_t>(i)] != 0.0)
        sum = sum - means[static_cast<std::size_t>(c * n + i)] * h[static_cast<std::size_t>(i)];
    return sum;
  }
};

}  // namespace credo::models
