#include "models/fields/label_scores.hpp"

#include "base/error.hpp"
#include "base/stream.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kLabelDraws = stream("label.draws"), kWeightDraws = stream("label.weights");

std::size_t first_node(const LabelModel& model, const RowRange& range) {
  return static_cast<std::size_t>(range.first) * model.sets.size();
}

// Adds the marginals of these weights, times `share`.
void add_marginals(const LabelModel& model, const LabelData& data, FieldLikelihood& likelihood,
                   std::span<const double> weights, double share, LabelPredictions& to) {
  std::vector<char> is_unsettled(data.sequences.size(), 0);
  likelihood.for_each_sequence(
      weights, [&](std::size_t s, const FieldEngine& engine, const FieldScores& scores) {
        const FieldMoments moments = engine.moments(data.graphs[s], scores);
        to.log_z[s] += share * moments.log_z;
        is_unsettled[s] = moments.has_converged ? 0 : 1;
        double* const own =
            &to.marginals[static_cast<std::size_t>(data.sequences[s].first * model.num_labels())];
        for (std::size_t k = 0; k < moments.nodes.size(); ++k) own[k] += share * moments.nodes[k];
      });
  to.num_unsettled =
      std::max(to.num_unsettled, static_cast<Index>(std::ranges::count(is_unsettled, 1)));
}

// The factor of the covariance. Throws Error(evaluation) unless it is positive definite.
numerics::RowMatrix factor_of(const LabelFit& fit) {
  const Index n = ssize(fit.weights);
  numerics::RowMatrix covariance(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      covariance(i, j) = fit.covariance[static_cast<std::size_t>(i * n + j)];
  numerics::RowMatrix factor = numerics::lower_factor(covariance);
  for (Index i = 0; i < n; ++i)
    if (!(factor(i, i) > 0.0))
      throw Error(ErrorCode::evaluation, "the covariance of the weights isn't positive definite",
                  "", "--method optimize");
  return factor;
}

std::vector<double> drawn_weights(const LabelFit& fit, const numerics::RowMatrix& factor,
                                  Index draw, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = kWeightDraws, .iteration = static_cast<std::uint32_t>(draw)});
  std::vector<double> normal(fit.weights.size()), weights = fit.weights;
  for (double& z : normal) z = rng.normal();
  const std::vector<double> step = numerics::times_factor(factor, normal);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += step[i];
  return weights;
}

void take_best(const LabelModel& model, const LabelData& data, FieldLikelihood& likelihood,
               const LabelFit& fit, const LabelPredictionOptions& options, LabelPredictions& to) {
  to.best.assign(static_cast<std::size_t>(data.num_rows()) * model.sets.size(), 0);
  to.draws.assign(static_cast<std::size_t>(options.num_draws), to.best);
  likelihood.for_each_sequence(
      fit.weights, [&](std::size_t s, const FieldEngine& engine, const FieldScores& scores) {
        const auto first = static_cast<Index>(first_node(model, data.sequences[s]));
        std::ranges::copy(engine.best(data.graphs[s], scores), to.best.begin() + first);
        to.words[s] = engine.words_of_best(data.graphs[s], scores);
        for (std::size_t k = 0; k < to.draws.size(); ++k) {
          Rng rng({.seed = options.seed,
                   .purpose = kLabelDraws,
                   .chain = static_cast<std::uint32_t>(s),
                   .iteration = static_cast<std::uint32_t>(k)});
          std::ranges::copy(engine.draw(data.graphs[s], scores, rng), to.draws[k].begin() + first);
        }
      });
}

struct SetPlace {
  std::size_t number, first, count;  // the set; where its labels are among all
};

LabelScore score_set(const LabelModel& model, const LabelData& data, const LabelPredictions& made,
                     const SetPlace& place) {
  constexpr std::size_t kBins = 10;
  struct Bin {
    double sum_p = 0.0, num_right = 0.0, count = 0.0;
  };
  std::array<Bin, kBins> bins;
  const auto width = static_cast<std::size_t>(model.num_labels()), sets = model.sets.size();
  LabelScore score{.column = model.sets[place.number].column};
  const auto n = static_cast<double>(data.num_rows());
  for (std::size_t row = 0; row < static_cast<std::size_t>(data.num_rows()); ++row) {
    const std::size_t node = row * sets + place.number;
    const double* const p = &made.marginals[row * width + place.first];
    const auto best = static_cast<std::size_t>(made.best[node]),
               label = static_cast<std::size_t>(data.labels[node]);
    const double is_right = best == label ? 1.0 : 0.0;
    score.accuracy += is_right / n;
    score.expected_accuracy += p[best] / n;
    score.log_score += numerics::log(p[label]) / n;
    Bin& bin = bins[std::min(kBins - 1, static_cast<std::size_t>(p[best] * kBins))];
    bin.sum_p += p[best], bin.num_right += is_right, bin.count += 1.0;
  }
  for (const Bin& bin : bins) score.calibration_error += std::abs(bin.sum_p - bin.num_right) / n;
  return score;
}

std::vector<std::string> names_of(const LabelModel& model, const LabelData& data, std::size_t s,
                                  const std::vector<Index>& labels, std::size_t set) {
  std::vector<std::string> names;
  const RowRange& range = data.sequences[s];
  for (Index n = range.first; n < range.first + range.length; ++n)
    names.push_back(model.sets[set].names[static_cast<std::size_t>(
        labels[static_cast<std::size_t>(n) * model.sets.size() + set])]);
  return names;
}

std::vector<ChunkScore> score_chunks(const LabelModel& model, const LabelData& data,
                                     const LabelPredictions& made, std::size_t set) {
  std::map<std::string, ChunkScore> by_kind;
  for (std::size_t s = 0; s < data.sequences.size(); ++s) {
    const std::vector<Chunk> right = chunks_of(names_of(model, data, s, data.labels, set)),
                             predicted = chunks_of(names_of(model, data, s, made.best, set));
    for (const Chunk& chunk : right) ++by_kind[chunk.kind].num_true;
    for (const Chunk& chunk : predicted) {
      ++by_kind[chunk.kind].num_predicted;
      by_kind[chunk.kind].num_right += std::ranges::count(right, chunk);
    }
  }
  std::vector<ChunkScore> scores(1);
  for (auto& [kind, score] : by_kind) {
    score.kind = kind;
    scores[0].num_right += score.num_right;
    scores[0].num_predicted += score.num_predicted;
    scores[0].num_true += score.num_true;
    scores.push_back(score);
  }
  return scores;
}
}  // namespace

LabelPredictions predict_labels(const LabelModel& model, const LabelFit& fit, const LabelData& data,
                                const LabelPredictionOptions& options) {
  FieldLikelihood likelihood(model, data, options.num_threads);
  LabelPredictions made{.marginals = std::vector<double>(
                            static_cast<std::size_t>(data.num_rows() * model.num_labels()), 0.0),
                        .best = {},
                        .log_probability = {},
                        .log_z = std::vector<double>(data.sequences.size(), 0.0),
                        .words = std::vector<std::string>(data.sequences.size()),
                        .engine_words = likelihood.engines().words};
  take_best(model, data, likelihood, fit, options, made);
  if (!data.labels.empty()) {
    likelihood.evaluate(fit.weights, {});
    made.log_probability = likelihood.log_probabilities();
  }
  if (fit.covariance.empty()) {
    add_marginals(model, data, likelihood, fit.weights, 1.0, made);
    return made;
  }
  const numerics::RowMatrix factor = factor_of(fit);
  const double share = 1.0 / static_cast<double>(options.num_weight_draws);
  for (Index k = 0; k < options.num_weight_draws; ++k)
    add_marginals(model, data, likelihood, drawn_weights(fit, factor, k, options.seed), share,
                  made);
  return made;
}

double ChunkScore::precision() const {
  return num_predicted > 0 ? static_cast<double>(num_right) / static_cast<double>(num_predicted)
                           : kNaN;
}
double ChunkScore::recall() const {
  return num_true > 0 ? static_cast<double>(num_right) / static_cast<double>(num_true) : kNaN;
}
double ChunkScore::f1() const {
  const Index both = num_predicted + num_true;
  return both > 0 ? 2.0 * static_cast<double>(num_right) / static_cast<double>(both) : kNaN;
}

LabelScores score_labels(const LabelModel& model, const LabelData& data,
                         const LabelPredictions& made) {
  LabelScores scores;
  scores.num_rows = data.num_rows(), scores.num_sequences = ssize(data.sequences);
  const auto count = static_cast<double>(data.sequences.size());
  for (std::size_t s = 0; s < data.sequences.size(); ++s) {
    const RowRange& range = data.sequences[s];
    const auto first = static_cast<Index>(first_node(model, range));
    const Index nodes = range.length * ssize(model.sets);
    const bool is_right = std::equal(made.best.begin() + first, made.best.begin() + first + nodes,
                                     data.labels.begin() + first);
    scores.sequence_accuracy += (is_right ? 1.0 : 0.0) / count;
    scores.sequence_log_score += made.log_probability[s] / count;
    scores.num_forbidden += made.log_probability[s] == -kInfinity ? 1 : 0;
  }
  std::size_t first = 0;
  for (std::size_t set = 0; set < model.sets.size(); ++set) {
    const std::vector<std::string>& names = model.sets[set].names;
    scores.sets.push_back(
        score_set(model, data, made, {.number = set, .first = first, .count = names.size()}));
    if (are_chunk_labels(names)) scores.sets.back().chunks = score_chunks(model, data, made, set);
    first += names.size();
  }
  return scores;
}

bool are_chunk_labels(std::span<const std::string> names) {
  const auto is_part = [](const std::string& name) {
    return name.size() > 2 && name[1] == '-' && (name[0] == 'B' || name[0] == 'I');
  };
  return std::ranges::any_of(names, is_part) &&
         std::ranges::all_of(names,
                             [&](const std::string& name) { return name == "O" || is_part(name); });
}

std::vector<Chunk> chunks_of(std::span<const std::string> labels) {
  std::vector<Chunk> chunks;
  bool is_open = false;
  for (Index n = 0; n < ssize(labels); ++n) {
    const std::string& label = labels[static_cast<std::size_t>(n)];
    if (label == "O") {
      is_open = false;
      continue;
    }
    const std::string kind = label.substr(2);
    if (is_open && label[0] == 'I' && chunks.back().kind == kind)
      chunks.back().last = n;
    else
      chunks.push_back({.first = n, .last = n, .kind = kind});
    is_open = true;
  }
  return chunks;
}

}  // namespace credo::models
