// A selection as a text and as arrays.
#pragma once
#include "models/selection/selection_table.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct SelectionReport {
  const models::SelectionTable& table;
  const models::Selection& found;

  std::string text() const;
  results::ArrayList answer() const;
};

}  // namespace credo::cli
