// Specifications of commands, made of their described options: a new option is in it by itself (Values::changes). --like and
// `credo resume` take the options of a file back.
#pragma once
#include "cli/options/arguments.hpp"
#include "io/json_value.hpp"
#include "results/files/specification.hpp"

namespace credo::cli {
using results::Specification;

// The specification has the options with an effect, by the values that the targets hold after `assign`. Its inputs are the paths
// that options name.
Specification command_spec(std::string_view question, const Arguments& arguments,
                           const Given& given);

inline constexpr const char* kLikeOption = "--like";

// The text of a command's specification in a run file or an answer (FILE.nc); empty if the file has none.
std::string kept_spec(const std::string& path);
// Options of a command by such a text, without those that have their default.
Given given_of_spec(const io::JsonValue& spec, const Arguments& arguments);
// Options of a command by a file. Throws Error(usage) if it has no specification or is of another command.
Given given_of_file(const std::string& path, std::string_view question, const Arguments& arguments);
// Adds the options of `like` that aren't given and whose needs are met; options of rows only if their row isn't chosen anew.
void add_like(const Arguments& arguments, Given& given, const Given& like);

}  // namespace credo::cli
