// The list of a program's statements (model/statements) as a table and as JSON.
#pragma once
#include "model/data/source.hpp"

namespace credo::cli {

std::string statements_text(const model::ProgramSource& program);
std::string statements_json(const model::ProgramSource& program);

}  // namespace credo::cli
