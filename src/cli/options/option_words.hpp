// Errors of algorithms name fields of their options: "max_steps". Users type options: "--max-steps".
#pragma once
#include "base/error.hpp"
#include "cli/options/arguments.hpp"

namespace credo::cli {

// The error with the options of the command in the place of fields: as the place of the error, and for words with underscores in its
// message and its hint.
Error in_option_words(const Error& error, const Arguments& arguments);

}  // namespace credo::cli
