// Random syntax trees, only such as a parser can make: a left side is assignable, an if without
// else isn't the first branch of one with it.
#pragma once
#include "lang/syntax/ast.hpp"

namespace credo::lang::testing {

// The same seed gives the same program.
ast::Program random_program(std::uint64_t seed);

}  // namespace credo::lang::testing
