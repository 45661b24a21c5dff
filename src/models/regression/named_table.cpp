#include "models/regression/named_table.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/data/record_splitter.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {
constexpr std::size_t kMostNamed = 5;
constexpr double kSymmetric = 1e-8;  // relative: matrices are written with 10 digits or more

std::string place_in(const Expression& path, std::size_t row) {
  return fmt::format("{}:{}", path.word, row + 1);
}

class MatrixReader {
 public:
  MatrixReader(const FileRows& rows, const Expression& path, FormulaFaults& faults)
      : rows_(rows), path_(path), faults_(faults) {}

  std::optional<NamedMatrix> read() {
    const std::size_t before = faults_.size();
    if (!is_square(rows_)) {
      faults_.add(path_.place,
                  fmt::format("{} has {} rows of numbers and {} columns, and the matrix is square",
                              path_.word, rows_.size() - 1, rows_[0].size() - 1),
                  "the first row and the first column have the names of the levels");
      return std::nullopt;
    }
    find_columns();
    if (faults_.size() > before) return std::nullopt;
    const Index n = ssize(names_);
    NamedMatrix made{.names = names_, .values = numerics::DenseMatrix(n)};
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) made.values(i, j) = number(i, j);
    if (faults_.size() > before || !require_symmetric(made)) return std::nullopt;
    return made;
  }

 private:
  // Columns in the order of the rows: the header may have the names in another one.
  void find_columns() {
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      const std::string& name = rows_[r][0];
      if (std::ranges::find(names_, name) != names_.end())
        return faults_.add_of_table(place_in(path_, r), fmt::format("'{}' stands twice", name));
      const auto found = std::find(rows_[0].begin() + 1, rows_[0].end(), name);
      if (found == rows_[0].end())
        return faults_.add_of_table(place_in(path_, r),
                                    fmt::format("the row '{}' has no column of this name", name),
                                    "rows and columns have the same names");
      names_.push_back(name);
      columns_.push_back(static_cast<std::size_t>(found - rows_[0].begin()));
    }
  }
  double number(Index i, Index j) {
    const std::size_t row = static_cast<std::size_t>(i) + 1;
    const std::string& cell = rows_[row][columns_[static_cast<std::size_t>(j)]];
    const auto value = io::parse_number(cell);
    if (value && std::isfinite(*value)) return *value;
    if (faults_.size() < kMostNamed)
      faults_.add_of_table(place_in(path_, row),
                           fmt::format("'{}' in the column {} is no number", cell,
                                       names_[static_cast<std::size_t>(j)]));
    return 0.0;
  }
  bool require_symmetric(const NamedMatrix& made) {
    const Index n = ssize(made.names);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        const double a = made.values(i, j), b = made.values(j, i);
        if (std::abs(a - b) <= kSymmetric * std::max(std::abs(a), std::abs(b))) continue;
        const auto name = [&](Index k) { return made.names[static_cast<std::size_t>(k)]; };
        faults_.add_of_table(
            path_.word,
            fmt::format("the matrix isn't symmetric: {} for {} and {}, {} the other way round",
                        io::number_text(a), name(i), name(j), io::number_text(b)));
        return false;
      }
    return true;
  }

  const FileRows& rows_;
  const Expression& path_;
  FormulaFaults& faults_;
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;
};
}  // namespace

std::optional<FileRows> read_rows_of_file(const Expression& path, Frame& frame) {
  if (path.kind != Expression::Kind::text) {
    frame.faults().add(
        path.place, fmt::format("{} isn't the name of a file, which stands in quotes", path.text()),
        "\"A.csv\"");
    return std::nullopt;
  }
  FileRows rows;
  io::RecordSplitter splitter(',', path.word);
  splitter.feed(frame.file_text(path.word), true, [&](const io::Record& record) {
    std::vector<std::string> cells;
    for (const io::Cell& cell : record.cells) cells.emplace_back(cell.text);
    if (cells.size() > 1 || !cells[0].empty()) rows.push_back(std::move(cells));
  });
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r].size() != rows[0].size()) {
      frame.faults().add_of_table(place_in(path, r),
                                  fmt::format("this row has {} cells, and the first one has {}",
                                              rows[r].size(), rows[0].size()));
      return std::nullopt;
    }
  if (rows.size() >= 2 && rows[0].size() >= 2) return rows;
  frame.faults().add(path.place, fmt::format("{} has no rows of two cells or more", path.word),
                     "it is a comma-separated file with a header");
  return std::nullopt;
}

bool is_square(const FileRows& rows) { return rows.size() == rows[0].size(); }

std::optional<NamedMatrix> symmetric_matrix(const FileRows& rows, const Expression& path,
                                            FormulaFaults& faults) {
  return MatrixReader(rows, path, faults).read();
}

std::optional<std::vector<Index>> places_of(std::span<const std::string> levels,
                                            std::span<const std::string> names,
                                            const Expression& path, const std::string& group,
                                            FormulaFaults& faults) {
  std::vector<Index> places;
  std::vector<std::string> lacking;
  for (const std::string& level : levels) {
    const auto found = std::ranges::find(names, level);
    if (found == names.end())
      lacking.push_back(level);
    else
      places.push_back(found - names.begin());
  }
  if (lacking.empty()) return places;
  const std::string near = did_you_mean(lacking[0], {names.begin(), names.end()});
  faults.add(path.place,
             fmt::format(
                 "{} has no row for {} of the levels of {}: {}{}", path.word, lacking.size(), group,
                 fmt::join(std::span(lacking).first(std::min(lacking.size(), kMostNamed)), ", "),
                 lacking.size() > kMostNamed ? ", ..." : ""),
             near.empty() ? "each level of the table has a row and a column" : near);
  return std::nullopt;
}

}  // namespace credo::models
