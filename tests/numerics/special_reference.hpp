// The stored high-precision values that tools/make_special_reference.py writes.
#pragma once
#include <fstream>
#include <sstream>

#include "base/types.hpp"

namespace credo::test {

struct SpecialRecord {
  std::vector<double> arguments;
  long double exact;  // the sum of the stored value and rest; its error is below 2^-64
};

// Every record by the name of its function. A line is `name arguments... value rest`.
inline std::map<std::string, std::vector<SpecialRecord>> read_special(const std::string& path) {
  std::map<std::string, std::vector<SpecialRecord>> records;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    std::vector<double> numbers;
    while (words >> word) numbers.push_back(std::strtod(word.c_str(), nullptr));
    const long double exact =
        static_cast<long double>(numbers[numbers.size() - 2]) + numbers.back();
    numbers.resize(numbers.size() - 2);
    records[name].push_back({std::move(numbers), exact});
  }
  return records;
}

}  // namespace credo::test
