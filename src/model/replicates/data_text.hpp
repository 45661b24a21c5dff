// The data of a program as a JSON text.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

// All variables of the data block with their values in the machine. It reads back as the same numbers.
std::string data_text(lang::Machine& machine);

}  // namespace credo::model
