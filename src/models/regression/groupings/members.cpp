// mm(g1, g2, weights = c(w1, w2)): a row is a member of several groups, and its effect is the weighted sum of theirs.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/formula/arithmetic.hpp"
#include "models/regression/grouping.hpp"

namespace credo::models {
namespace {
constexpr const char* kUsage = "(1 | mm(g1, g2)), (1 | mm(g1, g2, weights = c(w1, w2)))";

struct MemberCall {
  std::vector<const Expression*> columns = {}, weights = {};
  bool is_scaled = true;
};

// The arguments; faults are added for others.
MemberCall read(const Expression& call, FormulaFaults& faults) {
  MemberCall made;
  for (std::size_t k = 0; k < call.parts.size(); ++k) {
    const Expression& part = call.parts[k];
    const std::string& label = call.labels[k];
    const bool is_list = part.is_call("c") || part.is_call("cbind");
    if (label.empty()) {
      made.columns.push_back(&part);
    } else if (label == "weights" && is_list) {
      for (const Expression& weight : part.parts) made.weights.push_back(&weight);
    } else if (label == "weights") {
      faults.add(part.place, "mm() has a weight for each of its columns", kUsage);
    } else if (label == "scale" && (part.word == "TRUE" || part.word == "FALSE")) {
      made.is_scaled = part.word == "TRUE";
    } else {
      faults.add(part.place, fmt::format("mm() has no option {} = {}", label, part.text()),
                 "there are weights and scale");
    }
  }
  if (made.columns.size() < 2)
    faults.add(call.place, "mm() is of two or more columns, whose levels are the groups", kUsage);
  if (!made.weights.empty() && made.weights.size() != made.columns.size())
    faults.add(
        call.place,
        fmt::format("mm() has {} columns and {} weights", made.columns.size(), made.weights.size()),
        kUsage);
  return made;
}

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const MemberCall made = read(call, frame.faults());
  for (const Expression* weight : made.weights) use_columns(*weight, frame);
  return frame.faults().size() == before;
}

std::optional<WeightFault> fault_of(const Expression& e, const Arithmetic& weight) {
  for (std::size_t n = 0; n < weight.values.size(); ++n) {
    if (weight.values[n] >= 0.0 && std::isfinite(weight.values[n])) continue;
    return WeightFault{e.place,
                       fmt::format("the weight {} is {} in row {}, and weights are 0 or more",
                                   e.text(), io::number_text(weight.values[n]), n + 1),
                       ""};
  }
  return std::nullopt;
}
}  // namespace

std::optional<WeightFault> fault_of_weights(const MemberWeights& weights,
                                            std::span<const Arithmetic> values, Index num_rows) {
  std::vector<double> sums(static_cast<std::size_t>(num_rows), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (auto fault = fault_of(weights.expressions[k], values[k])) return fault;
    for (std::size_t n = 0; n < sums.size(); ++n)
      sums[n] += values[k].values[values[k].is_vector ? n : 0];
  }
  const auto empty = std::ranges::find(sums, 0.0);
  if (!weights.are_scaled || values.empty() || empty == sums.end()) return std::nullopt;
  return WeightFault{
      weights.expressions[0].place,
      fmt::format("all weights are 0 in row {}, so that they can't be divided by their sum",
                  empty - sums.begin() + 1),
      "scale = FALSE takes weights as they are"};
}

namespace {
// Texts of weights; with `is_scaled` those of a row have the sum 1.
bool set_weights(const MemberCall& made, GroupBlock& block, GroupingContext& context) {
  block.weights.are_scaled = made.is_scaled;
  std::vector<Arithmetic> values;
  std::vector<std::string> texts;
  for (const Expression* e : made.weights) {
    block.weights.expressions.push_back(*e);
    const Arithmetic& weight = values.emplace_back(arithmetic_of(*e, context.frame));
    const std::string text =
        weight.is_vector ? weight.stan : fmt::format("rep_vector({}, N)", weight.stan);
    texts.push_back(weight.strength < 100 ? "(" + text + ")" : text);
  }
  if (const auto fault = fault_of_weights(block.weights, values, context.frame.num_rows())) {
    context.frame.faults().add(fault->place, fault->words, fault->hint);
    return false;
  }
  for (std::size_t k = 0; k < texts.size(); ++k) {
    block.members[k].has_column_weight = true;
    block.members[k].weight =
        made.is_scaled ? fmt::format("{} ./ ({})", texts[k], fmt::join(texts, " + ")) : texts[k];
  }
  return true;
}

bool make(const Expression& call, GroupBlock& block, GroupingContext& context) {
  const MemberCall made = read(call, context.frame.faults());
  std::vector<std::string> names;
  for (const Expression* column : made.columns) names.push_back(column->text());
  block.label = fmt::format("mm({})", fmt::join(names, ", "));
  if (!made.weights.empty()) return set_weights(made, block, context);
  for (GroupMember& member : block.members)
    member.weight = made.is_scaled ? fmt::format("1.0 / {}", block.members.size()) : "";
  return true;
}
}  // namespace

extern const GroupingRow members_grouping{.name = "mm",
                                          .words = "multiple membership",
                                          .usage = "mm(g1, g2)",
                                          .use = use,
                                          .make = make,
                                          .has_members = true};
}  // namespace credo::models
