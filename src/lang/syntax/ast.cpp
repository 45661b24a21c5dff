// The spellings of operators and words.
#include "lang/syntax/ast.hpp"

#include "lang/syntax/ast_dump.hpp"

namespace credo::lang::ast {
namespace {
template <class Enum, std::size_t N>
std::string_view at(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}
}  // namespace

void DeleteExpression::operator()(Expression* e) const {
  while (e != nullptr) {
    auto* binary = std::get_if<Binary>(&e->node);
    Expression* left = binary != nullptr ? binary->left.release() : nullptr;
    delete e;
    e = left;
  }
}

std::string_view spelling(UnaryOp op) {
  static constexpr std::array<std::string_view, 4> kNames = {"+", "-", "!", "'"};
  return at(kNames, op);
}

std::string_view spelling(BinaryOp op) {
  static constexpr std::array<std::string_view, 19> kNames = {
      "||", "&&", "==", "!=", "<",  "<=", ">",   ">=", "+", "-",
      "*",  "/",  "%",  ".*", "./", "\\", "%/%", "^",  ".^"};
  return at(kNames, op);
}

std::string_view spelling(AssignOp op) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "=", "+=", "-=", "*=", "/=", ".*=", "./="};
  return at(kNames, op);
}

std::string_view spelling(TypeName name) {
  static constexpr std::array<std::string_view, 23> kNames = {
      "void",
      "int",
      "real",
      "complex",
      "vector",
      "row_vector",
      "matrix",
      "complex_vector",
      "complex_row_vector",
      "complex_matrix",
      "ordered",
      "positive_ordered",
      "simplex",
      "unit_vector",
      "sum_to_zero_vector",
      "sum_to_zero_matrix",
      "column_stochastic_matrix",
      "row_stochastic_matrix",
      "cholesky_factor_corr",
      "cholesky_factor_cov",
      "corr_matrix",
      "cov_matrix",
      "tuple",
  };
  return at(kNames, name);
}

std::string_view spelling(BlockKind kind) {
  static constexpr std::array<std::string_view, kNumBlocks> kNames = {
      "data",  "transformed data",    "parameters", "transformed parameters",
      "model", "generated quantities"};
  return at(kNames, kind);
}

bool same_tree(const Program& a, const Program& b) { return dump(a) == dump(b); }
bool same_tree(const Expression& a, const Expression& b) { return dump(a) == dump(b); }

}  // namespace credo::lang::ast
