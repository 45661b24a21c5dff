#include "verdict/report.hpp"

#include "io/json_writer.hpp"

namespace credo::verdict {
namespace {
constexpr std::size_t kWidth = 80, kNarrowest = 30;
constexpr std::string_view kIndent = "  ";

// Words into lines; the first line stands behind `lead`.
std::string wrapped(std::string_view lead, std::string_view words, std::size_t width) {
  std::string text(lead), line(lead);
  bool first = true;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    if (!first && line.size() + 1 + word.size() > width) {
      text += '\n';
      text += kIndent;
      line = kIndent;
      first = true;
    }
    text += (first ? "" : " ") + std::string(word);
    line += (first ? "" : " ") + std::string(word);
    first = false;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text + "\n";
}

void write_cross_check(io::JsonWriter& writer, const CrossCheck& cross) {
  writer.key("cross_check")
      .begin_object()
      .members("algorithm", cross.algorithm, "outcome", to_string(cross.outcome), "reason",
               cross.reason, "num_figures", cross.figures.size());
  std::vector<CrossFigure> differing;
  std::ranges::copy_if(cross.figures, std::back_inserter(differing), &CrossFigure::differs);
  writer.key("differing").lines(differing, [&](const CrossFigure& f) {
    writer.object("output", f.output, "figure", f.figure, "first", f.first, "second", f.second,
                  "errors", f.errors, "p_value", f.p_value);
  });
  writer.end_object();
}
}  // namespace

std::string report_text(const Verdict& verdict, std::size_t width) {
  width = width == 0 ? kWidth : std::max(width, kNarrowest);
  std::string text = wrapped("", verdict.sentence, width);
  for (const Finding& finding : verdict.findings) {
    const std::string cause = finding.explained_by.empty() ? "" : " by " + finding.explained_by;
    text += wrapped(std::string(to_string(finding.level)) + "[" + finding.id + "]" + cause + ": ",
                    finding.text, width);
    if (!cause.empty()) continue;
    if (finding.place) text += finding.place->shown;
    text += wrapped("  what to do: ", finding.remedy, width);
  }
  return text;
}

void write_json(io::JsonWriter& writer, const Verdict& verdict) {
  writer.members("verdict", to_string(verdict.word), "sentence", verdict.sentence);
  writer.key("findings").lines(verdict.findings, [&](const Finding& finding) {
    writer.begin_object().members("id", finding.id, "level", to_string(finding.level), "parameters",
                                  finding.parameters, "text", finding.text, "remedy",
                                  finding.remedy);
    if (!finding.explained_by.empty()) writer.members("explained_by", finding.explained_by);
    writer.key("statement");
    if (const auto& place = finding.place)
      writer.object("line", place->line, "column", place->column, "file", place->file);
    else
      writer.null();
    writer.end_object();
  });
  if (verdict.cross_check) write_cross_check(writer, *verdict.cross_check);
  writer.key("figures").begin_object();
  for (const Figure& figure : verdict.figures)
    writer.key(figure.name).object("value", figure.value, "output", figure.output);
  writer.end_object();
}

std::string json_members(const Verdict& verdict) {
  io::JsonWriter writer;
  writer.begin_object();
  write_json(writer, verdict);
  writer.end_object();
  const std::string text = writer.text();
  const std::size_t open = text.find('{'), close = text.rfind('}');
  return text.substr(open + 1, close - open - 1);
}

}  // namespace credo::verdict
