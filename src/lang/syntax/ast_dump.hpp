// A tree as text in prefix form, (+ a (* b c)): exactly the nodes, for tests, debugging
// and comparison. Not Stan; for that see print.hpp.
#pragma once
#include "lang/syntax/ast.hpp"

namespace credo::lang::ast {

std::string dump(const Program& program);
std::string dump(const Statement& statement);
std::string dump(const Expression& expression);

}  // namespace credo::lang::ast
