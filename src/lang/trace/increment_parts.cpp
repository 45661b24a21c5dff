#include "lang/trace/increment_parts.hpp"

#include "lang/trace/density_call.hpp"

namespace credo::lang {
namespace {
// True if the expression calls a density, _lcdf or _lccdf, built-in or defined by the program.
bool holds_density(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return holds_density(*promotion->operand);
  const auto* call = std::get_if<typed::Call>(&e.node);
  return call != nullptr &&
         (is_any_density(*call) || is_tail(*call) ||
          std::any_of(call->arguments.begin(), call->arguments.end(), holds_density));
}

// The operands of an operator on scalars; null if it isn't a call of this name.
const typed::Call* operation(const typed::Expression& e, std::string_view name, std::size_t count) {
  const auto* call = std::get_if<typed::Call>(&e.node);
  const bool is = call != nullptr && call->is_operator && call->function.name == name &&
                  call->arguments.size() == count;
  const auto is_scalar = [](const typed::Expression& x) { return x.type.is_scalar(); };
  return is && std::all_of(call->arguments.begin(), call->arguments.end(), is_scalar) ? call
                                                                                      : nullptr;
}

class Parts {
 public:
  void add(IncrementPart part) {
    const typed::Expression& e = *part.value;
    const auto* call = std::get_if<typed::Call>(&e.node);
    if (call != nullptr && is_sum_of_equals(*call)) return add_both(*call, part, false);
    if (!holds_density(e)) return parts.push_back(std::move(part));
    if (const auto* difference = operation(e, "subtract", 2))
      return add_both(*difference, part, true);
    if (const auto* minus = operation(e, "minus", 1)) {
      part.is_negative = !part.is_negative;
      return add_operand(*minus, 0, std::move(part));
    }
    if (const auto* product = operation(e, "multiply", 2)) {
      const bool left = holds_density(product->arguments[0]),
                 right = holds_density(product->arguments[1]);
      if (left != right) {
        part.factors.push_back({.value = &product->arguments[left ? 1 : 0]});
        return add_operand(*product, left ? 0 : 1, std::move(part));
      }
    }
    const auto* quotient = operation(e, "divide", 2);
    if (quotient != nullptr && !holds_density(quotient->arguments[1])) {
      part.factors.push_back({.value = &quotient->arguments[1], .divides = true});
      return add_operand(*quotient, 0, std::move(part));
    }
    parts.push_back(std::move(part));
  }

  std::vector<IncrementPart> parts;

 private:
  void add_operand(const typed::Call& call, std::size_t k, IncrementPart part) {
    part.value = &call.arguments[k];
    add(std::move(part));
  }
  void add_both(const typed::Call& call, const IncrementPart& part, bool takes_away) {
    add_operand(call, 0, part);
    IncrementPart second = part;
    second.is_negative = part.is_negative != takes_away;
    add_operand(call, 1, std::move(second));
  }
};
}  // namespace

std::vector<IncrementPart> parts_of(const typed::Expression& increment) {
  Parts parts;
  parts.add({.value = &increment});
  return std::move(parts.parts);
}

namespace {
// The components of a mixture: the arguments of the call, or the elements of a list that is its only argument.
std::vector<const typed::Expression*> listed_in(std::span<const typed::Expression> arguments) {
  std::vector<const typed::Expression*> found;
  const typed::Expression* only = arguments.size() == 1 ? &arguments[0] : nullptr;
  while (only != nullptr && std::holds_alternative<typed::Promotion>(only->node))
    only = std::get<typed::Promotion>(only->node).operand.get();
  const auto take = [&](std::span<const typed::Expression> all) {
    for (const typed::Expression& e : all) found.push_back(&e);
  };
  if (only == nullptr)
    take(arguments);
  else if (const auto* array = std::get_if<typed::ArrayLiteral>(&only->node))
    take(array->elements);
  else if (const auto* row = std::get_if<typed::RowVectorLiteral>(&only->node))
    take(row->elements);
  return found;
}

// A density with other summands; the density is null if the expression has another form.
std::pair<const typed::Call*, std::vector<IncrementPart>> component_in(const typed::Expression& e) {
  const typed::Call* density = nullptr;
  std::vector<IncrementPart> rest;
  for (IncrementPart& part : parts_of(e)) {
    const auto* call = std::get_if<typed::Call>(&part.value->node);
    const bool is_plain = part.factors.empty() && !part.is_negative;
    if (density == nullptr && is_plain && call != nullptr && is_density(*call))
      density = call;
    else if (holds_density(*part.value))
      return {};
    else
      rest.push_back(std::move(part));
  }
  return {density, std::move(rest)};
}
}  // namespace

std::optional<Mixture> mixture_in(const typed::Expression& increment) {
  const auto* call = std::get_if<typed::Call>(&increment.node);
  if (call == nullptr || call->function.is_user() || call->arguments.empty()) return std::nullopt;
  const bool mixes = call->function.name == "log_mix";
  if (!mixes && call->function.name != "log_sum_exp") return std::nullopt;
  Mixture mixture;
  std::span<const typed::Expression> arguments = call->arguments;
  if (mixes) mixture.weights = &arguments[0], arguments = arguments.subspan(1);
  for (const typed::Expression* e : listed_in(arguments)) {
    auto [density, rest] = component_in(*e);
    if (density == nullptr || (mixes && !rest.empty())) return std::nullopt;
    mixture.densities.push_back(density);
    mixture.log_weights.push_back(std::move(rest));
  }
  return mixture.densities.size() < 2 ? std::nullopt : std::optional(std::move(mixture));
}

bool may_read_parameters(const typed::Program& program, const Facts& facts) {
  return std::any_of(facts.slots.begin(), facts.slots.end(), [&](const SlotUse& use) {
    if (use.slot.local) return true;
    const typed::BlockKind block = program.globals[static_cast<std::size_t>(use.slot.index)].block;
    return block == typed::BlockKind::parameters ||
           block == typed::BlockKind::transformed_parameters;
  });
}

const typed::Call* sole_density(const typed::Program& program, const typed::Expression& increment) {
  const typed::Call* found = nullptr;
  for (const IncrementPart& part : parts_of(increment)) {
    const auto* call = std::get_if<typed::Call>(&part.value->node);
    const bool is_plain = part.factors.empty() && !part.is_negative;
    if (found == nullptr && is_plain && call != nullptr && is_density(*call)) {
      found = call;
      continue;
    }
    const auto may_read = [&](const typed::Expression& e) {
      return may_read_parameters(program, facts_of(e));
    };
    if (may_read(*part.value) ||
        std::any_of(part.factors.begin(), part.factors.end(),
                    [&](const IncrementFactor& factor) { return may_read(*factor.value); }))
      return nullptr;
  }
  return found;
}

}  // namespace credo::lang
