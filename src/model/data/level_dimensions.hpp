// Which dimensions of a program's variables go over the levels of a factor of its data.
#pragma once
#include "io/data/data_table.hpp"
#include "lang/typed/typed.hpp"

namespace credo::model {

// By variable, for each dimension the levels, or nothing. A dimension goes over levels if its size is a variable that stands
// alone as the upper bound of a factor, or is called num_, N_ or K_ and the factor's name; of two factors with other levels none.
using LevelDimensions = std::map<std::string, std::vector<std::vector<std::string>>>;
LevelDimensions level_dimensions(const lang::typed::Program& program, const io::DataTable& data);

// "south" of "u.3", "2,south" of "w.2.3"; empty: of no level.
std::string level_of(const LevelDimensions& dimensions, const std::string& element);

}  // namespace credo::model
