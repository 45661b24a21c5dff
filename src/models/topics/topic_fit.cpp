#include "models/topics/topic_fit.hpp"

#include <set>

#include "base/stop.hpp"
#include "base/stream.hpp"
#include "base/tasks.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kChains = stream("topic chains"), kHeldOut = stream("topic held out");
constexpr Index kCoherentWords = 10;

struct Split {
  std::vector<Token> trained, held_out;
};
// Tokens are held out at random; a document keeps its first one.
Split split_of(const Corpus& corpus, const TopicFitOptions& options) {
  Split split;
  Rng rng({.seed = options.seed, .purpose = kHeldOut});
  std::vector<bool> is_known(static_cast<std::size_t>(corpus.num_documents()), false);
  for (const Token& token : corpus.tokens) {
    const bool is_held = rng.uniform() < options.held_out;
    const auto d = static_cast<std::size_t>(token.document);
    (is_held && is_known[d] ? split.held_out : split.trained).push_back(token);
    is_known[d] = true;
  }
  return split;
}

// Sums over the draws of a chain.
class TopicChain {
 public:
  TopicChain(const Corpus& corpus, const Split& split, const TopicFitOptions& options, Index number)
      : split_(split),
        k_(options.num_topics),
        w_(corpus.num_words()),
        d_(corpus.num_documents()),
        a_(options.document_concentration),
        b_(options.word_concentration),
        rng_({.seed = options.seed,
              .purpose = kChains,
              .chain = static_cast<std::uint32_t>(number)}),
        sampler_(split.trained, {.num_topics = k_,
                                 .num_words = w_,
                                 .document_concentration = a_,
                                 .word_concentration = b_}),
        words(static_cast<std::size_t>(k_ * w_)),
        shares(static_cast<std::size_t>(d_ * k_)),
        predictive(split.held_out.size()) {
    for (std::size_t t = 0; t < split.trained.size(); ++t) topics_.push_back(rng_.index_below(k_));
  }

  void run(const TopicFitOptions& options) {
    infer::RngChooser chooser(rng_);
    for (Index s = 0; s < options.num_warmup + options.num_draws; ++s) {
      stop_if_asked();
      sampler_.sweep(topics_, chooser);
      if (s >= options.num_warmup) record(1.0 / static_cast<double>(options.num_draws));
    }
  }

 private:
  // Conditional means given the topics of the tokens: (n_kw + b) / (n_k + W b) and (n_dk + a) / (n_d + K a).
  void record(double weight) {
    log_joint += weight * sampler_.log_joint(topics_);
    std::vector<double> of_word(words.size(), b_), of_document(shares.size(), a_);
    std::vector<double> in_topic(static_cast<std::size_t>(k_), b_ * static_cast<double>(w_));
    std::vector<double> in_document(static_cast<std::size_t>(d_), a_ * static_cast<double>(k_));
    for (std::size_t t = 0; t < topics_.size(); ++t) {
      const Token& token = split_.trained[t];
      of_word[static_cast<std::size_t>(topics_[t] * w_ + token.word)] += 1.0;
      of_document[static_cast<std::size_t>(token.document * k_ + topics_[t])] += 1.0;
      in_topic[static_cast<std::size_t>(topics_[t])] += 1.0;
      in_document[static_cast<std::size_t>(token.document)] += 1.0;
    }
    for (std::size_t n = 0; n < of_word.size(); ++n) {
      of_word[n] /= in_topic[n / static_cast<std::size_t>(w_)];
      words[n] += weight * of_word[n];
    }
    for (std::size_t n = 0; n < of_document.size(); ++n) {
      of_document[n] /= in_document[n / static_cast<std::size_t>(k_)];
      shares[n] += weight * of_document[n];
    }
    for (std::size_t t = 0; t < predictive.size(); ++t) {
      const Token& token = split_.held_out[t];
      for (Index k = 0; k < k_; ++k)
        predictive[t] += weight * of_document[static_cast<std::size_t>(token.document * k_ + k)] *
                         of_word[static_cast<std::size_t>(k * w_ + token.word)];
    }
  }

  const Split& split_;
  Index k_, w_, d_;
  double a_, b_;
  Rng rng_;
  CollapsedTopics sampler_;
  std::vector<Index> topics_;

 public:
  std::vector<double> words, shares, predictive;
  double log_joint = 0.0;
};

double perplexity_of(std::span<const double> probabilities) {
  double sum = 0.0;
  for (const double p : probabilities) sum += std::log(p);
  return std::exp(-sum / static_cast<double>(probabilities.size()));
}

void set_perplexity(TopicFit& fit, const Corpus& corpus, const Split& split,
                    const std::vector<std::unique_ptr<TopicChain>>& chains, double b) {
  fit.num_held_out = ssize(split.held_out);
  if (split.held_out.empty()) return;
  std::vector<double> mean(split.held_out.size(), 0.0), plain;
  for (const auto& chain : chains)
    for (std::size_t t = 0; t < mean.size(); ++t)
      mean[t] += chain->predictive[t] / static_cast<double>(chains.size());
  std::vector<double> counts(static_cast<std::size_t>(corpus.num_words()), b);
  for (const Token& token : split.trained) counts[static_cast<std::size_t>(token.word)] += 1.0;
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (const Token& token : split.held_out)
    plain.push_back(counts[static_cast<std::size_t>(token.word)] / total);
  fit.perplexity = perplexity_of(mean), fit.plain_perplexity = perplexity_of(plain);
}
}  // namespace

std::vector<Index> top_words(const Topic& topic, Index number) {
  std::vector<Index> order(topic.words.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](Index w) { return topic.words[static_cast<std::size_t>(w)]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(number)));
  return order;
}

double coherence_of(const Corpus& corpus, std::span<const Index> words) {
  std::vector<std::set<Index>> documents(words.size());
  for (const Token& token : corpus.tokens) {
    const auto place = std::ranges::find(words, token.word);
    if (place != words.end())
      documents[static_cast<std::size_t>(place - words.begin())].insert(token.document);
  }
  double sum = 0.0, pairs = 0.0;
  for (std::size_t j = 1; j < words.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const auto both =
          std::ranges::count_if(documents[j], [&](Index d) { return documents[i].contains(d); });
      sum += std::log((static_cast<double>(both) + 1.0) / static_cast<double>(documents[i].size()));
      pairs += 1.0;
    }
  return pairs > 0.0 ? sum / pairs : 0.0;
}

TopicFit fit_topics(const Corpus& corpus, const TopicFitOptions& given) {
  TopicFitOptions options = given;
  if (!(options.document_concentration > 0.0))
    options.document_concentration = 1.0 / static_cast<double>(options.num_topics);
  const Split split = split_of(corpus, options);
  std::vector<std::unique_ptr<TopicChain>> chains;
  std::vector<std::function<void()>> tasks;
  for (Index c = 0; c < options.num_chains; ++c) {
    chains.push_back(std::make_unique<TopicChain>(corpus, split, options, c));
    tasks.emplace_back([chain = chains.back().get(), &options] { chain->run(options); });
  }
  do_all(tasks);
  TopicFit fit;
  for (const auto& chain : chains) fit.log_joint.push_back(chain->log_joint);
  fit.best_chain = std::ranges::max_element(fit.log_joint) - fit.log_joint.begin();
  const TopicChain& best = *chains[static_cast<std::size_t>(fit.best_chain)];
  set_perplexity(fit, corpus, split, chains, options.word_concentration);
  const auto k = static_cast<std::size_t>(options.num_topics),
             w = static_cast<std::size_t>(corpus.num_words()),
             d = static_cast<std::size_t>(corpus.num_documents());
  std::vector<double> lengths(d, 0.0), totals(k, 0.0);
  for (const Token& token : corpus.tokens) lengths[static_cast<std::size_t>(token.document)] += 1.0;
  for (std::size_t n = 0; n < d; ++n)
    for (std::size_t t = 0; t < k; ++t)
      totals[t] += lengths[n] * best.shares[n * k + t] / static_cast<double>(corpus.tokens.size());
  std::vector<std::size_t> order(k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return totals[t]; });
  for (const std::size_t t : order) {
    const auto first = best.words.begin() + static_cast<std::ptrdiff_t>(t * w);
    Topic topic{.share = totals[t],
                .coherence = 0.0,
                .words = {first, first + static_cast<std::ptrdiff_t>(w)}};
    topic.coherence = coherence_of(corpus, top_words(topic, kCoherentWords));
    fit.topics.push_back(std::move(topic));
  }
  for (std::size_t n = 0; n < d; ++n)
    for (const std::size_t t : order) fit.shares.push_back(best.shares[n * k + t]);
  return fit;
}

}  // namespace credo::models
