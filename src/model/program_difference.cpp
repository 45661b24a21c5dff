#include "model/program_difference.hpp"

#include <fmt/format.h>

#include "lang/syntax/parser.hpp"
#include "lang/syntax/print.hpp"

namespace credo::model {
namespace {
namespace ast = lang::ast;

ast::Program tree_of(const ProgramSource& source) {
  lang::Diagnostics unused;  // it was parsed before
  return lang::parse(source.source, unused);
}
std::string canonical(const ast::ProgramBlock& block) {
  std::string text;
  for (const ast::Statement& statement : block.statements) text += lang::print(statement) + "\n";
  return text;
}
std::string canonical(ast::FunctionDefinition function) {
  ast::Program alone;
  alone.has_functions = true;
  alone.functions.push_back(std::move(function));
  return lang::print(alone);
}
}  // namespace

std::string difference_of_programs(const ProgramSource& first, const ProgramSource& other) {
  ast::Program a = tree_of(first), b = tree_of(other);
  for (const ast::BlockKind kind :
       {ast::BlockKind::data, ast::BlockKind::transformed_data, ast::BlockKind::parameters,
        ast::BlockKind::transformed_parameters, ast::BlockKind::model})
    if (canonical(a[kind]) != canonical(b[kind]))
      return fmt::format("its {} block", ast::spelling(kind));
  std::vector<std::string> there;
  for (ast::FunctionDefinition& function : b.functions)
    there.push_back(canonical(std::move(function)));
  for (ast::FunctionDefinition& function : a.functions) {
    const std::string name = function.name.text;
    if (std::ranges::find(there, canonical(std::move(function))) == there.end())
      return fmt::format("its function {}", name);
  }
  return "";
}

}  // namespace credo::model
