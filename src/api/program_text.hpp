// Expressions written as a Stan program with its data.
//
// A node that is used more than once, or would make a line too long, is a local variable; others stand
// where they are used. Summands of the log density are statements of their own, so that their terms
// can be distinguished as those of any program.
#pragma once
#include "api/declaration.hpp"
#include "api/node.hpp"

namespace credo {

struct NamedNode {
  std::string name;
  detail::NodePtr node;
};

struct ProgramText {
  std::string program, data;  // data in JSON
};

// Throws Error(usage) where two things have one name.
ProgramText program_text(std::span<const Declaration> parameters,
                         std::span<const NamedNode> outputs, const detail::NodePtr& log_density);

}  // namespace credo
