#include "cli/fit/run_file_info.hpp"

#include <fmt/format.h>

#include "results/arrays/answer_json.hpp"
#include "results/files/specification.hpp"

namespace credo::cli {
namespace {
using results::Specification;

struct Part {  // a chain, or a piece of work
  Index number = 0, steps = 0, draws = 0, warmup = 0;
  bool finished = false;
};

std::vector<Part> parts_of(const io::RunFile& file) {
  std::vector<Part> parts;
  for (const Index number : file.chains()) {
    const io::ChainState now = file.progress(number);
    parts.push_back({.number = number,
                     .steps = now.iteration,
                     .draws = now.rows_of(io::kDraws),
                     .warmup = now.rows_of(io::kWarmup),
                     .finished = now.finished});
  }
  return parts;
}

struct Said {
  std::string name, value;
};

std::vector<Said> options_of(const Specification& spec) {
  std::vector<Said> all;
  for (const auto* texts : {&spec.options, &spec.amounts})
    for (const auto& [name, value] : *texts) all.push_back({name, value});
  return all;
}

std::vector<Said> inputs_of(const Specification& spec) {
  std::vector<Said> all;
  for (const auto& [path, digest] : spec.inputs) all.push_back({path, digest});
  return all;
}

std::string lines_of(std::string_view title, std::span<const Said> all) {
  std::string text = all.empty() ? "" : fmt::format("{}:\n", title);
  for (const Said& one : all) text += fmt::format("  {:<32} {}\n", one.name, one.value);
  return text;
}

std::string progress_text(const io::RunFile& file, std::span<const Part> parts) {
  const Index done = std::ranges::count_if(parts, &Part::finished);
  if (!file.has_rows())
    return fmt::format("{} of {} pieces are done, {} more have a state\n", done, file.num_chains(),
                       ssize(parts) - done);
  std::string text = fmt::format("{} of {} chains are done\n", done, file.num_chains());
  for (const Part& part : parts)
    text += fmt::format("  chain {}: {} transitions, {} rows of draws, {} of warm-up\n",
                        part.number + 1, part.steps, part.draws, part.warmup);
  return text;
}

std::string as_json(const io::RunFile& file, const Specification& spec,
                    const std::vector<Part>& parts) {
  results::ArrayList answer;
  answer.set("question", spec.question), answer.set("identity", spec.identity());
  answer.set("version", spec.version), answer.set("arithmetic", spec.arithmetic);
  answer.set(file.has_rows() ? "num_chains" : "num_pieces", file.num_chains());
  auto add = answer.add_rows(file.has_rows() ? "chains" : "pieces", parts).columns(parts);
  add("number", &Part::number), add("finished", &Part::finished);
  if (file.has_rows())
    add("transitions", &Part::steps), add("draws", &Part::draws), add("warmup", &Part::warmup);
  for (const auto& [group, all] :
       {std::pair("options", options_of(spec)), std::pair("inputs", inputs_of(spec))}) {
    auto add_said = answer.add_rows(group, all).columns(all);
    add_said("name", &Said::name), add_said("value", &Said::value);
  }
  return answer_json(answer);
}
}  // namespace

std::string run_file_info(const std::string& path, bool json) {
  const io::RunFile file = io::RunFile::open(path);
  const Specification spec = results::specification_of(file.facts(), path);
  const std::vector<Part> parts = parts_of(file);
  if (json) return as_json(file, spec, parts);
  const bool is_whole =
      ssize(parts) == file.num_chains() && std::ranges::all_of(parts, &Part::finished);
  return fmt::format("{}: of credo {}; {}\n", path, spec.question,
                     is_whole ? "all is done: credo resume " + path +
                                    " writes the result, with --draws N it adds draws"
                              : "unfinished: credo resume " + path + " completes it") +
         progress_text(file, parts) + lines_of("options", options_of(spec)) +
         lines_of("inputs", inputs_of(spec)) +
         fmt::format("identity {}\nversion {}, arithmetic: {}\n", spec.identity(), spec.version,
                     spec.arithmetic);
}

}  // namespace credo::cli
