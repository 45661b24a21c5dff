// Rows of terms whose outcomes are known in part: data in which parameters stand for missing values. Densities of
// known elements belong to the likelihood, those of the others to the prior of the missing values. Also rows of
// survival functions, which are the likelihood of censored outcomes.
#include "graph/core/op.hpp"
#include "lang/trace/density_call.hpp"

namespace credo::lang {
namespace {

// Finds out whether an element of a node is a constant, by following operations that only move elements.
class ConstantElements {
 public:
  explicit ConstantElements(const graph::Graph& graph) : graph_(graph) {}

  bool at(graph::Ref ref, Index element) const {
    for (;;) {
      if (!ref.whole()) element = ref.element;
      if (graph_.is_constant(ref.node)) return true;
      const graph::Node& node = graph_.node(ref.node);
      const std::string_view row = node.op->name;
      const auto operands = graph_.operands(node);
      if (row == "gather") {
        element = graph_.attributes(node).ints[static_cast<std::size_t>(element)];
        ref = operands[0];
      } else if (row == "pack") {
        ref = operands[static_cast<std::size_t>(element)];
        element = 0;
      } else if (row == "concat") {
        std::size_t k = 0;
        for (; element >= graph_.shape_of(operands[k]).size(); ++k)
          element -= graph_.shape_of(operands[k]).size();
        ref = operands[k];
      } else {
        return false;
      }
    }
  }

 private:
  const graph::Graph& graph_;
};
}  // namespace

std::vector<char> Machine::known_elements(const Expr& outcome) const {
  std::vector<char> known(static_cast<std::size_t>(outcome.size()), 1);
  if (graph_ == nullptr || outcome.is_constant()) return known;
  const ConstantElements constants(*graph_);
  for (std::size_t e = 0; e < known.size(); ++e)
    known[e] = constants.at(outcome.ref(), static_cast<Index>(e)) ? 1 : 0;
  return known;
}

bool Machine::add_by_elements(const Expr& rows, std::span<const char> known, std::size_t group) {
  if (!options_.apart || rows.empty() || rows.size() != ssize(known)) return false;
  for (const bool is_known : {true, false}) {
    std::vector<std::int32_t> places;
    for (std::size_t e = 0; e < known.size(); ++e)
      if ((known[e] != 0) == is_known) places.push_back(static_cast<std::int32_t>(e));
    if (places.empty()) continue;
    const graph::Shape shape = graph::vector_shape(ssize(places));
    const Expr own = rows.is_scalar() ? rows : graph::gather(shape, rows, std::move(places));
    add_term(graph::sum(own), 0.0, is_known ? TermKind::likelihood : TermKind::prior, own);
    terms.back().group = group;
  }
  return true;
}

void Machine::keep_inner_rows(const Expr& value, Expr rows) {
  if (value.is_constant() || rows.empty()) return;
  constexpr std::size_t kMostKept =
      64;  // the last ones: a function returns a value that it has just computed
  if (inner_rows_.size() == kMostKept) inner_rows_.erase(inner_rows_.begin());
  inner_rows_.emplace_back(value, std::move(rows));
}

Expr Machine::inner_rows(const Expr& value) const {
  if (!options_.apart || graph_ == nullptr || value.is_constant()) return {};
  for (const auto& [known, rows] : inner_rows_)
    if (known.ref() == value.ref()) return rows;
  return {};
}

// ---- survival functions

bool is_tail(const typed::Call& call) {
  const std::string_view name = call.function.name;
  const bool is_named = name.ends_with("_lccdf") || name.ends_with("_lcdf");
  return is_named && !call.arguments.empty();
}

Expr rows_of_tail(Machine& machine, const typed::Call& call, std::span<const Value> arguments) {
  const auto function = distribution_function(call.function.name);
  if (call.function.is_user() || !function) return {};
  const std::vector<Expr> in = expressions(machine, arguments);
  const Expr each = dist::tail_each(*function->distribution, tail_of(function->role), in[0],
                                    std::span(in).subspan(1), call.function.name, machine.checks());
  Index size = 1;
  for (const Expr& x : in) size = std::max(size, x.size());
  return each.is_scalar() && size > 1 ? graph::broadcast(graph::vector_shape(size), each) : each;
}

// Marks distribution functions of known outcomes, which may belong to the likelihood.
void Machine::mark_tail(const Expr& value, Known outcome) {
  if (graph_ != nullptr && !value.is_constant() && outcome == Known::all)
    density_marks_.emplace_back(value.ref().node, TermKind::unlabelled);
}

}  // namespace credo::lang
