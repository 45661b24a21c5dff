// Path of the program for bs_model_construct: BridgeStan's function receives data only.
#pragma once
#include "base/std.hpp"

namespace credo::capi {

// NAME.stan beside a library that is called NAME_model.so; nothing for another name. The file need
// not exist.
std::optional<std::string> program_beside(std::string_view library);

// The one beside this library, or what the environment variable CREDO_PROGRAM says. Throws
// Error{usage} where neither does.
std::string find_program();

}  // namespace credo::capi
