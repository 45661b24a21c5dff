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
  writer.key("cross_check").begin_object().key("algorithm").string(cross.algorithm);
  writer.key("outcome").string(to_string(cross.outcome)).key("reason").string(cross.reason);
  writer.key("num_figures").integer(ssize(cross.figures)).key("differing").begin_array();
  for (const CrossFigure& figure : cross.figures) {
    if (!figure.differs) continue;
    writer.line_break().begin_object().key("output").string(figure.output);
    writer.key("figure").string(figure.figure).key("first").number(figure.first);
    writer.key("second").number(figure.second).key("errors").number(figure.errors);
    writer.key("p_value").number(figure.p_value).end_object();
  }
  writer.end_array().end_object();
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
  writer.key("verdict").string(to_string(verdict.word));
  writer.key("sentence").string(verdict.sentence);
  writer.key("findings").begin_array();
  for (const Finding& finding : verdict.findings) {
    writer.line_break().begin_object().key("id").string(finding.id);
    writer.key("level").string(to_string(finding.level));
    writer.key("parameters").begin_array();
    for (const std::string& name : finding.parameters) writer.string(name);
    writer.end_array().key("text").string(finding.text).key("remedy").string(finding.remedy);
    if (!finding.explained_by.empty()) writer.key("explained_by").string(finding.explained_by);
    if (finding.place) {
      writer.key("statement").begin_object().key("line").integer(finding.place->line);
      writer.key("column").integer(finding.place->column).key("file");
      writer.string(finding.place->file).end_object();
    } else {
      writer.key("statement").null();
    }
    writer.end_object();
  }
  writer.end_array();
  if (verdict.cross_check) write_cross_check(writer, *verdict.cross_check);
  writer.key("figures").begin_object();
  for (const Figure& figure : verdict.figures) {
    writer.key(figure.name).begin_object().key("value").number(figure.value);
    writer.key("output").string(figure.output).end_object();
  }
  writer.end_object();
}

}  // namespace credo::verdict
