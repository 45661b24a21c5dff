// Writes the public headers of functions and distributions from the tables of the language:
//   credo_headers functions|distributions > FILE
#include <cstdio>
#include <string>

#include "base/std.hpp"
#include "credo/value.hpp"
#include "dist/distribution.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/typed/signatures.hpp"

namespace {
using namespace credo;
using detail::Rule;
using lang::BaseType;

constexpr std::array kTypes{BaseType::real, BaseType::vector, BaseType::row_vector,
                            BaseType::matrix};

std::string class_of(BaseType type) {
  switch (type) {
    case BaseType::real:
      return "Real";
    case BaseType::vector:
      return "Vector";
    case BaseType::row_vector:
      return "RowVector";
    default:
      return "Matrix";
  }
}

// The sizes of what isn't elementwise.
struct Shaped {
  std::string_view function, rule;
};
constexpr std::array kShaped{
    Shaped{"append_col", "joined_cols"},
    Shaped{"append_row", "joined_rows"},
    Shaped{"chol2inv", "first"},
    Shaped{"cholesky_decompose", "first"},
    Shaped{"columns_dot_product", "cols_of_first"},
    Shaped{"columns_dot_self", "cols_of_first"},
    Shaped{"crossprod", "square_of_cols"},
    Shaped{"cumulative_sum", "first"},
    Shaped{"diag_matrix", "square_of_size"},
    Shaped{"diag_post_multiply", "first"},
    Shaped{"diag_pre_multiply", "second"},
    Shaped{"diagonal", "shorter_side"},
    Shaped{"eigenvalues_sym", "rows_of_first"},
    Shaped{"eigenvectors_sym", "first"},
    Shaped{"elt_divide", "largest"},
    Shaped{"elt_multiply", "largest"},
    Shaped{"fma", "largest"},
    Shaped{"generalized_inverse", "transposed"},
    Shaped{"inverse", "first"},
    Shaped{"inverse_spd", "first"},
    Shaped{"log_softmax", "first"},
    Shaped{"matrix_exp", "first"},
    Shaped{"matrix_exp_multiply", "second"},
    Shaped{"mdivide_left", "cols_by_b_cols"},
    Shaped{"mdivide_left_spd", "cols_by_b_cols"},
    Shaped{"mdivide_left_tri_low", "cols_by_b_cols"},
    Shaped{"mdivide_right", "rows_by_b_rows"},
    Shaped{"mdivide_right_spd", "rows_by_b_rows"},
    Shaped{"mdivide_right_tri_low", "rows_by_b_rows"},
    Shaped{"multiply_lower_tri_self_transpose", "square_of_rows"},
    Shaped{"quad_form", "square_of_b_cols"},
    Shaped{"quad_form_diag", "first"},
    Shaped{"quad_form_sym", "square_of_b_cols"},
    Shaped{"reverse", "first"},
    Shaped{"rows_dot_product", "rows_of_first"},
    Shaped{"rows_dot_self", "rows_of_first"},
    Shaped{"singular_values", "shorter_side"},
    Shaped{"softmax", "first"},
    Shaped{"sort_asc", "first"},
    Shaped{"sort_desc", "first"},
    Shaped{"symmetrize_from_lower_tri", "first"},
    Shaped{"tcrossprod", "square_of_rows"},
    Shaped{"to_row_vector", "size_of_first"},
    Shaped{"to_vector", "size_of_first"},
    Shaped{"transpose", "transposed"},
};

// Functions that the operators of credo/value.hpp replace.
constexpr std::array<std::string_view, 8> kOperators{"add",  "divide",   "minus",   "multiply",
                                                     "plus", "subtract", "modulus", "idivide"};

std::optional<BaseType> result_of(int builtin, std::span<const BaseType> types) {
  const std::vector<lang::UnsizedType> arguments(types.begin(), types.end());
  const auto matches = lang::match_builtin(builtin, arguments);
  if (matches.size() != 1 || matches[0].cost != 0 || matches[0].result.depth != 0) return {};
  for (const bool data_only : matches[0].data_only)
    if (data_only) return {};
  const BaseType result = matches[0].result.base;
  if (std::find(kTypes.begin(), kTypes.end(), result) == kTypes.end()) return {};
  return result;
}

bool is_elementwise(int builtin, std::size_t arity) {
  for (const BaseType type : kTypes) {
    const std::vector<BaseType> arguments(arity, type);
    if (result_of(builtin, arguments) != type) return false;
  }
  return true;
}

std::string rule_of(int builtin, std::string_view name, std::size_t arity, BaseType result) {
  if (result == BaseType::real) return "scalar";
  for (const Shaped& shaped : kShaped)
    if (shaped.function == name) return std::string(shaped.rule);
  return is_elementwise(builtin, arity) ? "largest" : "";
}

void write_overload(const std::string& name, std::span<const BaseType> types, BaseType result,
                    const std::string& rule) {
  std::string parameters, arguments;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string letter(1, static_cast<char>('a' + k));
    parameters += (k == 0 ? "const " : ", const ") + class_of(types[k]) + "& " + letter;
    arguments += (k == 0 ? "" : ", ") + letter;
  }
  std::printf(
      "inline %s %s(%s) {\n  return detail::called<%s>(\"%s\", detail::Rule::%s, {%s});\n}\n",
      class_of(result).c_str(), name.c_str(), parameters.c_str(), class_of(result).c_str(),
      name.c_str(), rule.c_str(), arguments.c_str());
}

void write_overloads(int builtin, const std::string& name, std::size_t arity) {
  std::size_t count = 1;
  for (std::size_t k = 0; k < arity; ++k) count *= kTypes.size();
  for (std::size_t combination = 0; combination < count; ++combination) {
    std::vector<BaseType> types;
    for (std::size_t k = 0, rest = combination; k < arity; ++k, rest /= kTypes.size())
      types.push_back(kTypes[rest % kTypes.size()]);
    const auto result = result_of(builtin, types);
    if (!result) continue;
    const std::string rule = rule_of(builtin, name, arity, *result);
    if (!rule.empty()) write_overload(name, types, *result, rule);
  }
}

void write_functions() {
  std::puts(
      "// The functions of the Stan language over values of a traced callable, under its names "
      "and\n"
      "// with its meanings. Written from the table of signatures when the library is built.\n"
      "#pragma once\n#include \"credo/value.hpp\"\n\nnamespace credo {\n\nnamespace detail {\n"
      "template <class T>\n"
      "T called(const char* function, Rule rule, std::initializer_list<Argument> arguments) {\n"
      "  return make<T>(call(function, type_of<T>, rule, arguments));\n}\n"
      "}  // namespace detail\n");
  for (int builtin = 0; builtin < lang::num_builtins(); ++builtin) {
    const std::string name(lang::builtin_name(builtin));
    const bool is_operator =
        std::find(kOperators.begin(), kOperators.end(), name) != kOperators.end();
    if (is_operator || !lang::is_implemented(name) || lang::distribution_function(name)) continue;
    for (std::size_t arity = 1; arity <= 3; ++arity) write_overloads(builtin, name, arity);
  }
  std::puts("\n}  // namespace credo");
}

std::string described(const dist::Distribution& d) {
  std::string text = "// " + std::string(d.outcome.name);
  for (const dist::Argument& argument : d.args) text += ", " + std::string(argument.name);
  return text + ".";
}

void write_function(const dist::Distribution& d, const std::string& name) {
  std::string parameters = "const Argument& x", arguments = "x";
  for (std::size_t k = 0; k < d.args.size(); ++k) {
    const std::string letter(1, static_cast<char>('a' + k));
    parameters += ", const Argument& " + letter;
    arguments += ", " + letter;
  }
  std::printf("inline Real %s(%s) {\n  return detail::density(\"%s\", {%s});\n}\n", name.c_str(),
              parameters.c_str(), name.c_str(), arguments.c_str());
}

void write_distributions() {
  std::puts(
      "// Log densities and log probabilities (_lpdf, _lpmf), distribution functions (_cdf), "
      "their\n"
      "// logarithms (_lcdf) and those of their complements (_lccdf), as the Stan language has "
      "them.\n"
      "// Outcome and arguments are numbers or containers of one size; the result is the sum over\n"
      "// them. The comment names the outcome and the arguments in their order. Written from the\n"
      "// table of distributions when the library is built.\n"
      "#pragma once\n#include \"credo/value.hpp\"\n\nnamespace credo {\n\nnamespace detail {\n"
      "inline Real density(const char* function, std::initializer_list<Argument> arguments) {\n"
      "  return make<Real>(call(function, Type::real, Rule::scalar, arguments));\n}\n"
      "}  // namespace detail\n");
  for (const dist::Distribution* d : dist::table()) {
    const std::string name(d->name);
    std::puts(described(*d).c_str());
    write_function(*d, name + (d->discrete ? "_lpmf" : "_lpdf"));
    for (const char* tail : {"_cdf", "_lcdf", "_lccdf"})
      if (const auto known = lang::distribution_function(name + tail); known)
        write_function(*d, name + tail);
  }
  std::puts("\n}  // namespace credo");
}
}  // namespace

int main(int count, char** words) {
  const std::string_view which = count == 2 ? words[1] : "";
  if (which == "functions") return write_functions(), 0;
  if (which == "distributions") return write_distributions(), 0;
  std::fputs("credo_headers functions|distributions\n", stderr);
  return 2;
}
