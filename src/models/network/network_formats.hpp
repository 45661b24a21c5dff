// Files of networks. A format is a row: a file models/network/NAME_format.cpp with its reader and, if there is one, its writer.
//
//   .bif    interchange format of Bayesian networks [cozman1998]     read and written
//   .net    Hugin's format                                           read
//   .json   {"nodes": [{"name", "states", "parents", "table"}]}      read and written
//   .uai    numbers of the UAI competitions; BAYES and MARKOV        read and written
#pragma once
#include "models/network/network.hpp"

namespace credo::models {

struct NetworkFormat {
  std::string_view ending, summary;
  // The text as it stands; read_network() checks it. Throws Error(data) with the line.
  Network (*read)(std::string_view text, const std::string& source,
                  std::vector<std::string>& notes);
  std::string (*write)(const Network& network);  // null: the format isn't written
};
std::span<const NetworkFormat* const> network_formats();

// The format of a file by the ending of its name; null for others. A .json file is one of a network if it holds "nodes".
const NetworkFormat* network_format(const std::string& path);
bool is_network_text(const std::string& path, std::string_view text);

// A sound network (require_sound). Throws Error(data), and Error(usage) for other endings.
Network read_network(const std::string& path, std::string_view text, const NetworkRules& rules,
                     std::vector<std::string>& notes);
// Throws Error(usage) if the ending is that of no format that is written.
std::string network_text(const Network& network, const std::string& path);

// ---- parts of readers

// A word of a text: a name, a number, a quoted text or one character of punctuation.
struct NetworkWord {
  std::string text;
  bool is_quoted = false;
  Index line = 1;
  bool is(std::string_view mark) const { return !is_quoted && text == mark; }
};

struct NetworkLexis {
  std::string_view punctuation;     // characters that are words by themselves
  std::string_view skipped = {};    // characters between words, in addition to blanks
  std::string_view line_comment;    // "//", "%"
  bool has_block_comments = false;  // /* ... */
};

// Words one after another. Errors name the line.
class NetworkWords {
 public:
  NetworkWords(std::string_view text, const std::string& source, const NetworkLexis& lexis);

  bool is_at_end() const { return next_ == words_.size(); }
  const NetworkWord& peek() const;  // an empty word at the end
  const NetworkWord& take();
  bool take_if(std::string_view mark);
  void expect(std::string_view mark, std::string_view within);
  std::string take_name(std::string_view what);
  double take_number(std::string_view what);
  // Behind the next `mark`, or at the end of the text, which is an error.
  void skip_behind(std::string_view mark);
  [[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) const;

 private:
  std::string source_;
  std::vector<NetworkWord> words_;
  std::size_t next_ = 0;
};

// A number, or nothing if the text isn't one.
std::optional<double> network_number(std::string_view text);
// Place of the node with this name. Throws Error(data) through `words` with the nearest one.
std::int32_t known_node(const Network& network, const std::string& name, const NetworkWords& words);

}  // namespace credo::models
