// Declarations: sizes, constraints, slots (language facts 2.5, 2.6, 4).
#include "lang/check/check_internal.hpp"

namespace credo::lang {
namespace {
struct DeclaredFacts {
  ast::TypeName name;
  BaseType base;
  typed::Constraint constraint;
};
const DeclaredFacts& facts(ast::TypeName name);
std::vector<UnsizedType> accepted_bounds(const UnsizedType& type);
}  // namespace

UnsizedType unsized_base(ast::TypeName name) { return facts(name).base; }

void Checker::check_declaration(const ast::Declaration& declaration, SourceRange range,
                                std::vector<typed::Statement>& out) {
  const int first_id = new_statement(
      declaration.variables.empty() ? range : declaration.variables.front().name.range);
  in_global_size_ =
      top_level_ && is_allowed(in_parameters | in_transformed_parameters | in_generated_quantities);
  auto type = std::make_shared<const typed::SizedType>(sized_type(declaration.type));
  in_global_size_ = false;
  for (const ast::Declarator& declarator : declaration.variables) {
    const bool is_first = &declarator == &declaration.variables.front();
    typed::Statement statement;
    statement.range = is_first ? range : declarator.name.range;
    statement.id = is_first ? first_id : new_statement(declarator.name.range);
    typed::Declaration result;
    result.name = declarator.name.text;
    result.type = type;
    result.slot = add_variable(declarator.name, type);
    if (declarator.value) {
      root_ = declarator.value.get(), before_root_ = &out;
      define(declarator, result);
    }
    statement.node = std::move(result);
    out.push_back(std::move(statement));
  }
}

// The value may name the variable, which holds NaN then, or the least int.
void Checker::define(const ast::Declarator& declarator, typed::Declaration& result) {
  const std::string& name = declarator.name.text;
  const bool was_used = scopes_.find(name)->is_used;
  result.value = boxed(initial_value(*declarator.value, result.type->type, name));
  Symbol& symbol = *scopes_.find(name);
  symbol.is_assigned = true;
  if (symbol.is_used && !was_used && symbol.declared == declarator.name.range)
    report(DiagCode::used_in_own_definition, declarator.name.range, {name});
  note_nonlinear(result.slot, *result.value);
}

typed::Expression Checker::initial_value(const ast::Expression& e, const UnsizedType& type,
                                         const std::string& name) {
  typed::Expression value = expression(e);
  if (promotes(value.type, type)) return promoted(std::move(value), type);
  const std::string conversion = conversion_hint(value.type, type);
  const std::string declare = "declare " + name + " as " + to_string(value.type);
  report(DiagCode::type_mismatch, value.range,
         {"the value of " + name, to_string(type), to_string(value.type)},
         conversion.empty() ? declare : conversion);
  value.type = UnsizedType();
  return value;
}

typed::SizedType Checker::sized_type(const ast::SizedType& type) {
  typed::SizedType result;
  for (const ast::SizedType& element : type.elements) {
    result.elements.push_back(sized_type(element));
    result.type.elements.push_back(result.elements.back().type);
  }
  result.type.base = unsized_base(type.name).base;
  result.type.depth = static_cast<int>(type.array_sizes.size());
  sizes(type.array_sizes, result.array_sizes);
  sizes(type.sizes, result.sizes);
  constraint(type, result);
  return result;
}

void Checker::sizes(const std::vector<ast::Expression>& from, std::vector<typed::Expression>& to) {
  for (const ast::Expression& size : from)
    to.push_back(required(size, BaseType::integer, "a size"));
}

void Checker::constraint(const ast::SizedType& from, typed::SizedType& to) {
  const ast::Constraint& source = from.constraint;
  to.constraint = facts(from.name).constraint;
  const bool in_size = std::exchange(in_global_size_, false);  // bounds may depend on parameters
  to.lower = bound(source.lower, to.type, "the lower bound");
  to.upper = bound(source.upper, to.type, "the upper bound");
  to.offset = bound(source.offset, to.type, "the offset");
  to.multiplier = bound(source.multiplier, to.type, "the multiplier");
  in_global_size_ = in_size;
  if (source.lower || source.upper) to.constraint = typed::Constraint::bounds;
  if (source.offset || source.multiplier) to.constraint = typed::Constraint::affine;
}

typed::Box Checker::bound(const ast::ExpressionPtr& from, const UnsizedType& type,
                          std::string_view what) {
  if (!from) return nullptr;
  typed::Expression e = expression(*from);
  if (is_poisoned(e)) return boxed(std::move(e));
  const std::vector<UnsizedType> accepted = accepted_bounds(type);
  for (const UnsizedType& to : accepted) {
    if (promotion_cost(e.type, to)) return boxed(promoted(std::move(e), to));
  }
  std::string expected;
  for (const UnsizedType& to : accepted)
    expected += (expected.empty() ? "" : " or ") + to_string(to);
  report(DiagCode::type_mismatch, e.range, {std::string(what), expected, to_string(e.type)});
  return boxed(std::move(e));
}

typed::Slot Checker::add_variable(const ast::Name& name,
                                  std::shared_ptr<const typed::SizedType> type) {
  if (!top_level_)
    return add_local(name, type->type, local_autodiff(type->type), SymbolKind::variable);
  const bool is_discrete = options_.discrete_parameters && is_allowed(in_parameters) &&
                           is_int_based(type->type) && type->lower && type->upper;
  if (is_allowed(in_parameters | in_transformed_parameters) && contains_int(type->type) &&
      !is_discrete) {
    report(DiagCode::int_parameter, name.range,
           {name.text, is_allowed(in_parameters) ? "parameters" : "transformed parameters"},
           options_.discrete_parameters && is_allowed(in_parameters)
               ? "declare it as real, or with both bounds: int<lower=.., upper=..>"
               : "declare it as real");
  }
  typed::GlobalVariable variable;
  variable.name = name.text;
  variable.type = type->type;
  variable.declared = name.range;
  variable.block = block_;
  variable.autodiff.always =
      is_allowed(in_parameters | in_transformed_parameters) && !is_int_based(type->type);
  variable.sized_type = std::move(type);
  const typed::Slot slot{false, static_cast<int>(program_.globals.size())};
  if (is_new_name(name)) {
    scopes_.add({name.text, SymbolKind::variable, block_, slot, variable.type, variable.autodiff,
                 name.range});
  }
  program_.globals.push_back(std::move(variable));
  return slot;
}

typed::Slot Checker::add_local(const ast::Name& name, const UnsizedType& type,
                               typed::Autodiff autodiff, SymbolKind kind) {
  typed::Variable variable;
  variable.name = name.text;
  variable.type = type;
  variable.declared = name.range;
  variable.autodiff = autodiff;
  const typed::Slot slot{true, static_cast<int>(locals_->size())};
  if (is_new_name(name)) scopes_.add({name.text, kind, block_, slot, type, autodiff, name.range});
  locals_->push_back(std::move(variable));
  return slot;
}

// Real-valued locals have autodiff type even when they hold data only (language facts 8.5); those
// of a function when any of the call's arguments has.
typed::Autodiff Checker::local_autodiff(const UnsizedType& type) const {
  typed::Autodiff autodiff;
  if (is_int_based(type)) return autodiff;
  autodiff.always = is_allowed(in_model | in_transformed_parameters);
  if (function_ == nullptr) return autodiff;
  for (std::size_t k = 0; k < function_->num_parameters(); ++k)
    autodiff.join(function_->variables[k].autodiff);
  return autodiff;
}

// Functions are no obstacle: a call means one of them, unless a variable hides the program's own.
bool Checker::is_new_name(const ast::Name& name) {
  if (full_name(name.text) != name.text) {
    report(DiagCode::suffix_signature, name.range,
           {name.text, "a density without its constants, not a variable"});
  }
  if (const Symbol* other = scopes_.find(name.text)) {
    report(DiagCode::redeclared, name.range, {name.text}, "choose another name")
        .note(other->declared, "first here");
    return false;
  }
  return true;
}

UnsizedType Checker::unsized(const ast::UnsizedType& type) const {
  UnsizedType result(unsized_base(type.name).base, type.array_dims);
  for (const ast::UnsizedType& element : type.elements) result.elements.push_back(unsized(element));
  return result;
}

namespace {
const DeclaredFacts& facts(ast::TypeName name) {
  using enum ast::TypeName;
  using C = typed::Constraint;
  static constexpr std::array<DeclaredFacts, 23> kFacts{{
      {void_, BaseType::none, C::none},
      {int_, BaseType::integer, C::none},
      {real, BaseType::real, C::none},
      {complex, BaseType::complex, C::none},
      {vector, BaseType::vector, C::none},
      {row_vector, BaseType::row_vector, C::none},
      {matrix, BaseType::matrix, C::none},
      {complex_vector, BaseType::complex_vector, C::none},
      {complex_row_vector, BaseType::complex_row_vector, C::none},
      {complex_matrix, BaseType::complex_matrix, C::none},
      {ordered, BaseType::vector, C::ordered},
      {positive_ordered, BaseType::vector, C::positive_ordered},
      {simplex, BaseType::vector, C::simplex},
      {unit_vector, BaseType::vector, C::unit_vector},
      {sum_to_zero_vector, BaseType::vector, C::sum_to_zero_vector},
      {sum_to_zero_matrix, BaseType::matrix, C::sum_to_zero_matrix},
      {column_stochastic_matrix, BaseType::matrix, C::column_stochastic_matrix},
      {row_stochastic_matrix, BaseType::matrix, C::row_stochastic_matrix},
      {cholesky_factor_corr, BaseType::matrix, C::cholesky_factor_corr},
      {cholesky_factor_cov, BaseType::matrix, C::cholesky_factor_cov},
      {corr_matrix, BaseType::matrix, C::corr_matrix},
      {cov_matrix, BaseType::matrix, C::cov_matrix},
      {tuple, BaseType::tuple, C::none},
  }};
  return *std::find_if(kFacts.begin(), kFacts.end(),
                       [&](const DeclaredFacts& f) { return f.name == name; });
}

// A scalar, a value of the array's element type, or one of the whole array type (language
// facts 4.2).
std::vector<UnsizedType> accepted_bounds(const UnsizedType& type) {
  std::vector<UnsizedType> accepted{type.base == BaseType::integer ? BaseType::integer
                                                                   : BaseType::real};
  const UnsizedType element = array_of(type, -type.depth);
  for (const UnsizedType& other : {element, type}) {
    if (std::find(accepted.begin(), accepted.end(), other) == accepted.end())
      accepted.push_back(other);
  }
  return accepted;
}
}  // namespace
}  // namespace credo::lang
