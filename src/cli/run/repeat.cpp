#include "cli/run/repeat.hpp"

#include <fmt/format.h>

#include "cli/options/initial_values.hpp"
#include "cli/options/start_files.hpp"
#include "cli/run/run_arguments.hpp"
#include "io/data/data_files.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "model/remake.hpp"
#include "models/ready/ready_table.hpp"
#include "results/files/data_like.hpp"

namespace credo::cli {
namespace {
// Values of an option that name a file: not "prior" or "mode", and no radius.
bool names_file(const std::string& value) {
  return !value.empty() && value != kFromPrior && value != kNearMode && !io::parse_number(value);
}

struct NamedFile {
  std::string option, path;
};

// By the options that name files of data and starts.
std::vector<std::string> files_named(const Given& now) {
  std::vector<std::string> all;
  for (const char* option : {"--data", "--init", "--inv-metric"})
    if (const auto given = now.find(option); given != now.end())
      std::ranges::copy_if(given->second, std::back_inserter(all), names_file);
  return all;
}
}  // namespace

RunSpec spec_of(const Fit& fit) {
  const FitOrigin& origin = fit.origin();
  if (origin.spec.empty() && models::find_ready(origin.model_name) != nullptr)
    throw Error(ErrorCode::usage, "the draws are of a ready-made model, not of a program",
                origin.source, fmt::format("credo ready --like {} draws anew", origin.source));
  if (origin.spec.empty() || fit.files().empty())
    throw Error(ErrorCode::usage, "the file doesn't say how its run was begun", origin.source,
                "use a run file, or a NetCDF file that credo sample wrote");
  return parse_run_spec(origin.spec, origin.source);
}

// A program that is given anew finds its includes on the disk, and so do new directories; else
// only files that were kept are available.
io::InputFiles files_of_repeated(const Fit& fit, const RunSpec& then, const Given& now) {
  if (lacks_data(fit) && !now.contains("--data"))
    throw Error(ErrorCode::usage, "the result was written without its data (--no-data)",
                fit.origin().source, fmt::format("name them: --data {}", fit.origin().data_path));
  io::InputFiles::Contents kept = fit.files();
  constexpr std::array kOfModes{"model", "--include", "--data", "--init", "--seed", "--chains"};
  if (std::ranges::any_of(kOfModes, [&](const char* name) { return now.contains(name); }))
    kept.erase(kNearMode);  // other climbs
  std::vector<NamedFile> before = {
      {"--init", then.init}, {"--inv-metric", then.inv_metric}, {"--after", then.model.after}};
  for (const std::string& path : io::data_files(then.model.data))
    before.push_back({"--data", path});
  const bool same_program = !now.contains("model") && !now.contains("--include");
  io::InputFiles disk;
  for (const auto& [option, path] : before) {
    if (!now.contains(option)) {
      if (!same_program && kept.contains(path)) disk.add(path, kept.at(path));
      continue;
    }
    const bool is_read_still = std::ranges::any_of(before, [&](const NamedFile& other) {
      return other.path == path && !now.contains(other.option);
    });
    if (path != then.model.model && !is_read_still) kept.erase(path);
  }
  const std::vector<std::string> anew =
      same_program ? files_named(now) : std::vector<std::string>();
  for (const std::string& path : anew) kept[path] = disk.read(path);
  io::InputFiles files = same_program ? io::InputFiles(std::move(kept)) : std::move(disk);
  for (const std::string& path : anew) files.come_from(path);
  files.come_from(fit.origin().source);
  return files;
}

bool lacks_data(const Fit& fit) {
  const std::vector<std::string> paths = io::data_files(fit.origin().data_path);
  if (paths.empty()) return false;
  const io::InputFiles::Contents kept = fit.files();
  return !std::ranges::all_of(paths, [&](const std::string& path) { return kept.contains(path); });
}

std::unique_ptr<model::Model> rebuild_model(const Fit& fit, const model::DataFiles* data,
                                            bool may_lack_outcomes) {
  RunArguments run;
  run.out.quiet = true;
  run.take_own(fit);
  run.program.may_lack_outcomes = may_lack_outcomes;
  if (data != nullptr) {
    run.program.data =
        results::recipe_like(
            fit, io::parse_data_recipe(data->recipe),
            [&](const std::string& path) -> const std::string& { return data->texts.at(path); },
            results::GivenData::other)
            .text();
    for (const auto& [path, text] : data->texts) run.program.files.add(path, text);
  }
  run.check();
  Output silent;
  return run.load(silent, false);
}

}  // namespace credo::cli
