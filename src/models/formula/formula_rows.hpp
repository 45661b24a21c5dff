// The rows of a table that have a value in each column of a formula: the steps between a formula and its design.
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/formula/frame.hpp"

namespace credo::models {

class FormulaRows {
 public:
  using TextOf = std::function<const std::string&(const std::string&)>;
  // `text_of`: contents of the table's files. All must live as long.
  FormulaRows(const io::DataRecipe& data, std::function<bool(const std::string&)> is_usable,
              const TextOf& text_of, FormulaFaults& faults);

  Frame& frame() { return frame_; }
  // After the columns are used: reads them. False, with faults, for missing values that the recipe refuses, and fewer than `least` rows.
  bool read(Index least);
  Index num_rows() const { return frame_.num_rows(); }
  Index num_dropped() const { return num_dropped_; }
  std::vector<Index> kept() const;  // numbers of the rows in the table, from 0

 private:
  bool require_complete(const io::DataTable& rows);

  const io::DataRecipe& data_;
  const TextOf& text_of_;
  FormulaFaults& faults_;
  io::DataTable table_;
  ProgramNames names_;
  Frame frame_;
  Index num_before_ = 0, num_dropped_ = 0;
  std::set<Index> missing_;
};

}  // namespace credo::models
