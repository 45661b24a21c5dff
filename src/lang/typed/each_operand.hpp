// A walk over the expressions that an expression is computed from.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// Calls `take` for each expression directly inside `e` whose value enters the value of `e`. Indices and conditions
// select values and are left out.
template <class Take>
void for_each_operand(const typed::Expression& e, Take&& take) {
  const auto all = [&](std::span<const typed::Expression> inside) {
    for (const typed::Expression& x : inside) take(x);
  };
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node)) take(*promotion->operand);
  if (const auto* choice = std::get_if<typed::Conditional>(&e.node))
    take(*choice->if_true), take(*choice->if_false);
  if (const auto* both = std::get_if<typed::ShortCircuit>(&e.node))
    take(*both->left), take(*both->right);
  if (const auto* call = std::get_if<typed::Call>(&e.node)) all(call->arguments);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node)) take(*indexed->base);
  if (const auto* projection = std::get_if<typed::Projection>(&e.node)) take(*projection->base);
  if (const auto* array = std::get_if<typed::ArrayLiteral>(&e.node)) all(array->elements);
  if (const auto* row = std::get_if<typed::RowVectorLiteral>(&e.node)) all(row->elements);
  if (const auto* matrix = std::get_if<typed::MatrixLiteral>(&e.node)) all(matrix->rows);
  if (const auto* tuple = std::get_if<typed::TupleLiteral>(&e.node)) all(tuple->elements);
}

}  // namespace credo::lang
