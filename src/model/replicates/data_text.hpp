// The data of a program as a JSON text.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

// Values that stand in the place of a variable's own, as its storage has them.
using ValuesInstead = std::map<std::string, std::vector<double>, std::less<>>;

// All variables of the data block with their values in the machine. It reads back as the same numbers.
std::string data_text(lang::Machine& machine, const ValuesInstead& instead = {});

}  // namespace credo::model
