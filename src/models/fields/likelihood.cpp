#include "models/fields/likelihood.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/fields/parts.hpp"

namespace credo::models {
namespace {
constexpr Index kMostBlocks = 64;

// Sequences in blocks of about equal numbers of nodes, whatever the number of threads is.
std::vector<Index> blocks_of(const LabelData& data) {
  Index total = 0;
  for (const FieldGraph& graph : data.graphs) total += graph.num_nodes() + ssize(graph.edges);
  std::vector<Index> blocks{0};
  Index sum = 0;
  for (Index s = 0; s < ssize(data.graphs); ++s) {
    const FieldGraph& graph = data.graphs[static_cast<std::size_t>(s)];
    sum += graph.num_nodes() + ssize(graph.edges);
    if (sum * kMostBlocks >= total * ssize(blocks)) blocks.push_back(s + 1);
  }
  if (blocks.back() != ssize(data.graphs)) blocks.push_back(ssize(data.graphs));
  return blocks;
}
}  // namespace

ChosenEngines choose_engines(const LabelModel& model, const LabelData& data) {
  ChosenEngines made;
  const auto add = [&](std::unique_ptr<FieldEngine> engine) {
    made.made.push_back(std::move(engine));
    return made.made.back().get();
  };
  const auto all = [&](std::unique_ptr<FieldEngine> engine, const std::string& words) {
    made.of.assign(data.graphs.size(), add(std::move(engine)));
    made.words = words;
    if (!made.of.empty() && !made.of[0]->is_exact()) made.num_approximate = ssize(made.of);
  };
  const Index steps = model.request.num_steps;
  if (model.structure.is("memm"))
    all(local_engine(), "exact products of the conditionals");
  else if (model.structure.is("dense") && steps > 0)
    all(unrolled_engine(steps),
        fmt::format("{} mean-field steps, of which the marginals are the model", steps));
  else if (model.structure.is("dense"))
    all(mean_field_engine(), "mean field, an approximation: log Z is a lower bound");
  else if (model.structure.is("chain"))
    all(chain_engine(), "exact sums over the chain");
  else if (model.structure.is("parts"))
    all(parts_engine(model.places, model.structure.number()),
        "exact sums over trees, and the best places by distance transforms");
  else if (model.structure.is("grammar"))
    all(grammar_engine(model.grammar), "exact sums over all trees of the grammar");
  if (!made.of.empty()) return made;
  const FieldEngine *forest = add(forest_engine()), *exact = add(elimination_engine()),
                    *loopy = add(loopy_engine());
  double largest = 0.0;
  bool has_cycles = false;
  for (const FieldGraph& graph : data.graphs) {
    if (is_forest(graph)) {
      made.of.push_back(forest);
      continue;
    }
    has_cycles = true;
    const double states = largest_elimination(graph);
    largest = std::max(largest, states);
    const bool is_small = states <= model.request.exact_states;
    made.of.push_back(is_small ? exact : loopy);
    made.num_approximate += is_small ? 0 : 1;
  }
  made.words =
      !has_cycles ? "exact sums over trees"
      : made.num_approximate == 0
          ? fmt::format("exact sums by elimination, over up to {:.0f} states", largest)
          : fmt::format(
                "loopy belief propagation, an approximation, for {} of {} sequences, whose "
                "elimination has up to {:.3g} states (--exact-states {:.0f})",
                made.num_approximate, made.of.size(), largest, model.request.exact_states);
  return made;
}

FieldLikelihood::FieldLikelihood(const LabelModel& model, const LabelData& data, Index num_threads)
    : model_(model),
      data_(data),
      team_(num_threads),
      engines_(choose_engines(model, data)),
      blocks_(blocks_of(data)) {
  const FeatureRows& rows = data.rows;
  std::vector<std::size_t> counts(model.features.names.size() + 1, 0);
  for (const std::int32_t feature : rows.features) ++counts[static_cast<std::size_t>(feature) + 1];
  for (std::size_t k = 1; k < counts.size(); ++k) counts[k] += counts[k - 1];
  first_of_feature_ = counts;
  rows_of_feature_.resize(rows.features.size());
  values_of_feature_.resize(rows.features.size());
  for (Index n = 0; n < rows.num_rows(); ++n)
    for (std::size_t k = rows.first[static_cast<std::size_t>(n)];
         k < rows.first[static_cast<std::size_t>(n) + 1]; ++k) {
      const std::size_t at = counts[static_cast<std::size_t>(rows.features[k])]++;
      rows_of_feature_[at] = static_cast<std::int32_t>(n);
      values_of_feature_[at] = rows.values[k];
    }
}

std::span<const Index> FieldLikelihood::labels_of(std::size_t sequence) const {
  const RowRange& range = data_.sequences[sequence];
  const Index sets = ssize(model_.sets);
  return std::span(data_.labels)
      .subspan(static_cast<std::size_t>(range.first * sets),
               static_cast<std::size_t>(range.length * sets));
}
std::size_t FieldLikelihood::first_score(std::size_t sequence) const {
  return static_cast<std::size_t>(data_.sequences[sequence].first * model_.num_labels());
}

std::vector<double> FieldLikelihood::node_scores(std::span<const double> weights) {
  const auto width = static_cast<std::size_t>(model_.num_labels());
  std::vector<double> scores(static_cast<std::size_t>(data_.num_rows()) * width, 0.0);
  const FeatureRows& rows = data_.rows;
  team_.for_each(ssize(blocks_) - 1, [&](Index b, Index /*member*/) {
    for (Index s = blocks_[static_cast<std::size_t>(b)];
         s < blocks_[static_cast<std::size_t>(b) + 1]; ++s) {
      const RowRange& range = data_.sequences[static_cast<std::size_t>(s)];
      for (Index n = range.first; n < range.first + range.length; ++n) {
        double* const own = &scores[static_cast<std::size_t>(n) * width];
        if (!data_.offsets.empty())
          std::copy_n(&data_.offsets[static_cast<std::size_t>(n) * width], width, own);
        if (n == range.first)
          for (std::size_t a = 0; a < width; ++a)
            if (model_.forbidden_first[a] != 0) own[a] = -kInfinity;
        for (std::size_t k = rows.first[static_cast<std::size_t>(n)];
             k < rows.first[static_cast<std::size_t>(n) + 1]; ++k) {
          const double* const w = &weights[static_cast<std::size_t>(rows.features[k]) * width];
          const double value = rows.values[k];
          for (std::size_t a = 0; a < width; ++a) own[a] += value * w[a];
        }
      }
    }
  });
  return scores;
}

void FieldLikelihood::for_each_sequence(std::span<const double> weights, const Take& take) {
  const std::vector<double> scores = node_scores(weights);
  const std::vector<PairTable> pairs = pair_tables(model_, weights);
  const StopFlag* const stop = current_stop();
  team_.for_each(ssize(data_.sequences), [&](Index s, Index /*member*/) {
    const StopScope scope(stop);
    stop_if_asked();
    const auto at = static_cast<std::size_t>(s);
    take(at, *engines_.of[at],
         {.nodes = std::span(scores).subspan(
              first_score(at), static_cast<std::size_t>(data_.graphs[at].num_scores())),
          .pairs = pairs});
  });
}

double FieldLikelihood::evaluate(std::span<const double> weights, std::span<double> gradient) {
  CREDO_ASSERT(ssize(weights) == model_.num_weights(), "a weight for each feature and pair");
  CREDO_ASSERT(!data_.labels.empty(), "the labels are known");
  const std::vector<double> scores = node_scores(weights);
  const std::vector<PairTable> pairs = pair_tables(model_, weights);
  log_p_.assign(data_.sequences.size(), 0.0);
  slopes_.resize(gradient.empty() ? 0 : scores.size());
  pair_slopes_.assign(blocks_.size() - 1, {});
  const StopFlag* const stop = current_stop();
  team_.for_each(ssize(blocks_) - 1, [&](Index b, Index /*member*/) {
    const StopScope scope(stop);
    const auto block = static_cast<std::size_t>(b);
    std::vector<std::vector<double>>& sums = pair_slopes_[block];
    for (const PairTable& table : pairs) sums.emplace_back(table.scores.size(), 0.0);
    FieldMoments slope;
    for (Index s = blocks_[block]; s < blocks_[block + 1]; ++s) {
      stop_if_asked();
      const auto at = static_cast<std::size_t>(s);
      const FieldGraph& graph = data_.graphs[at];
      const std::size_t first = first_score(at);
      const FieldScores own{
          .nodes = std::span(scores).subspan(first, static_cast<std::size_t>(graph.num_scores())),
          .pairs = pairs};
      log_p_[at] = engines_.of[at]->log_probability(graph, own, labels_of(at),
                                                    gradient.empty() ? nullptr : &slope);
      if (gradient.empty()) continue;
      std::ranges::copy(slope.nodes, slopes_.begin() + static_cast<Index>(first));
      for (std::size_t type = 0; type < sums.size(); ++type)
        for (std::size_t k = 0; k < sums[type].size(); ++k) sums[type][k] += slope.pairs[type][k];
    }
  });
  if (!gradient.empty()) {
    sum_nodes(gradient);
    sum_pairs(gradient);
  }
  double sum = 0.0;
  for (const double x : log_p_) sum += x;
  return sum;
}

// Each feature's derivatives are a sum over its rows in their order.
void FieldLikelihood::sum_nodes(std::span<double> gradient) const {
  const auto width = static_cast<std::size_t>(model_.num_labels());
  constexpr Index kFeatures = 1024;  // in a piece of work
  const Index num_features = ssize(model_.features.names);
  team_.for_each((num_features + kFeatures - 1) / kFeatures, [&](Index piece, Index /*member*/) {
    const Index end = std::min(num_features, (piece + 1) * kFeatures);
    for (Index f = piece * kFeatures; f < end; ++f) {
      const auto feature = static_cast<std::size_t>(f);
      double* const own = &gradient[feature * width];
      std::fill_n(own, width, 0.0);
      for (std::size_t k = first_of_feature_[feature]; k < first_of_feature_[feature + 1]; ++k) {
        const double* const slope = &slopes_[static_cast<std::size_t>(rows_of_feature_[k]) * width];
        const double value = values_of_feature_[k];
        for (std::size_t a = 0; a < width; ++a) own[a] += value * slope[a];
      }
    }
  });
}

// Pairs that are forbidden or unseen have no weight: their derivatives are 0.
void FieldLikelihood::sum_pairs(std::span<double> gradient) const {
  for (std::size_t type = 0; type < model_.types.size(); ++type) {
    const auto first = static_cast<std::size_t>(model_.first_pair(type)),
               size = static_cast<std::size_t>(model_.pair_size(type));
    std::vector<double> sums(size, 0.0);
    for (const auto& block : pair_slopes_)
      for (std::size_t k = 0; k < size; ++k) sums[k] += block[type][k];
    const auto cols = static_cast<std::size_t>(
        model_.sets[static_cast<std::size_t>(model_.types[type].to)].names.size());  // if symmetric
    for (std::size_t k = 0; k < size; ++k) {
      const bool has_none = model_.forbidden[type][k] != 0 || model_.is_unseen[type][k] != 0;
      gradient[first + k] = has_none ? 0.0
                            : model_.types[type].is_symmetric
                                ? 0.5 * (sums[k] + sums[k % cols * cols + k / cols])
                                : sums[k];
    }
  }
}

}  // namespace credo::models
