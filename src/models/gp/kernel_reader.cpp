#include "models/gp/kernel_reader.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"
#include "models/formula/arithmetic.hpp"
#include "models/kernels/graph_heat.hpp"
#include "models/regression/neighbours.hpp"

namespace credo::models {
namespace {
using Kind = KernelNode::Kind;

std::optional<double> number_of(const Expression& e) {
  if (e.kind == Expression::Kind::number) return io::parse_number(e.word);
  if (e.kind == Expression::Kind::operation && e.parts.size() == 1)
    if (const auto inner = number_of(e.parts[0])) return e.word == "-" ? -*inner : *inner;
  return std::nullopt;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const KernelRow* row : kernel_rows()) names.emplace_back(row->name);
  return names;
}

KernelNode node_of(Kind kind, const Expression& e) {
  KernelNode node;
  node.kind = kind;
  node.text = e.text();
  return node;
}

class KernelReader {
 public:
  KernelReader(Frame& frame, FormulaFaults& faults) : frame_(frame), faults_(faults) {}

  ReadKernel read(const Expression& e) {
    std::vector<KernelNode> terms;
    add_terms(e, terms);
    if (!faults_.empty()) return std::move(made_);
    if (terms.empty()) {
      faults_.add(e.place, "there is no kernel", "for example: y ~ se(x) + noise");
      return std::move(made_);
    }
    if (terms.size() == 1) {
      made_.root = std::move(terms[0]);
    } else {
      made_.root = node_of(Kind::sum, e);
      made_.root.parts = std::move(terms);
    }
    give_sds(made_.root, true);
    return std::move(made_);
  }

 private:
  void add_terms(const Expression& e, std::vector<KernelNode>& terms) {
    if (e.is_operation("+") && e.parts.size() == 2) {
      add_terms(e.parts[0], terms);
      add_terms(e.parts[1], terms);
      return;
    }
    if (e.kind == Expression::Kind::name && e.word == "noise") {
      if (made_.states_noise) faults_.add(e.place, "noise is there twice", "leave one out");
      made_.states_noise = true;
      return;
    }
    if (auto node = term(e)) terms.push_back(std::move(*node));
  }

  std::optional<KernelNode> term(const Expression& e) {
    if (e.is_operation("*")) {
      KernelNode product = node_of(Kind::product, e);
      if (!add_factors(e, product)) return std::nullopt;
      if (product.parts.size() == 1) {
        KernelNode only = std::move(product.parts[0]);
        only.factor *= product.factor;
        only.text = product.text;
        has_factor_.insert(only.text);
        return only;
      }
      return product;
    }
    if (e.is_operation("+") && e.parts.size() == 2) {
      KernelNode sum = node_of(Kind::sum, e);
      const bool had_noise = made_.states_noise;
      add_terms(e, sum.parts);
      if (made_.states_noise && !had_noise) {
        faults_.add(e.place, "noise is no factor: it belongs to the outcomes",
                    "add it outside of the parentheses, or use white(x)");
        return std::nullopt;
      }
      if (sum.parts.empty()) return std::nullopt;
      return sum;
    }
    if (e.kind == Expression::Kind::call) return call(e);
    if (e.kind == Expression::Kind::name && find_kernel(e.word) != nullptr) {
      if (e.word == "constant")
        return atom(*find_kernel(e.word),
                    {.kind = Expression::Kind::call, .word = e.word, .place = e.place});
      faults_.add(e.place, fmt::format("{} needs its columns", e.word),
                  fmt::format("write {}(x)", e.word));
      return std::nullopt;
    }
    faults_.add(e.place, fmt::format("{} is no kernel", e.text()),
                e.is_operation("-")
                    ? "kernels are added and multiplied"
                    : fmt::format("kernels are {}", fmt::join(kernel_names(), ", ")));
    return std::nullopt;
  }

  bool add_factors(const Expression& e, KernelNode& product) {
    if (e.is_operation("*") && e.parts.size() == 2)
      return add_factors(e.parts[0], product) && add_factors(e.parts[1], product);
    if (const auto number = number_of(e)) {
      if (!(*number > 0.0)) {
        faults_.add(e.place, "a factor of a kernel is a variance: a positive number");
        return false;
      }
      product.factor *= *number;
      has_factor_.insert(product.text);
      return true;
    }
    auto node = term(e);
    if (node) product.parts.push_back(std::move(*node));
    return node.has_value();
  }

  std::optional<KernelNode> call(const Expression& e) {
    const KernelRow* row = find_kernel(e.word);
    if (row == nullptr) {
      const std::string near = did_you_mean(e.word, kernel_names());
      faults_.add(
          e.place, fmt::format("there is no kernel {}", e.word),
          near.empty() ? fmt::format("kernels are {}", fmt::join(kernel_names(), ", ")) : near);
      return std::nullopt;
    }
    return atom(*row, e);
  }

  std::optional<KernelNode> atom(const KernelRow& row, const Expression& e) {
    KernelNode node = node_of(Kind::atom, e);
    node.row = &row;
    std::map<std::string, double> given;
    std::size_t next = 0;
    for (std::size_t k = 0; k < e.parts.size(); ++k) {
      const std::string& label = e.labels[k];
      if (row.needs_graph && e.parts[k].kind == Expression::Kind::text) {
        node.options.graph = graph(e.parts[k]);
        if (!node.options.graph) return std::nullopt;
        graphs_[e.parts[k].word] = node.options.graph->names();
        if (!node.columns.empty()) tie_to_graph(node.columns[0], e.parts[k]);
        continue;
      }
      const auto number = number_of(e.parts[k]);
      if (label.empty() && !number) {
        if (next > 0) return refuse(e.parts[k], "columns stand before numbers", "");
        if (const auto column = input(e.parts[k], row)) node.columns.push_back(*column);
        continue;
      }
      if (!number) return refuse(e.parts[k], fmt::format("{} is a number", label), "");
      if (label.empty() && next >= row.arguments.size())
        return refuse(e.parts[k], fmt::format("{}() has no such number", row.name),
                      fmt::format("{}: {}", row.name, row.summary));
      given[label.empty() ? std::string(row.arguments[next++].name) : label] = *number;
    }
    if (!faults_.empty()) return std::nullopt;
    const Index num = ssize(node.columns);
    if (num < row.least_columns || num > row.most_columns)
      return refuse(e, fmt::format("{}() has {} column{}", row.name, num, num == 1 ? "" : "s"),
                    row.least_columns == row.most_columns
                        ? fmt::format("it takes {}", row.least_columns)
                        : fmt::format("it takes {} to {}", row.least_columns, row.most_columns));
    if (row.needs_graph && !node.options.graph)
      return refuse(e, fmt::format("{}() needs a graph", row.name),
                    "a file behind the column, with pairs of neighbours or a matrix: heat(node, "
                    "\"edges.csv\")");
    node.options.dimension = std::max<Index>(1, num);
    if (!take_order(row, e, given, node)) return std::nullopt;
    if (const auto sd = given.find("sd"); sd != given.end()) {
      if (!(sd->second > 0.0)) return refuse(e, "sd is a positive number", "");
      fixed_sds_[node.text] = sd->second;
      given.erase(sd);
    }
    return with_parameters(row, e, std::move(given), std::move(node));
  }

  // Pairs of neighbours have weight 1; a square matrix has the weights.
  std::shared_ptr<const GraphHeat> graph(const Expression& path) {
    const std::optional<FileRows> rows = read_rows_of_file(path, frame_);
    if (!rows) return nullptr;
    if (is_square(*rows)) {
      const std::optional<NamedMatrix> matrix = symmetric_matrix(*rows, path, faults_);
      if (!matrix) return nullptr;
      for (const double weight : matrix->values.values)
        if (weight < 0.0) {
          refuse(path, fmt::format("{} has the weight {}", path.word, weight),
                 "weights of a graph are at least 0");
          return nullptr;
        }
      return std::make_shared<GraphHeat>(matrix->names, matrix->values);
    }
    const std::optional<Neighbours> pairs = read_neighbours(path, frame_);
    if (!pairs) return nullptr;
    numerics::DenseMatrix weights(ssize(pairs->names));
    for (const auto& [a, b] : pairs->pairs) weights(a, b) = weights(b, a) = 1.0;
    return std::make_shared<GraphHeat>(pairs->names, weights);
  }
  // Levels of the input are the graph's nodes, in its order.
  void tie_to_graph(Index column, const Expression& path) {
    GpInput& input = made_.inputs[static_cast<std::size_t>(column)];
    if (!input.graph.empty() && input.graph != path.word)
      faults_.add(path.place, fmt::format("{} is a node of two graphs", input.name()),
                  "one graph for a column");
    input.graph = path.word;
    input.levels = graphs_[path.word];
  }

  // The option of a row that isn't estimated: nu, degree, depth.
  bool take_order(const KernelRow& row, const Expression& e, std::map<std::string, double>& given,
                  KernelNode& node) {
    for (const KernelArgument& argument : row.arguments) {
      if (!argument.is_order) continue;
      const auto found = given.find(std::string(argument.name));
      double value = argument.standard;
      if (found != given.end()) {
        value = found->second - (argument.is_half ? 0.5 : 0.0);
        given.erase(found);
      }
      if (value != std::floor(value) || value < argument.least || value > argument.most) {
        const double half = argument.is_half ? 0.5 : 0.0;
        refuse(e, fmt::format("{} of {}() is {} here", argument.name, row.name, value + half),
               fmt::format("{}, from {} to {} in steps of 1", argument.help, argument.least + half,
                           argument.most + half));
        return false;
      }
      node.options.order = static_cast<Index>(value);
    }
    return true;
  }

  std::optional<KernelNode> with_parameters(const KernelRow& row, const Expression& e,
                                            std::map<std::string, double> given, KernelNode node) {
    node.first = ssize(made_.parameters);
    std::vector<std::string> names;
    for (const KernelParameter& kind : row.parameters(node.options)) {
      CovarianceParameter parameter{.name = kind.name, .of = node.text, .kind = kind};
      names.push_back(kind.name);
      if (const auto found = given.find(kind.name); found != given.end()) {
        const bool is_fraction = kind.transform == KernelTransform::fraction;
        const bool is_zero = row.name == "poly" && found->second == 0.0;
        if (!(found->second > 0.0 || is_zero) || (is_fraction && found->second >= 1.0))
          return refuse(e, fmt::format("{} of {}() is {} here", kind.name, row.name, found->second),
                        is_fraction ? "a number between 0 and 1" : "a positive number");
        parameter.is_fixed = true;
        parameter.value = found->second;
        given.erase(found);
      }
      made_.parameters.push_back(std::move(parameter));
    }
    if (given.empty()) return node;
    names.emplace_back("sd");
    for (const KernelArgument& argument : row.arguments)
      if (argument.is_order) names.emplace_back(argument.name);
    const std::string near = did_you_mean(given.begin()->first, names);
    return refuse(e, fmt::format("{}() has no argument {}", row.name, given.begin()->first),
                  near.empty() ? fmt::format("arguments are {}", fmt::join(names, ", ")) : near);
  }

  std::optional<KernelNode> refuse(const Expression& e, const std::string& message,
                                   const std::string& hint) {
    faults_.add(e.place, message, hint);
    return std::nullopt;
  }

  // The number of an input; it is registered once.
  std::optional<Index> input(const Expression& e, const KernelRow& row) {
    const bool is_factor = row.columns == KernelColumns::factor;
    for (std::size_t k = 0; k < made_.inputs.size(); ++k)
      if (made_.inputs[k].is_factor == is_factor && made_.inputs[k].name() == e.text())
        return static_cast<Index>(k);
    if (is_factor && e.kind != Expression::Kind::name) {
      faults_.add(e.place, "levels are those of a column", fmt::format("{}(g)", row.name));
      return std::nullopt;
    }
    if (is_factor ? !frame_.use(e, ColumnRole::factor).has_value() : !use_columns(e, frame_))
      return std::nullopt;
    made_.inputs.push_back({.expression = e, .is_factor = is_factor});
    return ssize(made_.inputs) - 1;
  }

  // Each addend has an sd, each product one: in a product of sums, one sum has all of its sds, others have one less.
  void give_sds(KernelNode& node, bool needs_one) {
    if (has_factor_.contains(node.text)) needs_one = false;
    if (node.kind == Kind::sum) {
      for (std::size_t k = 0; k < node.parts.size(); ++k)
        give_sds(node.parts[k], k > 0 || needs_one);
      return;
    }
    const auto sum = std::ranges::find(node.parts, Kind::sum, &KernelNode::kind);
    const bool is_in_sum = needs_one && sum != node.parts.end();
    for (KernelNode& part : node.parts) give_sds(part, is_in_sum && &part == &*sum);
    std::optional<double> fixed = fixed_sd(node);
    if (is_in_sum || (!needs_one && !fixed)) return;
    node.sd = ssize(made_.parameters);
    made_.parameters.push_back({.name = "sd",
                                .of = node.text,
                                .kind = {.name = "sd"},
                                .value = fixed.value_or(1.0),
                                .is_fixed = fixed.has_value()});
  }
  std::optional<double> fixed_sd(const KernelNode& node) const {
    if (node.kind == Kind::atom) {
      const auto found = fixed_sds_.find(node.text);
      return found == fixed_sds_.end() ? std::nullopt : std::optional(found->second);
    }
    return std::nullopt;
  }

  Frame& frame_;
  FormulaFaults& faults_;
  ReadKernel made_;
  std::map<std::string, double> fixed_sds_;                      // by the atom's text
  std::map<std::string, std::vector<std::string>> graphs_ = {};  // names of nodes, by file
  std::set<std::string> has_factor_;                             // terms whose variance is stated
};

// Range, and root of the mean square, of a node's columns.
struct Size {
  double range = 0.0, root = 0.0;
};
Size size_of(const KernelNode& node, std::span<const std::vector<double>> columns) {
  Size size;
  for (const Index c : node.columns) {
    const std::vector<double>& x = columns[static_cast<std::size_t>(c)];
    const auto [low, high] = std::ranges::minmax_element(x);
    size.range = std::max(size.range, *high - *low);
    double sum = 0.0;
    for (const double v : x) sum += v * v;
    size.root = std::max(size.root, std::sqrt(sum / static_cast<double>(x.size())));
  }
  if (!(size.range > 0.0)) size.range = 1.0;
  if (!(size.root > 0.0)) size.root = 1.0;
  return size;
}
double unit_of(KernelUnit unit, const Size& size) {
  switch (unit) {
    case KernelUnit::none:
      return 1.0;
    case KernelUnit::length:
    case KernelUnit::period:
      return size.range;
    case KernelUnit::frequency:
      return 1.0 / size.range;
    case KernelUnit::weight:
      return 1.0 / size.root;
    case KernelUnit::square:
      return size.root * size.root;
  }
  return 1.0;
}
}  // namespace

ReadKernel read_kernel(const Expression& e, Frame& frame, FormulaFaults& faults) {
  return KernelReader(frame, faults).read(e);
}

void set_scales(ReadKernel& kernel, std::span<const std::vector<double>> columns,
                double outcome_size) {
  const auto visit = [&](const auto& self, KernelNode& node) -> void {
    for (KernelNode& part : node.parts) self(self, part);
    if (node.kind != KernelNode::Kind::atom) return;
    const Size size = size_of(node, columns);
    const Index num = ssize(node.row->parameters(node.options));
    for (Index p = 0; p < num; ++p) {
      CovarianceParameter& parameter = kernel.parameters[static_cast<std::size_t>(node.first + p)];
      parameter.scale = unit_of(parameter.kind.unit, size);
    }
  };
  visit(visit, kernel.root);
  // Sds have the outcome's size, divided by that of the term's function.
  Covariance covariance(kernel.root, kernel.parameters);
  std::vector<double> theta;
  for (const CovarianceParameter& p : kernel.parameters)
    theta.push_back(p.is_fixed                                      ? p.value
                    : p.kind.transform == KernelTransform::positive ? p.centre()
                                                                    : 0.5);
  for (const CovarianceParameter& p : kernel.parameters)
    if (p.kind.name == "sd") theta[static_cast<std::size_t>(&p - kernel.parameters.data())] = 1.0;
  const CovariancePoints points = covariance.points(columns);
  Covariance::Work work;
  const auto set_sd = [&](const auto& self, const KernelNode& node) -> void {
    for (const KernelNode& part : node.parts) self(self, part);
    if (node.sd < 0) return;
    double sum = 0.0;
    Index count = 0;
    const Index step = std::max<Index>(1, points.count / 50);
    for (Index i = 0; i < points.count; i += step, ++count)
      sum += covariance.variance(node, theta, points, i, work);
    const double root = std::sqrt(sum / static_cast<double>(std::max<Index>(1, count)));
    kernel.parameters[static_cast<std::size_t>(node.sd)].scale =
        outcome_size / (root > 0.0 && std::isfinite(root) ? root : 1.0);
  };
  set_sd(set_sd, covariance.root());
}

}  // namespace credo::models
