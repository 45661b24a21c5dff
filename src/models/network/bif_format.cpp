// The interchange format of Bayesian networks, version 0.15 [cozman1998]:
//
//   network asia { }
//   variable smoke { type discrete [ 2 ] { yes, no }; property any words; }
//   probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
//   probability ( smoke ) { table 0.5, 0.5; }
//
// A `table` with parents lists the node's own states slowest and the last parent fastest, as the format says; some programs write the
// transpose. The sums of rows show it, and the transpose is refused.
#include <fmt/format.h>

#include "base/error.hpp"
#include "models/network/network_formats.hpp"

namespace credo::models {
namespace {
constexpr NetworkLexis kBif{
    .punctuation = "{}()[];|", .skipped = ",", .line_comment = "//", .has_block_comments = true};

class BifReader {
 public:
  BifReader(std::string_view text, const std::string& source, std::vector<std::string>& notes)
      : words_(text, source, kBif), notes_(notes) {}

  Network read() {
    while (!words_.is_at_end()) {
      if (words_.take_if("network"))
        read_head();
      else if (words_.take_if("variable"))
        read_variable();
      else if (words_.take_if("probability"))
        read_probability();
      else
        words_.refuse(fmt::format("'{}' begins no statement", words_.peek().text),
                      "statements are network, variable and probability");
    }
    return std::move(network_);
  }

 private:
  void read_head() {
    network_.name = words_.take_name("the name of the network");
    words_.expect("{", "network");
    while (!words_.take_if("}")) words_.skip_behind(";");
  }

  // variable-declaration ::= "variable" name "{" { "type" "discrete" "[" n "]" "{" states "}" ";" | "property" ... ";" } "}"
  void read_variable() {
    NetworkNode node{.name = words_.take_name("the name of a variable"), .states = {}};
    words_.expect("{", "variable");
    while (!words_.take_if("}")) {
      if (words_.take_if("type"))
        read_type(node);
      else if (words_.take_if("property"))
        words_.skip_behind(";");
      else
        words_.refuse(fmt::format("'{}' is unknown in variable {}", words_.peek().text, node.name),
                      "a variable has type and property");
    }
    network_.nodes.push_back(std::move(node));
    has_table_.push_back(0);
  }
  void read_type(NetworkNode& node) {
    if (!words_.take_if("discrete"))
      words_.refuse(fmt::format("{} is {}", node.name, words_.peek().text),
                    "nodes are discrete; continuous ones are parameters of a program");
    words_.expect("[", "type");
    const double size = words_.take_number("the number of states");
    words_.expect("]", "type");
    words_.expect("{", "type");
    while (!words_.take_if("}")) node.states.push_back(words_.take_name("a state"));
    words_.take_if(";");
    if (static_cast<double>(node.states.size()) != size)
      words_.refuse(
          fmt::format("{} names {} states, but says [ {} ]", node.name, node.states.size(), size));
  }

  // probability-declaration ::= "probability" "(" name [ "|" ] { name } ")" "{" { table | default | row | property } "}"
  void read_probability() {
    words_.expect("(", "probability");
    const std::int32_t v = known_node(network_, words_.take_name("a node"), words_);
    NetworkNode& node = network_.nodes[static_cast<std::size_t>(v)];
    if (std::exchange(has_table_[static_cast<std::size_t>(v)], 1) != 0)
      words_.refuse(fmt::format("{} has two tables", node.name));
    words_.take_if("|");
    while (!words_.take_if(")"))
      node.parents.push_back(known_node(network_, words_.take_name("a parent"), words_));
    const auto rows = static_cast<std::size_t>(network_.num_rows(v));
    rows_.assign(rows, {});
    default_.clear();
    words_.expect("{", "probability");
    while (!words_.take_if("}")) read_entries(v);
    fill_table(v);
  }
  void read_entries(std::int32_t v) {
    if (words_.take_if("table"))
      read_whole_table(v);
    else if (words_.take_if("default"))
      default_ = read_row(v);
    else if (words_.take_if("property"))
      words_.skip_behind(";");
    else if (words_.peek().is("("))
      read_configuration(v);
    else
      words_.refuse(fmt::format("'{}' is unknown in the probabilities of {}", words_.peek().text,
                                network_.node(v).name),
                    "they are rows '(states of the parents) numbers;', table, default or property");
  }
  std::vector<double> read_numbers(std::int32_t v) {
    std::vector<double> numbers;
    while (!words_.take_if(";"))
      numbers.push_back(
          words_.take_number(fmt::format("a probability of {}", network_.node(v).name)));
    return numbers;
  }
  std::vector<double> read_row(std::int32_t v) {
    std::vector<double> row = read_numbers(v);
    const NetworkNode& node = network_.node(v);
    if (row.size() != node.states.size())
      words_.refuse(fmt::format("a row of {} has {} probabilities, must have {}", node.name,
                                row.size(), node.states.size()));
    return row;
  }
  void read_configuration(std::int32_t v) {
    const NetworkNode& node = network_.node(v);
    words_.expect("(", "probability");
    std::size_t row = 0;
    for (const std::int32_t p : node.parents) {
      const std::string state = words_.take_name(
          fmt::format("a state of {} in a row of {}", network_.node(p).name, node.name));
      row = row * network_.node(p).states.size() + place_of_state(p, state);
    }
    words_.expect(")",
                  fmt::format("a row of {}, which has {} parents", node.name, node.parents.size()));
    if (!rows_[row].empty())
      words_.refuse(fmt::format("there are two rows of {}",
                                row_words(network_, v, static_cast<std::int64_t>(row))));
    rows_[row] = read_row(v);
  }
  std::size_t place_of_state(std::int32_t p, const std::string& state) const {
    const std::vector<std::string>& states = network_.node(p).states;
    const auto found = std::ranges::find(states, state);
    if (found == states.end())
      words_.refuse(fmt::format("{} has no state '{}'", network_.node(p).name, state));
    return static_cast<std::size_t>(found - states.begin());
  }

  void read_whole_table(std::int32_t v) {
    const std::vector<double> numbers = read_numbers(v);
    const std::size_t size = network_.node(v).states.size(), count = rows_.size();
    if (numbers.size() != size * count)
      words_.refuse(fmt::format("the table of {} has {} probabilities, must have {}",
                                network_.node(v).name, numbers.size(), size * count));
    if (std::ranges::any_of(rows_, [](const auto& row) { return !row.empty(); }))
      words_.refuse(fmt::format("{} has rows and a table", network_.node(v).name));
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t k = 0; k < size; ++k) rows_[r].push_back(numbers[k * count + r]);
    require_order(v, numbers);
  }
  // Sums by both orders, where they differ.
  void require_order(std::int32_t v, const std::vector<double>& numbers) {
    const std::size_t size = network_.node(v).states.size();
    if (rows_.size() == 1) return;
    std::vector<std::vector<double>> turned(rows_.size());
    for (std::size_t n = 0; n < numbers.size(); ++n) turned[n / size].push_back(numbers[n]);
    constexpr double kSum = 1e-3;  // far above roundings of tables, far below another order
    const auto sum_to_1 = [&](const std::vector<std::vector<double>>& rows) {
      return std::ranges::all_of(rows, [&](const std::vector<double>& row) {
        return std::abs(std::accumulate(row.begin(), row.end(), 0.0) - 1.0) < kSum;
      });
    };
    if (turned == rows_ || !sum_to_1(turned)) return;
    const std::string& name = network_.node(v).name;
    if (!sum_to_1(rows_))
      words_.refuse(
          fmt::format("the table of {} lists its states fastest; the format lists them slowest",
                      name),
          "write a row for each configuration of the parents: (yes, no) 0.9, 0.1;");
    notes_.push_back(
        fmt::format("the table of {} sums to 1 in either order; its states are taken as slowest, "
                    "as the format says. Rows, (yes, no) 0.9, 0.1;, are clearer",
                    name));
  }

  void fill_table(std::int32_t v) {
    std::vector<double>& table = network_.nodes[static_cast<std::size_t>(v)].table;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::vector<double>& row = rows_[r].empty() ? default_ : rows_[r];
      if (row.empty())
        words_.refuse(fmt::format("there is no row of {}",
                                  row_words(network_, v, static_cast<std::int64_t>(r))),
                      "add it, or 'default' with the probabilities of all rows that aren't there");
      table.insert(table.end(), row.begin(), row.end());
    }
  }

  Network network_;
  NetworkWords words_;
  std::vector<std::string>& notes_;
  std::vector<char> has_table_;
  std::vector<std::vector<double>> rows_;  // rows of one node's table
  std::vector<double> default_;
};

Network read_bif(std::string_view text, const std::string& source,
                 std::vector<std::string>& notes) {
  return BifReader(text, source, notes).read();
}

// ---- writing

// In quotes where the name isn't a word of the format.
std::string bif_word(const std::string& name) {
  const bool is_plain = !name.empty() && name.find_first_of(" \t\r\n{}()[];|,\"/*") == name.npos;
  return is_plain ? name : '"' + name + '"';
}

std::string bif_words(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + bif_word(name);
  return text;
}

std::string bif_numbers(std::span<const double> row) {
  std::string text;
  for (const double p : row) text += fmt::format("{}{}", text.empty() ? "" : ", ", p);
  return text;
}

std::string bif_probability(const Network& network, std::int32_t v) {
  const NetworkNode& node = network.node(v);
  std::vector<std::string> parents;
  for (const std::int32_t p : node.parents) parents.push_back(network.node(p).name);
  if (parents.empty())
    return fmt::format("probability ( {} ) {{\n  table {};\n}}\n", bif_word(node.name),
                       bif_numbers(node.table));
  std::string text =
      fmt::format("probability ( {} | {} ) {{\n", bif_word(node.name), bif_words(parents));
  for (std::int64_t row = 0; row < network.num_rows(v); ++row) {
    std::vector<std::string> states(node.parents.size());
    std::int64_t rest = row;
    for (std::size_t d = states.size(); d-- > 0;) {
      const NetworkNode& parent = network.node(node.parents[d]);
      states[d] = parent.states[static_cast<std::size_t>(rest % parent.num_states())];
      rest /= parent.num_states();
    }
    text += fmt::format("  ({}) {};\n", bif_words(states),
                        bif_numbers(std::span(node.table)
                                        .subspan(static_cast<std::size_t>(row) * node.states.size(),
                                                 node.states.size())));
  }
  return text + "}\n";
}

std::string write_bif(const Network& network) {
  if (!network.is_directed)
    throw Error(ErrorCode::usage, "the format has conditional probabilities, not factors",
                network.source, "write a .uai or .json file");
  std::string text = fmt::format("network {} {{\n}}\n", bif_word(network.name));
  for (const NetworkNode& node : network.nodes)
    text += fmt::format("variable {} {{\n  type discrete [ {} ] {{ {} }};\n}}\n",
                        bif_word(node.name), node.states.size(), bif_words(node.states));
  for (std::int32_t v = 0; v < network.size(); ++v)
    if (!network.node(v).table.empty() || !network.node(v).parents.empty())
      text += bif_probability(network, v);
  return text;
}
}  // namespace

extern const NetworkFormat bif_format{.ending = ".bif",
                                      .summary = "interchange format of Bayesian networks",
                                      .read = read_bif,
                                      .write = write_bif};

}  // namespace credo::models
