// Any bytes as a file of options, or as words of a command line, one a line: refused, or words that
// give the same.
#pragma once
#include "cli/options/config_file.hpp"
#include "support/fuzz/fits.hpp"

namespace credo::fuzz {

inline void claim_words(const cli::CommandRow& row, const cli::Given& given) {
  const auto command = row.make();
  const cli::Arguments arguments = cli::arguments_of(row, *command);
  const std::vector<std::string> words = cli::words_of(arguments, given);
  claim(cli::read_words(arguments, words) == given, "the words give what was given");
  cli::assign(arguments, given);
}

inline std::vector<std::string> lines_of(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    lines.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return lines;
}

inline void run_config(std::string_view bytes) {
  for (const cli::CommandRow* row : cli::commands()) {
    const auto command = row->make();
    const cli::Arguments arguments = cli::arguments_of(*row, *command);
    may_be_refused([&] { claim_words(*row, cli::parse_config(bytes, "fuzz.json", arguments)); });
    may_be_refused([&] { claim_words(*row, cli::read_words(arguments, lines_of(bytes))); });
  }
}

}  // namespace credo::fuzz
