#include "cli/tables/effects_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"
#include "diagnose/weights.hpp"
#include "io/number_text.hpp"
#include "results/draws/summary.hpp"
#include "results/draws/weights.hpp"

namespace credo::cli {
namespace {
constexpr double kSmooth = 0.02;  // largest relative difference between both orders of a derivative

io::SummaryRow figures_of(const std::string& name, const density::Draws& draws, Index place,
                          std::span<const double> log_weights) {
  const auto values = draws.quantity(place);
  return results::row_of(name, log_weights.empty()
                                   ? diagnose::summarise(diagnose::Chains(values, draws.num_draws(),
                                                                          draws.num_chains()))
                                   : diagnose::weighted_summary(values, log_weights));
}

// Share of the draws for which the condition holds.
double share(std::span<const double> values, std::span<const double> log_weights,
             const std::function<bool(double)>& holds) {
  const double most = log_weights.empty() ? 0.0 : std::ranges::max(log_weights);
  double sum = 0.0, total = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double weight = log_weights.empty() ? 1.0 : std::exp(log_weights[k] - most);
    total += weight;
    if (holds(values[k])) sum += weight;
  }
  return sum / total;
}

std::string range_words(const io::SummaryRow& row) {
  return fmt::format("{} (90 %: {} to {})", io::text_to_precision(row.mean, row.mcse_mean),
                     io::text_to_precision(row.q5, row.mcse_q5),
                     io::text_to_precision(row.q95, row.mcse_q95));
}
}  // namespace

Rope parse_rope(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto part = [&](std::size_t first, std::size_t last) {
    while (first < last && text[first] == ' ') ++first;
    return io::parse_number(std::string_view(text).substr(first, last - first)).value_or(kNaN);
  };
  const Rope rope{part(0, comma), part(std::min(comma + 1, text.size()), text.size())};
  if (!rope.is_given())
    throw Error(ErrorCode::usage, fmt::format("'{}' isn't LOW,HIGH with LOW below HIGH", text),
                "--rope", "--rope=-0.1,0.1");
  return rope;
}

EffectsReport make_report(const results::Fit& fit, const models::EffectPlan& plan,
                          const EffectDraws& draws, const Rope& rope) {
  EffectsReport report{.title = {}, .lines = {}, .rope = rope, .draws = draws.sums};
  const std::vector<double> weights = results::log_weights_of(fit);
  Index place = 0;
  for (const models::Effect& effect : plan.effects())
    for (std::size_t q = 0; q < std::max<std::size_t>(draws.categories.size(), 1); ++q, ++place) {
      const std::string category = draws.categories.empty() ? "" : draws.categories[q];
      EffectLine line{
          .name = category.empty() ? effect.name : fmt::format("{}: {}", effect.name, category),
          .column = effect.column,
          .kind = effect.kind,
          .category = category,
          .level = effect.level,
          .value = effect.value};
      line.figures = figures_of(line.name, draws.sums, place, weights);
      const auto values = draws.sums.quantity(place);
      line.positive = share(values, weights, [](double x) { return x > 0.0; });
      if (rope.is_given()) {
        line.below = share(values, weights, [&](double x) { return x < rope.low; });
        line.above = share(values, weights, [&](double x) { return x > rope.high; });
        line.inside =
            share(values, weights, [&](double x) { return x >= rope.low && x <= rope.high; });
      }
      if (effect.rough) {
        const auto rough = figures_of(line.name, draws.rough, place, weights);
        const double scale = std::max(std::abs(line.figures.mean), line.figures.sd);
        line.is_rough = !(std::abs(rough.mean - line.figures.mean) <= kSmooth * scale);
      }
      report.lines.push_back(std::move(line));
    }
  return report;
}

void add_explained(EffectsReport& report, const results::Fit& fit,
                   const EffectSource::Explained& explained) {
  if (!explained.why_not.empty()) {
    report.explained_words = "no R2: " + explained.why_not;
    return;
  }
  const std::vector<double> weights = results::log_weights_of(fit);
  report.explained.push_back(figures_of("all", explained.draws, 0, weights));
  const io::SummaryRow within = figures_of("within", explained.draws, 1, weights);
  const bool has_groups = !std::isnan(within.mean);
  if (has_groups) report.explained.push_back(within);
  report.explained_words = fmt::format(
      "R2 {}{}; noise is the variance of {}",
      has_groups ? "without effects of groups " + range_words(within) + ", with them " : "",
      range_words(report.explained[0]),
      explained.by_residuals ? "the residuals" : "outcomes by the model");
}

bool EffectsReport::has_curves() const {
  return std::ranges::any_of(lines, [](const EffectLine& line) { return line.kind == "curve"; });
}

std::string EffectsReport::text() const {
  std::vector<std::vector<std::string>> rows{{"", "mean", "sd", "5%", "50%", "95%"}};
  if (!has_curves()) rows[0].emplace_back("P(> 0)");
  if (rope.is_given())
    for (const char* word : {"below", "within", "above"}) rows[0].emplace_back(word);
  for (const EffectLine& line : lines) {
    const io::SummaryRow& f = line.figures;
    std::vector<std::string> row{
        line.name + (line.is_rough ? " *" : ""),  io::text_to_precision(f.mean, f.mcse_mean),
        io::text_to_precision(f.sd, f.mcse_sd),   io::text_to_precision(f.q5, f.mcse_q5),
        io::text_to_precision(f.q50, f.mcse_q50), io::text_to_precision(f.q95, f.mcse_q95)};
    if (!has_curves()) row.push_back(fmt::format("{:.3f}", line.positive));
    if (rope.is_given())
      for (const double x : {line.below, line.inside, line.above})
        row.push_back(fmt::format("{:.3f}", x));
    rows.push_back(std::move(row));
  }
  std::string all = title + "\n" + text_columns(rows);
  if (std::ranges::any_of(lines, &EffectLine::is_rough))
    all +=
        "* the curve bends within sd / 64 of its column, so a derivative says little: --step 1 "
        "is a change\n";
  if (rope.is_given())
    all += fmt::format("below, within and above: shares of the draws beside {} to {}\n", rope.low,
                       rope.high);
  return all + (explained_words.empty() ? "" : explained_words + "\n");
}

results::ArrayList EffectsReport::answer() const {
  using results::Missing;
  results::ArrayList answer("effects");
  answer.set("sentence", title);
  auto group = answer.add_group("effects", {{"effect", ssize(lines)}});
  std::vector<std::string> names;
  for (const EffectLine& line : lines) names.push_back(line.name);
  group.add_labels("effect", std::move(names), "name");
  group.columns(lines)("column", &EffectLine::column);
  group.columns(lines)("kind", &EffectLine::kind, "derivative, step, contrast or curve");
  auto some = group.columns(lines, Missing::left_out);
  some("category", &EffectLine::category);
  some("level", &EffectLine::level);
  some("value", &EffectLine::value, "place on a curve");
  auto add = group.columns(lines);
  for (const auto& [name, figure] :
       {std::pair{"mean", &io::SummaryRow::mean}, std::pair{"sd", &io::SummaryRow::sd},
        std::pair{"mcse_mean", &io::SummaryRow::mcse_mean}, std::pair{"q5", &io::SummaryRow::q5},
        std::pair{"q50", &io::SummaryRow::q50}, std::pair{"q95", &io::SummaryRow::q95},
        std::pair{"ess_bulk", &io::SummaryRow::ess_bulk},
        std::pair{"r_hat", &io::SummaryRow::r_hat}})
    add(name, [figure](const EffectLine& line) { return line.figures.*figure; });
  add("positive", &EffectLine::positive, "share of the draws above 0");
  some("below", &EffectLine::below, "share of the draws below the rope");
  some("within", &EffectLine::inside, "share of the draws within the rope");
  some("above", &EffectLine::above, "share of the draws above the rope");
  add("is_rough", &EffectLine::is_rough, "the derivative isn't smooth");
  auto share = answer.add_group("r_squared", {{"part", ssize(explained)}});
  auto part = share.columns(explained);
  part("part_name", &io::SummaryRow::name, "all, or within: without effects of groups", "part");
  part("mean", &io::SummaryRow::mean);
  part("sd", &io::SummaryRow::sd);
  part("q5", &io::SummaryRow::q5);
  part("q95", &io::SummaryRow::q95);
  const Index num_draws = draws.num_draws(), num_chains = draws.num_chains();
  auto kept = answer.add_group(
      "effect_draws", {{"chain", num_chains}, {"draw", num_draws}, {"effect", ssize(lines)}},
      {.key = results::kHidden});
  std::vector<double> values;
  for (Index c = 0; c < num_chains; ++c)
    for (Index s = 0; s < num_draws; ++s)
      for (Index e = 0; e < ssize(lines); ++e) values.push_back(draws(s, c, e));
  kept.add(
      {.name = "value", .dims = {"chain", "draw", "effect"}, .help = "the effects draw by draw"},
      std::move(values));
  return answer;
}

report::Picture EffectsReport::picture() const {
  using report::Mark;
  report::Picture picture{.kind = "effects",
                          .title = title,
                          .words = "Mean and central 90 % of the average over rows.",
                          .height = 220};
  for (std::size_t first = 0; first < lines.size();) {
    std::size_t last = first;
    while (last < lines.size() && lines[last].column == lines[first].column) ++last;
    std::map<std::string, std::vector<const EffectLine*>> curves;
    for (std::size_t k = first; k < last; ++k) curves[lines[k].category].push_back(&lines[k]);
    report::Panel panel{.title = lines[first].column};
    Index number = 0;
    for (const auto& [category, curve] : curves) {
      Mark band{.kind = Mark::Kind::area, .role = report::Role::interval, .label = "90 %"};
      Mark mean{.kind = Mark::Kind::line, .role = report::Role::posterior, .label = "mean"};
      if (!category.empty()) {
        mean.role = report::Role::chain, mean.chain = number++;
        mean.label = category, band.label = "90 % of " + category;
      }
      for (std::size_t k = 0; k < curve.size(); ++k) {
        const double x = curve[k]->level.empty() ? curve[k]->value : static_cast<double>(k);
        for (Mark* mark : {&band, &mean}) mark->x.push_back(x);
        band.y.push_back(curve[k]->figures.q95), band.y2.push_back(curve[k]->figures.q5);
        mean.y.push_back(curve[k]->figures.mean);
      }
      if (!curve[0]->level.empty()) {
        if (panel.x.rows.empty())
          for (const EffectLine* line : curve) panel.x.rows.push_back(line->level);
        band.kind = Mark::Kind::spans, mean.kind = Mark::Kind::points;
        std::swap(band.y, band.y2);
      }
      panel.marks.push_back(std::move(band));
      panel.marks.push_back(std::move(mean));
    }
    picture.panels.push_back(std::move(panel));
    first = last;
  }
  return picture;
}

}  // namespace credo::cli
