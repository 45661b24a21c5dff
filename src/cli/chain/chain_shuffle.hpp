// `credo chain` on {"kernel": "riffle", "cards": 52}: a chain whose states, the orders of a deck, are too
// many to write down, and whose distances are known all the same (infer/finite/riffle.hpp).
#pragma once
#include "base/types.hpp"

namespace credo::cli {

// How many cards the file's riffles have; nothing where its kernel is another one. Throws Error(data) at
// the place of what isn't known beside such a kernel.
std::optional<Index> cards_of_riffle(const std::string& path);

struct ShuffleReport {
  Index num_cards = 0;
  double epsilon = 0.25;
  std::vector<double> distances = {};  // after 0, 1, ... shuffles, to a hundredth or epsilon
  Index mixing_time = 0;               // the first of them that is at most epsilon
};
// Throws Error(usage) for an epsilon below what rounding leaves of distances.
ShuffleReport report_of_riffles(Index num_cards, double epsilon);
std::string shuffle_text(const ShuffleReport& report);
std::string shuffle_json(const ShuffleReport& report);

}  // namespace credo::cli
