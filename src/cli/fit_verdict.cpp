#include "cli/fit_verdict.hpp"

#include <unistd.h>

#include "cli/terminal.hpp"
#include "io/json_writer.hpp"
#include "verdict/report.hpp"

namespace credo::cli {

std::string verdict_text(const FitVerdict& judged) {
  const auto width = static_cast<std::size_t>(text_width(STDOUT_FILENO));
  return verdict::report_text(judged.verdict, judged.program.get(), width);
}

std::string verdict_json(const FitVerdict& judged) {
  io::JsonWriter writer;
  writer.begin_object();
  verdict::write_json(writer, judged.verdict, judged.program.get());
  writer.end_object();
  const std::string text = writer.text();
  const std::size_t open = text.find('{'), close = text.rfind('}');
  return text.substr(open + 1, close - open - 1);
}

int strict_status(const FitVerdict& judged) {
  const bool bad = judged.verdict.word == verdict::Verdict::Word::bad;
  return bad ? static_cast<int>(ErrorCode::verdict) : 0;
}

}  // namespace credo::cli
