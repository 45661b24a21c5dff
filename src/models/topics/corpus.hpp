// Documents as tokens, from a table of counts or from lines of text.
#pragma once
#include "models/topics/topics.hpp"

namespace credo::models {

struct Corpus {
  std::vector<std::string> documents, words;
  std::vector<Token> tokens;

  Index num_documents() const { return ssize(documents); }
  Index num_words() const { return ssize(words); }
};

struct CorpusOptions {
  Index shortest = 3;         // letters of a word of a text
  Index least_documents = 2;  // words in fewer documents are left out
};

// Rows (document, word, count); equal rows add up.
struct CountedWord {
  std::string document, word;
  Index count = 1;
};
Corpus corpus_of_counts(std::span<const CountedWord> rows, const CorpusOptions& options);
// Each text is a document. Words are runs of letters, in small letters; bytes of other alphabets count as letters.
Corpus corpus_of_texts(std::span<const std::string> texts, const CorpusOptions& options);

}  // namespace credo::models
