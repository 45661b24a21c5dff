// Sizes that a program declares and its data imply: the number of rows of a table, the number of levels of a
// factor.
#pragma once
#include "io/data/data_table.hpp"
#include "lang/typed/typed.hpp"

namespace credo::model {

struct SuppliedSize {
  std::string name;  // a variable of the data block, declared as int, that the data lack
  Index value = 0;
  std::string reason;  // "the number of rows of cars.csv"
};

// By these rules, and no other (docs/data.md); the sizes of data that are no columns imply nothing:
//   - it stands alone as a size of a variable that is a column, or columns, of a table: as large as that is;
//   - it stands alone as the upper bound of a factor, or of numbers of rows: how many levels, or rows, there are;
//   - it is num_NAME, N_NAME or K_NAME of a factor NAME: how many levels that has.
// A factor may be an outcome that the data lack: its levels are those of the fit.
// Throws Error{data} where two of them don't agree.
std::vector<SuppliedSize> supplied_sizes(const lang::typed::Program& program,
                                         const io::DataTable& data);

}  // namespace credo::model
