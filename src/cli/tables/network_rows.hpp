// Rows of states as tables: read for learning, written as draws; and graphs that the command line states.
#pragma once
#include "models/network/network_graph.hpp"
#include "models/network/network_learning.hpp"
#include "score/csv_columns.hpp"

namespace credo::cli {

// A CSV table whose cells are names of states.
class NetworkTable {
 public:
  NetworkTable(const std::string& text, const std::string& path) : columns_(text, path) {}

  const std::vector<std::string>& names() const { return columns_.names(); }
  // Different cells of a column: numbers in their order, texts in that of their bytes.
  std::vector<std::string> states(const std::string& name) const;
  // Places of states, by node; -1: the cell is empty or NA. Columns are found by the nodes' names, others don't count. Throws Error(data)
  // for nodes without a column and for cells that are no state.
  models::NetworkRows rows_of(const models::Network& network) const;
  std::string place(Index row, const std::string& name) const;

 private:
  Index column(const std::string& name) const;
  score::CsvColumns columns_;
};

// Nodes are the table's columns, their states its cells; parents as "dysp ~ lung + bronc". Throws Error(usage), Error(data).
models::Network structure_of(const NetworkTable& table, std::span<const std::string> parents);

// "a + b, c" and the names of given nodes.
models::SeparationQuestion separation_question(const std::string& sides,
                                               std::span<const std::string> given,
                                               const models::Network& network);

std::string header_text(const models::Network& network);
std::string row_text(const models::Network& network, std::span<const std::int32_t> states);

}  // namespace credo::cli
