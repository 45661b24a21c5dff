#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
Index documents_of(std::span<const Token> tokens) {
  Index count = 0;
  for (const Token& token : tokens) count = std::max(count, token.document + 1);
  return count;
}

class TopicModel final : public OwnKernelModel {
 public:
  TopicModel(const std::vector<Token>& tokens, const TopicOptions& options)
      : OwnKernelModel(
            "topics", {{.name = "topics", .dims = {ssize(tokens)}, .kind = density::Kind::whole}},
            {{.name = "topics_of_documents", .dims = {documents_of(tokens), options.num_topics}},
             {.name = "words_of_topics", .dims = {options.num_topics, options.num_words}}}),
        tokens_(tokens),
        options_(options),
        collapsed_(tokens, options),
        num_documents_(documents_of(tokens)) {}

  std::vector<double> draw_state(Rng& rng) const override {
    std::vector<double> state;
    for (std::size_t t = 0; t < tokens_.size(); ++t)
      state.push_back(static_cast<double>(rng.index_below(options_.num_topics)));
    return state;
  }
  // (n_dk + a) / (n_d + K a) and (n_kw + b) / (n_k + W b).
  void derive(std::span<const double> state, std::vector<double>& row) const override {
    const Index k = options_.num_topics, w = options_.num_words, d = num_documents_;
    std::vector<double> of_document(static_cast<std::size_t>(d * k),
                                    options_.document_concentration);
    std::vector<double> of_topic(static_cast<std::size_t>(k * w), options_.word_concentration);
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      const auto topic = static_cast<Index>(state[t]);
      of_document[static_cast<std::size_t>(tokens_[t].document + d * topic)] += 1.0;
      of_topic[static_cast<std::size_t>(topic + k * tokens_[t].word)] += 1.0;
    }
    append_shares(of_document, d, row);
    append_shares(of_topic, k, row);
  }
  std::unique_ptr<Worker> make_worker() const override {
    return std::make_unique<LabelWorker<CollapsedTopics>>(options_.num_topics, collapsed_);
  }

 private:
  // Rows of a matrix whose first index is fastest, each over its sum.
  static void append_shares(std::span<const double> weights, Index rows, std::vector<double>& to) {
    std::vector<double> sums(static_cast<std::size_t>(rows), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) sums[i % sums.size()] += weights[i];
    for (std::size_t i = 0; i < weights.size(); ++i)
      to.push_back(weights[i] / sums[i % sums.size()]);
  }

  std::vector<Token> tokens_;
  TopicOptions options_;
  CollapsedTopics collapsed_;
  Index num_documents_;
};
}  // namespace

Ready topic_model(std::vector<Token> tokens, const TopicOptions& options) {
  return ready("collapsed_gibbs", std::make_shared<const TopicModel>(tokens, options));
}

}  // namespace credo::models
