#include "models/topics/topics.hpp"

#include <fmt/format.h>

#include "numerics/special.hpp"

namespace credo::models {
using infer::Chooser;
namespace {
[[noreturn]] void refuse(std::string message, const char* where) {
  throw Error(ErrorCode::data, std::move(message), where);
}

void check_options(const TopicOptions& options) {
  if (options.num_topics < 1 || options.num_words < 1)
    refuse(fmt::format("{} topics, {} words, both must be at least 1", options.num_topics,
                       options.num_words),
           "options");
  for (const double a : {options.document_concentration, options.word_concentration}) {
    if (!(a > 0.0) || !std::isfinite(a))
      refuse(fmt::format("must be > 0 and finite, is {}", a), "concentration");
  }
}

// Log probability of counts of groups of `size`, proportions with concentration a each summed out.
double log_dirichlet_multinomial(std::span<const Index> counts, Index size, double a) {
  double sum = 0.0;
  for (Index first = 0; first < ssize(counts); first += size) {
    double total = 0.0;
    for (const Index count : counts.subspan(first, size)) {
      total += static_cast<double>(count);
      sum += numerics::lgamma_delta(a, static_cast<double>(count));
    }
    sum -= numerics::lgamma_delta(a * static_cast<double>(size), total);
  }
  return sum;
}
}  // namespace

CollapsedTopics::CollapsedTopics(std::vector<Token> tokens, const TopicOptions& options)
    : tokens_(std::move(tokens)), options_(options) {
  check_options(options_);
  for (const Token& token : tokens_) {
    if (token.document < 0 || token.word < 0 || token.word >= options_.num_words)
      refuse(fmt::format("word {} of document {}, must be below {}", token.word, token.document,
                         options_.num_words),
             "tokens");
    num_documents_ = std::max(num_documents_, token.document + 1);
  }
  weights_.resize(static_cast<std::size_t>(options_.num_topics));
}

void CollapsedTopics::add(const Token& token, Index topic, Index sign) {
  const Index k = options_.num_topics;
  in_document_[token.document * k + topic] += sign;
  of_word_[token.word * k + topic] += sign;
  in_topic_[topic] += sign;
}

void CollapsedTopics::load(std::span<const Index> topics) {
  const Index k = options_.num_topics;
  in_document_.assign(static_cast<std::size_t>(num_documents_ * k), 0);
  of_word_.assign(static_cast<std::size_t>(options_.num_words * k), 0);
  in_topic_.assign(static_cast<std::size_t>(k), 0);
  for (Index i = 0; i < num_tokens(); ++i) add(tokens_[i], topics[i], 1);
}

void CollapsedTopics::redraw(std::span<Index> topics, Index i, Chooser& chooser) {
  const Token token = tokens_[i];
  const Index k = options_.num_topics;
  const double a = options_.document_concentration, b = options_.word_concentration;
  const double all_b = b * static_cast<double>(options_.num_words);
  add(token, topics[i], -1);
  for (Index t = 0; t < k; ++t) {
    const auto here = static_cast<double>(in_document_[token.document * k + t]);
    const auto same_word = static_cast<double>(of_word_[token.word * k + t]);
    weights_[t] = (here + a) * (same_word + b) / (static_cast<double>(in_topic_[t]) + all_b);
  }
  topics[i] = chooser.choose(weights_);
  add(token, topics[i], 1);
}

void CollapsedTopics::sweep(std::span<Index> topics, Chooser& chooser) {
  load(topics);
  for (Index i = 0; i < num_tokens(); ++i) redraw(topics, i, chooser);
}

void CollapsedTopics::update_token(std::span<Index> topics, Index token, Chooser& chooser) {
  load(topics);
  redraw(topics, token, chooser);
}

double CollapsedTopics::log_joint(std::span<const Index> topics) const {
  const Index k = options_.num_topics, w = options_.num_words;
  std::vector<Index> in_document(static_cast<std::size_t>(num_documents_ * k), 0);
  std::vector<Index> in_topic(static_cast<std::size_t>(k * w), 0);
  for (Index i = 0; i < num_tokens(); ++i) {
    ++in_document[tokens_[i].document * k + topics[i]];
    ++in_topic[topics[i] * w + tokens_[i].word];
  }
  return log_dirichlet_multinomial(in_document, k, options_.document_concentration) +
         log_dirichlet_multinomial(in_topic, w, options_.word_concentration);
}

}  // namespace credo::models
