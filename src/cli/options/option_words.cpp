#include "cli/options/option_words.hpp"

#include "cli/options/row_options.hpp"

namespace credo::cli {
namespace {
// The option of a field; empty if the command has none.
std::string option_for(std::string_view field, const Arguments& arguments) {
  std::string option = option_of_field(field);
  return arguments.find(option) != nullptr ? option : std::string();
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words within quotes are the user's own.
std::string with_options(const std::string& text, const Arguments& arguments) {
  std::string changed;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_of_word(text[end])) ++end;
    const std::string word = text.substr(begin, end - begin);
    const char before = begin > 0 ? text[begin - 1] : ' ';
    const bool may_be_field = word.find('_') != word.npos && before != '-' && before != '\'';
    const std::string option = may_be_field ? option_for(word, arguments) : std::string();
    changed += option.empty() ? word : option;
    if (end < text.size()) changed += text[end];
    begin = end + 1;
  }
  return changed;
}
}  // namespace

Error in_option_words(const Error& error, const Arguments& arguments) {
  const std::string option = option_for(error.where(), arguments);
  return Error(error.code(), with_options(error.message(), arguments),
               option.empty() ? error.where() : option, with_options(error.hint(), arguments));
}

}  // namespace credo::cli
