// The JSON of a command, made from the description of its answer: attributes and groups are members of one object, in
// the order in which they were added (results/arrays/arrays.hpp: Field::key, Missing, InJson).
#pragma once
#include "results/arrays/arrays.hpp"

namespace credo::results {

std::string answer_json(const ArrayList& answer);
// The rows of its first group and the groups within them, as a list.
std::string rows_json(const ArrayList& answer);

// Group `name` of texts along `dimension`: a list of strings in JSON.
void add_list(ArrayList& answer, const std::string& name, const std::string& dimension,
              const std::vector<std::string>& texts, const std::string& key = {});
void add_list(ArrayList& answer, const std::string& name, const std::string& dimension,
              std::vector<double> numbers);
// A list of lists, all as long as the first one: `dimensions` are the names of both.
void add_list(ArrayList& answer, const std::string& name,
              const std::array<std::string, 2>& dimensions,
              std::span<const std::vector<double>> lists);

}  // namespace credo::results
