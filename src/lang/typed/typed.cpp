// Look-ups in the typed tree.
#include "lang/typed/typed.hpp"

#include "base/error.hpp"

namespace credo::lang::typed {

bool has_constraint(const SizedType& type) {
  return type.constraint != Constraint::none ||
         std::any_of(type.elements.begin(), type.elements.end(), has_constraint);
}

bool has_size_zero(const SizedType& type) {
  const auto is_zero = [](const Expression& size) {
    const auto* number = std::get_if<IntLiteral>(&size.node);
    return number != nullptr && number->value == 0;
  };
  return std::any_of(type.array_sizes.begin(), type.array_sizes.end(), is_zero) ||
         std::any_of(type.sizes.begin(), type.sizes.end(), is_zero);
}

const Block& Program::block(BlockKind kind) const {
  using enum BlockKind;
  switch (kind) {
    case data:
      return this->data;
    case transformed_data:
      return this->transformed_data;
    case parameters:
      return this->parameters;
    case transformed_parameters:
      return this->transformed_parameters;
    case model:
      return this->model;
    default:
      break;
  }
  CREDO_ASSERT(kind == generated_quantities, "the functions block holds functions, not statements");
  return this->generated_quantities;
}

Block& Program::block(BlockKind kind) {
  return const_cast<Block&>(std::as_const(*this).block(kind));
}

}  // namespace credo::lang::typed
