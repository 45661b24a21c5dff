// The question to a command as one value made of its described options: the identity of its work follows from it, work files
// and answers hold it, and --like and credo resume take it. A new option is in it by itself (Values::changes).
#pragma once
#include "cli/options/arguments.hpp"
#include "io/json_value.hpp"

namespace credo::cli {

struct CommandSpec {
  std::string question = {};  // the command's name; empty: no options were given
  // JSON texts by the names of the options, of those with an effect: values that may change results, and numbers of pieces.
  std::map<std::string, std::string> options = {}, amounts = {};
  std::vector<std::string> inputs = {};  // paths that options name
};

// By the values that the targets hold after `assign`.
CommandSpec command_spec(std::string_view question, const Arguments& arguments, const Given& given);

inline constexpr const char* kLikeOption = "--like";
inline constexpr const char* kSpecAttribute = "spec";  // attribute of answers in NetCDF-4 files

// Options of a command by the specification in a work file or an answer (FILE.nc), without those that have their default.
// Throws Error(usage) if the file has none or is of another command.
Given given_of_spec(const io::JsonValue& spec, const Arguments& arguments);
// The specification in a work file, or in the run file of such a command; nothing for other files.
std::optional<io::JsonValue> kept_spec(const std::string& path);
Given given_of_file(const std::string& path, std::string_view question, const Arguments& arguments);
// Adds the options of `like` that aren't given and whose needs are met; options of rows only if their row isn't chosen anew.
void add_like(const Arguments& arguments, Given& given, const Given& like);

}  // namespace credo::cli
