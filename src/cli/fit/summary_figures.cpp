#include "cli/fit/summary_figures.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/autocorrelation.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/trace.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
using diagnose::Chains;
using Series = std::vector<double>;
using Member = FigureMember;

constexpr const char* kDegenerate = "not defined: the draws are all the same, or not finite";
constexpr int kPlotWidth = 64, kPlotHeight = 12, kBarWidth = 15;

bool all_finite(const Chains& chains) {
  return std::all_of(chains.values.begin(), chains.values.end(),
                     [](double x) { return std::isfinite(x); });
}

// Text of a value; a dash if it isn't defined.
std::string shown(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

// ---- autocorrelations

struct Autocorrelations {
  Series combined, variogram, least, most;  // by lag; least and most over single chains
  std::vector<Series> chains;
  diagnose::AutocorrelationTime time;
};

Series first_of(Series series, Index num_lags) {
  series.resize(std::min(series.size(), static_cast<std::size_t>(num_lags + 1)));
  return series;
}

Autocorrelations autocorrelations_of(const Chains& chains, Index num_lags) {
  Autocorrelations all{.combined = first_of(diagnose::combined_autocorrelation(chains), num_lags),
                       .variogram = first_of(diagnose::variogram_autocorrelation(chains), num_lags),
                       .least = {},
                       .most = {},
                       .chains = {},
                       .time = diagnose::integrated_autocorrelation_time(chains)};
  all.least.assign(all.combined.size(), kNaN);
  all.most = all.least;
  for (Index c = 0; c < chains.num_chains; ++c) {  // empty if the chain never moves
    const Series& own =
        all.chains.emplace_back(first_of(diagnose::autocorrelation(chains.chain(c)), num_lags));
    for (std::size_t t = 0; t < own.size(); ++t) {
      all.least[t] = std::fmin(all.least[t], own[t]);
      all.most[t] = std::fmax(all.most[t], own[t]);
    }
  }
  return all;
}

// From -1 to 1, with 0 in the middle.
std::string bar(double rho) {
  std::string text(2 * kBarWidth + 1, ' ');
  const auto middle = static_cast<std::size_t>(kBarWidth);
  const auto length =
      static_cast<std::size_t>(std::lround(std::min(std::fabs(rho), 1.0) * kBarWidth));
  for (std::size_t k = 1; k <= length; ++k) text[rho < 0.0 ? middle - k : middle + k] = '#';
  text[middle] = '|';
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string autocorrelation_text(const Chains& chains, Index num_lags) {
  const Autocorrelations all = autocorrelations_of(chains, num_lags);
  std::string text = fmt::format(
      "autocorrelation: {:.3g} draws are worth an independent one (lags up to {})\n"
      "  {:>5} {:>8} {:>9} {:>8} {:>8}\n",
      all.time.time, all.time.window, "lag", "all", "variogram", "least", "most");
  for (std::size_t t = 0; t < all.combined.size(); ++t)
    text += fmt::format("  {:>5} {:>8} {:>9} {:>8} {:>8}  {}\n", t, shown(all.combined[t], 3),
                        shown(all.variogram[t], 3), shown(all.least[t], 3), shown(all.most[t], 3),
                        bar(all.combined[t]));
  return text;
}

std::vector<Member> autocorrelation_members(const Chains& chains, Index num_lags) {
  const Autocorrelations all = autocorrelations_of(chains, num_lags);
  return {{"combined", all.combined},
          {"variogram", all.variogram},
          {"chains", all.chains},
          {"time", all.time.time},
          {"window", all.time.window}};
}

// ---- ranks

// A bin's count on a scale with the expected count in the middle.
char shade(double count, double expected) {
  constexpr std::string_view kShades = " .:-=+*#%@@";
  const double level = count / (2.0 * expected) * static_cast<double>(kShades.size() - 1);
  return kShades[std::min(kShades.size() - 1, static_cast<std::size_t>(std::lround(level)))];
}

std::span<const Index> counts_of(const diagnose::TraceRanks& ranks, Index chain) {
  return std::span(ranks.counts)
      .subspan(static_cast<std::size_t>(chain * ranks.num_bins),
               static_cast<std::size_t>(ranks.num_bins));
}

std::string ranks_text(const Chains& chains) {
  const diagnose::TraceRanks ranks = diagnose::trace_ranks(chains);
  std::string text = fmt::format(
      "ranks among the draws of all chains, from the least to the largest: {} bins, of which each "
      "has\n  {:g} draws of a chain if all have found one distribution ({} so many, @ twice as "
      "many, . "
      "few)\n",
      ranks.num_bins, ranks.expected, shade(1.0, 1.0));
  for (Index c = 0; c < chains.num_chains; ++c) {
    const auto counts = counts_of(ranks, c);
    std::string bins;
    for (const Index count : counts) bins += shade(static_cast<double>(count), ranks.expected);
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    text += fmt::format("  chain {:>3} |{}| {} to {}\n", c + 1, bins, *least, *most);
  }
  text += fmt::format("  largest distance from flat {}", shown(ranks.distance, 3));
  return text +
         (std::isnan(ranks.p_value)
              ? "\n"
              : fmt::format("; as uneven by chance with probability {:.3g}\n", ranks.p_value));
}

std::vector<Member> rank_members(const Chains& chains) {
  const diagnose::TraceRanks ranks = diagnose::trace_ranks(chains);
  std::vector<std::vector<Index>> counts;
  for (Index c = 0; c < chains.num_chains; ++c) {
    const auto own = counts_of(ranks, c);
    counts.emplace_back(own.begin(), own.end());
  }
  return {{"num_bins", ranks.num_bins},
          {"expected", ranks.expected},
          {"counts", counts},
          {"distance", ranks.distance},
          {"p_value", ranks.p_value}};
}

// ---- traces

char sign_of_chain(Index c) {
  constexpr std::string_view kSigns = "123456789abcdefghijklmnopqrstuvwxyz";
  return c < ssize(kSigns) ? kSigns[static_cast<std::size_t>(c)] : '#';
}

// Lines of characters, the largest values on top.
class Plot {
 public:
  Plot(const diagnose::Trace& trace, int height)
      : low_(*std::min_element(trace.low.begin(), trace.low.end())),
        high_(*std::max_element(trace.high.begin(), trace.high.end())),
        lines_(static_cast<std::size_t>(height),
               std::string(static_cast<std::size_t>(trace.num_blocks), ' ')) {}

  void spread(std::size_t column, double low, double high) {
    for (std::size_t line = line_of(high); line <= line_of(low); ++line)
      if (lines_[line][column] == ' ') lines_[line][column] = '.';
  }
  void mark(std::size_t column, double value, char sign) {
    char& place = lines_[line_of(value)][column];
    place = place == ' ' || place == '.' ? sign : '*';
  }
  std::string text() const {
    std::string text;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const bool is_end = line == 0 || line + 1 == lines_.size();
      text += is_end ? fmt::format("  {:>10.4g} |", line == 0 ? high_ : low_)
                     : fmt::format("  {:>10} |", "");
      text += lines_[line] + "\n";
    }
    return text;
  }

 private:
  // Halves, so that no difference of large values overflows; what does is at an end.
  std::size_t line_of(double value) const {
    const double most = static_cast<double>(lines_.size() - 1);
    if (!(high_ > low_)) return lines_.size() / 2;
    const double line = (0.5 * high_ - 0.5 * value) / (0.5 * high_ - 0.5 * low_) * most;
    return line >= 0.0 ? static_cast<std::size_t>(std::lround(std::min(line, most))) : 0;
  }
  double low_, high_;
  std::vector<std::string> lines_;
};

std::string trace_text(const Chains& chains) {
  const diagnose::Trace trace = diagnose::trace(chains, kPlotWidth);
  return fmt::format(
             "trace: a column is {} draws; a chain's digit at its mean there, * of several, "
             ". to the ends\n",
             trace.draws_per_block) +
         trace_plot(chains, kPlotWidth, kPlotHeight) +
         fmt::format(
             "  overlap of the two chains that differ most {}; {} of the transitions moved\n",
             shown(diagnose::overlap(chains), 3), shown(diagnose::move_fraction(chains), 3));
}

std::vector<Member> trace_members(const Chains& chains) {
  const diagnose::Trace trace = diagnose::trace(chains);
  const auto by_chain = [&](const Series& values) {
    std::vector<Series> all;
    for (auto at = values.begin(); at != values.end(); at += trace.num_blocks)
      all.emplace_back(at, at + trace.num_blocks);
    return all;
  };
  return {{"draws_per_block", trace.draws_per_block},
          {"low", by_chain(trace.low)},
          {"mean", by_chain(trace.mean)},
          {"high", by_chain(trace.high)},
          {"overlap", diagnose::overlap(chains)},
          {"moved", diagnose::move_fraction(chains)}};
}

// ---- effective draws

std::string local_ess_text(const Chains& chains) {
  const Series ess = diagnose::local_ess(chains);
  std::string text = fmt::format(
      "effective draws of the indicator of each of {} intervals of equal "
      "probability\n",
      ess.size());
  const auto n = static_cast<double>(ess.size());
  for (std::size_t k = 0; k < ess.size(); ++k) {
    const double low = static_cast<double>(k) / n, high = static_cast<double>(k + 1) / n;
    text += fmt::format("  {:>4.0f}% to {:>3.0f}%  up to {:>10.4g}  {:>8}\n", 100.0 * low,
                        100.0 * high, diagnose::quantile(chains.values, high), shown(ess[k], 0));
  }
  return text;
}

// A figure: its name, the request for it, and its output as text and as members of an object.
struct Figure {
  const char* name;
  bool is_asked, takes_constants;
  std::function<std::string()> text;
  std::function<std::vector<Member>()> members;
};

std::vector<Figure> figures_of(const Chains& chains, const FigureQuestions& asked) {
  const Index lags = asked.num_lags, groups = asked.num_groups;
  return {{"trace", asked.trace, true, [=] { return trace_text(chains); },
           [=] { return trace_members(chains); }},
          {"ranks", asked.ranks, false, [=] { return ranks_text(chains); },
           [=] { return rank_members(chains); }},
          {"autocorrelation", asked.autocorrelation, false,
           [=] { return autocorrelation_text(chains, lags); },
           [=] { return autocorrelation_members(chains, lags); }},
          {"local_ess", asked.local_ess, false, [=] { return local_ess_text(chains); },
           [=] {
             return std::vector<Member>{{"ess", diagnose::local_ess(chains)}};
           }},
          {"nested_r_hat", groups > 0, false,
           [=] {
             return fmt::format("nested R-hat of {} groups of successive chains {}\n", groups,
                                shown(diagnose::nested_r_hat(chains, groups), 4));
           },
           [=] {
             return std::vector<Member>{{"groups", groups},
                                        {"value", diagnose::nested_r_hat(chains, groups)}};
           }}};
}

// ---- as arrays

// A member of each quantity for which the figure is defined, in the object of the group `of`.
template <class Values>
void add_member(results::ArrayList& answer, const std::string& of, const Member& first,
                const std::vector<const Values*>& all) {
  const auto& lists = results::elements_within(all, [](const Values* values) {
    if constexpr (requires { values->begin(); })
      return *values;
    else
      return std::vector{*values};
  });
  using Element = std::remove_cvref_t<decltype(lists.front().element)>;
  const std::string id = of + "_" + first.name;
  if constexpr (requires(Element element) { element.begin(); }) {
    answer.add_rows(id, lists, {.key = first.name, .of = of, .has_lines = false});
    const auto elements = results::elements_within(lists, std::identity());
    answer
        .add_rows(id + "_values", elements,
                  {.key = results::kWithin, .shape = results::Shape::values, .of = id})
        .add_column({.name = "value"}, elements, std::identity());
  } else if constexpr (requires(Values values) { values.begin(); }) {
    answer.add_lists(of, first.name, lists);
  } else {
    answer.add_rows(id, lists, {.key = results::kWithin, .shape = results::Shape::row, .of = of})
        .add_column({.name = first.name}, lists, std::identity());
  }
}

void add_figure(results::ArrayList& answer, std::span<const QuantityFigures> quantities,
                std::size_t number) {
  std::vector<const FigureNumbers*> all;
  for (const QuantityFigures& one : quantities) all.push_back(&one.figures[number]);
  const std::string name = all.front()->name, values = name + "_values";
  const auto each = results::elements_within(
      quantities, [&](const QuantityFigures& one) { return std::vector{&one.figures[number]}; });
  answer.add_rows(name, each, {.shape = results::Shape::row, .of = "quantities"})
      .add_column({.name = "error", .missing = results::Missing::left_out}, each,
                  &FigureNumbers::fault);
  const auto defined = results::elements_within(each, [](const FigureNumbers* one) {
    return one->fault.empty() ? std::vector{one} : std::vector<const FigureNumbers*>{};
  });
  if (defined.empty()) return;
  answer.add_rows(values, defined,
                  {.key = results::kWithin, .shape = results::Shape::row, .of = name});
  const std::vector<Member>& members = defined.front().element->members;
  for (std::size_t m = 0; m < members.size(); ++m)
    std::visit(
        [&]<class Values>(const Values&) {
          std::vector<const Values*> of_all;
          for (const auto& one : defined)
            of_all.push_back(&std::get<Values>(one.element->members[m].value));
          add_member(answer, values, members[m], of_all);
        },
        members[m].value);
}

// Why the figure isn't defined; empty: it is.
std::string fault_of(const Figure& figure, const Chains& chains) {
  const bool is_fine = figure.takes_constants
                           ? !chains.values.empty() && all_finite(chains)
                           : !chains.values.empty() && !diagnose::is_degenerate(chains.values);
  return is_fine                  ? ""
         : figure.takes_constants ? "not defined: draws that aren't finite"
                                  : kDegenerate;
}
}  // namespace

void check_groups(Index num_groups, Index num_chains) {
  if (num_groups == 0) return;
  if (num_groups < 2 || num_groups > num_chains || num_chains % num_groups != 0)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} chains can't be {} groups of the same size", num_chains, num_groups),
        "--groups", "give a divisor of the number of chains, 2 at least");
}

std::string trace_plot(const Chains& chains, int width, int height) {
  const diagnose::Trace trace = diagnose::trace(chains, width);
  if (trace.num_blocks == 0) return "";
  Plot plot(trace, height);
  const auto blocks = static_cast<std::size_t>(trace.num_blocks);
  for (std::size_t k = 0; k < trace.mean.size(); ++k)
    plot.spread(k % blocks, trace.low[k], trace.high[k]);
  for (std::size_t k = 0; k < trace.mean.size(); ++k)
    plot.mark(k % blocks, trace.mean[k], sign_of_chain(static_cast<Index>(k / blocks)));
  return plot.text();
}

QuantityFigures quantity_figures(const std::string& name, const Chains& chains,
                                 const FigureQuestions& questions) {
  QuantityFigures all{.name = name};
  for (const Figure& figure : figures_of(chains, questions)) {
    if (!figure.is_asked) continue;
    FigureNumbers& one = all.figures.emplace_back();
    one.name = figure.name;
    one.fault = fault_of(figure, chains);
    if (one.fault.empty()) one.members = figure.members();
  }
  return all;
}

std::string figures_json(std::span<const QuantityFigures> quantities) {
  results::ArrayList answer;
  answer.add_rows("quantities", quantities)
      .add_column({.name = "name"}, quantities, &QuantityFigures::name);
  const std::size_t count = quantities.empty() ? 0 : quantities.front().figures.size();
  for (std::size_t k = 0; k < count; ++k) add_figure(answer, quantities, k);
  return rows_json(answer);
}

std::string figures_text(const std::string& name, const Chains& chains,
                         const FigureQuestions& questions) {
  std::string text =
      fmt::format("{}: {} chains of {} draws\n", name, chains.num_chains, chains.num_draws);
  for (const Figure& figure : figures_of(chains, questions)) {
    if (!figure.is_asked) continue;
    const std::string fault = fault_of(figure, chains);
    text += fault.empty() ? figure.text() : fmt::format("{} {}\n", figure.name, fault);
  }
  return text;
}

}  // namespace credo::cli
