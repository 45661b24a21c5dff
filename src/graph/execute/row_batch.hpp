// A few rows of values that are computed row by row, such as the log densities of N observations;
// which rows is an input of the program. Operations whose rows don't depend on each other are done
// for the batch alone; what a row shares with the others is computed as before.
#pragma once
#include <map>

#include "graph/passes/rebuild.hpp"

namespace credo::graph {

class RowBatch {
 public:
  // A graph with the input of `from`, then `size` numbers of rows from 0, then `extra` numbers.
  // Checks of vectors of `num_rows` elements are made for the batch.
  RowBatch(const Traced& from, Index num_rows, Index size, Index extra);

  Expr whole(const Expr& value) const;  // value of the old graph
  Expr rows(const Expr& value);         // its elements at the batch's rows; a scalar as it is
  Expr input(Index k) const { return input_.element(k); }  // element k of the new input
  Traced finish(std::vector<Expr> outputs);

 private:
  void add_check(NodeId id);
  Expr at(const Ref& ref, const Expr& places);
  Expr computed_at(NodeId id, const Expr& places);
  Expr product_at(NodeId id, const Expr& places);

  const Traced& from_;
  Rebuild rebuild_;
  Index num_rows_;
  Expr input_, numbers_;
  using Key = std::tuple<NodeId, NodeId, std::int32_t>;  // node; node and element of the places
  std::map<Key, Expr> known_;
};

}  // namespace credo::graph
