#include "cli/project/example_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/data/data_files.hpp"

namespace credo::cli {
namespace {
namespace fs = std::filesystem;
constexpr const char* kIndex = "examples.csv";

// bin/credo beside share/credo/examples, or build/PRESET/credo below examples.
std::string shipped_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path place = program.parent_path();
  for (const char* way : {"../share/credo/examples", "../../examples", "../examples"}) {
    const fs::path folder = (place / way).lexically_normal();
    if (fs::exists(folder / kIndex, failed)) return folder.string();
  }
  throw Error(ErrorCode::io, "the examples aren't where the program looks for them",
              (place / "../share/credo/examples").lexically_normal().string(),
              "install the program with its files: cmake --install BUILD");
}

std::string level_of(const io::DataTable& table, const char* column, std::size_t row) {
  const io::DataValue& value = *table.find(column);
  const auto code = static_cast<std::size_t>(value.integers[row]);
  return code == 0 ? std::string() : value.column->levels[code - 1];
}
}  // namespace

ExampleFiles::ExampleFiles() : folder_(shipped_folder()) {}
ExampleFiles::ExampleFiles(std::string folder) : folder_(std::move(folder)) {}

std::vector<Example> ExampleFiles::all() const {
  const io::DataTable table = io::read_data((fs::path(folder_) / kIndex).string());
  std::vector<Example> all;
  const auto rows = static_cast<std::size_t>(table.find("name")->num_elements());
  for (std::size_t row = 0; row < rows; ++row)
    all.push_back({level_of(table, "name", row), level_of(table, "about", row)});
  return all;
}

// A folder of its own, or the files NAME.stan, NAME.data.json, ...
std::vector<std::string> ExampleFiles::files_of(const std::string& name) const {
  std::vector<std::string> names;
  for (const Example& example : all()) names.push_back(example.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = did_you_mean(name, names);
    throw Error(ErrorCode::usage, fmt::format("there is no example {}", name), "examples",
                near.empty() ? "credo examples lists them" : near);
  }
  const fs::path own = fs::path(folder_) / name;
  const bool has_folder = fs::is_directory(own);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(has_folder ? own : fs::path(folder_))) {
    const bool belongs = has_folder || entry.path().filename().string().starts_with(name + ".");
    if (entry.is_regular_file() && belongs) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string ExampleFiles::page_of(const std::string& name) const {
  const fs::path folder = folder_;
  for (const fs::path& pages :
       {folder / "../docs/examples", folder / "../../doc/credo/docs/examples"}) {
    const fs::path page = (pages / (name + ".md")).lexically_normal();
    std::error_code failed;
    if (fs::exists(page, failed)) return page.string();
  }
  return {};
}

}  // namespace credo::cli
