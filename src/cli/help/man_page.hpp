// Manual pages (section 1) for man and mandoc: the macros of man(7).
#pragma once
#include "cli/command.hpp"

namespace credo::cli {

std::string program_man_page();                           // credo(1)
std::string command_man_page(const CommandRow& command);  // credo-sample(1)

}  // namespace credo::cli
