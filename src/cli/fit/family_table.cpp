#include "cli/fit/family_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/term/terminal.hpp"
#include "dist/families/family.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
using dist::ExponentialFamily;

std::vector<ExponentialFamily> family_rows() {
  std::vector<ExponentialFamily> rows;
  for (const ExponentialFamily* family : dist::exponential_families()) rows.push_back(*family);
  return rows;
}

// Names of the arguments that the family takes as given.
std::vector<std::string_view> known_names(const ExponentialFamily& family) {
  std::vector<std::string_view> names;
  for (const std::size_t i : family.known_args) {
    const auto& args = dist::find(family.distribution)->args;
    names.push_back(i < args.size() ? args[i].name : "number of trials");  // a multinomial's
  }
  return names;
}
std::string list_text(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}
}  // namespace

std::string families_text() {
  std::vector<std::vector<std::string>> lines{
      {"family", "distribution", "statistics", "natural parameters", "log carrier", "known"}};
  for (const ExponentialFamily& family : family_rows())
    lines.push_back({std::string(family.name), std::string(family.distribution),
                     list_text(family.statistics), list_text(family.naturals),
                     std::string(family.carrier), list_text(known_names(family))});
  return text_columns(lines);
}

std::string families_json() {
  const std::vector<ExponentialFamily> rows = family_rows();
  results::ArrayList answer;
  auto add = answer.add_rows("families", rows).columns(rows);
  add("name", &ExponentialFamily::name), add("distribution", &ExponentialFamily::distribution);
  add("log_carrier", &ExponentialFamily::carrier), add("reference", &ExponentialFamily::reference);
  const auto add_texts = [&](const std::string& name, const std::string& text, auto list) {
    const auto texts = results::elements_within(rows, list);
    answer.add_rows(name, texts, {.shape = results::Shape::values, .of = "families"})
        .columns(texts)(text, [](std::string_view element) { return element; });
  };
  add_texts("statistics", "statistic", &ExponentialFamily::statistics);
  add_texts("natural_parameters", "natural_parameter", &ExponentialFamily::naturals);
  add_texts("known", "argument", known_names);
  return answer_json(answer);
}

}  // namespace credo::cli
