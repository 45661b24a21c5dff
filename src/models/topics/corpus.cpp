#include "models/topics/corpus.hpp"

#include <set>

namespace credo::models {
namespace {
bool is_letter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string> words_of_text(const std::string& text, Index shortest) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (is_letter(static_cast<unsigned char>(c))) {
      word += small(c);
      continue;
    }
    if (ssize(word) >= shortest) words.push_back(word);
    word.clear();
  }
  return words;
}
}  // namespace

Corpus corpus_of_counts(std::span<const CountedWord> rows, const CorpusOptions& options) {
  std::map<std::string, std::set<std::string>> documents_of;
  for (const CountedWord& row : rows)
    if (row.count > 0) documents_of[row.word].insert(row.document);
  Corpus corpus;
  std::map<std::string, Index> words, documents;
  for (const auto& [word, in] : documents_of) {
    if (ssize(in) < options.least_documents) continue;
    words[word] = corpus.num_words();
    corpus.words.push_back(word);
  }
  for (const CountedWord& row : rows) {
    const auto word = words.find(row.word);
    if (word == words.end() || row.count == 0) continue;
    const auto [document, is_new] = documents.try_emplace(row.document, corpus.num_documents());
    if (is_new) corpus.documents.push_back(row.document);
    for (Index k = 0; k < row.count; ++k)
      corpus.tokens.push_back({.document = document->second, .word = word->second});
  }
  return corpus;
}

Corpus corpus_of_texts(std::span<const std::string> texts, const CorpusOptions& options) {
  std::vector<CountedWord> rows;
  for (std::size_t n = 0; n < texts.size(); ++n)
    for (std::string& word : words_of_text(texts[n], options.shortest))
      rows.push_back({.document = std::to_string(n + 1), .word = std::move(word)});
  return corpus_of_counts(rows, options);
}

}  // namespace credo::models
