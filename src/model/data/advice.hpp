// Why a log density isn't finite somewhere, and what to do.
#pragma once
#include "model/program_parts.hpp"

namespace credo::model {

// Empty where it isn't known.
struct Advice {
  std::string reason, hint;
  // If a value of the data is to blame: the variable, and the element in the order of the
  // file.
  std::string data_variable = {};
  Index data_element = 0;
};

// The program is run with numbers to find the reason.
Advice advice_at(const ProgramParts& parts, std::span<const double> point);

}  // namespace credo::model
