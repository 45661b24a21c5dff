// Finds the dimensions of a program's variables that go over the levels of a factor in its data.
#pragma once
#include "io/data/data_table.hpp"
#include "lang/typed/typed.hpp"

namespace credo::model {

// For each variable, the levels of each dimension; empty if it has none. A dimension has levels if its size is a
// variable that is the upper bound of a factor, or is named after a factor with the prefix num_, N_ or K_. If it
// belongs to factors with different levels, it has none.
using LevelDimensions = std::map<std::string, std::vector<std::vector<std::string>>>;
LevelDimensions level_dimensions(const lang::typed::Program& program, const io::DataTable& data);

// "south" for "u.3", "2,south" for "w.2.3"; empty if no dimension has levels.
std::string level_of(const LevelDimensions& dimensions, const std::string& element);

}  // namespace credo::model
