// credo bottleneck: groups of a column's levels that keep its information about another column.
#include <fmt/format.h>

#include <charconv>

#include "cli/command.hpp"
#include "cli/options/data_arguments.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/information_report.hpp"
#include "cli/term/stop.hpp"
#include "io/input_files.hpp"

namespace credo::cli {
namespace {
constexpr Index kPlaces = 20;  // a range "1..20" has so many

double positive_number(const std::string& text) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !(value > 0.0) ||
      !std::isfinite(value))
    throw Error(ErrorCode::usage, fmt::format("'{}' is no positive number", text), "--beta",
                "--beta 5, --beta 1,2,5 or --beta 1..20");
  return value;
}

// "5", "1,2,5", or "1..20": twenty numbers whose ratios are equal. Ascending.
std::vector<double> read_betas(const std::string& text) {
  if (const auto dots = text.find(".."); dots != text.npos) {
    const double first = positive_number(text.substr(0, dots)),
                 last = positive_number(text.substr(dots + 2));
    if (!(first < last))
      throw Error(ErrorCode::usage, "the range is empty", "--beta", "the smaller one first: 1..20");
    std::vector<double> made;
    for (Index k = 0; k < kPlaces; ++k)
      made.push_back(first * std::pow(last / first,
                                      static_cast<double>(k) / static_cast<double>(kPlaces - 1)));
    return made;
  }
  std::vector<double> made;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    made.push_back(positive_number(text.substr(from, comma - from)));
    from = comma + 1;
  }
  std::ranges::sort(made);
  return made;
}

class BottleneckCommand final : public Command {
 public:
  void describe(Arguments& a) override {
    reading_.describe(a, "the table: a CSV or TSV file");
    a.group("Bottleneck");
    a.option("--between", column_, "the column whose levels are grouped", {.word = "COLUMN"});
    a.option("--and", outcome_, "the column about which the groups keep information",
             {.word = "COLUMN"});
    a.option("--clusters", options_.num_clusters, "number of groups; some may stay empty",
             from_to(1, 1000));
    a.option("--beta", betas_,
             "weight of the information that is kept against that of the groups themselves: a "
             "number, several as "
             "1,2,5, or a range as 1..20",
             {.word = "NUMBERS"});
    a.flag("--distance-in-bits", options_.in_bits,
           "the distance in exp(-beta distance) is in bits: a beta counts for 1.44 of it");
    a.option("--starts", options_.num_starts,
             "groupings drawn at random, of which the best ends first", from_to(1, 10'000));
    a.option("--iterations", options_.most_iterations, "at most so many for each start",
             from_to(1, 1'000'000));
    a.option("--smoothing", smoothing_, "number that is added to each count", at_least(0));
    a.option("--seed", options_.seed, "seed of the starts");
    a.flag("--bits", report_.in_bits, "in bits instead of nats");
    a.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(a, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    io::InputFiles files;
    report_.betas = read_betas(betas_);
    const models::JointTable joint = read(files, output);
    report_.curve = models::bottleneck_curve(joint, options_, report_.betas);
    add_remarks();
    print_answer(with_spec(report_.answer(), with_inputs(asked, files.contents())), report_.text(),
                 file_, json, output);
    return 0;
  }

 private:
  models::JointTable read(io::InputFiles& files, Output& output) {
    io::DataRecipe recipe = io::parse_data_recipe(reading_.recipe());
    if (recipe.files.empty() || column_.empty() || outcome_.empty())
      throw Error(ErrorCode::usage, "two columns of a table are needed", "--data, --between, --and",
                  "credo bottleneck --data d.csv --between x --and y --clusters 3 --beta 5");
    const models::InformationTable::TextOf text_of =
        [&](const std::string& path) -> const std::string& { return files.read(path); };
    const models::InformationTable table(recipe, text_of);
    const std::string names[] = {column_, outcome_};
    const std::vector<models::LevelColumn> columns = table.levels(names);
    for (const std::string& note : table.notes()) output.note(note + "\n");
    if (smoothing_ == 0.0)
      models::require_rows_per_level(columns[0], "--between", "fewer levels, or --smoothing");
    models::JointTable joint = models::counts_of(columns);
    for (double& cell : joint.cells) cell += smoothing_;
    const double total = joint.total();
    for (double& cell : joint.cells) cell /= total;
    const Index first[] = {0}, second[] = {1};
    report_.information = models::mutual_information(joint, first, second);
    report_.states = columns[0].levels, report_.outcomes = columns[1].levels;
    report_.shares = joint.margin(first);
    report_.outcome = outcome_;
    report_.title = fmt::format(
        "groups T of {} (X) that keep information about {}, {} rows; I(X; {}) = {:.4f} {} by "
        "relative "
        "frequencies",
        column_, outcome_, columns[0].codes.size(), outcome_,
        report_.information / (report_.in_bits ? std::log(2.0) : 1.0),
        report_.in_bits ? "bits" : "nats");
    return joint;
  }

  void add_remarks() {
    const auto slow = std::ranges::count_if(
        report_.curve, [](const models::Bottleneck& one) { return !one.has_converged; });
    if (slow > 0)
      report_.remarks.push_back(fmt::format(
          "{} of {} solutions hadn't converged after {} iterations; --iterations takes more.", slow,
          report_.curve.size(), options_.most_iterations));
    if (report_.curve.back().relevance < 1e-9 && report_.information > 1e-6)
      report_.remarks.emplace_back(
          "At the largest beta all groups are the same: a larger one keeps something.");
  }

  DataArguments reading_;
  std::string column_, outcome_, betas_ = "5", file_;
  double smoothing_ = 0.0;
  models::BottleneckOptions options_;
  BottleneckReport report_;
};
}  // namespace

extern const CommandRow bottleneck_command{
    "bottleneck", "groups of a column's levels that keep its information about another column",
    "  credo bottleneck --data votes.csv --between V4 --and class --clusters 2 --beta 5\n"
    "  credo bottleneck --data words.csv --between word --and topic --clusters 4 --beta 1..50 "
    "--bits\n"
    "  credo bottleneck --data words.csv --between word --and topic --smoothing 1 -o groups.nc\n",
    make_command<BottleneckCommand>,
    "Standard output: for each beta the information that groups keep and have, and the groups at "
    "the "
    "largest one. With --output: the same as arrays, with the distributions of the groups."};

}  // namespace credo::cli
