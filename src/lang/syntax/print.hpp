// A tree as Stan text in canonical form: two spaces of indentation, one statement a line, only the
// parentheses that are needed. parse(print(tree)) is the same tree, so print(parse(text)) is its
// own image. Comments and line breaks of the original are not kept.
#pragma once
#include "lang/syntax/ast.hpp"

namespace credo::lang {

std::string print(const ast::Program& program);
std::string print(const ast::Statement& statement);
std::string print(const ast::Expression& expression);
std::string print(const ast::SizedType& type);
std::string print(const ast::UnsizedType& type);

}  // namespace credo::lang
