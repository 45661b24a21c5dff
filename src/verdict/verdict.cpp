#include <map>

#include "diagnose/weights.hpp"
#include "infer/core/table.hpp"
#include "verdict/certificate.hpp"
#include "verdict/findings.hpp"
#include "verdict/scouts.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
std::vector<Finding> found_by(const Case& at_hand, std::span<const FindingSpec* const> rows,
                              std::vector<std::string>& not_checked);
std::vector<Figure> figures_of(const Case& at_hand);
std::string sentence_of(const Case& at_hand, const Verdict& verdict);
}  // namespace

std::string_view to_string(Level level) {
  constexpr std::array<std::string_view, 3> names{"note", "warning", "bad"};
  return names[static_cast<std::size_t>(level)];
}

std::string_view to_string(Verdict::Word word) {
  constexpr std::array<std::string_view, 3> names{"good", "doubtful", "bad"};
  return names[static_cast<std::size_t>(word)];
}

bool draws_by_filter(std::string_view sampler) {
  return std::ranges::any_of(infer::samplers(), [&](const infer::SamplerSpec* row) {
    return row->name == sampler && row->needs_states;
  });
}

Verdict judge(const Evidence& evidence) { return judge(evidence, table()); }

Verdict judge(const Evidence& evidence, std::span<const FindingSpec* const> rows) {
  const Case at_hand(evidence);
  Verdict verdict;
  verdict.findings = found_by(at_hand, rows, verdict.not_checked);
  verdict.figures = figures_of(at_hand);
  for (const Finding& finding : verdict.findings) {
    if (finding.level == Level::bad) verdict.word = Verdict::Word::bad;
    if (finding.level == Level::warning && verdict.word == Verdict::Word::good)
      verdict.word = Verdict::Word::doubtful;
  }
  if (at_hand.is_short()) verdict.word = Verdict::Word::bad;
  verdict.sentence = sentence_of(at_hand, verdict);
  if (evidence.model != nullptr && evidence.model->query().power != 1.0)
    verdict.sentence += " The draws are of the density of the parameters to the power " +
                        number(evidence.model->query().power) + ", not of the posterior.";
  verdict.cross_check = evidence.cross_check;
  if (verdict.cross_check) verdict.sentence += agreement_sentence(*verdict.cross_check);
  if (!verdict.not_checked.empty())
    verdict.sentence += " The program is refused where these would have been looked for: " +
                        listed(verdict.not_checked) + ".";
  return verdict;
}

namespace {
// Outputs far from the draws may be refused: the sentence names a check that can't be made.
std::vector<Finding> asked(const FindingSpec& row, const Case& at_hand,
                           std::vector<std::string>& not_checked) {
  try {
    return row.check(at_hand);
  } catch (const Error&) {
    not_checked.emplace_back(row.id);
    return {};
  }
}

// True for findings that may have any cause. If a cause explains them, they are still reported.
bool is_symptom(std::string_view id) {
  constexpr std::array<std::string_view, 6> kSymptoms{
      "funnel", "divergences", "low_energy_exchange", "tree_depth", "not_mixed", "few_draws"};
  return std::ranges::find(kSymptoms, id) != kSymptoms.end();
}

// Reduces the finding to one sentence, because its cause has the remedy.
void shorten(Finding& finding, std::string_view cause) {
  finding.explained_by = cause;
  finding.text = first_sentence(finding.text);
  finding.remedy = "Follow the advice of " + finding.explained_by + ".";
  finding.place.reset();
}

// Causes first, then the symptoms that they explain, then notes. Other explained findings aren't looked for.
std::vector<Finding> found_by(const Case& at_hand, std::span<const FindingSpec* const> rows,
                              std::vector<std::string>& not_checked) {
  std::vector<Finding> all;
  std::map<std::string_view, std::string_view> explained;  // by the id of the cause
  if (at_hand.is_short()) return all;
  for (const FindingSpec* row : rows) {
    if (row->of_chains && (at_hand.is_of_approximation() || at_hand.evidence.has_independent_runs))
      continue;
    const auto cause = explained.find(row->id);
    const bool is_explained = cause != explained.end();
    if (explained.contains("*") || (is_explained && !is_symptom(row->id))) continue;
    for (Finding& finding : asked(*row, at_hand, not_checked)) {
      if (is_explained && finding.level == Level::note) continue;
      if (is_explained) shorten(finding, cause->second);
      if (finding.level != Level::note)
        for (const std::string_view id : row->explains) explained.try_emplace(id, row->id);
      all.push_back(std::move(finding));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    const auto rank = [](const Finding& finding) {
      return finding.level == Level::note ? 2 : finding.explained_by.empty() ? 0 : 1;
    };
    return rank(a) < rank(b);
  });
  return all;
}

Figure extreme(const Case& at_hand, const char* name, double Column::*figure, bool largest) {
  Figure best{.name = name};
  const auto look = [&](const Column& column) {
    const double value = column.*figure;
    if (std::isnan(value)) return;
    const bool beyond = largest ? value > best.value : value < best.value;
    if (std::isnan(best.value) || beyond) best.value = value, best.output = column.name;
  };
  for (const Column& column : at_hand.columns) look(column);
  look(at_hand.log_density());
  return best;
}

// Bounds by new draws of the best distribution, which the run reports.
void add_bounds(std::vector<Figure>& figures, const infer::RunResult& run) {
  constexpr std::array<std::string_view, 6> kBounds{
      "bound",       "bound_error",      "evidence_by_weights", "evidence_by_weights_error",
      "upper_bound", "upper_bound_error"};
  double lower = kNaN, upper = kNaN;
  for (const infer::TunedSetting& setting : run.chains.front().tuned) {
    if (std::ranges::find(kBounds, setting.name) == kBounds.end() || setting.values.empty())
      continue;
    figures.push_back({.name = setting.name, .value = setting.values.front()});
    if (setting.name == "bound") lower = setting.values.front();
    if (setting.name == "upper_bound") upper = setting.values.front();
  }
  if (std::isfinite(upper - lower))
    figures.push_back({.name = "bound_gap", .value = upper - lower});
}

// Adds the figures of an approximation.
void add_figures(std::vector<Figure>& figures, const Certificate& certificate) {
  const auto add = [&](const char* name, double value, const std::string& output = {}) {
    figures.push_back({.name = name, .value = value, .output = output});
  };
  add("pareto_k", certificate.weights.pareto_k);
  add("num_effective_draws", certificate.weights.effective);
  add("correction_of_mean", certificate.mean_correction, certificate.corrected_mean);
  add("correction_of_log_sd", certificate.sd_correction, certificate.corrected_sd);
  if (!certificate.is_checked) return;
  if (certificate.unreached) {
    add("unreached_share", certificate.unreached->share);
    if (certificate.unreached->output >= 0)
      add("unreached_share_of_variance", certificate.unreached->spread, certificate.far_output);
  }
  if (std::isfinite(certificate.unseen_share)) add("unseen_mode_share", certificate.unseen_share);
  if (certificate.drift)
    add(certificate.drift->of_spread ? "drift_of_log_sd" : "drift_of_mean",
        certificate.drift->drift, certificate.drifting);
}

std::vector<Figure> figures_of(const Case& at_hand) {
  std::vector<Figure> figures{extreme(at_hand, "max_r_hat", &Column::r_hat, true),
                              extreme(at_hand, "min_ess_bulk", &Column::ess_bulk, false),
                              extreme(at_hand, "min_ess_tail", &Column::ess_tail, false)};
  if (const Certificate* certificate = at_hand.known_certificate())
    add_figures(figures, *certificate);
  if (at_hand.is_of_approximation() && !at_hand.evidence.run->chains.empty())
    add_bounds(figures, *at_hand.evidence.run);
  const std::vector<double>& marks = at_hand.statistic("divergent");
  if (!marks.empty())
    figures.push_back(
        {.name = "num_divergent", .value = std::accumulate(marks.begin(), marks.end(), 0.0)});
  return figures;
}

// The remedy for a suspicion without a proof.
std::string by_second_algorithm(const Case& at_hand) {
  if (at_hand.evidence.cross_check || !at_hand.evidence.is_of_program) return "";
  if (at_hand.is_of_approximation()) return " Chains may see them: credo sample.";
  return " A second algorithm may see them: credo sample --cross-check.";
}

// Regions that no check of this run can see.
std::string blind_spot(const Case& at_hand) {
  if (at_hand.evidence.run != nullptr && draws_by_filter(at_hand.evidence.run->sampler))
    return " Only the draws were examined: the likelihood comes from a filter, and regions that "
           "all " +
           std::string(at_hand.chain_word()) + "s missed can't be seen.";
  if (at_hand.evidence.run != nullptr && infer::draws_by_simulation(at_hand.evidence.run->sampler))
    return " Only the draws were examined: how far the distribution of simulations near the data "
           "is from "
           "the posterior can't be seen. Runs of other tolerances show it.";
  const ModeSearch& search = at_hand.mode_search();
  // Populations and chains are both called chains here.
  const std::string word = at_hand.is_of_approximation() ? "draw" : "chain";
  if (at_hand.probe() == nullptr)
    return " Only the draws were examined, not the density: other modes, and regions that all " +
           word + "s missed, can't be seen." + by_second_algorithm(at_hand);
  if (search.num_climbs == 0)
    return " No search for other modes was made: those that no " + word +
           " came near can't be seen." + by_second_algorithm(at_hand);
  return " " + counted(search.num_climbs, "climb") +
         " from other points found no other modes; those that neither " + word +
         "s nor climbs came near can't be seen.";
}

// Agreement of the chains, or the effective number of an approximation's draws.
std::string agreement(const Case& at_hand, double largest_r_hat) {
  if (at_hand.is_of_approximation()) {
    const double worth = diagnose::weight_ess(at_hand.evidence.draws->log_weights());
    return "the " + whole(static_cast<double>(at_hand.num_total())) + " weighted draws are worth " +
           whole(worth) + " equal ones";
  }
  if (at_hand.evidence.has_independent_runs)
    return counted(at_hand.num_total(), "path") + " come from " +
           counted(at_hand.num_chains, "independent run");
  return counted(at_hand.num_chains, "chain") +
         (at_hand.num_chains == 1 ? " agrees with itself" : " agree") + " (R-hat at most " +
         r_hat_text(largest_r_hat) + ")";
}

std::string what_was_found(const Case& at_hand, const Verdict& verdict) {
  const std::vector<Figure>& f = verdict.figures;
  const Figure& least = f[2].value < f[1].value ? f[2] : f[1];
  if (std::isnan(at_hand.is_of_approximation() ? least.value : f[0].value))
    return "nothing that was drawn varies.";
  return agreement(at_hand, f[0].value) + ", and every figure rests on at least " +
         whole(least.value) + " effective draws (" + least.output + ")." + blind_spot(at_hand);
}

std::string sentence_of(const Case& at_hand, const Verdict& verdict) {
  if (at_hand.is_short()) return "Don't believe it: there are too few draws to say anything.";
  if (verdict.findings.empty()) return "No fault found: " + what_was_found(at_hand, verdict);
  const auto worst = std::max_element(verdict.findings.begin(), verdict.findings.end(),
                                      [](const Finding& a, const Finding& b) {
                                        return std::tuple(a.explained_by.empty(), a.level) <
                                               std::tuple(b.explained_by.empty(), b.level);
                                      });
  const auto row = std::find_if(table().begin(), table().end(),
                                [&](const FindingSpec* r) { return r->id == worst->id; });
  const std::string title((*row)->title);
  switch (verdict.word) {
    case Verdict::Word::good:
      return "No fault found, with a note on " + title + ": " + what_was_found(at_hand, verdict);
    case Verdict::Word::doubtful:
      return "Doubtful: " + title + ".";
    case Verdict::Word::bad:
      return "Don't believe it: " + title + ".";
  }
  return {};
}
}  // namespace

}  // namespace credo::verdict
