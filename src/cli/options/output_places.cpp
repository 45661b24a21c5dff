#include "cli/options/output_places.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "io/part_file.hpp"
#include "io/written_files.hpp"
#include "results/files/draw_files.hpp"

namespace credo::cli {
namespace {
namespace fs = std::filesystem;

// CSV files of a prefix. The number of chains isn't known yet, so that existing files are counted.
std::vector<std::string> draw_files(const std::string& prefix) {
  std::vector<std::string> files{prefix};
  std::error_code failed;
  for (Index chain = 0;; ++chain) {
    files.push_back(results::csv_name(prefix, chain));
    if (!fs::exists(files.back(), failed)) return files;
  }
}

std::vector<std::string> files_of_output(const Argument& argument, const std::string& value) {
  switch (argument.values.writes) {
    case Writes::draws:
      return value.ends_with(".nc") ? std::vector{value} : draw_files(value);
    case Writes::file:
    case Writes::kept_file:
      return {value};
    case Writes::nothing:
    case Writes::folder:
      return {};
  }
  return {};
}

using Visit = std::function<void(const Argument& argument, const std::string& value)>;

void for_each_value(const Arguments& arguments, const Given& given, const Visit& visit) {
  for (const Argument& argument : arguments.all()) {
    const auto found = given.find(argument.name());
    if (found == given.end()) continue;
    for (const std::string& value : found->second)
      if (!value.empty()) visit(argument, value);
  }
}

// Refuses missing folders and files in place of folders, which would otherwise be taken for empty folders.
void require_input_folders(const Arguments& arguments, const Given& given) {
  for_each_value(arguments, given, [](const Argument& argument, const std::string& value) {
    std::error_code failed;
    if (!argument.values.directory || argument.values.writes != Writes::nothing) return;
    if (fs::is_directory(value, failed)) return;
    throw Error(ErrorCode::io,
                fmt::format("there is no directory {}{}", value,
                            fs::exists(value, failed) ? ": that is a file" : ""),
                argument.name(), "check its name");
  });
}

void require_folder(const Argument& argument, const std::string& path) {
  std::error_code failed;
  if (path.ends_with('/') || fs::is_directory(path, failed))
    throw Error(ErrorCode::usage, fmt::format("the output {} is a directory", path),
                argument.name(), fmt::format("name a file in it, as {}/result", path));
  const std::string folder = io::directory_of(path);
  if (!fs::is_directory(folder, failed))
    throw Error(ErrorCode::io,
                fmt::format("can't write to directory {}: there is no such directory", folder),
                argument.name(), "create it first");
}

// Refuses a name such as fit.nc for a page, which would look like a result.
void require_ending(const Argument& argument, const std::string& path) {
  constexpr std::array<std::string_view, 9> kKnown{".stan", ".run", ".nc",  ".json", ".csv",
                                                   ".html", ".svg", ".png", ".pdf"};
  const std::string& ending = argument.values.ending;
  if (ending == "*" || path.ends_with(ending)) return;
  if (std::ranges::none_of(kKnown, [&](std::string_view other) { return path.ends_with(other); }))
    return;
  throw Error(ErrorCode::usage,
              fmt::format("the output is a {} file, but '{}' has another ending", ending, path),
              argument.name(), fmt::format("end the name in {}", ending));
}

void require_apart(const Arguments& arguments, const Given& given) {
  std::map<std::string, std::string> named;  // options by their paths
  for_each_value(arguments, given, [&](const Argument& argument, const std::string& value) {
    if (argument.values.writes == Writes::nothing) return;
    std::error_code failed, unseen;
    const fs::path place = fs::weakly_canonical(fs::absolute(value, failed), failed);
    if (!failed && fs::is_other(place, unseen)) return;  // a pipe takes several outputs
    const auto [known, is_new] = named.emplace(failed ? value : place.string(), argument.name());
    if (!is_new)
      throw Error(
          ErrorCode::usage,
          fmt::format("{} and {} name the same file: {}", known->second, argument.name(), value),
          argument.name(), "give each its own file");
  });
}
}  // namespace

std::vector<std::string> files_written(const Arguments& arguments, const Given& given) {
  std::vector<std::string> all;
  for_each_value(arguments, given, [&](const Argument& argument, const std::string& value) {
    for (std::string& file : files_of_output(argument, value)) all.push_back(std::move(file));
  });
  return all;
}

void require_inputs_stay(const Arguments& arguments, const Given& given) {
  std::vector<std::string> written = files_written(arguments, given);
  for_each_value(arguments, given, [&](const Argument& argument, const std::string& value) {
    if (argument.values.writes == Writes::kept_file) written.push_back(value + ".run");
  });
  const io::WrittenFiles scope(written);
  for_each_value(arguments, given, [](const Argument& argument, const std::string& value) {
    if (argument.values.writes == Writes::nothing && !argument.values.ending.empty())
      io::require_not_written(value);
  });
}

void require_output_places(const Arguments& arguments, const Given& given) {
  require_inputs_stay(arguments, given);
  require_input_folders(arguments, given);
  require_apart(arguments, given);
  for_each_value(arguments, given, [](const Argument& argument, const std::string& value) {
    const Writes writes = argument.values.writes;
    if (writes != Writes::file && writes != Writes::kept_file) return;
    require_folder(argument, value);
    require_ending(argument, value);
  });
}

}  // namespace credo::cli
