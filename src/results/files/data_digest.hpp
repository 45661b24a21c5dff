// A model's data as short texts that are equal if the values are: only evidences for the same data are compared.
#pragma once
#include "density/model.hpp"
#include "io/json_value.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::results {

struct DataDigest {
  std::string name;    // name of the variable
  Index size = 0;      // elements
  std::string digest;  // of sizes and values, bit by bit
  bool observed = false;
};

// Digests of each variable of the data that has a density in the model, or of all if none has; and of outcomes on another
// scale than the data's (log_y = log(y)).
std::vector<DataDigest> digests_of(const density::Model& model);

// Digests of each variable of the data, none marked as an outcome: two runs of one program are compared by name.
std::vector<DataDigest> digests_of_all(const density::Model& model);

// Why two models don't have the same data; empty where they have, or nobody knows. Outcomes are the same whatever their
// names are, each as often in both; where the outcomes of one aren't known, variables of one name must be the same.
std::string difference_of_data(std::span<const DataDigest> a, std::span<const DataDigest> b);

// True if an outcome of one model has the same values as an outcome of the other.
bool share_an_outcome(std::span<const DataDigest> a, std::span<const DataDigest> b);

// Group data, by variable: name, size, digest, observed.
void add_digests(ArrayList& answer, std::span<const DataDigest> all);
std::vector<DataDigest> read_digests(const io::JsonValue& array);  // throws Error(data)

}  // namespace credo::results
