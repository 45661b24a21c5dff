// A second run by another algorithm (credo sample --cross-check) that disagrees. It isn't known which of the two is right:
// both draw from the same density, so at least one of them misses a part of it. An undecided comparison is a note, and
// no agreement.
#include "verdict/cross_check.hpp"

#include <fmt/format.h>

#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::cross_check_row {
namespace {
constexpr std::array<std::string_view, 3> kOutcomes{"agree", "differ", "undecided"};
constexpr double kFarErrors = 10.0;  // combined errors
constexpr double kManyOfAll = 0.5;   // of the figures compared

std::vector<const CrossFigure*> worst_first(const CrossCheck& cross) {
  std::vector<const CrossFigure*> differing;
  for (const CrossFigure& figure : cross.figures)
    if (figure.differs) differing.push_back(&figure);
  std::stable_sort(
      differing.begin(), differing.end(),
      [](const CrossFigure* a, const CrossFigure* b) { return a->p_value < b->p_value; });
  return differing;
}

std::string words_of(const CrossFigure& figure) {
  if (figure.figure == kBeyondFigure)
    return percent(figure.second) + " of the second run's mass lies beyond all draws of " +
           figure.output;
  return "the " + figure.figure + " of " + figure.output + " is " + number(figure.first) +
         " here and " + number(figure.second) + " there, " + fmt::format("{:.1f}", figure.errors) +
         " combined errors apart";
}

Finding disagreement(const Case& at_hand, const CrossCheck& cross) {
  const std::vector<const CrossFigure*> worst = worst_first(cross);
  Finding finding{.id = "cross_check", .level = Level::warning};
  const bool many =
      static_cast<double>(worst.size()) > kManyOfAll * static_cast<double>(cross.figures.size());
  if (many || worst.front()->errors > kFarErrors) finding.level = Level::bad;
  for (const CrossFigure* figure : worst)
    if (std::ranges::find(finding.parameters, figure->output) == finding.parameters.end())
      finding.parameters.push_back(figure->output);
  std::vector<std::string> said;
  constexpr std::size_t kShown = 3;
  for (std::size_t k = 0; k < std::min(kShown, worst.size()); ++k)
    said.push_back(words_of(*worst[k]));
  finding.text = "A second run of the same density by " + cross.algorithm + " doesn't agree in " +
                 std::to_string(worst.size()) + " of " + counted(ssize(cross.figures), "figure") +
                 ": " + fmt::format("{}", fmt::join(said, "; ")) +
                 ". One of the two misses a part of the posterior that the other one sees: another "
                 "mode, the neck of a "
                 "funnel, or a tail." +
                 (cross.reason.empty() ? "" : " " + cross.reason);
  finding.remedy =
      "Use neither run before you know which one is wrong: compare both runs' draws of " +
      listed(finding.parameters) +
      "; cross-check by a third algorithm (--cross-check tempering), and write the model in "
      "coordinates in which "
      "they agree.";
  if (const auto place = at_hand.place_of(finding.parameters.front())) finding.place = place;
  return finding;
}

std::vector<Finding> check(const Case& at_hand) {
  const std::optional<CrossCheck>& cross = at_hand.evidence.cross_check;
  if (!cross || cross->outcome == CrossCheck::Outcome::agree) return {};
  if (cross->outcome == CrossCheck::Outcome::differ) return {disagreement(at_hand, *cross)};
  return {{.id = "cross_check",
           .level = Level::note,
           .text = "The cross-check by " + cross->algorithm + " could not decide: " +
                   cross->reason + " So it counts neither as agreement nor as a doubt.",
           .remedy = "Cross-check by another algorithm (--cross-check NAME), or with a larger "
                     "budget (--cross-check-budget)."}};
}
}  // namespace

const FindingSpec cross_check{
    .id = "cross_check", .title = "two algorithms don't agree", .explains = {}, .check = check};

}  // namespace credo::verdict::cross_check_row

namespace credo::verdict {

std::string_view to_string(CrossCheck::Outcome outcome) {
  return cross_check_row::kOutcomes[static_cast<std::size_t>(outcome)];
}

std::optional<CrossCheck::Outcome> outcome_named(std::string_view name) {
  const auto found = std::ranges::find(cross_check_row::kOutcomes, name);
  if (found == cross_check_row::kOutcomes.end()) return std::nullopt;
  return static_cast<CrossCheck::Outcome>(found - cross_check_row::kOutcomes.begin());
}

std::string agreement_sentence(const CrossCheck& cross) {
  if (cross.outcome != CrossCheck::Outcome::agree) return "";
  return " A second run by " + cross.algorithm + " agrees with it in all " +
         counted(ssize(cross.figures), "figure") + " that were compared." +
         (cross.reason.empty() ? "" : " " + cross.reason);
}

}  // namespace credo::verdict
