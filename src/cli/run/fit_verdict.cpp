#include "cli/run/fit_verdict.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/kept_memory.hpp"
#include "cli/run/repeat.hpp"
#include "cli/term/terminal.hpp"
#include "model/model.hpp"
#include "verdict/report.hpp"

namespace credo::cli {
namespace {
std::shared_ptr<const density::ProgramFacts> program_of(const Fit& fit) {
  const io::InputFiles::Contents files = fit.files();
  const auto text = files.find(fit.origin().model_path);
  return text == files.end() ? nullptr
                             : model::facts_of_text(fit.origin().model_path, text->second);
}

model::DataFiles data_of(const Fit& fit) {
  if (lacks_data(fit)) return {};
  return {fit.origin().data_path, fit.files()};
}
}  // namespace

verdict::Verdict verdict_of(const Fit& fit, const model::Model* model, const model::DataFiles* data,
                            const results::KnownFigures& known) {
  keep_freed_memory();
  if (model == nullptr) return judge_fit(fit, {.program = program_of(fit), .figures = known});
  return judge_fit(fit, {.model = model,
                         .program = model->program_facts(),
                         .remake =
                             [&](const std::string& text) {
                               return model::remake(*model, text, data ? *data : data_of(fit));
                             },
                         .figures = known});
}

verdict::Verdict::Word note_disbelief(const Fit& fit, const model::Model& model, Output& output,
                                      const model::DataFiles* data) {
  const verdict::Verdict verdict = verdict_of(fit, &model, data);
  if (verdict.word == verdict::Verdict::Word::bad) {
    const std::string& source = fit.origin().source;
    const std::string text = fmt::format(
        "warning: the verdict on {0}: {1} What follows rests on its draws (credo diagnose {0}).",
        source, verdict.sentence);
    output.note(wrapped(visible(text), text_width(STDERR_FILENO), {0, 2}) + "\n");
  }
  return verdict.word;
}

std::string verdict_text(const verdict::Verdict& verdict) {
  const auto width = static_cast<std::size_t>(text_width(STDOUT_FILENO));
  return verdict::report_text(verdict, width);
}

int strict_status(const verdict::Verdict& verdict) {
  const bool bad = verdict.word == verdict::Verdict::Word::bad;
  return bad ? static_cast<int>(ErrorCode::verdict) : 0;
}

}  // namespace credo::cli
