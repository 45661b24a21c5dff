// Products with a covariance whose elements are computed in blocks: each element of the lower triangle is used for its row and its column.
//
// Blocks of rows are dealt to a fixed number of groups, in turns forwards and backwards, so that groups have equal work. A group adds to
// sums of its own, and these are added in order: bits don't depend on the number of threads.
#include "models/gp/solvers/iterative.hpp"

namespace credo::models {
namespace {
constexpr Index kDenseGroups = 8, kDenseRows = 64;

class DenseOperator final : public GpOperator {
 public:
  explicit DenseOperator(const GpProblem& p)
      : p_(p),
        team_(p.num_threads),
        n_(p.num_rows()),
        is_kept_(n_ * (n_ + 1) / 2 <= kMostKept),
        work_(static_cast<std::size_t>(team_.size())) {}

  Index size() const override { return n_; }
  void set(std::span<const double> theta) override {
    const bool is_same = std::ranges::equal(theta, theta_);
    theta_.assign(theta.begin(), theta.end());
    if (!is_kept_ || (is_same && !kept_.empty())) return;
    kept_.resize(static_cast<std::size_t>(n_ * (n_ + 1) / 2));
    for_groups([&](Index i, Index, Index member) {
      for (Index first = 0; first <= i; first += Covariance::kMostAtOnce)
        p_.covariance.values(p_.covariance.root(), theta_, p_.x, i, p_.x, first,
                             std::min(Covariance::kMostAtOnce, i + 1 - first),
                             kept_.data() + i * (i + 1) / 2 + first,
                             work_[static_cast<std::size_t>(member)]);
    });
  }
  void multiply(const RowMatrix& v, RowMatrix& out) override {
    std::vector<RowMatrix> sums(static_cast<std::size_t>(kDenseGroups), RowMatrix(n_, v.cols));
    for_groups([&](Index i, Index group, Index member) {
      std::array<double, Covariance::kMostAtOnce> fresh;
      RowMatrix& sum = sums[static_cast<std::size_t>(group)];
      for (Index first = 0; first <= i; first += Covariance::kMostAtOnce) {
        const Index count = std::min(Covariance::kMostAtOnce, i + 1 - first);
        const double* k = kept_.data() + i * (i + 1) / 2 + first;
        if (!is_kept_) {
          p_.covariance.values(p_.covariance.root(), theta_, p_.x, i, p_.x, first, count,
                               fresh.data(), work_[static_cast<std::size_t>(member)]);
          k = fresh.data();
        }
        add_row(k, i, first, count, v, sum);
      }
    });
    std::ranges::fill(out.values, 0.0);
    for (const RowMatrix& sum : sums)
      for (std::size_t e = 0; e < out.values.size(); ++e) out.values[e] += sum.values[e];
  }
  std::vector<double> diagonal() override {
    std::vector<double> made;
    for (Index i = 0; i < n_; ++i)
      made.push_back(p_.covariance.variance(p_.covariance.root(), theta_, p_.x, i, work_[0]));
    return made;
  }
  void row(Index i, std::span<double> out) override {
    const Index pieces = (n_ + Covariance::kMostAtOnce - 1) / Covariance::kMostAtOnce;
    team_.for_each(pieces, [&](Index piece, Index member) {
      const Index first = piece * Covariance::kMostAtOnce;
      p_.covariance.values(p_.covariance.root(), theta_, p_.x, i, p_.x, first,
                           std::min(Covariance::kMostAtOnce, n_ - first), out.data() + first,
                           work_[static_cast<std::size_t>(member)]);
    });
  }
  void add_slopes(const RowMatrix& left, const RowMatrix& right,
                  std::span<double> gradient) override {
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(kDenseGroups),
                                           std::vector<double>(gradient.size(), 0.0));
    for_groups([&](Index i, Index group, Index member) {
      std::array<double, Covariance::kMostAtOnce> weights;
      for (Index first = 0; first <= i; first += Covariance::kMostAtOnce) {
        const Index count = std::min(Covariance::kMostAtOnce, i + 1 - first);
        for (Index k = 0; k < count; ++k) {
          const Index j = first + k;
          double w = 0.0;
          for (Index c = 0; c < left.cols; ++c)
            w += left(i, c) * right(j, c) + (i == j ? 0.0 : left(j, c) * right(i, c));
          weights[static_cast<std::size_t>(k)] = w;
        }
        p_.covariance.add_slopes(theta_, p_.x, i, p_.x, first, count, weights.data(),
                                 parts[static_cast<std::size_t>(group)].data(),
                                 work_[static_cast<std::size_t>(member)]);
      }
    });
    for (const std::vector<double>& part : parts)
      for (std::size_t k = 0; k < part.size(); ++k) gradient[k] += part[k];
  }
  RowMatrix cross(const KernelNode& node, const CovariancePoints& at, Index first,
                  Index count) override {
    RowMatrix made(n_, count);
    team_.for_each(count, [&](Index j, Index member) {
      std::array<double, Covariance::kMostAtOnce> k;
      for (Index i = 0; i < n_; i += Covariance::kMostAtOnce) {
        const Index here = std::min(Covariance::kMostAtOnce, n_ - i);
        p_.covariance.values(node, theta_, at, first + j, p_.x, i, here, k.data(),
                             work_[static_cast<std::size_t>(member)]);
        for (Index e = 0; e < here; ++e) made(i + e, j) = k[static_cast<std::size_t>(e)];
      }
    });
    return made;
  }
  RowMatrix slope_cross(const CovariancePoints& at, Index point, Index column) override {
    RowMatrix made(n_, 1);
    for (Index i = 0; i < n_; ++i)
      made(i, 0) =
          p_.covariance.by_input(p_.covariance.root(), theta_, at, point, p_.x, i, column)[1];
    return made;
  }

 private:
  // visit(row, group, member)
  template <class Visit>
  void for_groups(Visit&& visit) {
    const Index blocks = (n_ + kDenseRows - 1) / kDenseRows;
    team_.for_each(kDenseGroups, [&](Index group, Index member) {
      for (Index turn = 0; turn * kDenseGroups < blocks; ++turn) {
        const Index block =
            turn * kDenseGroups + (turn % 2 == 0 ? group : kDenseGroups - 1 - group);
        for (Index i = block * kDenseRows; i < std::min(n_, (block + 1) * kDenseRows); ++i)
          visit(i, group, member);
      }
    });
  }
  // Elements (i, first), ..., of the lower triangle, and their mirror images.
  static void add_row(const double* k, Index i, Index first, Index count, const RowMatrix& v,
                      RowMatrix& sum) {
    const Index c = v.cols;
    const double* const own = v.row(i).data();
    double* const to = sum.row(i).data();
    const Index below = first + count > i ? count - 1 : count;  // the diagonal is used once
    for (Index e = 0; e < below; ++e) {
      const double value = k[e];
      const double* const other = v.row(first + e).data();
      double* const mirror = sum.row(first + e).data();
      for (Index b = 0; b < c; ++b) {
        to[b] += value * other[b];
        mirror[b] += value * own[b];
      }
    }
    if (below < count)
      for (Index b = 0; b < c; ++b) to[b] += k[below] * own[b];
  }

  const GpProblem& p_;
  WorkerTeam team_;
  Index n_;
  bool is_kept_;
  std::vector<Covariance::Work> work_;
  std::vector<double> theta_, kept_;
};
}  // namespace

std::unique_ptr<GpOperator> make_dense_operator(const GpProblem& problem) {
  return std::make_unique<DenseOperator>(problem);
}

}  // namespace credo::models
