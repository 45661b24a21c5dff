// Mutations of Stan programs that keep most of the text a program: tokens are dropped, repeated,
// swapped and replaced by others of their kind, and calls of built-in functions with odd arguments
// are put in. Every second mutation is one of libFuzzer's own.
//
// Included by the targets whose input is a program.
#pragma once
#include <random>

#include "lang/trace/builtins.hpp"
#include "lang/typed/signatures.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace credo::fuzz {
using lang::BaseType;
using lang::UnsizedType;

class ProgramMutator {
 public:
  explicit ProgramMutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (std::size_t k = 1 + below(3); k > 0; --k)
      text = below(3) == 0 ? with_call(text) : with_edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& texts) {
    return texts[below(N)];
  }

  // ---- tokens
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }
  static std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (in_word(text[at]) && end < text.size() && in_word(text[end])) ++end;
      tokens.push_back(text.substr(at, end - at));
      at = end;
    }
    return tokens;
  }
  static int kind_of(const std::string& token) {
    if (std::isdigit(static_cast<unsigned char>(token[0])) != 0) return 1;
    return in_word(token[0]) ? 2 : 3;
  }

  std::string with_edit(const std::string& text) {
    std::vector<std::string> tokens = tokens_of(text);
    if (tokens.empty()) return "model {}";
    const std::size_t at = below(tokens.size()), other = below(tokens.size());
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    const auto length = static_cast<std::ptrdiff_t>(std::min(tokens.size() - at, 1 + below(12)));
    switch (below(6)) {
      case 0:
        tokens.erase(begin, begin + (below(2) == 0 ? 1 : length));
        break;
      case 1: {
        const std::vector<std::string> piece(begin, begin + length);
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(other), piece.begin(),
                      piece.end());
        break;
      }
      case 2:
        std::swap(tokens[at], tokens[other]);
        break;
      default:
        replace(tokens, at);
        break;
    }
    std::string joined;
    for (const std::string& token : tokens) joined += token;
    return joined;
  }

  // The next word, number or sign from `at` on, by another of its kind.
  void replace(std::vector<std::string>& tokens, std::size_t at) {
    while (at + 1 < tokens.size() && tokens[at].find_first_not_of(" \n") == std::string::npos) ++at;
    const int kind = kind_of(tokens[at]);
    if (kind == 1) tokens[at] = below(2) == 0 ? integer() : real();
    if (kind == 3) tokens[at] = one_of(kSigns);
    if (kind != 2) return;
    const std::string& other = tokens[below(tokens.size())];
    if (below(3) > 0 && kind_of(other) == 2)
      tokens[at] = other;
    else
      tokens[at] = below(2) == 0 ? one_of(kWords) : std::string(lang::builtin_name(any_builtin()));
  }
  int any_builtin() {
    const auto count = static_cast<std::size_t>(lang::num_builtins());
    int builtin = static_cast<int>(below(count));
    while (!lang::is_implemented(lang::builtin_name(builtin)))
      builtin = static_cast<int>(below(count));
    return builtin;
  }

  // ---- calls
  std::string integer() { return one_of(kIntegers); }
  std::string real() { return one_of(kReals); }

  std::string literal(const UnsizedType& type) {
    if (type.depth > 0) {
      UnsizedType element = type;
      --element.depth;
      if (type.base == BaseType::integer && type.depth == 1 && below(6) == 0)
        return "zeros_int_array(0)";
      return listed("{", element, 1 + below(4), "}");
    }
    switch (type.base) {
      case BaseType::integer:
        return integer();
      case BaseType::real:
        return real();
      case BaseType::complex:
        return "to_complex(" + real() + ", " + real() + ")";
      case BaseType::vector:
        return below(6) == 0 ? "rep_vector(x, 0)" : listed("[", BaseType::real, 1 + below(4), "]'");
      case BaseType::row_vector:
        return below(6) == 0 ? "rep_row_vector(x, 0)"
                             : listed("[", BaseType::real, 1 + below(4), "]");
      case BaseType::matrix:
        return matrix();
      case BaseType::complex_vector:
        return "to_complex(" + literal(BaseType::vector) + ", 1)";
      case BaseType::complex_row_vector:
        return "to_complex(" + literal(BaseType::row_vector) + ", 1)";
      case BaseType::complex_matrix:
        return "to_complex(" + matrix() + ", 1)";
      case BaseType::tuple: {
        std::string text = "(";
        for (const UnsizedType& element : type.elements)
          text += (text.size() > 1 ? ", " : "") + literal(element);
        return text + ")";
      }
      default:
        return one_of(kWords);
    }
  }
  std::string listed(const char* open, const UnsizedType& element, std::size_t count,
                     const char* close) {
    std::string text = open;
    for (std::size_t k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + literal(element);
    return text + close;
  }
  std::string matrix() {
    switch (below(5)) {
      case 0:
        return one_of(kMatrices);
      case 1:
        return "rep_matrix(" + real() + ", " + integer() + ", " + integer() + ")";
      default:
        break;
    }
    const std::size_t columns = 1 + below(3);
    std::string text = "[";
    for (std::size_t k = 1 + below(3); k > 0; --k)
      text += listed("[", BaseType::real, columns, "]") + (k > 1 ? ", " : "]");
    return text;
  }

  // A call of a built-in function as a statement, where its kind is allowed.
  std::string with_call(std::string text) {
    const int builtin = any_builtin();
    const auto signatures = lang::signatures_of(builtin);
    if (signatures.empty()) return with_edit(text);
    const lang::Signature& signature = signatures[below(signatures.size())];
    const std::string name(lang::builtin_name(builtin));
    const int depth = signature.min_depth + static_cast<int>(below(2));
    const auto choice = static_cast<int>(below(static_cast<std::size_t>(signature.num_choices)));
    std::vector<UnsizedType> types;
    std::string call = name + "(";
    const bool has_bar =
        name.ends_with("_lpdf") || name.ends_with("_lpmf") || name.ends_with("cdf");
    for (std::size_t k = 0; k < signature.arguments.size(); ++k) {
      if (signature.arguments[k].kind != lang::TypePattern::Kind::plain) return with_edit(text);
      types.push_back(argument_type(signature.arguments[k], choice, depth));
      call += (k == 0 ? "" : k == 1 && has_bar ? " | " : ", ") + literal(types.back());
    }
    return placed(std::move(text), name, call + ")", result_of(builtin, types));
  }
  UnsizedType argument_type(const lang::TypePattern& pattern, int choice, int depth) {
    if (pattern.is_class || pattern.alternatives.size() == 1)
      return lang::instantiate(pattern, choice, depth);
    lang::TypePattern one = pattern;
    one.alternatives = {pattern.alternatives[below(pattern.alternatives.size())]};
    return lang::instantiate(one, 0, depth);
  }
  static UnsizedType result_of(int builtin, std::span<const UnsizedType> types) {
    const auto matches = lang::match_builtin(builtin, types);
    return matches.empty() ? UnsizedType() : matches[0].result;
  }
  std::string placed(std::string text, const std::string& name, const std::string& call,
                     const UnsizedType& type) {
    std::string statement = "\n  print(" + call + ");";
    if (type.is_real() || type.is_int()) statement = "\n  target += " + call + ";";
    if (type.depth == 0 &&
        (type.is(BaseType::vector) || type.is(BaseType::row_vector) || type.is(BaseType::matrix)))
      statement = "\n  target += sum(" + call + ");";
    const bool random = name.ends_with("_rng");
    if (random && (type.is_real() || type.is_int()))
      statement = "\n  real random_value = " + call + ";";
    const std::string block = random ? "quantities {" : "model {";
    const std::size_t at = text.find(block);
    if (at == std::string::npos)
      return text + (random ? "\ngenerated quantities {" : "\nmodel {") + statement + "\n}\n";
    return text.insert(at + block.size(), statement);
  }

  static constexpr std::array kIntegers{"0",           "1", "2",    "3", "-1", "2147483647",
                                        "-2147483647", "7", "1000", "i", "N"};
  static constexpr std::array kReals{"x",
                                     "y",
                                     "x",
                                     "0.5",
                                     "0",
                                     "1",
                                     "-1",
                                     "1e300",
                                     "-1e308",
                                     "5e-324",
                                     "1e-20",
                                     "2.5",
                                     "positive_infinity()",
                                     "negative_infinity()",
                                     "not_a_number()",
                                     "v[1]",
                                     "1e6"};
  static constexpr std::array kMatrices{"rep_matrix(x, 0, 0)", "rep_matrix(0, 2, 0)",
                                        "rep_matrix(y, 0, 3)", "[[2, 0.5], [0.5, 2]]",
                                        "[[1, x], [x, 1]]",    "identity_matrix(3)",
                                        "[[1, 0], [y, 1]]",    "diag_matrix([1, x * x]')"};
  static constexpr std::array kSigns{"+", "-", "*",  "/", "^",  ".*", "./", "'", "%", "%/%",
                                     "<", ">", "==", "!", "&&", "||", "[",  "]", "(", ")",
                                     "{", "}", ",",  ";", ":",  "?",  "|",  "~", "=", "+="};
  static constexpr std::array kWords{"int",
                                     "real",
                                     "vector",
                                     "row_vector",
                                     "matrix",
                                     "array",
                                     "simplex",
                                     "ordered",
                                     "cov_matrix",
                                     "corr_matrix",
                                     "cholesky_factor_corr",
                                     "unit_vector",
                                     "complex",
                                     "tuple",
                                     "lower",
                                     "upper",
                                     "offset",
                                     "multiplier",
                                     "for",
                                     "in",
                                     "while",
                                     "if",
                                     "else",
                                     "return",
                                     "break",
                                     "continue",
                                     "print",
                                     "reject",
                                     "target",
                                     "data",
                                     "x",
                                     "y",
                                     "v",
                                     "N",
                                     "void",
                                     "profile",
                                     "fatal_error",
                                     "T",
                                     "jacobian",
                                     "sum_to_zero_vector",
                                     "complex_matrix",
                                     "normal",
                                     "1"};

  std::mt19937 random_;
};

}  // namespace credo::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      credo::fuzz::ProgramMutator(seed).mutate({reinterpret_cast<const char*>(data), size});
  const std::size_t length = std::min(text.size(), max_size);
  std::copy_n(text.data(), length, data);
  return length;
}
