#include "cli/fit/message_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "infer/messages/factors.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

// The factors of one parameter, or of parameters that share one.
struct FactorGroup {
  std::string parameters, family, moves;
  Index num_factors = 0, step = 0;
};

std::vector<FactorGroup> factor_groups(const density::MomentForm& form) {
  std::vector<FactorGroup> groups;
  for (const density::MomentBlock& block : form.blocks()) {
    const std::string parameters = fmt::format("{}", fmt::join(block.parameters, "+"));
    std::string family(infer::family_of(block).name);
    if (block.power != 1.0) family += fmt::format(" of {}^{}", parameters, block.power);
    if (groups.empty() || groups.back().parameters != parameters)
      groups.push_back(
          {.parameters = parameters, .family = family, .moves = {}, .step = block.step + 1});
    ++groups.back().num_factors;
  }
  return groups;
}

std::string parameters_of(const density::MomentForm& form, Index block) {
  return fmt::format("{}",
                     fmt::join(form.blocks()[static_cast<std::size_t>(block)].parameters, "+"));
}
}  // namespace

std::string messages_text(const density::MomentForm& form) {
  std::string text = "factors, in the order in which they move:\n";
  for (const FactorGroup& group : factor_groups(form))
    text += fmt::format("  {}  {:<16} {}{}\n", group.step, group.parameters, group.family,
                        group.num_factors > 1 ? fmt::format(" x {}", group.num_factors) : "");
  text += "messages, functions of a parameter by statement:\n";
  for (const density::MomentSource& source : form.sources())
    text += fmt::format("  {:<16} {:<28} {}\n  {:<16} {}\n", parameters_of(form, source.block),
                        fmt::format("{}", fmt::join(source.functions, ", ")), source.text, "",
                        source.where);
  if (form.has_bounds())
    text +=
        "The program sums over labels: log_sum_exp of expectations bounds the log density from "
        "below.\n";
  return text;
}

std::string messages_json(const density::MomentForm& form) {
  const std::vector<FactorGroup> groups = factor_groups(form);
  results::ArrayList answer;
  answer.set("num_statistics", form.num_statistics());
  answer.set("sums_over_labels", form.has_bounds());
  auto add = answer.add_rows("blocks", groups).columns(groups);
  add("parameters", &FactorGroup::parameters);
  add("family", &FactorGroup::family);
  add("count", &FactorGroup::num_factors);
  add("step", &FactorGroup::step);
  const std::span<const density::MomentSource> sources = form.sources();
  const std::vector<density::MomentSource> all(sources.begin(), sources.end());
  auto row = answer.add_rows("messages", all).columns(all);
  row("parameters", [&](const density::MomentSource& s) { return parameters_of(form, s.block); });
  row("functions", [](const density::MomentSource& s) {
    return fmt::format("{}", fmt::join(s.functions, ", "));
  });
  row("where", &density::MomentSource::where);
  row("text", &density::MomentSource::text);
  return answer_json(answer);
}

}  // namespace credo::cli
