#include "models/regression/neighbours.hpp"

#include <fmt/format.h>

namespace credo::models {
namespace {

class NeighbourReader {
 public:
  NeighbourReader(const FileRows& rows, const Expression& path, FormulaFaults& faults)
      : rows_(rows), path_(path), faults_(faults) {}

  std::optional<Neighbours> read() {
    const std::size_t before = faults_.size();
    rows_[0].size() == 2 ? read_pairs() : read_matrix();
    if (faults_.size() > before) return std::nullopt;
    made_.pairs.assign(pairs_.begin(), pairs_.end());
    find_components();
    return std::move(made_);
  }

 private:
  // A region without neighbours is a row whose second cell is empty.
  void read_pairs() {
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      const std::string &one = rows_[r][0], &other = rows_[r][1];
      if (one.empty() || one == other)
        return faults_.add_of_table(
            fmt::format("{}:{}", path_.word, r + 1),
            one.empty() ? "the first cell is empty" : fmt::format("{} is its own neighbour", one),
            "a row has the names of two neighbours, or of a region without any and an empty cell");
      const Index a = number_of(one);
      if (!other.empty()) add(a, number_of(other));
    }
  }
  void read_matrix() {
    const auto matrix = symmetric_matrix(rows_, path_, faults_);
    if (!matrix) return;
    made_.names = matrix->names;
    for (Index i = 0; i < ssize(made_.names); ++i)
      for (Index j = 0; j <= i; ++j) {
        const double w = matrix->values(i, j);
        if ((w != 0.0 && w != 1.0) || (w == 1.0 && i == j))
          return faults_.add_of_table(
              path_.word,
              fmt::format("the cell of {} and {} is {}", made_.names[static_cast<std::size_t>(i)],
                          made_.names[static_cast<std::size_t>(j)], w),
              "the cells of neighbours are 1, all others 0");
        if (w == 1.0) add(i, j);
      }
  }
  Index number_of(const std::string& name) {
    const auto [entry, is_new] = numbers_.emplace(name, ssize(numbers_));
    if (is_new) made_.names.push_back(name);
    return entry->second;
  }
  void add(Index a, Index b) { pairs_.emplace(std::min(a, b), std::max(a, b)); }

  void find_components() {
    const std::size_t n = made_.names.size();
    std::vector<std::vector<Index>> near(n);
    for (const auto& [a, b] : made_.pairs) {
      near[static_cast<std::size_t>(a)].push_back(b);
      near[static_cast<std::size_t>(b)].push_back(a);
    }
    made_.component.assign(n, -1);
    for (std::size_t first = 0; first < n; ++first) {
      if (made_.component[first] >= 0) continue;
      std::vector<Index> open{static_cast<Index>(first)};
      made_.component[first] = made_.num_components;
      while (!open.empty()) {
        const auto at = static_cast<std::size_t>(open.back());
        open.pop_back();
        for (const Index next : near[at]) {
          Index& own = made_.component[static_cast<std::size_t>(next)];
          if (own < 0) own = made_.num_components, open.push_back(next);
        }
      }
      ++made_.num_components;
    }
  }

  const FileRows& rows_;
  const Expression& path_;
  FormulaFaults& faults_;
  Neighbours made_;
  std::map<std::string, Index> numbers_;
  std::set<std::pair<Index, Index>> pairs_;
};
}  // namespace

std::vector<Index> Neighbours::degrees() const {
  std::vector<Index> all(names.size(), 0);
  for (const auto& [a, b] : pairs)
    ++all[static_cast<std::size_t>(a)], ++all[static_cast<std::size_t>(b)];
  return all;
}

std::vector<std::string> Neighbours::islands() const {
  const std::vector<Index> all = degrees();
  std::vector<std::string> alone;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] == 0) alone.push_back(names[k]);
  return alone;
}

std::optional<Neighbours> read_neighbours(const Expression& path, Frame& frame) {
  const auto rows = read_rows_of_file(path, frame);
  if (!rows) return std::nullopt;
  return NeighbourReader(*rows, path, frame.faults()).read();
}

std::vector<double> intrinsic_variances(const Neighbours& field) {
  const Index n = ssize(field.names);
  const std::vector<Index> degrees = field.degrees();
  numerics::DenseMatrix precision(n);
  Index num_zero = field.num_components;
  for (Index i = 0; i < n; ++i) {
    const Index degree = degrees[static_cast<std::size_t>(i)];
    precision(i, i) = static_cast<double>(std::max<Index>(degree, 1));
    if (degree == 0) --num_zero;
  }
  for (const auto& [a, b] : field.pairs) precision(a, b) = precision(b, a) = -1.0;
  const numerics::SymmetricEigen eigen(precision);
  std::vector<double> variances(static_cast<std::size_t>(n), 0.0);
  for (std::size_t k = static_cast<std::size_t>(num_zero); k < eigen.size(); ++k)
    for (std::size_t i = 0; i < variances.size(); ++i)
      variances[i] += eigen.vector(k)[i] * eigen.vector(k)[i] / eigen.values[k];
  return variances;
}

std::vector<double> neighbour_eigenvalues(const Neighbours& field) {
  const std::vector<Index> degrees = field.degrees();
  numerics::DenseMatrix scaled(ssize(field.names));
  for (const auto& [a, b] : field.pairs)
    scaled(a, b) = scaled(b, a) =
        1.0 / std::sqrt(static_cast<double>(degrees[static_cast<std::size_t>(a)] *
                                            degrees[static_cast<std::size_t>(b)]));
  return numerics::SymmetricEigen(scaled).values;
}

}  // namespace credo::models
