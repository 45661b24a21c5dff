#include "model/statements/placed_statement.hpp"

namespace credo::model {
namespace {

class PlacedStatements {
 public:
  void add(std::span<const typed::Statement> statements) {
    for (const typed::Statement& s : statements)
      std::visit([&](const auto& node) { look(node, s); }, s.node);
  }
  std::vector<PlacedStatement> placed;

 private:
  template <class T>
  void look(const T&, const typed::Statement& s) {
    placed.push_back({&s, around_});
  }
  void look(const typed::Sequence& node, const typed::Statement& s) { inside(s, node.statements); }
  void look(const typed::Profile& node, const typed::Statement& s) { inside(s, node.statements); }
  void look(const typed::ForRange& node, const typed::Statement& s) { inside(s, body(node.body)); }
  void look(const typed::ForEach& node, const typed::Statement& s) { inside(s, body(node.body)); }
  void look(const typed::While& node, const typed::Statement& s) { inside(s, body(node.body)); }
  void look(const typed::If& node, const typed::Statement& s) {
    inside(s, body(node.if_true));
    if (node.if_false != nullptr) inside(s, body(node.if_false), false);
  }
  static std::span<const typed::Statement> body(const typed::Body& s) { return {s.get(), 1}; }
  void inside(const typed::Statement& s, std::span<const typed::Statement> statements,
              bool if_true = true) {
    around_.push_back({&s, if_true});
    add(statements);
    around_.pop_back();
  }

  std::vector<Enclosing> around_;
};
}  // namespace

bool Enclosing::is_loop() const {
  return std::holds_alternative<typed::ForRange>(statement->node) ||
         std::holds_alternative<typed::ForEach>(statement->node) ||
         std::holds_alternative<typed::While>(statement->node);
}

std::vector<PlacedStatement> placed_statements(std::span<const typed::Statement> block) {
  PlacedStatements all;
  all.add(block);
  return std::move(all.placed);
}

const typed::VariableUse* variable_of_outcome(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return variable_of_outcome(*promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node))
    return variable_of_outcome(*indexed->base);
  if (const auto* call = std::get_if<typed::Call>(&e.node))
    return only_reshapes(*call) ? variable_of_outcome(call->arguments[0]) : nullptr;
  return std::get_if<typed::VariableUse>(&e.node);
}

const typed::VariableUse* outcome_of_prior(const typed::Expression& e) {
  const typed::VariableUse* use = variable_of_outcome(e);
  return use != nullptr && !use->slot.local ? use : nullptr;
}

bool only_reshapes(const typed::Call& call) {
  const std::string_view name = call.function.name;
  return !call.function.is_user() && call.arguments.size() == 1 &&
         (name == "to_vector" || name == "to_row_vector" || name == "to_array_1d" ||
          name == "transpose");
}

}  // namespace credo::model
