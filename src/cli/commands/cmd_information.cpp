// credo information: entropies, information that columns have about each other, and channels.
#include <fmt/format.h>

#include <charconv>

#include "cli/command.hpp"
#include "cli/options/data_arguments.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/information_questions.hpp"
#include "cli/term/stop.hpp"
#include "io/input_files.hpp"
#include "io/json_value.hpp"

namespace credo::cli {
namespace {
const Index kPermutations = models::DependenceOptions{}.num_permutations,
            kNeighbours = models::DependenceOptions{}.neighbours;

std::vector<std::string> estimator_names() {
  std::vector<std::string> names{"auto"};
  for (const models::EntropyEstimator* row : models::entropy_estimators())
    names.emplace_back(row->name);
  names.insert(names.end(), {"ksg", "kde"});
  return names;
}
std::string estimator_words() {
  std::string words = "how entropies are estimated. ";
  for (const models::EntropyEstimator* row : models::entropy_estimators())
    words += fmt::format("{}: {}; ", row->name, row->summary);
  return words +
         "ksg: information of numbers by distances to neighbours; kde: by densities of kernels; "
         "auto: nsb for entropies, miller_madow for information of levels, ksg of numbers of which "
         "some "
         "aren't whole";
}

// Names between commas; a name with a comma stands in double quotes.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names(1);
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      names.emplace_back();
    else if (c != ' ' || is_quoted || !names.back().empty())
      names.back() += c;
  }
  return names;
}

struct NamedChannel {
  models::Channel channel;
  std::vector<std::string> inputs, outputs;
  std::vector<double> distribution;  // inputs' probabilities; empty: none are given
};
std::vector<std::string> numbered(Index n) {
  std::vector<std::string> names;
  for (Index k = 1; k <= n; ++k) names.push_back(std::to_string(k));
  return names;
}

// "bsc(0.1)" or "z(0.15)"; nullopt: another text.
std::optional<NamedChannel> channel_by_name(const std::string& text) {
  const auto open = text.find('(');
  const std::string name = text.substr(0, open);
  if (open == text.npos || text.back() != ')' || (name != "bsc" && name != "z")) return {};
  double f = kNaN;
  const char *first = text.data() + open + 1, *last = text.data() + text.size() - 1;
  const auto [end, status] = std::from_chars(first, last, f);
  if (status != std::errc() || end != last || !(f >= 0.0 && f <= 1.0))
    throw Error(ErrorCode::usage, fmt::format("'{}' is no probability", std::string(first, last)),
                "--channel", name + "(0.1)");
  return NamedChannel{
      .channel = name == "z" ? models::z_channel(f) : models::binary_symmetric_channel(f),
      .inputs = {"0", "1"},
      .outputs = {"0", "1"},
      .distribution = {}};
}

NamedChannel channel_of_json(const std::string& text, const std::string& file) {
  const io::JsonValue value = io::parse_json_value(text, file);
  const io::JsonValue* rows = value.find("channel");
  if (rows == nullptr)
    throw Error(ErrorCode::data, "there is no member \"channel\"", file,
                R"({"channel": [[0.9, 0.1], [0.1, 0.9]]}: a row of probabilities for each input)");
  NamedChannel made;
  for (const io::JsonValue& row : rows->as_array("a list of rows")) {
    const std::vector<double> p = row.as_numbers("the probabilities of the outputs");
    if (made.channel.num_inputs++ == 0) made.channel.num_outputs = ssize(p);
    if (ssize(p) != made.channel.num_outputs || p.empty())
      throw Error(ErrorCode::data,
                  fmt::format("this row has {} outputs, and the first one {}", p.size(),
                              made.channel.num_outputs),
                  row.where, "as many in each row");
    made.channel.p.insert(made.channel.p.end(), p.begin(), p.end());
  }
  if (made.channel.num_inputs == 0)
    throw Error(ErrorCode::data, "the channel has no input", rows->where, "a row for each input");
  const auto names = [&](const char* member, Index n) {
    const io::JsonValue* own = value.find(member);
    if (own == nullptr) return numbered(n);
    std::vector<std::string> read = own->as_strings("names");
    if (ssize(read) != n)
      throw Error(ErrorCode::data, fmt::format("{} names of {} {}", read.size(), n, member),
                  own->where, "a name for each");
    return read;
  };
  made.inputs = names("inputs", made.channel.num_inputs);
  made.outputs = names("outputs", made.channel.num_outputs);
  if (const io::JsonValue* distribution = value.find("distribution")) {
    made.distribution = distribution->as_numbers("the probabilities of the inputs");
    models::Channel check{1, ssize(made.distribution), made.distribution};
    const std::string name = "(the distribution of the inputs)";
    models::require_channel(check, std::span(&name, 1));
    if (ssize(made.distribution) != made.channel.num_inputs)
      throw Error(ErrorCode::data, "the distribution has another number of inputs",
                  distribution->where, "a probability for each input");
  }
  models::require_channel(made.channel, made.inputs);
  return made;
}

// Relative frequencies of the second column given the first one.
NamedChannel channel_of_columns(std::span<const models::LevelColumn> columns) {
  const models::JointTable counts = models::counts_of(columns.first(2));
  NamedChannel made{.channel = {counts.sizes[0], counts.sizes[1], counts.cells},
                    .inputs = columns[0].levels,
                    .outputs = columns[1].levels,
                    .distribution = {}};
  const auto width = static_cast<std::size_t>(made.channel.num_outputs);
  for (Index x = 0; x < made.channel.num_inputs; ++x) {
    double sum = 0.0;
    for (const double n : made.channel.row(x)) sum += n;
    made.distribution.push_back(sum / counts.total());
    for (std::size_t y = 0; y < width; ++y)
      made.channel.p[static_cast<std::size_t>(x) * width + y] /= sum;
  }
  return made;
}

class Information final : public Command {
 public:
  void describe(Arguments& a) override {
    reading_.describe(a, "the table: a CSV or TSV file");
    a.group("Question");
    a.option("--of", of_, "entropy of a column, or of several: 'a, b'", {.word = "COLUMNS"});
    a.option("--between", between_, "information of this column about that of --and",
             needing("--and", {.word = "COLUMN"}));
    a.option("--and", and_, "the other column", needing("--between", {.word = "COLUMN"}));
    a.option("--given", given_, "information beside this column",
             needing("--between,!--capacity", {.word = "COLUMN"}));
    a.option("--words", length_,
             "entropies of words of up to so many rows of the column of --of, in the order of the "
             "rows: the information of the past about the future",
             needing("--of,!--against", from_to(2, 60)));
    a.option("--against", against_,
             "another table: divergences between both distributions of the column",
             needing("--of", any_file()));
    a.option(
        "--alpha", alpha_,
        "parameter of the alpha-divergence: 0 is twice the squared Hellinger distance, near 1 the "
        "relative entropy",
        needing("--against", from_to(-10, 10)));
    a.option(
        "--channel", channel_,
        "capacity of a channel: FILE.json with \"channel\" (a row of probabilities of the "
        "outputs for each input), and, if known, \"distribution\" of the inputs; or bsc(F), z(F)",
        {.word = "FILE.json"});
    a.flag("--capacity", has_capacity_,
           "capacity of the channel from the column of --between to that of --and",
           needing("--between"));
    a.group("Estimate");
    a.option("--estimator", estimator_, estimator_words(), one_of(estimator_names()));
    a.option("--concentration", question_.options.entropy.concentration,
             "the prior's parameter for each state, for dirichlet: 0.5 is Jeffreys' prior",
             needing("--estimator=dirichlet", in_range(infer::positive())));
    a.option("--states", question_.num_states, "number of states of the column, seen or not",
             needing("--of,!--words,!--against", at_least(0)));
    a.option("--neighbours", question_.options.neighbours,
             "number of the neighbour whose distance counts, for ksg",
             needing("--between,!--capacity", from_to(1, 100)));
    a.option("--permutations", question_.options.num_permutations,
             "permutations of a test of independence; 0: none",
             needing("--between,!--capacity", from_to(0, 1'000'000)));
    a.option("--seed", question_.options.seed, "seed of permutations and parts of the rows");
    a.flag("--bits", question_.in_bits, "in bits instead of nats");
    a.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(a, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    question_.options.stop_if_asked = [] { stop_if_asked(); };
    io::InputFiles files;
    const InformationReport report = answer(files, output);
    print_answer(with_spec(report.answer(), with_inputs(asked, files.contents())), report.text(),
                 file_, json, output);
    return 0;
  }

 private:
  InformationReport answer(io::InputFiles& files, Output& output) {
    const models::InformationTable::TextOf text_of =
        [&](const std::string& path) -> const std::string& { return files.read(path); };
    if (of_.empty() + between_.empty() + channel_.empty() != 2)
      throw Error(ErrorCode::usage, "one question at a time", "--of, --between, --channel",
                  "credo information --data d.csv --between x --and y");
    if ((!channel_.empty() || has_capacity_) && estimator_ != "auto")
      throw Error(ErrorCode::usage, "the capacity of a channel is computed, not estimated",
                  "--estimator", "leave it out");
    if (!channel_.empty()) {
      if (!reading_.files.empty())
        throw Error(ErrorCode::usage, "a channel has its own file", "--data", "leave it out");
      auto channel = channel_by_name(channel_);
      if (!channel) channel = channel_of_json(files.read(channel_), channel_);
      return carried(std::move(*channel));
    }
    io::DataRecipe recipe = io::parse_data_recipe(reading_.recipe());
    if (recipe.files.empty())
      throw Error(ErrorCode::usage, "the columns are those of a table", "--data",
                  "add --data FILE.csv");
    const models::InformationTable table(recipe, text_of);
    InformationReport report = of_.empty() ? between(table) : of_columns(table, recipe, text_of);
    for (const std::string& note : table.notes()) output.note(note + "\n");
    return report;
  }

  InformationReport carried(NamedChannel channel) const {
    return carried_by(question_, channel.channel, std::move(channel.inputs),
                      std::move(channel.outputs), std::move(channel.distribution));
  }

  void choose(const char* by_itself) {
    if (estimator_ == "ksg" || estimator_ == "kde")
      throw Error(ErrorCode::usage,
                  estimator_ + " is for the information of two columns of numbers", "--estimator",
                  fmt::format("--estimator {}", by_itself));
    question_.estimator =
        &models::find_entropy_estimator(estimator_ == "auto" ? by_itself : estimator_);
  }

  InformationReport of_columns(const models::InformationTable& table, io::DataRecipe recipe,
                               const models::InformationTable::TextOf& text_of) {
    const std::vector<std::string> names = names_in(of_);
    if (names.size() > 1 && (length_ > 0 || !against_.empty()))
      throw Error(ErrorCode::usage, "words and divergences are of one column", "--of",
                  "--of " + names[0]);
    if (names.size() > 1 && question_.num_states > 0)
      throw Error(ErrorCode::usage, "the number of states is that of one column", "--states",
                  "--of " + names[0]);
    if (!against_.empty() && estimator_ != "auto")
      throw Error(ErrorCode::usage, "divergences are those of relative frequencies", "--estimator",
                  "leave it out");
    choose(length_ > 0 ? "miller_madow" : "nsb");
    if (question_.num_states > 0 && question_.estimator->name != "nsb" &&
        question_.estimator->name != "dirichlet")
      throw Error(ErrorCode::usage,
                  fmt::format("{} counts the states that were seen", question_.estimator->name),
                  "--states", "leave it out, or --estimator nsb");
    const std::vector<models::LevelColumn> columns = table.levels(names);
    if (question_.num_states > 0 && question_.num_states < columns[0].num_levels())
      throw Error(ErrorCode::data,
                  fmt::format("{} has {} levels already", columns[0].name, columns[0].num_levels()),
                  "--states", "at least so many");
    if (!against_.empty()) {
      recipe.files = {against_};
      const models::InformationTable other(recipe, text_of);
      return divergences(question_, columns[0], other.levels(names)[0], alpha_);
    }
    return length_ > 0 ? words(question_, columns[0], length_) : entropies(question_, columns);
  }

  InformationReport between(const models::InformationTable& table) {
    std::vector<std::string> names{between_, and_};
    if (between_ == and_ || given_ == between_ || given_ == and_)
      throw Error(ErrorCode::usage, "a column is named twice", "--between, --and, --given",
                  "different columns; --of has the entropy of one");
    const bool are_numbers = estimator_ == "ksg" || estimator_ == "kde" ||
                             (estimator_ == "auto" && !has_capacity_ && given_.empty() &&
                              table.are_measured({{between_, and_}}));
    if (are_numbers && (has_capacity_ || !given_.empty()))
      throw Error(ErrorCode::usage, "a condition and a channel need levels", "--estimator",
                  "--estimator miller_madow");
    if (are_numbers && question_.options.num_permutations != kPermutations)
      throw Error(ErrorCode::usage, "numbers are compared without a test", "--permutations",
                  "leave it out, or compare levels: --estimator miller_madow");
    if (!are_numbers && question_.options.neighbours != kNeighbours)
      throw Error(ErrorCode::usage, "levels have no neighbours", "--neighbours",
                  "leave it out, or --estimator ksg");
    if (are_numbers) return dependence(question_, table.numbers(names), estimator_ == "kde");
    choose("miller_madow");
    if (!given_.empty()) names.push_back(given_);
    const std::vector<models::LevelColumn> columns = table.levels(names);
    require_levels(columns);
    return has_capacity_ ? carried(channel_of_columns(columns)) : dependence(question_, columns);
  }

  // Measured numbers have a level in nearly each row: counts of them say nothing.
  static void require_levels(std::span<const models::LevelColumn> columns) {
    for (const models::LevelColumn& column : columns) {
      models::require_rows_per_level(
          column, "--estimator",
          "--estimator ksg or kde for two columns of numbers, or fewer levels");
      if (column.num_levels() == 1)
        throw Error(
            ErrorCode::data,
            fmt::format("{} has the same level in all rows: {}", column.name, column.levels[0]),
            "--between", "a constant has no information");
    }
  }

  DataArguments reading_;
  std::string of_, between_, and_, given_, against_, channel_, estimator_ = "auto", file_;
  Index length_ = 0;
  double alpha_ = 0.0;
  bool has_capacity_ = false;
  InformationQuestion question_;
};
}  // namespace

extern const CommandRow information_command{
    "information",
    "how uncertain columns are, their information about each other, and the capacity of a channel",
    "  credo information --data votes.csv --of class --bits\n"
    "  credo information --data votes.csv --between V4 --and class\n"
    "  credo information --data votes.csv --between V4 --and class --given V3 --estimator nsb\n"
    "  credo information --data measured.csv --between length --and width --estimator ksg\n"
    "  credo information --data states.csv --of state --words 6\n"
    "  credo information --data today.csv --of class --against earlier.csv\n"
    "  credo information --channel channel.json --bits\n"
    "  credo information --channel 'z(0.15)' --bits\n",
    make_command<Information>,
    "Standard output: the figures with their errors, and sentences on what they mean. With "
    "--output: the same as arrays."};

}  // namespace credo::cli
