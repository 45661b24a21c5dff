#include "cli/chain/chain_shuffle.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/finite/riffle.hpp"
#include "io/file.hpp"
#include "io/json_value.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // the limit of other files of chains
constexpr Index kMostCards = 1000;
// Rounding error of products of a thousand factors: smaller distances aren't reliable.
constexpr double kSmallestDistance = 1e-10;
constexpr double kFarEnough = 0.01;  // how far the table goes
}  // namespace

std::optional<Index> cards_of_riffle(const std::string& path) {
  if (!path.ends_with(".json")) return std::nullopt;
  const io::JsonValue file = io::parse_json_value(io::read_file(path, kMostBytes), path);
  const io::JsonValue* kernel = file.find("kernel");
  if (kernel == nullptr || kernel->kind != io::JsonValue::Kind::string || kernel->text != "riffle")
    return std::nullopt;
  for (const auto& [name, value] : file.members)
    if (name != "kernel" && name != "cards")
      throw Error(ErrorCode::data, fmt::format("'{}' is not known of riffle shuffles", name),
                  value.where, R"(write {"kernel": "riffle", "cards": 52})");
  const io::JsonValue* cards = file.find("cards");
  if (cards == nullptr)
    throw Error(ErrorCode::data, "'cards' is missing, riffle shuffles need it", file.where,
                R"(write {"kernel": "riffle", "cards": 52})");
  const double number = cards->as_number("cards");
  if (!(number >= 1.0) || number > double(kMostCards) || number != std::floor(number))
    throw Error(
        ErrorCode::data,
        fmt::format("cards is {}, it must be a whole number from 1 to {}", number, kMostCards),
        cards->where);
  return static_cast<Index>(number);
}

ShuffleReport report_of_riffles(Index num_cards, double epsilon) {
  if (epsilon < kSmallestDistance)
    throw Error(ErrorCode::usage,
                fmt::format("distances are known to {:g} only, --epsilon is {:g}",
                            kSmallestDistance, epsilon),
                "--epsilon", "give a larger one");
  ShuffleReport report{.num_cards = num_cards, .epsilon = epsilon};
  for (Index t = 0;; ++t) {
    const double distance = infer::finite::riffle_distance(num_cards, t);
    report.distances.push_back(distance);
    if (distance > epsilon) report.mixing_time = t + 1;
    if (distance <= std::min(epsilon, kFarEnough)) return report;
  }
}

std::string shuffle_text(const ShuffleReport& report) {
  std::string text =
      fmt::format("{:<22}{}\n{:<22}{}\n\n", "cards", report.num_cards,
                  fmt::format("mixing time to {:g}", report.epsilon), report.mixing_time);
  text += fmt::format("distance to a deck in random order (total variation)\n{:>14}{:>14}\n",
                      "shuffles", "distance");
  for (std::size_t t = 0; t < report.distances.size(); ++t)
    text += fmt::format("{:>14}{:>14.6g}\n", t, report.distances[t]);
  return text;
}

std::string shuffle_json(const ShuffleReport& report) {
  results::ArrayList answer;
  answer.set_all("cards", report.num_cards, "epsilon", report.epsilon, "mixing_time",
                 report.mixing_time);
  add_list(answer, "distances", "shuffles", report.distances);
  return answer_json(answer);
}

}  // namespace credo::cli
