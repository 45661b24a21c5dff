// A matrix or a list of pairs in a file beside the table, by names: covariances of levels, neighbours of regions.
#pragma once
#include "models/formula/frame.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

// Cells of a comma-separated file, its header first.
using FileRows = std::vector<std::vector<std::string>>;

// A square matrix with a name for each row and column.
struct NamedMatrix {
  std::vector<std::string> names = {};  // in the order of its rows
  numerics::DenseMatrix values = {};
};

// The rows of the file that the text of a formula names: cov = "A.csv". Nullopt, with faults.
std::optional<FileRows> read_rows_of_file(const Expression& path, Frame& frame);
// True if the header has a cell for the names of rows, and one for each row.
bool is_square(const FileRows& rows);
// The matrix: names in the header and in the first column, in any order, each once. Nullopt, with faults, if it isn't one or isn't
// symmetric.
std::optional<NamedMatrix> symmetric_matrix(const FileRows& rows, const Expression& path,
                                            FormulaFaults& faults);
// Numbers of these levels among the names, from 0. Nullopt, with faults that name the levels without a row.
std::optional<std::vector<Index>> places_of(std::span<const std::string> levels,
                                            std::span<const std::string> names,
                                            const Expression& path, const std::string& group,
                                            FormulaFaults& faults);

}  // namespace credo::models
