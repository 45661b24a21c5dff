#include "report/facts.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/error.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "results/files/facts.hpp"
#include "results/files/specification.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kMostData = std::size_t{32} << 20;  // bytes that are looked into for shapes

using Shape = std::optional<std::vector<std::size_t>>;  // nullopt: parts differ

Shape shape_of(const io::JsonValue& value) {
  if (value.kind != io::JsonValue::Kind::array) return std::vector<std::size_t>();
  std::vector<std::size_t> sizes{value.items.size()};
  if (value.items.empty()) return sizes;
  const Shape inner = shape_of(value.items[0]);
  for (const io::JsonValue& item : value.items)
    if (!inner || shape_of(item) != inner) return std::nullopt;
  sizes.insert(sizes.end(), inner->begin(), inner->end());
  return sizes;
}

std::string shown(const Shape& shape) {
  if (!shape) return "ragged";
  return shape->empty() ? "a number" : fmt::format("{}", fmt::join(*shape, " × "));
}

const std::string* file_named(const io::InputFiles::Contents& files, const std::string& path) {
  const auto found = files.find(path);
  return found == files.end() ? nullptr : &found->second;
}

void write_variables(io::JsonWriter& json, const results::FitOrigin& origin,
                     const std::string* text) {
  io::JsonValue data;
  if (text != nullptr && text->size() <= kMostData)
    data = io::parse_json_value(*text, origin.data_path);
  json.key("variables").array(origin.data, [&](const density::DataVariable& variable) {
    const io::JsonValue* value = data.find(variable.name);
    json.object("name", variable.name, "shape", value != nullptr ? shown(shape_of(*value)) : "",
                "whole", variable.whole, "observed", variable.observed);
  });
}

void write_chains(io::JsonWriter& json, const infer::RunResult& result) {
  json.key("chains").array(result.chains, [&](const infer::ChainResult& chain) {
    json.object("step_size", chain.step_size, "num_divergent", chain.num_divergent, "num_max_depth",
                chain.num_max_depth, "num_evaluations", chain.num_evaluations, "warmup_seconds",
                chain.warmup_seconds, "sampling_seconds", chain.sampling_seconds);
  });
}

// A word as a shell reads it back.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("_@%+=:,./-", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// How the draws are made again, and this file.
void write_again(io::JsonWriter& json, const Material& material,
                 std::span<const std::string> command) {
  const results::FitOrigin& origin = material.fit().origin();
  std::vector<std::string> commands, words;
  if (!origin.spec.empty())
    commands.push_back(fmt::format("credo {} --like {} -o again.nc",
                                   results::question_of(origin.spec, origin.sampler),
                                   shell_word(material.subjects()[0].name)));
  if (const auto asked = origin.settings.find(results::kCommandSetting);
      asked != origin.settings.end())
    commands.push_back(
        fmt::format("credo {} --like {} -o again.nc",
                    io::parse_json_value(asked->second, origin.source).find("question")->text,
                    shell_word(material.subjects()[0].name)));
  for (const std::string& word : command) words.push_back(shell_word(word));
  commands.push_back(fmt::format("{}", fmt::join(words, " ")));
  json.key("again").object("commands", commands, "spec", origin.spec, "version", origin.version,
                           "arithmetic", origin.arithmetic, "resumed_with", origin.resumed_with);
}

void write_notes(io::JsonWriter& json, const results::Fit& fit) {
  json.key("notes").begin_array();
  for (const std::string& doubt : fit.origin().doubts) json.string(doubt);
  if (fit.result().interrupted) json.string("the run was interrupted: these are the draws so far");
  for (const std::string& warning : fit.result().warnings) json.string(warning);
  for (const results::FitNote& note : fit.notes())
    json.string(
        fmt::format("{} draws have missing generated quantities: {}", note.count, note.text));
  json.end_array();
}

std::string finding_html(const verdict::Finding& finding) {
  std::string text =
      fmt::format("<li class=\"finding\" data-level=\"{}\"><p><b>{}</b> {}</p>",
                  to_string(finding.level), escaped_html(finding.id), escaped_html(finding.text));
  if (finding.place)
    text += fmt::format("<pre tabindex=\"0\" role=\"region\" aria-label=\"Statement\">{}</pre>",
                        escaped_html(finding.place->shown));
  if (!finding.explained_by.empty())
    return text + fmt::format("<p class=\"remedy\">Explained by {}.</p></li>\n",
                              escaped_html(finding.explained_by));
  text += fmt::format("<p class=\"remedy\">What to do: {}</p>", escaped_html(finding.remedy));
  if (!finding.parameters.empty()) {
    text += "<p class=\"parameters\">";
    for (std::size_t k = 0; k < std::min<std::size_t>(finding.parameters.size(), 12); ++k)
      text += fmt::format("<button type=\"button\" data-parameter=\"{0}\">{0}</button> ",
                          escaped_html(density::bracketed_name(finding.parameters[k])));
    text += "</p>";
  }
  return text + "</li>\n";
}
}  // namespace

namespace {
// A dash where the figure isn't defined, as for weighted draws.
std::string figure_text(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "\u2013";
}
}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

namespace {
// First words of the verdict: "No fault found", "Doubtful", "Don't believe it".
std::string badge_of(const verdict::Verdict& verdict) {
  return verdict.sentence.substr(0, verdict.sentence.find_first_of(",:."));
}
}  // namespace

std::string verdict_html(const verdict::Verdict& verdict) {
  std::string text = fmt::format(
      "<p class=\"word\" data-word=\"{}\">{}</p>\n<p class=\"sentence\">{}</p>\n",
      to_string(verdict.word), escaped_html(badge_of(verdict)), escaped_html(verdict.sentence));
  if (verdict.findings.empty()) return text;
  text += "<ul class=\"findings\">\n";
  for (const verdict::Finding& finding : verdict.findings) text += finding_html(finding);
  return text + "</ul>\n";
}

namespace {
bool is_in_powers(const std::string& text) { return text.find('e') != std::string::npos; }

// Number of characters from the decimal point on.
std::size_t places_of(const std::string& text) {
  const std::size_t point = text.find('.');
  return point != std::string::npos && !is_in_powers(text) ? text.size() - point : 0;
}

// Cells of a column, padded by invisible digits so that their decimal points are aligned. Numbers in powers of ten
// are aligned at the right.
std::vector<std::string> aligned_cells(const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, places_of(text));
  std::vector<std::string> cells;
  for (const std::string& text : texts) {
    std::string pad(is_in_powers(text) ? 0 : longest - places_of(text), '0');
    if (!pad.empty()) pad.front() = places_of(text) == 0 ? '.' : '0';
    cells.push_back(pad.empty() ? fmt::format("<td>{}</td>", text)
                                : fmt::format("<td data-pad=\"{}\">{}</td>", pad, text));
  }
  return cells;
}

using CellText = std::string (*)(const io::SummaryRow& row);
constexpr std::array<CellText, 7> kCellTexts{
    [](const io::SummaryRow& r) { return io::text_to_precision(r.mean, r.mcse_mean); },
    [](const io::SummaryRow& r) { return io::text_to_precision(r.sd, r.mcse_sd); },
    [](const io::SummaryRow& r) { return io::text_to_precision(r.q5, r.mcse_q5); },
    [](const io::SummaryRow& r) { return io::text_to_precision(r.q50, r.mcse_q50); },
    [](const io::SummaryRow& r) { return io::text_to_precision(r.q95, r.mcse_q95); },
    [](const io::SummaryRow& r) { return figure_text(r.ess_bulk, 0); },
    [](const io::SummaryRow& r) { return figure_text(r.r_hat, 3); }};

std::string expressions_html(std::span<const io::SummaryRow> rows) {
  std::string text =
      "<div class=\"scroller\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">"
      "<table class=\"plain\"><thead><tr>";
  for (const char* head :
       {"Expression", "Mean", "SD", "5 %", "50 %", "95 %", "ESS bulk", "R\u0302"})
    text += fmt::format("<th scope=\"col\">{}</th>", head);
  text += "</tr></thead><tbody>\n";
  std::vector<std::vector<std::string>> columns;
  for (const CellText cell : kCellTexts) {
    std::vector<std::string>& own = columns.emplace_back();
    for (const io::SummaryRow& row : rows) own.push_back(cell(row));
    own = aligned_cells(own);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", escaped_html(rows[k].name));
    for (const std::vector<std::string>& own : columns) text += own[k];
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}
}  // namespace

std::string answers_html(const Answers& answers) {
  if (!answers.any()) return "";
  std::string text =
      "<section id=\"questions\" aria-labelledby=\"questions-title\">\n"
      "<h2 id=\"questions-title\">Questions</h2>\n";
  if (!answers.sentences.empty()) {
    text += "<ul class=\"statements\">\n";
    for (const std::string& sentence : answers.sentences)
      text += fmt::format("<li>{}</li>\n", escaped_html(sentence));
    text += "</ul>\n";
  }
  if (!answers.expressions.empty()) text += expressions_html(answers.expressions);
  return text + "</section>\n";
}

std::string shape_text(std::string_view json_text) {
  return shown(shape_of(io::parse_json_value(json_text, "data")));
}

void write_facts(io::JsonWriter& json, const Material& material,
                 std::span<const std::string> command) {
  const results::Fit& fit = material.fit();
  const results::FitOrigin& origin = fit.origin();
  const io::InputFiles::Contents files = fit.files();
  const std::string* program = file_named(files, origin.model_path);
  json.members("model", origin.model_name, "source", material.subjects()[0].name, "sampler",
               origin.sampler, "seed", origin.seed, "num_chains", fit.num_chains(), "num_draws",
               fit.num_draws(false));
  json.key("program").object("path", origin.model_path, "text",
                             program != nullptr ? *program : std::string());
  json.key("data").begin_object().members("path", origin.data_path, "hash", origin.data_hash);
  // Data may have come as a table: as JSON they are what the program saw.
  const std::string& seen = material.subjects()[0].data.text;
  const std::string* kept =
      origin.data_path.ends_with(".json") ? file_named(files, origin.data_path) : nullptr;
  write_variables(json, origin, seen.empty() ? kept : &seen);
  json.end_object().key("settings").begin_object();
  for (const auto& [name, value] : origin.settings)
    if (name != results::kCommandSetting) json.members(name, value);
  json.end_object();
  write_chains(json, fit.result());
  write_again(json, material, command);
  write_notes(json, fit);
}

}  // namespace credo::report
