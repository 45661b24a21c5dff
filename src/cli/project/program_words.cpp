#include "cli/project/program_words.hpp"

#include "lang/syntax/lexer.hpp"
#include "lang/typed/signatures.hpp"

namespace credo::cli {

bool is_word_of_programs(const std::string& name) {
  if (name.ends_with("_lupdf") || name.ends_with("_lupmf")) return false;
  lang::Diagnostics diagnostics;
  const lang::SourceMap source = lang::SourceMap::from_text("name", name, diagnostics);
  const std::vector<lang::Token> tokens = lang::lex(source, diagnostics);
  return !diagnostics.has_errors() && tokens[0].kind == lang::TokenKind::identifier &&
         source.text(tokens[0].range) == name;
}

bool is_free_in_programs(const std::string& name) {
  return is_word_of_programs(name) && lang::find_builtin(name) < 0;
}

std::vector<std::string> density_names() {
  constexpr std::string_view kEnd = "_lpdf";
  std::vector<std::string> names;
  for (int k = 0; k < lang::num_builtins(); ++k)
    if (const std::string_view name = lang::builtin_name(k); name.ends_with(kEnd))
      names.emplace_back(name.substr(0, name.size() - kEnd.size()));
  return names;
}

}  // namespace credo::cli
