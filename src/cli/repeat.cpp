#include "cli/repeat.hpp"

#include <fmt/format.h>

#include "cli/options/initial_values.hpp"
#include "cli/sample_run.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {
// Values of an option that name a file: not "prior", and no radius.
bool names_file(const std::string& value) {
  return !value.empty() && value != kFromPrior && !io::parse_number(value);
}

std::string text_of(const Given& given, const std::string& name) {
  const auto found = given.find(name);
  return found == given.end() ? std::string() : found->second.front();
}
}  // namespace

RunSpec spec_of(const Fit& fit) {
  const FitOrigin& origin = fit.origin();
  if (origin.spec.empty() || fit.files().empty())
    throw Error(ErrorCode::usage, "the file doesn't say how its run was begun", origin.source,
                "use a run file, or a NetCDF file that credo sample wrote");
  return parse_run_spec(origin.spec, origin.source);
}

// A program that is given anew finds its includes on the disk, and so do new directories; else
// nothing but what was kept is there.
io::InputFiles files_of_repeated(const Fit& fit, const RunSpec& then, const Given& now) {
  if (lacks_data(fit) && !now.contains("--data"))
    throw Error(ErrorCode::usage, "the result was written without its data (--no-data)",
                fit.origin().source, fmt::format("name them: --data {}", fit.origin().data_path));
  io::InputFiles::Contents kept = fit.files();
  const std::array<std::pair<const char*, std::string>, 3> options = {
      {{"--data", then.model.data}, {"--init", then.init}, {"--inv-metric", then.inv_metric}}};
  const bool same_program = !now.contains("model") && !now.contains("--include");
  io::InputFiles disk;
  std::vector<std::string> anew;
  for (const auto& [option, before] : options) {
    if (!now.contains(option)) {
      if (!same_program && kept.contains(before)) disk.add(before, kept.at(before));
      continue;
    }
    const bool is_read_still = std::any_of(options.begin(), options.end(), [&](const auto& other) {
      return other.second == before && !now.contains(other.first);
    });
    if (before != then.model.model && !is_read_still) kept.erase(before);
    const std::string path = text_of(now, option);
    if (same_program && names_file(path)) anew.push_back(path);
  }
  for (const std::string& path : anew) kept[path] = disk.read(path);
  io::InputFiles files = same_program ? io::InputFiles(std::move(kept)) : std::move(disk);
  for (const std::string& path : anew) files.come_from(path);
  files.come_from(fit.origin().source);
  return files;
}

}  // namespace credo::cli
