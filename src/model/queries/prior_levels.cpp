#include "model/queries/prior_levels.hpp"

#include "lang/typed/each_statement.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

bool multiplies(const typed::Call& call) {
  static constexpr std::array<std::string_view, 7> kProducts{
      "multiply",    "elt_multiply",        "diag_pre_multiply", "diag_post_multiply",
      "dot_product", "columns_dot_product", "rows_dot_product"};
  return std::find(kProducts.begin(), kProducts.end(), std::string_view(call.function.name)) !=
         kProducts.end();
}

// Reads all products in transformed parameters and the model block, where effects are computed.
class Products {
 public:
  explicit Products(const typed::Program& program) : program_(program) {
    const auto one = [this](const typed::Statement& s) {
      std::visit([&](const auto& node) { look(node); }, s.node);
    };
    lang::for_each_statement(program.transformed_parameters.statements, one);
    lang::for_each_statement(program.model.statements, one);
  }
  std::set<int> scaled;

 private:
  template <class T>
  void look(const T&) {}
  void look(const typed::Declaration& d) { in(d.value); }
  void look(const typed::Assignment& a) { in(a.value); }
  void look(const typed::Unpacking& u) { in(u.value); }
  void look(const typed::TargetIncrement& t) { in(t.value); }
  void look(const typed::Distribution& d) {
    for (std::size_t k = 1; k < d.density.arguments.size(); ++k) in(d.density.arguments[k]);
  }
  void look(const typed::CallStatement& c) { in(c.call); }

  void in(const typed::Box& e) {
    if (e != nullptr) in(*e);
  }
  void in(const typed::Expression& e) {
    if (const auto* call = std::get_if<typed::Call>(&e.node)) return in(*call);
    if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
      return in(promotion->operand);
    if (const auto* indexed = std::get_if<typed::Indexed>(&e.node)) return in(indexed->base);
    if (const auto* choice = std::get_if<typed::Conditional>(&e.node))
      in(choice->if_true), in(choice->if_false);
  }
  void in(const typed::Call& call) {
    for (const typed::Expression& argument : call.arguments) in(argument);
    if (!multiplies(call) && !call.function.is_user()) return;
    for (const typed::Expression& factor : call.arguments)
      for (const int slot : parameters_in(factor))
        if (others_enter(call, factor, slot)) scaled.insert(slot);
  }
  // The parameters in an expression that have several elements and no bounds.
  std::set<int> parameters_in(const typed::Expression& e) const {
    std::set<int> found;
    for (const lang::SlotUse& use : lang::facts_of(e).slots) {
      if (use.slot.local) continue;
      const auto& variable = program_.globals[static_cast<std::size_t>(use.slot.index)];
      if (variable.block == typed::BlockKind::parameters && !variable.type.is_scalar() &&
          variable.sized_type->constraint == typed::Constraint::none)
        found.insert(use.slot.index);
    }
    return found;
  }
  // True if another argument isn't data and doesn't read this parameter.
  static bool others_enter(const typed::Call& call, const typed::Expression& own, int slot) {
    return std::any_of(call.arguments.begin(), call.arguments.end(), [&](const auto& other) {
      return &other != &own && !other.autodiff.is_data() &&
             lang::facts_of(other).find({.local = false, .index = slot}) == nullptr;
    });
  }

  const typed::Program& program_;
};

bool is_number(const typed::Expression& e, double wanted) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return is_number(*promotion->operand, wanted);
  if (const auto* whole = std::get_if<typed::IntLiteral>(&e.node)) return whole->value == wanted;
  const auto* real = std::get_if<typed::RealLiteral>(&e.node);
  return real != nullptr && real->value == wanted;
}
}  // namespace

std::set<int> scaled_parameters(const typed::Program& program) { return Products(program).scaled; }

bool has_standard_scale(const typed::Call& density) {
  const std::string_view name = density.function.name;
  if (name == "std_normal_lpdf") return true;
  static constexpr std::array<std::string_view, 4> kWithScale{
      "normal_lpdf", "student_t_lpdf", "double_exponential_lpdf", "logistic_lpdf"};
  const std::size_t count = density.arguments.size();
  return std::find(kWithScale.begin(), kWithScale.end(), name) != kWithScale.end() && count >= 3 &&
         is_number(density.arguments[count - 2], 0.0) &&
         is_number(density.arguments[count - 1], 1.0);
}

bool has_parameters_for_arguments(const typed::Call& density) {
  return std::any_of(density.arguments.begin() + 1, density.arguments.end(),
                     [](const typed::Expression& e) { return !e.autodiff.is_data(); });
}

}  // namespace credo::model
