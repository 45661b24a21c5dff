// The checker's class; its parts live in check_*.cpp, one per family of rules.
#pragma once
#include <set>

#include "lang/check/check.hpp"
#include "lang/typed/overloads.hpp"
#include "lang/typed/scope.hpp"

namespace credo::lang {

// Place of a statement or expression, as permissions distinguish it (the columns of language facts
// 13). A bit each.
enum Place : unsigned {
  in_data = 1,
  in_transformed_data = 2,
  in_parameters = 4,
  in_transformed_parameters = 8,
  in_model = 16,
  in_generated_quantities = 32,
  in_plain_function = 64,
  in_density_function = 128,  // _lpdf, _lpmf
  in_lp_function = 256,
  in_rng_function = 512,
  in_jacobian_function = 1024,
};

typed::Suffix suffix_of(std::string_view name);
bool is_conditional_name(std::string_view name);  // takes a bar: _lpdf ... _lccdf
std::string full_name(std::string_view name);     // foo_lupdf -> foo_lpdf
// Conversion of one container into the other; empty if there is no simple one.
std::string conversion_hint(const UnsizedType& from, const UnsizedType& to);
// True if every path leaves (language facts 11.3). A return in a loop implies that the loop runs.
enum class Loops : std::uint8_t { may_not_run, run };
bool leaves_function(const typed::Statement& statement, Loops loops = Loops::may_not_run);

// A call is resolved by the types of its arguments and the meanings that functions' names among them
// may have.
struct CallTypes {
  std::vector<CallArgument> arguments;
  std::vector<PassedFunction> passed;  // to which `arguments` point
};
bool takes_functions(int builtin);

class Checker {
 public:
  Checker(const ast::Program& program, Diagnostics& diagnostics, const CheckOptions& options)
      : source_(program), diagnostics_(diagnostics), options_(options) {}
  std::optional<typed::Program> run();

 private:
  // check.cpp: program, blocks, functions
  void check_block(ast::BlockKind kind);
  void check_functions();
  int declare_function(const ast::FunctionDefinition& definition);
  void check_body(const ast::FunctionDefinition& definition, int index);
  void check_overload(const ast::FunctionDefinition& definition, const FunctionType& type);
  void check_suffix(const ast::FunctionDefinition& definition, const FunctionType& type);
  int completed_by(const ast::FunctionDefinition& definition, const FunctionType& type,
                   const UserOverload& same);
  void add_arguments(const ast::FunctionDefinition& definition, typed::Function& function);
  void check_all_defined();
  void warn_unused(const std::vector<Symbol>& symbols);

  // check_declaration.cpp
  void check_declaration(const ast::Declaration& declaration, SourceRange range,
                         std::vector<typed::Statement>& out);
  void define(const ast::Declarator& declarator, typed::Declaration& result);
  typed::Expression initial_value(const ast::Expression& e, const UnsizedType& type,
                                  const std::string& name);
  typed::SizedType sized_type(const ast::SizedType& type);
  void sizes(const std::vector<ast::Expression>& from, std::vector<typed::Expression>& to);
  void constraint(const ast::SizedType& from, typed::SizedType& to);
  typed::Box bound(const ast::ExpressionPtr& from, const UnsizedType& type, std::string_view what);
  typed::Slot add_variable(const ast::Name& name, std::shared_ptr<const typed::SizedType> type);
  typed::Slot add_local(const ast::Name& name, const UnsizedType& type, typed::Autodiff autodiff,
                        SymbolKind kind);
  typed::Autodiff local_autodiff(const UnsizedType& type) const;
  bool is_new_name(const ast::Name& name);

  // check_statement.cpp
  void check_statement(const ast::Statement& statement, std::vector<typed::Statement>& out);
  void check_all(const std::vector<ast::Statement>& statements, std::vector<typed::Statement>& out);
  typed::Body body(const ast::Statement& statement);
  std::vector<typed::Statement> scoped(const std::vector<ast::Statement>& statements);
  using Node = decltype(typed::Statement::node);
  Node statement_node(const ast::Declaration&, SourceRange) { return typed::Empty{}; }
  Node statement_node(const ast::Assignment& s, SourceRange range);
  Node statement_node(const ast::Increment& s, SourceRange range);
  Node statement_node(const ast::Tilde& s, SourceRange range);
  Node statement_node(const ast::CallStatement& s, SourceRange range);
  Node statement_node(const ast::Output& s, SourceRange range);
  Node statement_node(const ast::If& s, SourceRange range);
  Node statement_node(const ast::While& s, SourceRange range);
  Node statement_node(const ast::ForRange& s, SourceRange range);
  Node statement_node(const ast::ForEach& s, SourceRange range);
  Node statement_node(const ast::Block& s, SourceRange range);
  Node statement_node(const ast::Profile& s, SourceRange range);
  Node statement_node(const ast::Break& s, SourceRange range);
  Node statement_node(const ast::Continue& s, SourceRange range);
  Node statement_node(const ast::Return& s, SourceRange range);
  Node statement_node(const ast::Empty&, SourceRange) { return typed::Empty{}; }
  typed::Body loop_body(const ast::Statement& statement);
  typed::Expression condition(const ast::Expression& e, std::string_view of);

  // check_assignment.cpp
  typed::AssignmentTarget target(const ast::Expression& e);
  void open_target(const ast::Variable& variable, SourceRange range,
                   typed::AssignmentTarget& target);
  bool is_assignable(const Symbol& symbol) const;
  std::string why_read_only(const Symbol& symbol) const;
  std::string instead_of_assigning(const Symbol& symbol) const;
  Node assign(const ast::Assignment& s);
  Node assign_with_operator(const ast::Assignment& s);
  Node unpack(const ast::Assignment& s, const ast::TupleLiteral& targets);
  UnsizedType collect_leaves(const ast::TupleLiteral& targets, std::vector<int>& path,
                             typed::Unpacking& unpacking);
  void check_written_once(const typed::Unpacking& unpacking);
  void check_not_read(std::span<const typed::AssignmentTarget* const> targets);
  std::string name_of(typed::Slot slot) const;

  // check_distribution.cpp
  typed::Box truncation_bound(const ast::ExpressionPtr& e, bool is_discrete);
  void truncate(const ast::Tilde& s, typed::Distribution& result,
                const std::vector<CallArgument>& arguments);
  bool resolve_density(const ast::Tilde& s, const std::vector<CallArgument>& arguments,
                       typed::Distribution& result, Match& match);
  typed::FunctionRef tail_function(const ast::Tilde& s, std::string_view suffix,
                                   std::vector<CallArgument> arguments);

  // check_names.cpp: names that are unknown, and what to do about them
  void report_unknown_variable(const std::string& name, SourceRange range);
  std::string where_declared(const std::string& name) const;
  bool report_unknown_function(const ast::Name& name, std::vector<Edit> edits = {});
  std::vector<std::string> function_names() const;
  void report_unknown_distribution(const ast::Name& name);

  // calls of older versions of the language (old_functions.cpp)
  std::vector<Edit> edits_of_old_call(const ast::Call& call,
                                      std::span<const typed::Expression> arguments);
  std::vector<Edit> edits_of_old_distribution(std::string_view name) const;
  std::vector<Edit> edits_of_bar(const ast::Call& call) const;
  std::optional<Edit> edit_between(const ast::Expression& before, const ast::Expression& behind,
                                   std::string text) const;
  std::string line_of(SourceRange range) const;

  // check_advice.cpp: code that is seldom meant, and faults of calls
  void warn_about_density(const ast::Expression& outcome, const typed::Expression& value);
  void warn_about_arguments(std::string_view name, std::span<const typed::Expression> arguments);
  void note_nonlinear(typed::Slot slot, const typed::Expression& value);
  void note_increment(const ast::Expression& value);
  void report_advice();
  void report_flow();
  std::string call_advice(std::string_view name, std::span<const CallArgument> arguments) const;
  std::string count_advice(std::string_view name, std::size_t count) const;

  // check_expression.cpp
  typed::Expression expression(const ast::Expression& e);  // a value or poison
  typed::Expression expression_or_void(const ast::Expression& e);
  typed::Expression variable(const ast::Variable& v, SourceRange range);
  void node(const ast::IntLiteral& n, typed::Expression& result);
  void node(const ast::RealLiteral& n, typed::Expression& result);
  void node(const ast::ImaginaryLiteral& n, typed::Expression& result);
  void node(const ast::StringLiteral& n, typed::Expression& result);
  void node(const ast::Variable& n, typed::Expression& result);
  void node(const ast::TargetValue& n, typed::Expression& result);
  void node(const ast::Unary& n, typed::Expression& result);
  void node(const ast::Binary& n, typed::Expression& result);
  void combine(const ast::Binary& n, typed::Expression left, typed::Expression& result);
  void set_aside(typed::Expression& part);
  void node(const ast::Conditional& n, typed::Expression& result);
  void node(const ast::Call& n, typed::Expression& result);
  void node(const ast::Indexed& n, typed::Expression& result);
  void node(const ast::Projection& n, typed::Expression& result);
  void node(const ast::ArrayLiteral& n, typed::Expression& result);
  void node(const ast::RowLiteral& n, typed::Expression& result);
  void node(const ast::TupleLiteral& n, typed::Expression& result);
  std::vector<typed::Expression> elements(const std::vector<ast::Expression>& from,
                                          typed::Autodiff& autodiff);
  std::optional<UnsizedType> shared_type(const std::vector<typed::Expression>& elements);
  void warn_about_operands(const ast::Binary& n, const typed::Expression& left,
                           const typed::Expression& right, SourceRange range);
  typed::Expression required(const ast::Expression& e, const UnsizedType& type,
                             std::string_view what);
  typed::Expression promoted(typed::Expression e, const UnsizedType& type) const;
  typed::Box boxed(typed::Expression e) const {
    return std::make_unique<typed::Expression>(std::move(e));
  }

  // check_index.cpp
  std::vector<typed::IndexArgument> indices(const std::vector<ast::Index>& from);
  typed::IndexArgument index(const ast::Index& from);
  UnsizedType indexed_type(const UnsizedType& container,
                           const std::vector<typed::IndexArgument>& indices, SourceRange range);
  UnsizedType projected_type(const UnsizedType& tuple, int position, SourceRange range);

  // check_call.cpp
  bool apply_operator(std::string_view name, std::string_view spelling,
                      std::vector<typed::Expression> operands, typed::Expression& result);
  bool call(const ast::Call& n, SourceRange range, typed::Call& result, UnsizedType& type);
  std::vector<typed::Expression> call_arguments(const ast::Call& n, bool takes_functions);
  typed::Expression call_argument(const ast::Expression& e, bool takes_functions, bool is_first);
  bool is_function_name(std::string_view name);
  PassedFunction passed_function(std::string_view name) const;
  typed::Autodiff autodiff_of_call(const typed::Call& call, const UnsizedType& result) const;
  void check_bar(const ast::Call& n, SourceRange range);
  void check_permission(std::string_view name, SourceRange range);
  CallTypes call_types(std::span<const typed::Expression> arguments) const;
  void finish_call(std::string_view name, int builtin, const Match& match, typed::Call& call,
                   SourceRange range);
  void finish_passed(std::string_view name, int meaning, typed::Expression& argument);
  void check_passed_suffix(std::string_view name, std::string_view passed, SourceRange range);
  void require_data(std::string_view name, const Match& match, std::size_t k,
                    const typed::Expression& argument);
  void require_data(const typed::Expression& e, std::string what);
  void report_failure(std::string_view name, const std::vector<CallArgument>& arguments,
                      const ResolveFailure& failure, SourceRange range);
  typed::FunctionRef reference(const Match& match, int builtin) const;
  typed::FunctionRef builtin_reference(int builtin, int signature) const;
  typed::FunctionRef user_reference(int index) const;

  // check_laplace.cpp: reports the fault of a call of a Laplace function; false if it isn't known
  bool report_laplace_failure(std::string_view name, int builtin, const CallTypes& types,
                              std::span<const typed::Expression> arguments);
  bool report_forwarded(const CallArgument& function, const TypePattern& pattern,
                        const typed::Expression& tuple);
  bool report_options(std::string_view name, const TypePattern& pattern,
                      const typed::Expression& tuple);
  bool report_element(const typed::Expression& tuple, std::size_t k, std::string what,
                      const UnsizedType& wanted);
  std::vector<UserOverload> overloads(std::string_view name) const;
  void check_builtin(std::string_view name, SourceRange range);
  void require_implemented(std::string_view name, SourceRange range);

  // shared
  Diagnostic& report(DiagCode code, SourceRange range, std::vector<std::string> facts = {},
                     std::string hint = {}) {
    return diagnostics_.report(code, range, std::move(facts), std::move(hint));
  }
  int new_statement(SourceRange range);
  bool is_allowed(unsigned places) const { return (place_ & places) != 0; }
  std::string place_name() const;
  bool require_place(unsigned places, std::string what, SourceRange range, std::string hint = {});
  UnsizedType unsized(const ast::UnsizedType& type) const;

  const ast::Program& source_;
  Diagnostics& diagnostics_;
  const CheckOptions& options_;
  typed::Program program_;
  Scopes scopes_;
  std::int32_t num_sites_ = 0;  // number of calls that draw random numbers
  std::map<std::string, std::vector<UserOverload>, std::less<>> functions_;
  std::vector<bool> is_defined_;  // per function

  unsigned place_ = 0;
  typed::BlockKind block_ = typed::BlockKind::data;
  typed::Function* function_ = nullptr;             // function whose body is being checked
  std::vector<typed::Variable>* locals_ = nullptr;  // of the block or function
  bool top_level_ = false;                          // declarations here are global
  bool in_global_size_ = false;                     // of a variable whose size must be data only
  int loops_ = 0;
  int statement_ = 0;
  // The expression that a statement evaluates first, and the statements before this one.
  const ast::Expression* root_ = nullptr;
  std::vector<typed::Statement>* before_root_ = nullptr;
  std::vector<Diagnostic> missing_jacobians_;  // reported unless the program adds one by hand
  bool adds_jacobian_ = false;
  std::set<int> nonlinear_;  // transformed parameters that are nonlinear functions of parameters
};

UnsizedType unsized_base(ast::TypeName name);  // base of a declared type, specialised ones included

// The poison test that spares a second message.
inline bool is_poisoned(const typed::Expression& e) { return contains_poison(e.type); }

}  // namespace credo::lang
