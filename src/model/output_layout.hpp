// The outputs of a program: their layout, and where a machine holds them.
#pragma once
#include "density/writer.hpp"
#include "model/data/program_data.hpp"

namespace credo::model {

struct OutputLayout {
  struct
      Variable {  // a declared variable: where its elements, in the order of the layout, are found
    density::Block block;
    int slot;                          // among the machine's globals
    std::vector<std::int32_t> places;  // in its storage
  };

  // In order as language facts 19.2 have it. Throws Error(data) where a size is refused.
  explicit OutputLayout(const ProgramData& data);
  // The row of values to write, from the machine that ran for it.
  graph::Expr row(lang::Machine& machine, graph::Graph& graph, const density::Written& what) const;

  density::Layout layout;
  std::vector<Variable> variables;
};

}  // namespace credo::model
