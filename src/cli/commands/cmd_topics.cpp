// credo topics: topics of documents by latent Dirichlet allocation.
#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "cli/options/data_arguments.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/data/data_files.hpp"
#include "io/input_files.hpp"
#include "models/topics/topic_fit.hpp"

namespace credo::cli {
namespace {
using models::Topic;

class Topics final : public Command {
 public:
  void describe(Arguments& a) override {
    a.option("-d,--data", data_,
             "a table with the columns document and word, and count if a row stands for several; "
             "or FILE.txt, each line of which is a document",
             any_file());
    a.group("Topics");
    a.option("--number", options_.num_topics, "topics", from_to(1, 1000));
    a.option("--words", num_words_, "words that are printed for each topic", from_to(1, 1000));
    a.option("--hold-out", options_.held_out,
             "share of the words that is left out, by which the perplexity is computed; 0: none",
             from_to(0, 0.9));
    a.option("--document-concentration", options_.document_concentration,
             "Dirichlet concentration of each topic in a document; 0: 1 / topics", at_least(0));
    a.option("--word-concentration", options_.word_concentration,
             "Dirichlet concentration of each word in a topic", in_range(infer::positive()));
    a.option("--least-documents", corpus_.least_documents,
             "leave out words that fewer documents have", at_least(1));
    a.option("--shortest", corpus_.shortest, "letters of a word, in lines of text", at_least(1));
    a.group("Run");
    a.option("--chains", options_.num_chains,
             "chains; topics are those of the best one, the perplexity is that of all together",
             from_to(1, 1000));
    a.option("--warmup", options_.num_warmup, "sweeps of each chain before the draws", at_least(0));
    a.option("--draws", options_.num_draws, "sweeps of each chain that are averaged", at_least(1));
    a.option("--seed", options_.seed, "seed of the chains and of the words left out");
    a.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(a, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (data_.empty())
      throw Error(
          ErrorCode::usage, "topics are those of documents", "--data",
          "--data words.csv with the columns document, word and count, or --data lines.txt");
    io::InputFiles files;
    const models::Corpus corpus =
        data_.ends_with(".txt") ? read_lines(files.read(data_)) : read_table(files.read(data_));
    if (corpus.num_words() < 2 || corpus.num_documents() < 2)
      throw Error(ErrorCode::data,
                  fmt::format("{} documents and {} words are left", corpus.num_documents(),
                              corpus.num_words()),
                  data_, "--least-documents 1 keeps words that a single document has");
    const models::TopicFit fit = models::fit_topics(corpus, options_);
    print_answer(with_spec(answer_of(corpus, fit), with_inputs(asked, files.contents())),
                 text_of(corpus, fit), file_, json, output);
    return 0;
  }

 private:
  models::Corpus read_lines(const std::string& text) const {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back(line);
      at = end + 1;
    }
    return models::corpus_of_texts(lines, corpus_);
  }

  // Columns are found by their names.
  models::Corpus read_table(const std::string& text) const {
    const auto text_of = [&](const std::string&) -> const std::string& { return text; };
    const io::DataTable plain = io::read_data(data_, text_of);
    for (const char* name : {"document", "word"})
      if (plain.find(name) == nullptr) {
        const std::string near = did_you_mean(name, plain.names());
        throw Error(ErrorCode::data, fmt::format("there is no column {}", name), data_,
                    near.empty() ? fmt::format("the columns are {}; name them document, word and "
                                               "count, or give lines of text as FILE.txt",
                                               fmt::join(plain.names(), ", "))
                                 : near);
      }
    io::DataRecipe recipe{.files = {data_}};
    recipe.columns = {"document=factor(document)", "word=factor(word)"};
    const bool has_counts = plain.find("count") != nullptr;
    if (has_counts) recipe.columns.emplace_back("count=count");
    const io::DataTable table = io::read_data(recipe.text(), text_of);
    const io::DataValue &documents = *table.find("document"), &words = *table.find("word");
    for (const io::DataValue* value : {&documents, &words})
      if (!value->column->missing.empty())
        throw Error(ErrorCode::data,
                    fmt::format("{} has no value in row {}", value->column->name,
                                value->column->missing[0] + 1),
                    value->column->where(value->column->missing[0]), "leave the row out");
    std::vector<models::CountedWord> rows;
    for (std::size_t n = 0; n < words.integers.size(); ++n)
      rows.push_back({.document = level(documents, n),
                      .word = level(words, n),
                      .count = has_counts ? count(*table.find("count"), n) : 1});
    return models::corpus_of_counts(rows, corpus_);
  }
  static std::string level(const io::DataValue& value, std::size_t n) {
    return value.column->levels[static_cast<std::size_t>(value.integers[n] - 1)];
  }
  static Index count(const io::DataValue& value, std::size_t n) {
    const auto row = static_cast<Index>(n);
    const bool is_whole = value.kind == io::DataKind::integers && value.column->levels.empty() &&
                          value.column->missing.empty();
    if (is_whole && value.integers[n] >= 0) return value.integers[n];
    const Index place = value.column->missing.empty() ? row : value.column->missing[0];
    throw Error(ErrorCode::data,
                is_whole ? fmt::format("count is {} in row {}", value.integers[n], n + 1)
                         : std::string("count has cells that aren't whole numbers"),
                value.column->where(is_whole ? row : place), "counts are 0, 1, 2, ...");
  }

  std::string text_of(const models::Corpus& corpus, const models::TopicFit& fit) const {
    std::string text = fmt::format(
        "{} topics of {} documents with {} words, {} of them different\n", fit.topics.size(),
        corpus.num_documents(), corpus.tokens.size(), corpus.num_words());
    std::vector<std::vector<std::string>> rows{{"topic", "share", "coherence", "words"}};
    for (std::size_t k = 0; k < fit.topics.size(); ++k)
      rows.push_back({fmt::format("{}", k + 1), fmt::format("{:.3f}", fit.topics[k].share),
                      fmt::format("{:.2f}", fit.topics[k].coherence),
                      words_of(corpus, fit.topics[k])});
    text += text_columns(rows);
    if (fit.num_held_out > 0)
      text += fmt::format(
          "perplexity of {} words left out: {:.1f}; by the frequencies of words alone: {:.1f}\n",
          fit.num_held_out, fit.perplexity, fit.plain_perplexity);
    return text + fmt::format(
                      "topics are those of chain {} of {}, with the largest log p(topics, "
                      "words)\n",
                      fit.best_chain + 1, fit.log_joint.size());
  }
  std::string words_of(const models::Corpus& corpus, const Topic& topic) const {
    std::string words;
    for (const Index w : models::top_words(topic, num_words_))
      words += (words.empty() ? "" : " ") + corpus.words[static_cast<std::size_t>(w)];
    return words;
  }

  results::ArrayList answer_of(const models::Corpus& corpus, const models::TopicFit& fit) const {
    results::ArrayList answer("topics");
    answer.set("num_documents", corpus.num_documents());
    answer.set("num_words", corpus.num_words());
    answer.set("num_tokens", ssize(corpus.tokens));
    answer.set("num_held_out", fit.num_held_out);
    if (fit.num_held_out > 0) {
      answer.set("perplexity", fit.perplexity);
      answer.set("plain_perplexity", fit.plain_perplexity);
    }
    answer.set("best_chain", fit.best_chain + 1);
    auto topics = answer.add_group("topics", {{"topic", ssize(fit.topics)}});
    topics.add_numbers("topic", 1);
    auto add = topics.columns(fit.topics);
    add("share", &Topic::share, "share of the words");
    add("coherence", &Topic::coherence);
    add(
        "top_words", [&](const Topic& topic) { return words_of(corpus, topic); }, "", "words");
    auto chains = answer.add_group("chains", {{"chain", ssize(fit.log_joint)}});
    chains.add({.name = "log_joint", .dims = {"chain"}, .help = "mean log p(topics, words)"},
               fit.log_joint);
    std::vector<double> words;
    for (const Topic& topic : fit.topics)
      words.insert(words.end(), topic.words.begin(), topic.words.end());
    auto shares = answer.add_group(
        "documents", {{"document", corpus.num_documents()}, {"topic", ssize(fit.topics)}},
        {.key = results::kHidden});
    shares.add_labels("document", corpus.documents);
    shares.add({.name = "topic_share",
                .dims = {"document", "topic"},
                .help = "shares of topics in documents"},
               fit.shares);
    auto vocabulary =
        answer.add_group("vocabulary", {{"topic", ssize(fit.topics)}, {"word", corpus.num_words()}},
                         {.key = results::kHidden});
    vocabulary.add_labels("word", corpus.words);
    vocabulary.add({.name = "probability",
                    .dims = {"topic", "word"},
                    .help = "probabilities of words in topics"},
                   std::move(words));
    return answer;
  }

  std::string data_, file_;
  models::TopicFitOptions options_;
  models::CorpusOptions corpus_;
  Index num_words_ = 10;
};
}  // namespace

extern const CommandRow topics_command{
    "topics",
    "topics of documents: their words, their shares, and how well they predict words left out",
    "  credo topics --data words.csv --number 20\n"
    "  credo topics --data lines.txt --number 10 --least-documents 5\n"
    "  credo topics --data words.csv --number 20 --hold-out 0 -o topics.nc\n",
    make_command<Topics>,
    "Standard output: the most probable words of each topic, its share and coherence, and the "
    "perplexity of words left out. With --output: also the shares of topics in documents and the "
    "probabilities of all words."};

}  // namespace credo::cli
