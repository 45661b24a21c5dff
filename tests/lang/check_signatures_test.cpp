// The matcher against the language's list of signatures: here every line is expanded to all its
// concrete signatures by an independent reader of the list, and each must resolve, without
// promotion, to the documented result.
#include <fstream>
#include <set>

#include "dist/distribution.hpp"
#include "lang/typed/overloads.hpp"

namespace credo::lang::check_signatures_test {
namespace {
constexpr const char* kList = CREDO_SOURCE_DIR "/../shared/stan/signatures.txt";
using Strings = std::vector<std::string>;

const std::map<std::string, Strings, std::less<>>& classes() {
  static const std::map<std::string, Strings, std::less<>> kClasses = {
      {"N", {"int", "real", "vector", "row_vector", "matrix"}},
      {"K", {"array[] int", "array[] real", "vector", "row_vector", "matrix"}},
      {"F", {"array[] real", "vector", "row_vector", "matrix"}},
      {"G", {"array[] real", "vector", "row_vector"}},
      {"L", {"vector", "row_vector", "matrix"}},
      {"Z", {"complex", "complex_vector", "complex_row_vector", "complex_matrix"}},
      {"X", {"array[] complex", "complex_vector", "complex_row_vector", "complex_matrix"}},
      {"Y", {"complex_vector", "complex_row_vector", "complex_matrix"}},
      {"B",
       {"int", "real", "complex", "vector", "row_vector", "matrix", "complex_vector",
        "complex_row_vector", "complex_matrix"}},
  };
  return kClasses;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "array{0..7}+1 " -> one text per number of dimensions, the same everywhere.
Strings expand_depths(const std::string& line) {
  const std::size_t at = line.find("array{");
  if (at == std::string::npos) return {line};
  Strings expanded;
  for (int d = line[at + 6] - '0'; d <= line[at + 9] - '0'; ++d) {
    std::string text = line;
    for (std::size_t p = text.find("array{"); p != std::string::npos; p = text.find("array{")) {
      const int extra = text[p + 11] == '+' ? text[p + 12] - '0' : 0;
      const std::size_t length = text[p + 11] == '+' ? 13 : 11;
      const std::string commas(static_cast<std::size_t>(std::max(d + extra - 1, 0)), ',');
      text.replace(p, length, d + extra == 0 ? "" : "array[" + commas + "]");
    }
    expanded.push_back(text);
  }
  return expanded;
}

Strings expand_class(const std::string& line) {
  const std::size_t at = line.find('$');
  if (at == std::string::npos) return {line};
  const std::string name = line.substr(at, 2);
  Strings expanded;
  for (const std::string& type : classes().at(name.substr(1)))
    expanded.push_back(replaced(line, name, type));
  return expanded;
}

// Independent choices, one after the other.
void expand_sets(const std::string& line, Strings& out) {
  const std::size_t open = line.find('{');
  if (open == std::string::npos) return out.push_back(line);
  const std::size_t close = line.find('}', open);
  for (std::size_t from = open + 1; from <= close;) {
    const std::size_t end = std::min(line.find('|', from), close);
    expand_sets(line.substr(0, open) + line.substr(from, end - from) + line.substr(close + 1), out);
    from = end + 1;
  }
}

std::string with_named_sets(std::string line) {
  const std::size_t open = line.find('(');
  std::string arguments = " " + line.substr(open + 1);
  for (const char* before : {" ", "{"}) {
    const std::string b = before;
    arguments = replaced(arguments, b + "ints", b + "{int|array[] int}");
    arguments = replaced(arguments, b + "intreals",
                         b + "{int|array[] int|real|vector|row_vector|array[] real}");
    arguments = replaced(arguments, b + "reals", b + "{real|vector|row_vector|array[] real}");
    arguments = replaced(arguments, b + "vectors",
                         b + "{vector|row_vector|array[] vector|array[] row_vector}");
  }
  return line.substr(0, open + 1) + arguments.substr(1);
}

UnsizedType parse_type(std::string text);

// Splits at commas outside of brackets.
std::vector<UnsizedType> parse_types(const std::string& text) {
  std::vector<UnsizedType> types;
  int depth = 0;
  std::string one;
  for (const char c : text + ",") {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) {
      one += c;
    } else if (one.find_first_not_of(' ') != std::string::npos) {
      types.push_back(parse_type(one));
      one.clear();
    }
  }
  return types;
}

UnsizedType parse_type(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  if (text.starts_with("data ")) return parse_type(text.substr(5));
  if (text.starts_with("array[")) {
    const std::size_t close = text.find(']');
    return array_of(parse_type(text.substr(close + 1)), static_cast<int>(close) - 5);
  }
  const std::size_t open = text.find('(');
  const std::string inside =
      open == std::string::npos ? "" : text.substr(open + 1, text.rfind(')') - open - 1);
  if (text.starts_with("tuple(")) return UnsizedType::tuple(parse_types(inside));
  if (text.starts_with("promote(")) return with_real_base(parse_type(inside));
  if (text.starts_with("realpart(")) return real_part(parse_type(inside));
  if (text.starts_with("tocomplex(")) return with_complex_base(parse_type(inside));
  for (int base = 1; base <= static_cast<int>(BaseType::complex_matrix); ++base) {
    if (spelling(static_cast<BaseType>(base)) == text) return static_cast<BaseType>(base);
  }
  ADD_FAILURE() << "not a type: " << text;
  return {};
}

struct Concrete {
  std::string name;
  std::vector<UnsizedType> arguments;
  UnsizedType result;
};

Concrete parse_concrete(const std::string& line) {
  const std::size_t open = line.find('('), arrow = line.find(" => ");
  Concrete concrete;
  concrete.name = line.substr(0, open);
  concrete.arguments = parse_types(line.substr(open + 1, arrow - open - 2));
  std::string result = line.substr(arrow + 4);
  const bool is_rng = result.starts_with("rng(");
  if (is_rng) result = result.substr(4, result.size() - 5);
  concrete.result = parse_type(result);
  const bool scalars = std::all_of(concrete.arguments.begin(), concrete.arguments.end(),
                                   [](const UnsizedType& type) { return type.is_scalar(); });
  if (is_rng && !scalars) concrete.result = array_of(concrete.result);
  return concrete;
}

std::vector<Concrete> expand(const std::string& line) {
  std::vector<Concrete> all;
  for (const std::string& at_depth : expand_depths(line)) {
    for (const std::string& of_class : expand_class(with_named_sets(at_depth))) {
      Strings lines;
      expand_sets(of_class, lines);
      for (const std::string& text : lines) all.push_back(parse_concrete(text));
    }
  }
  return all;
}

TEST(signatures, every_documented_instance_resolves_to_its_result_without_promotion) {
  std::ifstream list(kList);
  if (!list) GTEST_SKIP() << "SKIPPED: no " << kList << ", the signatures were not compared";
  std::set<std::string> names, seen;
  int wrong = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with("# ===== B")) break;
    if (line.empty() || line[0] == '#') continue;
    names.insert(line.substr(0, line.find('(')));
    if (line.find("fn(") != std::string::npos) {
      seen.insert(line);
      continue;
    }
    for (const Concrete& concrete : expand(line)) {
      seen.insert(concrete.name + "(" + to_string(std::span(concrete.arguments)) + ")");
      const auto found = match_builtin(find_builtin(concrete.name), concrete.arguments);
      const bool right =
          found.size() == 1 && found[0].cost == 0 && found[0].result == concrete.result;
      if (right || ++wrong > 20) continue;
      ADD_FAILURE() << line << "\n  as " << concrete.name << "("
                    << to_string(std::span(concrete.arguments)) << ") => "
                    << to_string(concrete.result) << ": " << found.size() << " matches "
                    << (found.empty() ? "" : to_string(found[0].result));
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(names.size(), 564u);  // both counts are the list's own
  EXPECT_EQ(seen.size(), 24246u);
}

TEST(signatures, a_wrong_result_would_be_noticed) {
  const Concrete planted = parse_concrete("sqrt(int) => int");  // the language says real
  const auto found = match_builtin(find_builtin("sqrt"), planted.arguments);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].result, planted.result);
}

Result<Match, ResolveFailure> resolve(std::string_view name, std::vector<UnsizedType> types,
                                      std::vector<UserOverload> users = {}) {
  std::vector<CallArgument> arguments;
  for (const UnsizedType& type : types) arguments.push_back({type});
  return resolve_call(name, find_builtin(name), users, arguments);
}

TEST(signatures, arguments_promote_at_least_cost) {
  using enum BaseType;
  EXPECT_EQ(resolve("add", {integer, real})->result, UnsizedType(real));
  EXPECT_EQ(resolve("add", {integer, integer})->result, UnsizedType(integer));
  EXPECT_EQ(resolve("add", {integer, complex})->result, UnsizedType(complex));
  EXPECT_EQ(resolve("multiply", {integer, vector})->arguments[0], UnsizedType(real));
  EXPECT_EQ(resolve("pow", {integer, integer})->result, UnsizedType(real));
  EXPECT_EQ(resolve("normal_lpdf", {integer, UnsizedType(integer, 1), real})->arguments[1],
            UnsizedType(real, 1));
  EXPECT_EQ(resolve("logical_eq", {real, complex})->cost, 1);
  EXPECT_FALSE(resolve("add", {vector, row_vector}));
  EXPECT_FALSE(resolve("multiply", {vector, vector}));
  EXPECT_FALSE(resolve("normal_lpdf", {matrix, real, real}));
  EXPECT_FALSE(resolve("normal_lpdf", {UnsizedType(real, 2), real, real}));
}

TEST(signatures, depth_is_the_same_in_the_whole_pattern) {
  using enum BaseType;
  EXPECT_EQ(resolve("fmax", {UnsizedType(vector, 9), real})->result, UnsizedType(vector, 9));
  EXPECT_FALSE(resolve("fmax", {UnsizedType(vector, 2), UnsizedType(vector, 1)}));
  EXPECT_EQ(resolve("rep_array", {UnsizedType(vector, 1), integer, integer})->result,
            UnsizedType(vector, 3));
  EXPECT_FALSE(resolve("rep_array", {UnsizedType(vector, 3), integer}));
}

TEST(signatures, a_tie_between_user_overloads_is_ambiguous) {
  using enum BaseType;
  const FunctionType a{{real, integer}, {false, false}, real},
      b{{integer, real}, {false, false}, real};
  const auto tie = resolve("f", {integer, integer}, {{0, a}, {1, b}});
  ASSERT_FALSE(tie);
  EXPECT_TRUE(tie.error().is_ambiguous);
  EXPECT_EQ(tie.error().candidates.size(), 2u);
  EXPECT_EQ(resolve("f", {real, integer}, {{0, a}, {1, b}})->user, 0);
  EXPECT_EQ(resolve("f", {integer, real}, {{0, a}, {1, b}})->user, 1);
}

TEST(signatures, a_user_overload_of_a_builtin_wins_when_it_is_cheaper) {
  using enum BaseType;
  const FunctionType own{{UnsizedType::tuple({real, real})}, {false}, real};
  EXPECT_EQ(resolve("sqrt", {UnsizedType::tuple({real, integer})}, {{7, own}})->user, 7);
  EXPECT_EQ(resolve("sqrt", {real}, {{7, own}})->user, -1);
}

TEST(signatures, names_are_found_by_their_exact_spelling) {
  EXPECT_GE(find_builtin("normal_lpdf"), 0);
  EXPECT_EQ(find_builtin("normal"), -1);
  EXPECT_EQ(builtin_name(find_builtin("Phi")), "Phi");
  for (int k = 0; k < num_builtins(); ++k) EXPECT_EQ(find_builtin(builtin_name(k)), k);
}
// ---- rows of our own ----

TEST(own_signatures, of_a_distribution_follow_from_its_row) {
  const dist::Distribution real{
      .name = "kumaraswamy",
      .args = {{"first shape parameter", dist::Domain::positive_finite},
               {"number of trials", dist::Domain::count}},
      .reference = {},
      .log_density = [](const graph::Expr& y, dist::Args) { return std::vector{y}; },
      .log_cdf = [](const graph::Expr& y, dist::Args) { return y; },
      .draw = [](Rng&, dist::Params) { return 0.5; }};
  using Functions = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(functions_of(real), (Functions{{"kumaraswamy_lpdf", "reals, reals, ints => real"},
                                           {"kumaraswamy_lcdf", "reals, reals, ints => real"},
                                           {"kumaraswamy_rng", "intreals, ints => rng(real)"}}));
  dist::Distribution whole = real;
  whole.discrete = true;
  EXPECT_EQ(functions_of(whole).front(),
            (std::pair<std::string, std::string>{"kumaraswamy_lpmf", "ints, reals, ints => real"}));
  EXPECT_EQ(functions_of(whole).back().second, "intreals, ints => rng(int)");
}

TEST(own_signatures, make_every_univariate_row_callable_by_one_name_at_least) {
  for (const dist::Distribution* d : dist::table()) {
    const auto functions = functions_of(*d);
    if (functions.empty()) continue;
    EXPECT_TRUE(std::any_of(functions.begin(), functions.end(), [](const auto& f) {
      return find_builtin(f.first) >= 0;
    })) << d->name;
  }
}

TEST(own_signatures, leave_the_languages_rows_as_they_are) {
  EXPECT_TRUE(std::is_sorted(signature_rows().begin(), signature_rows().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const SignatureRow& row : language_signatures()) {
    const int builtin = find_builtin(row.name);
    ASSERT_GE(builtin, 0) << row.name;
    EXPECT_EQ(signature_rows()[static_cast<std::size_t>(builtin)].signatures, row.signatures);
  }
}

}  // namespace
}  // namespace credo::lang::check_signatures_test
