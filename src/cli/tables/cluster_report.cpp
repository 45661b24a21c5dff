#include "cli/tables/cluster_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"
#include "diagnose/summary.hpp"
#include "io/number_text.hpp"
#include "results/draws/summary.hpp"

namespace credo::cli {
namespace {
using models::Labels;
constexpr Index kMostDraws = 500;  // draws by which the partition is chosen
constexpr Index kMostRows = 2000;  // rows of which a matrix of co-clustering is kept
constexpr double kMixedRHat = 1.05;

// Labels numbered as they come, so that a draw has 0 ... K - 1.
Labels compact(const density::Draws& labels, Index draw, Index chain) {
  std::map<double, Index> numbers;
  Labels made;
  for (Index n = 0; n < labels.num_quantities(); ++n)
    made.push_back(numbers.try_emplace(labels(draw, chain, n), ssize(numbers)).first->second);
  return made;
}
Index count_of(const Labels& labels) { return std::ranges::max(labels) + 1; }

struct Moments {
  double n = 0.0, sum = 0.0, squares = 0.0;
  void add(double x) { n += 1.0, sum += x, squares += x * x; }
  double mean() const { return n > 0.0 ? sum / n : kNaN; }
  double sd() const {
    return n > 1.0 ? std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1.0))) : 0.0;
  }
};

class ReportMaker {
 public:
  ReportMaker(const models::ClusterTable& table, const density::Draws& labels, std::string model)
      : table_(table),
        report_{.table = table,
                .model = std::move(model),
                .num_groups = {},
                .partition = {},
                .certainty = {},
                .groups = {},
                .figures = {}} {
    const Index all = labels.num_draws() * labels.num_chains();
    const Index every = std::max<Index>(1, (all + kMostDraws - 1) / kMostDraws);
    density::Draws counts(labels.num_draws(), labels.num_chains(), 1);
    for (Index c = 0; c < labels.num_chains(); ++c)
      for (Index s = 0; s < labels.num_draws(); ++s) {
        Labels draw = compact(labels, s, c);
        counts(s, c, 0) = static_cast<double>(count_of(draw));
        if ((c * labels.num_draws() + s) % every == 0) draws_.push_back(std::move(draw));
      }
    take_counts(counts);
    report_.num_draws = all;
  }

  ClusterReport make() {
    report_.partition = models::best_partition(draws_);
    report_.expected_variation = models::expected_variation(report_.partition, draws_);
    const auto num = static_cast<std::size_t>(count_of(report_.partition));
    report_.groups.resize(num);
    for (const Index label : report_.partition) ++group(label).size;
    take_together();
    take_figures();
    return std::move(report_);
  }

 private:
  GroupFigures& group(Index label) { return report_.groups[static_cast<std::size_t>(label)]; }

  void take_counts(const density::Draws& counts) {
    const auto values = counts.quantity(0);
    report_.num_groups.assign(static_cast<std::size_t>(std::ranges::max(values)), 0.0);
    for (const double k : values)
      report_.num_groups[static_cast<std::size_t>(k) - 1] +=
          1.0 / static_cast<double>(values.size());
    report_.figures = results::row_of(
        "num_groups",
        diagnose::summarise(diagnose::Chains(values, counts.num_draws(), counts.num_chains())));
  }

  // Probabilities of rows to be with the others of their group.
  void take_together() {
    const auto n = static_cast<std::size_t>(table_.num_rows);
    report_.certainty.assign(n, 0.0);
    for (const Labels& draw : draws_) {
      std::map<std::pair<Index, Index>, Index> joint;
      for (std::size_t i = 0; i < n; ++i) ++joint[{draw[i], report_.partition[i]}];
      for (std::size_t i = 0; i < n; ++i) {
        const Index others = group(report_.partition[i]).size - 1;
        const double share = others == 0
                                 ? 1.0
                                 : static_cast<double>(joint[{draw[i], report_.partition[i]}] - 1) /
                                       static_cast<double>(others);
        report_.certainty[i] += share / static_cast<double>(draws_.size());
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      GroupFigures& own = group(report_.partition[i]);
      own.together += report_.certainty[i] / static_cast<double>(own.size);
    }
    if (table_.num_rows <= kMostRows)
      report_.together = models::co_clustering(draws_, table_.num_rows);
  }

  // Figures of groups over draws, whose labels are matched with those of the partition.
  void take_figures() {
    const std::size_t num = report_.groups.size(), width = table_.names.size();
    std::vector<Moments> shares(num), means(num * width), within(num * width);
    for (const Labels& draw : draws_) {
      const Labels matched = models::matched_labels(draw, report_.partition);
      std::vector<Moments> columns(num * width);
      for (std::size_t i = 0; i < draw.size(); ++i) {
        const Index to = matched[static_cast<std::size_t>(draw[i])];
        if (to < 0) continue;
        for (std::size_t c = 0; c < width; ++c)
          columns[static_cast<std::size_t>(to) * width + c].add(table_.columns[c][i]);
      }
      for (std::size_t g = 0; g < num; ++g) {
        shares[g].add(columns[g * width].n / static_cast<double>(draw.size()));
        for (std::size_t c = 0; c < width; ++c)
          if (columns[g * width + c].n > 0.0) {
            means[g * width + c].add(columns[g * width + c].mean());
            within[g * width + c].add(columns[g * width + c].sd());
          }
      }
    }
    for (std::size_t g = 0; g < num; ++g) {
      GroupFigures& own = report_.groups[g];
      own.share = shares[g].mean(), own.share_sd = shares[g].sd();
      for (std::size_t c = 0; c < width; ++c) {
        own.mean.push_back(means[g * width + c].mean());
        own.mean_sd.push_back(means[g * width + c].sd());
        own.sd.push_back(within[g * width + c].mean());
      }
    }
  }

  const models::ClusterTable& table_;
  std::vector<Labels> draws_;
  ClusterReport report_;
};
}  // namespace

ClusterReport make_cluster_report(const models::ClusterTable& table, const density::Draws& labels,
                                  std::string model) {
  return ReportMaker(table, labels, std::move(model)).make();
}

std::string ClusterReport::text() const {
  constexpr double kShown = 0.005;
  std::string text = fmt::format("groups of {} rows by {}; {}; {} draws\n", table.num_rows,
                                 fmt::join(table.names, ", "), model, num_draws);
  std::vector<std::vector<std::string>> rows{{"groups", "probability"}};
  for (std::size_t k = 0; k < num_groups.size(); ++k)
    if (num_groups[k] >= kShown)
      rows.push_back({fmt::format("{}", k + 1), fmt::format("{:.3f}", num_groups[k])});
  text += text_columns(rows) + "\n";
  rows = {{"group", "rows", "share", "sd", "together"}};
  for (const std::string& name : table.names) {
    rows[0].push_back("mean " + name);
    rows[0].emplace_back("(sd)");
    rows[0].emplace_back("sd");
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const GroupFigures& own = groups[g];
    std::vector<std::string> row{
        fmt::format("{}", g + 1), fmt::format("{}", own.size), fmt::format("{:.3f}", own.share),
        fmt::format("{:.3f}", own.share_sd), fmt::format("{:.2f}", own.together)};
    for (std::size_t c = 0; c < table.names.size(); ++c) {
      row.push_back(fmt::format("{:.4g}", own.mean[c]));
      row.push_back(fmt::format("({:.2g})", own.mean_sd[c]));
      row.push_back(fmt::format("{:.3g}", own.sd[c]));
    }
    rows.push_back(std::move(row));
  }
  text += text_columns(rows);
  text += fmt::format(
      "the partition has the least expected variation of information, {:.3f} nats\n"
      "together: mean probability that two of the group's rows are in one group\n",
      expected_variation);
  if (figures.r_hat > kMixedRHat)
    text += fmt::format(
        "Don't rely on it: the chains disagree about the number of groups (R-hat {:.2f}); --draws "
        "and --warmup take more.\n",
        figures.r_hat);
  return text;
}

results::ArrayList ClusterReport::answer() const {
  results::ArrayList answer("cluster");
  answer.set("model", model);
  answer.set("num_rows", table.num_rows);
  answer.set("num_draws", num_draws);
  answer.set("expected_variation", expected_variation);
  answer.set("r_hat", figures.r_hat);
  answer.set("ess_bulk", figures.ess_bulk);
  auto numbers = answer.add_group("numbers", {{"number", ssize(num_groups)}});
  numbers.add_numbers("number", 1);
  numbers.add({.name = "probability", .dims = {"number"}, .help = "probability of so many groups"},
              num_groups);
  auto group = answer.add_group("groups", {{"group", ssize(groups)}});
  group.add_numbers("group", 1);
  auto add = group.columns(groups);
  add("rows", &GroupFigures::size);
  add("share", &GroupFigures::share, "share of the rows");
  add("share_sd", &GroupFigures::share_sd);
  add("together", &GroupFigures::together, "probability that two rows are in one group");
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    add("mean_" + table.names[c], [c](const GroupFigures& g) { return g.mean[c]; });
    add(
        "mean_sd_" + table.names[c], [c](const GroupFigures& g) { return g.mean_sd[c]; },
        "posterior sd of the mean");
    add(
        "sd_" + table.names[c], [c](const GroupFigures& g) { return g.sd[c]; }, "within the group");
  }
  std::vector<double> labels, rows;
  for (std::size_t n = 0; n < partition.size(); ++n) {
    labels.push_back(static_cast<double>(partition[n] + 1));
    rows.push_back(static_cast<double>(table.rows[n] + 1));
  }
  auto assigned = answer.add_group("assignments", {{"place", ssize(partition)}});
  assigned.add({.name = "row", .dims = {"place"}, .kind = density::Kind::whole}, rows);
  assigned.add({.name = "assigned",
                .dims = {"place"},
                .kind = density::Kind::whole,
                .help = "number of the group",
                .key = "group"},
               labels);
  assigned.add({.name = "certainty",
                .dims = {"place"},
                .help = "mean probability of being with the others of the group"},
               certainty);
  if (!together.empty())
    answer
        .add_group("co_clustering", {{"place", table.num_rows}, {"other", table.num_rows}},
                   {.key = results::kHidden})
        .add({.name = "together",
              .dims = {"place", "other"},
              .help = "probability that two rows are in one group"},
             together);
  return answer;
}

std::string ClusterReport::assignments() const {
  std::string text = "row";
  for (const std::string& name : table.names) text += fmt::format(",\"{}\"", name);
  text += ",group,certainty\n";
  for (std::size_t n = 0; n < partition.size(); ++n) {
    text += fmt::format("{}", table.rows[n] + 1);
    for (const std::vector<double>& column : table.columns)
      text += "," + io::number_text(column[n]);
    text += fmt::format(",{},{:.4f}\n", partition[n] + 1, certainty[n]);
  }
  return text;
}

}  // namespace credo::cli
