#include "api/program_text.hpp"

#include <fmt/format.h>

#include <set>
#include <unordered_set>

namespace credo {
namespace {
using detail::Node;
using detail::NodeKind;
using detail::NodePtr;
using detail::Type;

constexpr std::size_t kLongest = 120;  // characters of an expression that isn't a variable yet

// How tightly the outermost operator of a text binds.
enum Binding { kChoice, kEither, kBoth, kCompared, kSum, kProduct, kSign, kAtom };

struct Text {
  std::string text;
  Binding binding = kAtom;
};

std::string within(const Text& x, Binding least) {
  return x.binding < least ? "(" + x.text + ")" : x.text;
}

Binding binding_of(const std::string& symbol) {
  if (symbol == "+" || symbol == "-") return kSum;
  if (symbol == "*" || symbol == "/") return kProduct;
  if (symbol == "&&") return kBoth;
  return symbol == "||" ? kEither : kCompared;
}

std::string type_text(const Node& node) {
  switch (node.type) {
    case Type::whole:
      return "int";
    case Type::real:
      return "real";
    case Type::vector:
      return fmt::format("vector[{}]", node.rows);
    case Type::row_vector:
      return fmt::format("row_vector[{}]", node.cols);
    case Type::matrix:
      return fmt::format("matrix[{}, {}]", node.rows, node.cols);
    case Type::wholes:
      return fmt::format("array[{}] int", node.rows);
  }
  return "";
}

bool is_density(std::string_view function) {
  return function.ends_with("_lpdf") || function.ends_with("_lpmf") ||
         function.ends_with("_lcdf") || function.ends_with("_lccdf") || function.ends_with("_cdf");
}

// The nodes that the roots need, operands before their users; operands of `known` nodes aren't
// included.
std::vector<const Node*> in_order(std::span<const Node* const> roots,
                                  const std::map<const Node*, std::string>& known) {
  std::vector<const Node*> order;
  std::unordered_set<const Node*> seen;
  std::vector<std::pair<const Node*, std::size_t>> open;
  for (const Node* root : roots) {
    if (seen.insert(root).second) open.emplace_back(root, 0);
    while (!open.empty()) {
      auto& [node, next] = open.back();
      const bool is_known = known.contains(node);
      if (is_known || next == node->operands.size()) {
        order.push_back(node);
        open.pop_back();
        continue;
      }
      const Node* operand = node->operands[next++].get();
      if (seen.insert(operand).second) open.emplace_back(operand, 0);
    }
  }
  return order;
}

class ProgramWriter {
 public:
  ProgramWriter(std::span<const Declaration> parameters, std::span<const NamedNode> outputs)
      : parameters_(parameters), outputs_(outputs) {
    for (const Declaration& parameter : parameters) take_name(parameter.name);
    for (const NamedNode& output : outputs) {
      require_name(output.name);
      take_name(output.name);
    }
  }

  ProgramText write(const NodePtr& log_density) {
    std::vector<const Node*> roots = summands(log_density.get());
    for (const NamedNode& output : outputs_) roots.push_back(output.node.get());
    name_data(in_order(roots, {}));
    const std::string transformed = transformed_block();
    const std::string model = model_block(log_density.get());
    std::string text;
    if (!declared_data_.empty()) text += "data {\n" + declared_data_ + "}\n";
    text += "parameters {\n";
    for (const Declaration& parameter : parameters_) text += "  " + declared_text(parameter) + "\n";
    text += "}\n" + transformed + model;
    return {.program = std::move(text), .data = "{" + json_ + "}"};
  }

 private:
  void take_name(const std::string& name) {
    if (!names_.insert(name).second)
      throw Error(ErrorCode::usage, "the name is used twice", name,
                  "parameters, outputs and data have names of their own");
  }

  std::string new_name(const char* stem, int& count) {
    for (;;) {
      std::string name = fmt::format("{}_{}", stem, ++count);
      if (names_.insert(name).second) return name;
    }
  }

  // a + b + c is the summands a, b and c.
  static std::vector<const Node*> summands(const Node* sum) {
    std::vector<const Node*> found;
    while (sum->kind == NodeKind::infix && sum->name == "+" && sum->type == Type::real) {
      found.push_back(sum->operands[1].get());
      sum = sum->operands[0].get();
    }
    found.push_back(sum);
    std::reverse(found.begin(), found.end());
    return found;
  }

  // Equal data are one variable; those that have a name come first.
  void name_data(std::span<const Node* const> order) {
    for (const Node* node : order)
      if (node->kind == NodeKind::data && !node->name.empty()) add_named(*node);
    for (const Node* node : order)
      if (node->kind == NodeKind::data && node->name.empty()) add_data(*node, "");
  }

  void add_named(const Node& node) {
    for (const auto& [known, name] : data_names_) {
      if (name != node.name) continue;
      if (!same_data(*known, node)) take_name(name);  // or rather not
      data_names_[&node] = name;
      return;
    }
    require_name(node.name);
    take_name(node.name);
    add_data(node, node.name);
  }

  static bool same_data(const Node& a, const Node& b) {
    return a.type == b.type && a.rows == b.rows && a.cols == b.cols && a.wholes == b.wholes &&
           std::equal(a.reals.begin(), a.reals.end(), b.reals.begin(), b.reals.end(),
                      [](double x, double y) {
                        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
                      });
  }

  static std::size_t hash_of(const Node& node) {
    std::size_t hash = static_cast<std::size_t>(node.rows * 31 + node.cols);
    for (const double number : node.reals)
      hash = hash * 1099511628211u + std::hash<double>{}(number);
    for (const std::int32_t number : node.wholes)
      hash = hash * 1099511628211u + static_cast<std::size_t>(number);
    return hash;
  }

  void add_data(const Node& node, std::string name) {
    const std::size_t hash = hash_of(node);
    const auto [begin, end] = data_by_hash_.equal_range(hash);
    for (auto known = begin; known != end && name.empty(); ++known)
      if (same_data(*known->second, node)) name = data_names_.at(known->second);
    const bool is_new = name.empty() || name == node.name;
    if (name.empty()) name = new_name("data", num_data_);
    data_names_[&node] = name;
    if (!is_new) return;
    data_by_hash_.emplace(hash, &node);
    declared_data_ += fmt::format("  {} {};\n", type_text(node), name);
    json_ += fmt::format("{}\"{}\": {}", json_.empty() ? "" : ",\n ", name, json_of(node));
  }

  static std::string json_of(const Node& node) {
    std::string text;
    const auto add = [&](const std::string& number) {
      text += (text.empty() || text.back() == '[' ? "" : ", ") + number;
    };
    if (node.type == Type::wholes) {
      for (const std::int32_t number : node.wholes) add(std::to_string(number));
    } else if (node.type == Type::matrix) {
      for (Index i = 0; i < node.rows; ++i) add("[" + json_row(node, i) + "]");
    } else {
      for (const double number : node.reals) add(json_number(number));
    }
    return "[" + text + "]";
  }

  static std::string json_row(const Node& node, Index row) {
    std::string text;
    for (Index j = 0; j < node.cols; ++j)
      text += (j == 0 ? "" : ", ") +
              json_number(node.reals[static_cast<std::size_t>(row + j * node.rows)]);
    return text;
  }

  static std::string json_number(double number) {
    if (std::isnan(number)) return "\"NaN\"";
    if (std::isinf(number)) return number > 0.0 ? "\"Infinity\"" : "\"-Infinity\"";
    return fmt::format("{}", number);
  }

  // ---- blocks

  struct Block {
    std::string declared;                         // local variables, a line each
    std::map<const Node*, std::string> known;     // by other names than data and parameters
    std::unordered_map<const Node*, Text> texts;  // of what stands where it is used
  };

  std::string transformed_block() {
    if (outputs_.empty()) return "";
    std::vector<const Node*> roots;
    for (const NamedNode& output : outputs_) roots.push_back(output.node.get());
    Block block;
    write_all(block, roots);
    std::string text = "transformed parameters {\n", assigned;
    for (const NamedNode& output : outputs_) {
      text += fmt::format("  {} {};\n", type_text(*output.node), output.name);
      assigned += fmt::format("    {} = {};\n", output.name, text_of(block, *output.node).text);
    }
    return text + "  {\n" + indented(block.declared) + assigned + "  }\n}\n";
  }

  std::string model_block(const Node* log_density) {
    Block block;
    for (const NamedNode& output : outputs_)
      if (!is_atom(*output.node)) block.known[output.node.get()] = output.name;
    const std::vector<const Node*> terms = summands(log_density);
    write_all(block, terms);
    std::string text = "model {\n" + block.declared;
    for (const Node* term : terms) {
      const bool is_zero = term->kind == NodeKind::literal && term->number == 0.0;
      if (!is_zero) text += fmt::format("  target += {};\n", text_of(block, *term).text);
    }
    return text + "}\n";
  }

  static std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = lines.find('\n', begin) + 1;
      text += "  " + lines.substr(begin, end - begin);
      begin = end;
    }
    return text;
  }

  void write_all(Block& block, std::span<const Node* const> roots) {
    const std::vector<const Node*> order = in_order(roots, block.known);
    std::unordered_map<const Node*, int> uses;
    for (const Node* node : order)
      if (!block.known.contains(node))
        for (const NodePtr& operand : node->operands) ++uses[operand.get()];
    for (const Node* root : roots) ++uses[root];
    const std::unordered_set<const Node*> starts(roots.begin(), roots.end());
    for (const Node* node : order) {
      if (is_atom(*node) || block.known.contains(node)) continue;
      Text text = written(block, *node);
      const bool is_root = starts.contains(node);
      const bool is_local = node->type != Type::whole &&
                            (uses[node] > 1 || (text.text.size() > kLongest && !is_root));
      if (is_local) {
        const std::string name = new_name("v", num_locals_);
        block.declared += fmt::format("  {} {} = {};\n", type_text(*node), name, text.text);
        block.known[node] = name;
      } else {
        block.texts[node] = std::move(text);
      }
    }
  }

  Text text_of(Block& block, const Node& node) {
    if (const auto known = block.known.find(&node); known != block.known.end())
      return {known->second};
    if (node.kind == NodeKind::literal)
      return {node.type == Type::whole ? whole_text(node.whole) : number_text(node.number)};
    if (node.kind == NodeKind::data) return {data_names_.at(&node)};
    if (node.kind == NodeKind::parameter) return {node.name};
    return block.texts.at(&node);
  }

  static std::string whole_text(std::int64_t number) {
    return number < 0 ? fmt::format("({})", number) : fmt::format("{}", number);
  }

  Text written(Block& block, const Node& node) {
    const auto operand = [&](std::size_t k) { return text_of(block, *node.operands[k]); };
    switch (node.kind) {
      case NodeKind::call:
        return {call_text(block, node)};
      case NodeKind::infix: {
        const Binding binding = binding_of(node.name);
        const auto tighter = static_cast<Binding>(binding + 1);
        return {
            fmt::format("{} {} {}", within(operand(0), binding == kCompared ? tighter : binding),
                        node.name, within(operand(1), tighter)),
            binding};
      }
      case NodeKind::negated:
        return {"-" + within(operand(0), kAtom), kSign};
      case NodeKind::choice:
        return {fmt::format("{} ? {} : {}", within(operand(0), kEither),
                            within(operand(1), kEither), within(operand(2), kEither)),
                kChoice};
      case NodeKind::element:
        return {fmt::format("{}[{}]", within(operand(0), kAtom), fmt::join(node.places, ", "))};
      case NodeKind::segment:
        return {
            fmt::format("{}[{}:{}]", within(operand(0), kAtom), node.places[0], node.places[1])};
      case NodeKind::taken:
        return {fmt::format("{}[{}]", within(operand(0), kAtom), operand(1).text)};
      case NodeKind::row:
        return {fmt::format("{}[{}]", within(operand(0), kAtom), node.places[0])};
      case NodeKind::column:
        return {fmt::format("{}[, {}]", within(operand(0), kAtom), node.places[0])};
      default:
        return {listed_text(block, node)};
    }
  }

  std::string call_text(Block& block, const Node& node) {
    std::string text = node.name + "(";
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      if (k > 0) text += k == 1 && is_density(node.name) ? " | " : ", ";
      text += text_of(block, *node.operands[k]).text;
    }
    return text + ")";
  }

  std::string listed_text(Block& block, const Node& node) {
    if (node.operands.empty()) return "rep_vector(0.0, 0)";
    std::string text = "[";
    for (std::size_t k = 0; k < node.operands.size(); ++k)
      text += (k == 0 ? "" : ", ") + text_of(block, *node.operands[k]).text;
    return text + (node.type == Type::vector ? "]'" : "]");
  }

  std::span<const Declaration> parameters_;
  std::span<const NamedNode> outputs_;
  std::set<std::string> names_;
  std::map<const Node*, std::string> data_names_;
  std::unordered_multimap<std::size_t, const Node*> data_by_hash_;
  std::string declared_data_, json_;
  int num_data_ = 0, num_locals_ = 0;
};
}  // namespace

ProgramText program_text(std::span<const Declaration> parameters,
                         std::span<const NamedNode> outputs, const NodePtr& log_density) {
  return ProgramWriter(parameters, outputs).write(log_density);
}

}  // namespace credo
