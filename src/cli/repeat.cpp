#include "cli/repeat.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/initial_values.hpp"
#include "cli/sample_run.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {
constexpr std::array<const char*, 7> kOwnOfEachRun = {
    "--output", "--format", "--quiet", "--json", "--config", "--max-time", kLikeOption};

std::string text_of(const Given& given, const std::string& name) {
  const auto found = given.find(name);
  return found == given.end() ? std::string() : found->second.front();
}

// Options that name a file beside the program, and whether the value may be another one instead: a
// number, or "prior".
constexpr std::array<std::pair<const char*, bool>, 2> kDataFiles = {
    {{"--data", false}, {"--init", true}}};

bool names_file(const std::string& value, bool may_be_other) {
  return !value.empty() && !(may_be_other && (value == kFromPrior || io::parse_number(value)));
}

// A program that is given anew finds its includes on the disk, and so do new directories; else
// nothing but what was kept is there.
io::InputFiles files_of(io::InputFiles::Contents kept, const Given& now, const Given& then) {
  const bool same_program = !now.contains("model") && !now.contains("--include");
  io::InputFiles::Contents others;
  for (const auto& [option, may_be_other] : kDataFiles) {
    const std::string before = text_of(then, option);
    const auto found = kept.find(before);
    if (found == kept.end() || now.contains(option)) continue;
    others.insert(*found);
  }
  if (!same_program) {
    io::InputFiles files;
    for (auto& [path, text] : others) files.add(path, std::move(text));
    return files;
  }
  io::InputFiles disk;
  for (const auto& [option, may_be_other] : kDataFiles) {
    const std::string path = text_of(now, option);
    if (names_file(path, may_be_other)) kept[path] = disk.read(path);
  }
  return io::InputFiles(std::move(kept));
}
}  // namespace

std::vector<std::string> words_of_start(std::vector<std::string> words, const FitOrigin& origin) {
  const bool says_where = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--init" || word.starts_with("--init=");
  });
  const auto radius = origin.settings.find("init_radius");
  if (!says_where && radius != origin.settings.end() && !origin.settings.contains("init_prior"))
    words.insert(words.begin(), "--init=" + radius->second);
  return words;
}

RepeatedRun repeated_run(const Fit& fit, std::span<const std::string> given) {
  const FitOrigin& origin = fit.origin();
  if (origin.arguments.empty() || fit.files().empty())
    throw Error(ErrorCode::usage, "the file doesn't say how its run was begun", origin.source,
                "use a run file, or a NetCDF file that credo sample wrote");
  const auto command = sample_command.make();
  const Arguments arguments = arguments_of(sample_command, *command);
  Given now = read_words(arguments, given),
        then = read_words(arguments, words_of_start(origin.arguments, origin));
  now.erase(kLikeOption);
  for (const char* name : kOwnOfEachRun) then.erase(name);
  if (lacks_data(fit) && !now.contains("--data"))
    throw Error(ErrorCode::usage, "the result was written without its data (--no-data)",
                origin.source, fmt::format("name them: --data {}", origin.data_path));
  io::InputFiles files = files_of(fit.files(), now, then);
  files.come_from(origin.source);
  add_lower(now, then);
  return {.words = words_of(arguments, now), .files = std::move(files)};
}

}  // namespace credo::cli
