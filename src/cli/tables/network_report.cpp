#include "cli/tables/network_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
using models::Network;
constexpr std::size_t kMostLines = 60;

std::string node_names(const Network& network, std::span<const std::int32_t> nodes,
                       std::string_view between = ", ") {
  std::vector<std::string> names;
  for (const std::int32_t v : nodes) names.push_back(network.node(v).name);
  return fmt::format("{}", fmt::join(names, between));
}

// Numbers that are free: a row's last probability follows from its others.
std::int64_t num_free(const Network& network, std::int32_t v) {
  return network.num_rows(v) * (network.node(v).num_states() - 1);
}

Index num_arrows(const Network& network) {
  Index arrows = 0;
  for (const models::NetworkNode& node : network.nodes) arrows += ssize(node.parents);
  return arrows;
}

std::string directed_head(const Network& network) {
  std::int64_t free = 0;
  for (std::int32_t v = 0; v < network.size(); ++v) free += num_free(network, v);
  return fmt::format("{}: {} nodes, {} arrows, {} free probabilities\n", network.name,
                     network.size(), num_arrows(network), free) +
         wrapped(
             "order of forward sampling: " + node_names(network, models::sampling_order(network)),
             text_width(1), {.first = 0, .hang = 2}) +
         "\n";
}

std::string nodes_text(const NetworkReport& report) {
  const Network& network = report.network;
  std::vector<std::vector<std::string>> rows{{"node", "states", "parents"}};
  if (report.learned) rows[0].insert(rows[0].end(), {"rows", "without data", "log evidence"});
  for (std::int32_t v = 0; v < network.size() && rows.size() <= kMostLines; ++v) {
    rows.push_back({network.node(v).name, fmt::format("{}", fmt::join(network.node(v).states, " ")),
                    node_names(network, network.node(v).parents)});
    if (!report.learned) continue;
    const models::LearnedNode& own = report.learned->nodes[static_cast<std::size_t>(v)];
    rows.back().insert(rows.back().end(),
                       {fmt::format("{}", own.num_rows), fmt::format("{}", own.num_unseen),
                        std::isnan(own.log_evidence) ? std::string("-")
                                                     : fmt::format("{:.3f}", own.log_evidence)});
  }
  std::string text = "\n" + text_columns(rows);
  if (network.nodes.size() > kMostLines)
    text += fmt::format("(the first {}; --json has all)\n", kMostLines);
  return text;
}

std::string form_text(const Network& network) {
  const numerics::EliminationPlan plan = numerics::plan_of(models::factors_of_shape(network));
  const auto cliques = models::cliques_of(plan);
  std::string text = fmt::format(
      "\nundirected form: {} edges; {} cliques after elimination, width {}, {} entries "
      "in all tables\n",
      models::moral_edges(network).size(), cliques.size(), plan.width, plan.num_entries);
  std::string list;
  constexpr std::size_t kMostCliques = 20;
  for (std::size_t k = 0; k < std::min(cliques.size(), kMostCliques); ++k)
    list += (list.empty() ? "" : "; ") + node_names(network, cliques[k], " ");
  if (cliques.size() > kMostCliques)
    list += fmt::format("; and {} others", cliques.size() - kMostCliques);
  return text + wrapped("cliques: " + list, text_width(1), {.first = 0, .hang = 2}) + "\n";
}

// "asia -> tub -> either <- lung".
std::string path_text(const Network& network, std::span<const std::int32_t> path) {
  std::string text = network.node(path[0]).name;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const auto& parents = network.node(path[k]).parents;
    const bool is_parent = std::ranges::find(parents, path[k - 1]) != parents.end();
    text += fmt::format(" {} {}",
                        !network.is_directed ? "-"
                        : is_parent          ? "->"
                                             : "<-",
                        network.node(path[k]).name);
  }
  return text;
}

std::string separation_text(const NetworkReport& report) {
  const Network& network = report.network;
  const models::SeparationQuestion& question = *report.separation;
  const std::string given =
      question.given.empty() ? "" : " given " + node_names(network, question.given);
  const std::string sides =
      node_names(network, question.a) + " and " + node_names(network, question.b);
  if (report.path.empty())
    return fmt::format("\n{} are independent{}, whatever the tables\n", sides, given);
  return fmt::format("\nthe graph leaves {} dependent{}: {}\n", sides, given,
                     path_text(network, report.path));
}

std::string learned_text(const models::Learned& learned) {
  if (learned.num_incomplete == 0)
    return fmt::format("\ntables of {} rows; log marginal likelihood of the structure: {:.4f}\n",
                       learned.num_rows, learned.log_evidence);
  return fmt::format(
      "\ntables of {} rows, of which {} have missing cells: {} rounds of expectation maximisation, "
      "the last one changed probabilities by up to {:.2g}{}\n",
      learned.num_rows, learned.num_incomplete, learned.num_rounds, learned.last_change,
      learned.has_converged ? "" : "; NOT converged: further rounds would change them");
}
}  // namespace

std::string NetworkReport::text() const {
  std::string text = network.is_directed
                         ? directed_head(network)
                         : fmt::format("{}: {} nodes, {} factors, undirected\n", network.name,
                                       network.size(), network.factors.size());
  text += nodes_text(*this) + form_text(network);
  if (learned) text += learned_text(*learned);
  if (separation) text += separation_text(*this);
  return text;
}

results::ArrayList NetworkReport::answer() const {
  results::ArrayList list("network");
  list.set("name", network.name);
  list.set("is_directed", network.is_directed);
  list.set("num_nodes", static_cast<Index>(network.size()));
  const numerics::EliminationPlan plan = numerics::plan_of(models::factors_of_shape(network));
  list.set("width", plan.width);
  list.set("num_entries", static_cast<Index>(plan.num_entries));
  if (separation) {
    list.set("separated", path.empty());
    list.set("path", path.empty() ? std::string() : path_text(network, path), {},
             results::Missing::null);
  }
  if (learned) {
    list.set("num_rows", learned->num_rows);
    list.set("num_incomplete", learned->num_incomplete);
    list.set("log_evidence", learned->log_evidence, {}, results::Missing::null);
    list.set("num_rounds", learned->num_rounds);
    list.set("last_change", learned->last_change);
    list.set("converged", learned->has_converged);
  }
  const auto names_at = [&](const auto& nodes) {
    std::vector<std::string> names;
    for (const std::int32_t v : nodes) names.push_back(network.node(v).name);
    return names;
  };
  if (network.is_directed) {
    std::vector<std::string> order;
    for (const std::int32_t v : models::sampling_order(network))
      order.push_back(network.node(v).name);
    list.add_group("sampling_order", {{"step", ssize(order)}}, {.shape = results::Shape::values})
        .add_labels("step", order);
  }
  auto nodes = list.add_group("nodes", {{"node", ssize(network.nodes)}});
  nodes.add_labels("node", network.names(), "name");
  if (learned) {
    auto add = nodes.columns(learned->nodes, results::Missing::null);
    add("log_evidence", &models::LearnedNode::log_evidence);
    add("num_unseen",
        [](const models::LearnedNode& own) { return static_cast<Index>(own.num_unseen); });
  }
  list.add_lists("nodes", "states",
                 results::elements_within(network.nodes, &models::NetworkNode::states), true);
  list.add_lists(
      "nodes", "parents",
      results::elements_within(
          network.nodes, [&](const models::NetworkNode& node) { return names_at(node.parents); }),
      true);
  list.add_lists("nodes", "table",
                 results::elements_within(network.nodes, &models::NetworkNode::table), true);
  const auto edges = models::moral_edges(network);
  auto add = list.add_rows("edges", edges).columns(edges);
  add("a", [&](const auto& edge) { return network.node(edge.first).name; });
  add("b", [&](const auto& edge) { return network.node(edge.second).name; });
  const auto cliques = models::cliques_of(plan);
  list.add_rows("cliques", cliques, {.only = true});
  list.add_lists("cliques", "nodes", results::elements_within(cliques, names_at), true);
  return list;
}

}  // namespace credo::cli
