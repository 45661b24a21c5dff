// Normal distributions whose covariance has blocks on its diagonal and zeros elsewhere: each block is full. One block is the
// full covariance, blocks of one value the diagonal one.
//
//   μ = c + U m,   R = U C,   C lower triangular in each block, with C_dd = exp λ
//
// U is the root of the block's covariance at the start. λ: m, then log C_dd, then the columns of C below the diagonal, block by block.
#include "infer/variational/families/normal_family.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
struct NormalBlock {
  std::vector<std::size_t> at;       // its coordinates
  std::size_t below = 0;             // first parameter of C below its diagonal
  numerics::DenseMatrix unit, root;  // U and R, lower triangular
};

class BlockNormal final : public NormalFamily {
 public:
  BlockNormal(const FamilySetup& setup, std::span<const std::vector<Index>> blocks);
  std::unique_ptr<NormalFamily> clone() const override {
    return std::make_unique<BlockNormal>(*this);
  }
  Index dimension() const override { return ssize(centre_); }
  Index num_base() const override { return dimension(); }
  Index num_parameters() const override { return num_parameters_; }
  std::vector<double> start() const override {
    return std::vector<double>(static_cast<std::size_t>(num_parameters_), 0.0);
  }
  void move_to(std::span<const double> parameters) override;
  void place(std::span<const double> z, std::span<double> x) const override;
  void pull_back(std::span<const double> z, std::span<const double> v,
                 std::span<double> into) override;
  void project(std::span<const double> v, std::span<double> z) override;
  double entropy() const override {
    return static_cast<double>(dimension()) * (kNormalConstant + 0.5) + log_root_;
  }
  void add_entropy_slope(std::span<double> into) override {
    for (std::size_t d = 0; d < centre_.size(); ++d) into[centre_.size() + d] += 1.0;
  }
  void score(std::span<const double> x, std::span<double> into) override;
  double log_density(std::span<const double> x) override;
  bool precondition(std::span<double> gradient) override;
  CovarianceParts covariance_parts() const override;

 private:
  void whiten(std::span<const double> x, std::span<double> y) const;
  void set_root(NormalBlock& block, std::span<const double> parameters);

  std::vector<double> centre_, mean_, scales_, work_;
  std::vector<NormalBlock> blocks_;
  Index num_parameters_ = 0;
  double log_root_of_units_ = 0.0, log_root_ = 0.0;  // log |U|, log |R|
};

// Calls visit(i, j), i >= j, of a lower triangle, column by column.
void for_each_in_lower(Index n, const auto& visit) {
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) visit(i, j);
}

// A⁻¹ B of lower triangular matrices.
numerics::DenseMatrix lower_quotient(const numerics::DenseMatrix& a, numerics::DenseMatrix b) {
  for (Index j = 0; j < a.rows; ++j)
    for (Index i = j; i < a.rows; ++i) {
      for (Index l = j; l < i; ++l) b(i, j) -= a(i, l) * b(l, j);
      b(i, j) /= a(i, i);
    }
  return b;
}

// Root of the covariance of a block given the others, which is the best one for a normal density.
numerics::DenseMatrix root_given_others(std::span<const std::size_t> at,
                                        std::span<const double> precision, std::size_t dimension) {
  const auto n = static_cast<Index>(at.size());
  numerics::DenseMatrix root(n);
  if (precision.size() == dimension) {
    for (Index i = 0; i < n; ++i)
      root(i, i) = 1.0 / std::sqrt(precision[at[static_cast<std::size_t>(i)]]);
    return root;
  }
  numerics::RowMatrix own(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      own(i, j) =
          precision[at[static_cast<std::size_t>(i)] * dimension + at[static_cast<std::size_t>(j)]];
  const numerics::RowMatrix lower =
      numerics::lower_factor(numerics::inverse_from_factor(numerics::lower_factor(own)));
  for_each_in_lower(n, [&](Index i, Index j) { root(i, j) = lower(i, j); });
  return root;
}

BlockNormal::BlockNormal(const FamilySetup& setup, std::span<const std::vector<Index>> blocks)
    : centre_(setup.mean), mean_(centre_), scales_(centre_.size(), 1.0), work_(centre_.size()) {
  const std::vector<double> precision = precision_of(setup);
  std::size_t below = 2 * centre_.size();
  for (const std::vector<Index>& block : blocks) {
    const std::vector<std::size_t> at(block.begin(), block.end());
    NormalBlock own{at, below, root_given_others(at, precision, centre_.size()), {}};
    below += own.at.size() * (own.at.size() - 1) / 2;
    for (Index i = 0; i < own.unit.rows; ++i) log_root_of_units_ += numerics::log(own.unit(i, i));
    blocks_.push_back(std::move(own));
  }
  num_parameters_ = static_cast<Index>(below);
  move_to(start());
}

// R = U C
void BlockNormal::set_root(NormalBlock& block, std::span<const double> parameters) {
  const Index n = block.unit.rows;
  numerics::DenseMatrix c(n);
  std::size_t k = block.below;
  for_each_in_lower(n, [&](Index i, Index j) {
    c(i, j) = i == j ? scales_[block.at[static_cast<std::size_t>(i)]] : parameters[k++];
  });
  block.root = numerics::DenseMatrix(n);
  for (Index j = 0; j < n; ++j)
    for (Index l = j; l < n; ++l)
      for (Index i = l; i < n; ++i) block.root(i, j) += block.unit(i, l) * c(l, j);
}

void BlockNormal::move_to(std::span<const double> parameters) {
  const std::size_t n = centre_.size();
  log_root_ = log_root_of_units_;
  for (std::size_t d = 0; d < n; ++d) {
    scales_[d] = numerics::exp(parameters[n + d]);
    log_root_ += parameters[n + d];
  }
  mean_ = centre_;
  for (NormalBlock& block : blocks_) {
    set_root(block, parameters);
    for_each_in_lower(block.unit.rows, [&](Index i, Index j) {
      mean_[block.at[static_cast<std::size_t>(i)]] +=
          block.unit(i, j) * parameters[block.at[static_cast<std::size_t>(j)]];
    });
  }
}

void BlockNormal::place(std::span<const double> z, std::span<double> x) const {
  std::copy(mean_.begin(), mean_.end(), x.begin());
  for (const NormalBlock& block : blocks_)
    for_each_in_lower(block.root.rows, [&](Index i, Index j) {
      x[block.at[static_cast<std::size_t>(i)]] +=
          block.root(i, j) * z[block.at[static_cast<std::size_t>(j)]];
    });
}

void BlockNormal::pull_back(std::span<const double> z, std::span<const double> v,
                            std::span<double> into) {
  const std::size_t n = centre_.size();
  std::fill(work_.begin(), work_.end(), 0.0);
  for (const NormalBlock& block : blocks_) {
    for_each_in_lower(block.unit.rows, [&](Index i, Index j) {  // Uᵀ v
      work_[block.at[static_cast<std::size_t>(j)]] +=
          block.unit(i, j) * v[block.at[static_cast<std::size_t>(i)]];
    });
    std::size_t k = block.below;
    for_each_in_lower(block.unit.rows, [&](Index i, Index j) {
      const std::size_t row = block.at[static_cast<std::size_t>(i)],
                        column = block.at[static_cast<std::size_t>(j)];
      if (i != j) into[k++] += work_[row] * z[column];
    });
  }
  for (std::size_t d = 0; d < n; ++d) {
    into[d] += work_[d];
    into[n + d] += work_[d] * scales_[d] * z[d];
  }
}

void BlockNormal::project(std::span<const double> v, std::span<double> z) {
  std::fill(z.begin(), z.end(), 0.0);
  for (const NormalBlock& block : blocks_)
    for_each_in_lower(block.root.rows, [&](Index i, Index j) {
      z[block.at[static_cast<std::size_t>(j)]] +=
          block.root(i, j) * v[block.at[static_cast<std::size_t>(i)]];
    });
}

// y = R⁻¹ (x - μ)
void BlockNormal::whiten(std::span<const double> x, std::span<double> y) const {
  for (std::size_t d = 0; d < x.size(); ++d) y[d] = x[d] - mean_[d];
  for (const NormalBlock& block : blocks_)
    for_each_in_lower(block.root.rows, [&](Index i, Index j) {
      double& of_column = y[block.at[static_cast<std::size_t>(j)]];
      if (i == j)
        of_column /= block.root(j, j);
      else
        y[block.at[static_cast<std::size_t>(i)]] -= block.root(i, j) * of_column;
    });
}

void BlockNormal::score(std::span<const double> x, std::span<double> into) {
  whiten(x, into);
  for (const NormalBlock& block : blocks_)
    for (Index j = block.root.rows; j-- > 0;) {
      double& own = into[block.at[static_cast<std::size_t>(j)]];
      for (Index i = j + 1; i < block.root.rows; ++i)  // those below have their sign already
        own += block.root(i, j) * into[block.at[static_cast<std::size_t>(i)]];
      own = -own / block.root(j, j);
    }
}

double BlockNormal::log_density(std::span<const double> x) {
  whiten(x, work_);
  double sum = -log_root_;
  for (const double y : work_) sum -= 0.5 * y * y + kNormalConstant;
  return sum;
}

// By m the Fisher matrix is (C Cᵀ)⁻¹. With dC = C K, K lower triangular, that of K is 1 below the diagonal and 2 on it, and the
// gradient by K is the lower part of Cᵀ Γ, Γ the gradient by C [lin2020].
bool BlockNormal::precondition(std::span<double> gradient) {
  const std::size_t n = centre_.size();
  for (NormalBlock& block : blocks_) {
    const Index size = block.unit.rows;
    const auto place = [&](Index i) { return block.at[static_cast<std::size_t>(i)]; };
    const numerics::DenseMatrix c = lower_quotient(block.unit, block.root);
    numerics::DenseMatrix slope(size), k(size);
    std::vector<double> mean(static_cast<std::size_t>(size), 0.0);
    std::size_t below = block.below;
    for_each_in_lower(size, [&](Index i, Index j) {
      slope(i, j) = i == j ? gradient[n + place(i)] / c(i, i) : gradient[below++];
      mean[static_cast<std::size_t>(j)] += c(i, j) * gradient[place(i)];  // Cᵀ g
    });
    for_each_in_lower(size, [&](Index i, Index j) {
      for (Index l = i; l < size; ++l) k(i, j) += c(l, i) * slope(l, j);
    });
    for (Index i = 0; i < size; ++i) k(i, i) *= 0.5, gradient[place(i)] = 0.0;
    below = block.below;
    for_each_in_lower(size, [&](Index i, Index j) {
      gradient[place(i)] += c(i, j) * mean[static_cast<std::size_t>(j)];
      double step = 0.0;  // C K, the step of C
      for (Index l = j; l <= i; ++l) step += c(i, l) * k(l, j);
      (i == j ? gradient[n + place(i)] : gradient[below++]) = i == j ? k(i, i) : step;
    });
  }
  return true;
}

// Blocks of one value have scales alone.
CovarianceParts BlockNormal::covariance_parts() const {
  if (blocks_.size() != centre_.size()) return NormalFamily::covariance_parts();
  CovarianceParts parts{.scales = std::vector<double>(centre_.size())};
  for (const NormalBlock& block : blocks_) parts.scales[block.at[0]] = std::fabs(block.root(0, 0));
  return parts;
}

std::vector<Index> all_of(std::size_t dimension) {
  std::vector<Index> all(dimension);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}
}  // namespace

std::unique_ptr<NormalFamily> make_full_normal(const FamilySetup& setup) {
  const std::vector<Index> all = all_of(setup.mean.size());
  return std::make_unique<BlockNormal>(setup, std::span(&all, 1));
}

std::unique_ptr<NormalFamily> make_diagonal_normal(const FamilySetup& setup) {
  std::vector<std::vector<Index>> each;
  for (const Index d : all_of(setup.mean.size())) each.push_back({d});
  return std::make_unique<BlockNormal>(setup, each);
}

std::unique_ptr<NormalFamily> make_block_normal(const FamilySetup& setup) {
  return std::make_unique<BlockNormal>(setup, setup.blocks);
}

}  // namespace credo::infer
