#include "cli/run/run_facts.hpp"

#include <fmt/format.h>

#include "cli/results.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::cli {
namespace {
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(", ", begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

// "libm 2.31 then, libm 2.36 now"
std::string difference(const std::string& then, const std::string& now) {
  const std::vector<std::string> before = parts_of(then), after = parts_of(now);
  if (before.size() != after.size()) return fmt::format("{} then, {} now", then, now);
  std::string text;
  for (std::size_t k = 0; k < before.size(); ++k)
    if (before[k] != after[k])
      text += fmt::format("{}{} then, {} now", text.empty() ? "" : "; ", before[k], after[k]);
  return text;
}
}  // namespace

void check_arithmetic(io::RunFile& file, bool allowed) {
  const FitOrigin origin = origin_of(file.facts(), file.path());
  const std::string now = arithmetic();
  if (origin.arithmetic == now) return;
  if (!allowed)
    throw Error(
        ErrorCode::usage,
        fmt::format("the run was begun with other arithmetic ({}): draws that follow would "
                    "differ in their last digits from those of an unbroken run, and so "
                    "become others",
                    difference(origin.arithmetic, now)),
        file.path(),
        "resume with the program and machine that began it, or with --other-arithmetic, and "
        "the result will say so");
  if (origin.resumed_with.find(now) != std::string::npos) return;
  file.set_facts(
      {{"resumed_with", origin.resumed_with.empty() ? now : origin.resumed_with + "; " + now}});
}

io::RunFile::Facts run_facts(const ModelArguments& arguments, const density::Model& model,
                             const RunSpec& spec) {
  io::RunFile::Facts facts = facts_of_run(model, spec);
  add_files(
      facts,
      {.files = arguments.files.contents(), .model = arguments.model, .data = arguments.data});
  return facts;
}

}  // namespace credo::cli
