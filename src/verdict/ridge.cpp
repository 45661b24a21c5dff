#include "verdict/ridge.hpp"

#include "numerics/linear_algebra/matrix.hpp"

namespace credo::verdict {
using numerics::SymmetricEigen;

namespace {
constexpr double kByDefinition = 1e-11;  // an eigenvalue of this size is a constraint, not a ridge
constexpr Index kMostRidgeColumns = 50;
constexpr double kInvolved = 0.05;  // share of a column in the narrow directions
constexpr double kAsNarrow = 10.0;  // times the smallest eigenvalue
constexpr double kNarrow = 1600.0;  // times smaller than the largest: 40 times as long as wide

// Columns of variables whose elements aren't tied to each other by their declaration.
std::vector<Index> candidates(const Case& at_hand) {
  std::vector<Index> all;
  for (const Index k : at_hand.sampled) {
    const Probe* probe = at_hand.probe();
    const std::string& name = at_hand.columns[static_cast<std::size_t>(k)].name;
    if (probe != nullptr &&
        std::find(probe->names().begin(), probe->names().end(), name) == probe->names().end())
      continue;
    all.push_back(k);
  }
  std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) {
    return at_hand.columns[static_cast<std::size_t>(a)].screen >
           at_hand.columns[static_cast<std::size_t>(b)].screen;
  });
  all.resize(std::min(all.size(), static_cast<std::size_t>(kMostRidgeColumns)));
  return all;
}

std::vector<double> standardised(const diagnose::Chains& draws, bool logarithm) {
  std::vector<double> values(draws.values.begin(), draws.values.end());
  if (logarithm)
    for (double& x : values) x = std::log(std::fabs(x));
  for (Index c = 0; c < draws.num_chains; ++c) {
    const auto chain = std::span(values).subspan(static_cast<std::size_t>(c * draws.num_draws),
                                                 static_cast<std::size_t>(draws.num_draws));
    const double centre = diagnose::mean(chain);
    for (double& x : chain) x -= centre;
  }
  const double sd = std::sqrt(diagnose::variance(values));
  for (double& x : values) x /= sd;
  return values;
}

// Four sums side by side, because the next addition of a sum waits for the last.
std::vector<double> correlations(std::span<const std::vector<double>> x) {
  constexpr std::size_t kSideBySide = 4;
  std::vector<double> matrix(x.size() * x.size(), 1.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t first = 0; first < i; first += kSideBySide) {
      std::array<const double*, kSideBySide> others{};
      for (std::size_t k = 0; k < kSideBySide; ++k) others[k] = x[std::min(first + k, i)].data();
      std::array<double, kSideBySide> sums{};
      for (std::size_t s = 0; s < x[i].size(); ++s)
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kSideBySide; ++k) sums[k] += x[i][s] * others[k][s];
      for (std::size_t j = first; j < std::min(first + kSideBySide, i); ++j)
        matrix[i * x.size() + j] = matrix[j * x.size() + i] =
            sums[j - first] / static_cast<double>(x[i].size() - 1);
    }
  return matrix;
}

// Columns with a share in the directions that are so narrow.
std::vector<std::size_t> involved_in(const SymmetricEigen& eigen, double narrow) {
  const std::size_t n = eigen.values.size();
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < n; ++i) {
    double share = 0.0;
    for (std::size_t k = 0; k < n && eigen.values[k] < narrow; ++k)
      share += eigen.vector(k)[i] * eigen.vector(k)[i];
    if (!(share < kInvolved)) members.push_back(i);
  }
  return members;
}
}  // namespace

std::optional<Ridge> ridge_of(const Case& at_hand, bool logarithms) {
  std::vector<Index> used;
  for (const Index k : candidates(at_hand)) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    const bool has_one_sign = column.lowest > 0.0 || column.highest < 0.0;
    if (!logarithms || has_one_sign) used.push_back(k);
  }
  if (used.size() < 2) return std::nullopt;
  std::vector<std::vector<double>> x(used.size());
  at_hand.each_column(used, [&](std::size_t k, const diagnose::Chains& draws) {
    x[k] = standardised(draws, logarithms);
  });
  const SymmetricEigen eigen({ssize(x), ssize(x), correlations(x)});
  const double smallest = eigen.values.front();
  if (smallest < kByDefinition) return std::nullopt;
  // The narrow directions name the parameters; the ridge is the widest of these directions. For a mean
  // and many effects the mean of all sums is known best, a direction in which no effect has a share
  // of note; the sums themselves come next.
  const double narrow = smallest * kAsNarrow;
  std::vector<std::size_t> members = involved_in(eigen, narrow);
  const double least_narrow = eigen.values.back() / kNarrow;
  if (members.size() < 2) members = involved_in(eigen, std::min(narrow * kAsNarrow, least_narrow));
  if (members.size() < 2) return std::nullopt;
  Ridge ridge;
  std::vector<std::vector<double>> involved;
  for (const std::size_t i : members) {
    ridge.columns.push_back(used[i]);
    involved.push_back(x[i]);
  }
  const SymmetricEigen wide({ssize(involved), ssize(involved), correlations(involved)});
  const std::span<const double> along = wide.vector(involved.size() - 1);
  ridge.ratio = std::sqrt(wide.values.back() / smallest);
  for (const double v : along) ridge.along.push_back(v * std::sqrt(wide.values.back()));
  return ridge;
}

}  // namespace credo::verdict
