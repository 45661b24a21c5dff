// Hugin's format of networks:
//
//   net { node_size = (80 40); }
//   node smoke { states = ("yes" "no"); label = "any"; }
//   potential ( lung | smoke ) { data = ((0.1 0.9) (0.01 0.99)); }
//
// Numbers lie with the node's own states fastest, then the last parent; parentheses within `data` only show the rows.
#include <fmt/format.h>

#include "models/network/network_formats.hpp"

namespace credo::models {
namespace {
constexpr NetworkLexis kHugin{.punctuation = "{}()[];|=,", .skipped = "", .line_comment = "%"};

class HuginReader {
 public:
  HuginReader(std::string_view text, const std::string& source) : words_(text, source, kHugin) {}

  Network read() {
    while (!words_.is_at_end()) {
      if (words_.take_if("net"))
        read_fields([](const std::string&) { return false; });
      else if (words_.take_if("node") || words_.take_if("discrete"))
        read_node();
      else if (words_.take_if("potential"))
        read_potential();
      else
        words_.refuse(
            fmt::format("'{}' begins no statement of a discrete network", words_.peek().text),
            "statements are net, node and potential; decisions, utilities, continuous "
            "nodes and classes aren't read");
    }
    return std::move(network_);
  }

 private:
  // fields ::= "{" { name "=" value ";" } "}"; take(name) reads the value of fields that matter.
  template <class Take>
  void read_fields(const Take& take) {
    words_.expect("{", "a statement");
    while (!words_.take_if("}")) {
      const std::string name = words_.take_name("the name of a field");
      words_.expect("=", name);
      if (!take(name)) words_.skip_behind(";");
    }
  }
  void read_node() {
    words_.take_if("node");  // "discrete node"
    NetworkNode node{.name = words_.take_name("the name of a node"), .states = {}};
    read_fields([&](const std::string& field) {
      if (field == "states") node.states = read_states();
      return false;
    });
    network_.nodes.push_back(std::move(node));
    has_table_.push_back(0);
  }
  std::vector<std::string> read_states() {
    std::vector<std::string> states;
    words_.expect("(", "states");
    while (!words_.take_if(")")) states.push_back(words_.take_name("a state"));
    return states;
  }
  void read_potential() {
    words_.expect("(", "potential");
    const std::int32_t v = known_node(network_, words_.take_name("a node"), words_);
    NetworkNode& node = network_.nodes[static_cast<std::size_t>(v)];
    if (std::exchange(has_table_[static_cast<std::size_t>(v)], 1) != 0)
      words_.refuse(fmt::format("{} has two potentials", node.name));
    words_.take_if("|");
    while (!words_.take_if(")"))
      node.parents.push_back(known_node(network_, words_.take_name("a parent"), words_));
    read_fields([&](const std::string& field) {
      if (field.starts_with("model"))
        words_.refuse(fmt::format("the table of {} is computed by an expression", node.name),
                      "let Hugin write the numbers: data = (...)");
      if (field == "data") node.table = read_data(node.name);
      return false;
    });
  }
  std::vector<double> read_data(const std::string& name) {
    std::vector<double> numbers;
    int depth = 0;
    do {
      if (words_.take_if("("))
        ++depth;
      else if (words_.take_if(")"))
        --depth;
      else if (!words_.take_if(","))
        numbers.push_back(words_.take_number(fmt::format("a probability of {}", name)));
    } while (depth > 0);
    return numbers;
  }

  Network network_;
  NetworkWords words_;
  std::vector<char> has_table_;
};

Network read_hugin(std::string_view text, const std::string& source, std::vector<std::string>&) {
  return HuginReader(text, source).read();
}
}  // namespace

extern const NetworkFormat hugin_format{
    .ending = ".net", .summary = "Hugin's format", .read = read_hugin, .write = nullptr};

}  // namespace credo::models
