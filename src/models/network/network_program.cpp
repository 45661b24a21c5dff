#include "models/network/network_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "models/formula/stan_parts.hpp"

namespace credo::models {
namespace {
std::string clean_name(const std::string& name) {
  std::string text;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (const char c : name) text += is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  if (text.empty() || !is_letter(text[0])) text = "node_" + text;
  while (text.ends_with('_')) text.pop_back();
  return text;
}

// Texts of the file within a comment.
std::string comment_text(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

class NetworkWriter {
 public:
  NetworkWriter(const Network& network, std::span<const std::int32_t> given,
                std::span<const std::string> names)
      : network_(network), given_(given), names_(names) {}

  std::string text() const {
    return fmt::format("// Network {}: states are numbered from 1.\n",
                       comment_text(network_.name)) +
           "transformed data {\n" + tables() + "}\nparameters {\n" + parameters() + "}\nmodel {\n" +
           statements() + "}\n";
  }

 private:
  const std::string& name(std::int32_t v) const { return names_[static_cast<std::size_t>(v)]; }
  bool is_given(std::int32_t v) const { return given_[static_cast<std::size_t>(v)] >= 0; }

  std::string states_of(std::int32_t v) const {
    std::vector<std::string> states;
    for (std::size_t k = 0; k < network_.node(v).states.size(); ++k)
      states.push_back(fmt::format("{} {}", k + 1, comment_text(network_.node(v).states[k])));
    const std::string own = network_.node(v).name;
    return (own == name(v) ? "" : comment_text(own) + ": ") +
           fmt::format("{}", fmt::join(states, ", "));
  }

  std::string tables() const {
    std::string lines;
    for (std::int32_t v = 0; v < network_.size(); ++v)
      if (is_given(v))
        lines += fmt::format("  int {} = {};  // {}\n", name(v),
                             given_[static_cast<std::size_t>(v)] + 1, states_of(v));
    for (std::int32_t v = 0; network_.is_directed && v < network_.size(); ++v) lines += table(v);
    for (std::size_t f = 0; f < network_.factors.size(); ++f)
      lines += values_of(fmt::format("log_factor_{}", f + 1), network_.factors[f].nodes,
                         log_values(network_.factors[f].values), "real");
    return lines;
  }
  static std::vector<double> log_values(std::vector<double> values) {
    for (double& value : values) value = std::log(value);
    return values;
  }
  std::string table(std::int32_t v) const {
    const NetworkNode& node = network_.node(v);
    return values_of("p_" + name(v), node.parents, node.table,
                     fmt::format("vector[{}]", node.states.size()));
  }
  // A declaration of nested arrays over nodes, whose elements are vectors or numbers.
  std::string values_of(const std::string& variable, std::span<const std::int32_t> nodes,
                        std::span<const double> values, const std::string& element) const {
    constexpr std::size_t kMostDimensions = 16;
    if (nodes.size() > kMostDimensions)
      throw Error(ErrorCode::usage,
                  fmt::format("{} has {} dimensions, a program's arrays have up to {}", variable,
                              nodes.size(), kMostDimensions),
                  network_.source, "credo exact FILE sums the network without a program");
    std::vector<std::string> sizes;
    for (const std::int32_t p : nodes)
      sizes.push_back(fmt::format("{}", network_.node(p).num_states()));
    const std::string type =
        sizes.empty() ? element : fmt::format("array[{}] {}", fmt::join(sizes, ", "), element);
    const bool is_number = element == "real";
    return fmt::format("  {} {} = {};\n", type, variable, nested(nodes, values, is_number));
  }
  std::string nested(std::span<const std::int32_t> nodes, std::span<const double> values,
                     bool is_number) const {
    if (nodes.empty() && is_number) return number(values[0]);
    std::vector<std::string> parts;
    if (nodes.empty()) {
      for (const double value : values) parts.push_back(number(value));
      return fmt::format("[{}]'", fmt::join(parts, ", "));
    }
    const auto count = static_cast<std::size_t>(network_.node(nodes[0]).num_states());
    for (std::size_t k = 0; k < count; ++k)
      parts.push_back(nested(nodes.subspan(1),
                             values.subspan(k * (values.size() / count), values.size() / count),
                             is_number));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  static std::string number(double value) {
    return std::isinf(value) ? "negative_infinity()" : fmt::format("{}", value);
  }

  std::string parameters() const {
    std::string lines;
    for (std::int32_t v = 0; v < network_.size(); ++v)
      if (!is_given(v))
        lines += fmt::format("  int<lower=1, upper={}> {};  // {}\n", network_.node(v).num_states(),
                             name(v), states_of(v));
    return lines;
  }
  std::string indices(std::span<const std::int32_t> nodes) const {
    std::vector<std::string> all;
    for (const std::int32_t p : nodes) all.push_back(name(p));
    return all.empty() ? std::string() : fmt::format("[{}]", fmt::join(all, ", "));
  }
  std::string statements() const {
    std::string lines;
    for (std::int32_t v = 0; network_.is_directed && v < network_.size(); ++v)
      lines += fmt::format("  {} ~ categorical(p_{}{});\n", name(v), name(v),
                           indices(network_.node(v).parents));
    for (std::size_t f = 0; f < network_.factors.size(); ++f)
      lines +=
          fmt::format("  target += log_factor_{}{};\n", f + 1, indices(network_.factors[f].nodes));
    return lines;
  }

  const Network& network_;
  std::span<const std::int32_t> given_;
  std::span<const std::string> names_;
};
}  // namespace

std::vector<std::string> program_names(const Network& network,
                                       const std::function<bool(const std::string&)>& is_usable) {
  ProgramNames taken(is_usable);
  std::vector<std::string> names;
  for (const NetworkNode& node : network.nodes) {
    names.push_back(taken.take(clean_name(node.name)));
    taken.take("p_" + names.back());
  }
  return names;
}

std::string network_program(const Network& network, std::span<const std::int32_t> given,
                            std::span<const std::string> names) {
  return NetworkWriter(network, given, names).text();
}

std::vector<std::int32_t> draw_forward(const Network& network, std::span<const std::int32_t> order,
                                       Rng& rng) {
  std::vector<std::int32_t> states(network.nodes.size(), 0);
  for (const std::int32_t v : order) {
    const NetworkNode& node = network.node(v);
    std::size_t row = 0;
    for (const std::int32_t p : node.parents)
      row = row * network.node(p).states.size() +
            static_cast<std::size_t>(states[static_cast<std::size_t>(p)]);
    const std::span probabilities =
        std::span(node.table).subspan(row * node.states.size(), node.states.size());
    states[static_cast<std::size_t>(v)] =
        static_cast<std::int32_t>(choose_by_weight(probabilities, rng.uniform()));
  }
  return states;
}

}  // namespace credo::models
