#include "cli/run/answer_file.hpp"

#include <fmt/format.h>

#include "io/file.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"
#include "results/arrays/array_tables.hpp"

namespace credo::cli {

void write_answer(const std::string& file, const results::ArrayList& answer) {
  if (file.ends_with(".nc")) return results::write_arrays(answer, file);
  io::OutputFile output(file);
  output.write(results::answer_json(answer));
  output.commit();
}

void print_answer(const results::ArrayList& answer, const std::string& text,
                  const std::string& file, bool json, Output& output) {
  if (!file.empty()) write_answer(file, answer);
  output.print(json ? answer_json(answer) : text);
}

results::ArrayList with_spec(results::ArrayList answer, const Specification& spec) {
  if (!spec.question.empty()) answer.set(results::kSpecFact, spec.text(), results::kHidden);
  return answer;
}

std::function<void(const std::string&)> notes_of(Output& output, bool is_quiet) {
  if (is_quiet) return {};
  return [&output](const std::string& text) { output.note(text); };
}

bool has_draws(const results::ArrayResult& answer) {
  return answer.find_group("posterior") != nullptr;
}

namespace {
std::string shown(const results::Attribute& value) {
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? results::text_of(value) : fmt::format("{:.6g}", *number);
}
}  // namespace

std::string answer_text(const results::ArrayResult& answer, const std::string& path) {
  constexpr Index kMostRows = 24;
  std::string text;
  for (const auto& [name, value] : answer.attributes())
    if (name != results::kSpecFact) text += fmt::format("{:<22} {}\n", name, shown(value));
  const std::string all = fmt::format("credo export {} -o {}.json has all", path, path);
  for (const results::Group& group : answer.groups())
    for (const results::ArrayTable& table : results::tables_of(group))
      text += "\n" + results::table_text(answer, table, kMostRows, all);
  return text;
}

}  // namespace credo::cli
