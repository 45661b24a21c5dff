// A finite chain in a file: a matrix (CSV or JSON), or a kernel by name with its target (JSON).
// docs/files.md has the format.
#pragma once
#include "infer/finite/chain.hpp"

namespace credo::cli {

struct ChainFile {
  infer::finite::FiniteChain chain;
  std::vector<double> target;    // weights; none: not given
  std::vector<double> function;  // a value for each state; none: not given
};

// normalise: rows are divided by their sums, for matrices written with few digits. A name that ends
// in .json is read as JSON, any other as CSV. Throws Error{io} and Error{data} with the place.
ChainFile read_chain_file(const std::string& path, bool normalise);

// "0.2, 0.3, 0.5" of an option; Error{usage} names the option.
std::vector<double> parse_number_list(const std::string& text, const std::string& option);

}  // namespace credo::cli
