// A recursive-descent parser for signature patterns. The table is ours, so a fault in it is a
// programmer's mistake.
//
//   signature = [type {"," type}] "=>" type
//   type      = "data" type | "@" [low ["-" high]] ["+" digit] type | "{" type {"|" type} "}" | "$"
//   class
//             | word "(" type {"," type} ")" | "fn(" type {"," type} "):" type | word ["[" {","}
//             "]"] | [letter] "..."
#include "lang/typed/signature_parser.hpp"

#include "base/error.hpp"

namespace credo::lang {
namespace {
using enum BaseType;
using Types = std::vector<UnsizedType>;
using Kind = TypePattern::Kind;
using Modifier = TypePattern::Modifier;

struct NamedTypes {
  std::string_view name;
  Types types;
};
const std::vector<NamedTypes>& classes();  // $X: chosen once for the whole pattern
const std::vector<NamedTypes>& sets();     // chosen for each use
std::optional<BaseType> base_named(std::string_view word);
std::optional<Modifier> modifier_named(std::string_view word);

class SignatureParser {
 public:
  explicit SignatureParser(std::string_view text) : text_(text) {}
  Signature signature();

 private:
  TypePattern type();
  TypePattern depth_type();
  TypePattern set_type();
  TypePattern class_type();
  TypePattern named_type();
  TypePattern function_type();
  TypePattern tuple_type();
  TypePattern modified_type(Modifier modifier);
  std::vector<TypePattern> list_until(char end);
  int array_suffix();  // "[,]" -> 2
  int digit();

  void skip_space();
  bool accept(std::string_view token);
  std::string_view word();

  std::string_view text_;
  Signature signature_;
};
const Types* find(const std::vector<NamedTypes>& in, std::string_view name);
TypePattern plain(Types types);
TypePattern pack(char name);
bool is_plain(const TypePattern& pattern);
}  // namespace

std::vector<Signature> parse_signatures(std::string_view lines, int& next_id) {
  std::vector<Signature> signatures;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    signatures.push_back(SignatureParser(lines.substr(0, end)).signature());
    signatures.back().id = next_id++;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return signatures;
}

std::string_view name_of_set(std::span<const UnsizedType> types) {
  for (const NamedTypes& set : sets()) {
    if (std::equal(types.begin(), types.end(), set.types.begin(), set.types.end())) return set.name;
  }
  return "";
}

namespace {
Signature SignatureParser::signature() {
  std::vector<TypePattern> arguments;
  while (!accept("=>")) {
    arguments.push_back(type());
    accept(",");
  }
  if (!arguments.empty() && arguments.back().kind == Kind::pack) {
    signature_.is_variadic = true;
    arguments.pop_back();
  }
  signature_.arguments = std::move(arguments);
  signature_.result = type();
  skip_space();
  CREDO_ASSERT(text_.empty(), "a signature ends after its result type");
  return std::move(signature_);
}

TypePattern SignatureParser::type() {
  if (accept("...")) return pack('.');
  if (accept("@")) return depth_type();
  if (accept("{")) return set_type();
  if (accept("$")) return class_type();
  if (!accept("data ")) return named_type();
  TypePattern pattern = type();
  pattern.data_only = true;
  return pattern;
}

TypePattern SignatureParser::depth_type() {
  constexpr int kUnbounded = 1000;
  if (!text_.empty() && std::isdigit(static_cast<unsigned char>(text_.front()))) {
    signature_.min_depth = digit();
    signature_.max_depth = accept("-") ? digit() : kUnbounded;
  } else if (signature_.max_depth == 0) {
    signature_.max_depth = kUnbounded;
  }
  const int extra = accept("+") ? digit() : 0;
  TypePattern pattern = type();
  pattern.wrapped = true;
  pattern.extra_depth = extra;
  return pattern;
}

TypePattern SignatureParser::set_type() {
  Types types;
  do {
    const TypePattern member = type();
    types.insert(types.end(), member.alternatives.begin(), member.alternatives.end());
  } while (accept("|"));
  const bool closed = accept("}");
  CREDO_ASSERT(closed, "a set of types ends with }");
  return plain(std::move(types));
}

TypePattern SignatureParser::class_type() {
  const Types* types = find(classes(), word());
  CREDO_ASSERT(types != nullptr, "the class of types is known");
  signature_.num_choices = static_cast<int>(types->size());
  TypePattern pattern = plain(*types);
  pattern.is_class = true;
  return pattern;
}

TypePattern SignatureParser::named_type() {
  const std::string_view name = word();
  if (accept("...")) return pack(name.front());
  if (name == "fn") return function_type();
  if (name == "tuple") return tuple_type();
  if (const auto modifier = modifier_named(name)) return modified_type(*modifier);
  if (const Types* types = find(sets(), name)) return plain(*types);
  const auto base = base_named(name);
  CREDO_ASSERT(base.has_value(), "the type in the signature is known");
  return plain({UnsizedType(*base, array_suffix())});
}

TypePattern SignatureParser::function_type() {
  TypePattern pattern;
  pattern.kind = Kind::function;
  accept("(");
  pattern.parts = list_until(')');
  accept(":");
  pattern.parts.push_back(type());
  signature_.is_higher_order = true;
  return pattern;
}

// A tuple of plain types is a plain type itself; one with a pack or a data flag needs its parts.
TypePattern SignatureParser::tuple_type() {
  TypePattern pattern;
  pattern.kind = Kind::tuple;
  accept("(");
  pattern.parts = list_until(')');
  if (!std::all_of(pattern.parts.begin(), pattern.parts.end(), is_plain)) return pattern;
  Types elements;
  for (const TypePattern& part : pattern.parts) elements.push_back(part.alternatives.front());
  return plain({UnsizedType::tuple(std::move(elements))});
}

TypePattern SignatureParser::modified_type(Modifier modifier) {
  accept("(");
  TypePattern pattern = type();
  accept(")");
  pattern.modifier = modifier;
  return pattern;
}

std::vector<TypePattern> SignatureParser::list_until(char end) {
  std::vector<TypePattern> patterns;
  while (!accept(std::string_view(&end, 1))) {
    patterns.push_back(type());
    accept(",");
  }
  return patterns;
}

int SignatureParser::array_suffix() {
  if (!accept("[")) return 0;
  int depth = 1;
  while (accept(",")) ++depth;
  const bool closed = accept("]");
  CREDO_ASSERT(closed, "an array suffix ends with ]");
  return depth;
}

int SignatureParser::digit() {
  const int value = text_.front() - '0';
  text_.remove_prefix(1);
  return value;
}

void SignatureParser::skip_space() {
  while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
}

bool SignatureParser::accept(std::string_view token) {
  skip_space();
  if (text_.substr(0, token.size()) != token) return false;
  text_.remove_prefix(token.size());
  return true;
}

std::string_view SignatureParser::word() {
  skip_space();
  std::size_t length = 0;
  const auto belongs = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  while (length < text_.size() && belongs(text_[length])) ++length;
  CREDO_ASSERT(length > 0, "a type begins with a letter");
  const std::string_view found = text_.substr(0, length);
  text_.remove_prefix(length);
  return found;
}

const std::vector<NamedTypes>& classes() {
  static const std::vector<NamedTypes> kClasses = {
      {"N", {integer, real, vector, row_vector, matrix}},
      {"K", {{integer, 1}, {real, 1}, vector, row_vector, matrix}},
      {"F", {{real, 1}, vector, row_vector, matrix}},
      {"G", {{real, 1}, vector, row_vector}},
      {"L", {vector, row_vector, matrix}},
      {"R", {real, vector, row_vector, matrix}},
      {"Z", {complex, complex_vector, complex_row_vector, complex_matrix}},
      {"X", {{complex, 1}, complex_vector, complex_row_vector, complex_matrix}},
      {"Y", {complex_vector, complex_row_vector, complex_matrix}},
      {"B",
       {integer, real, complex, vector, row_vector, matrix, complex_vector, complex_row_vector,
        complex_matrix}},
  };
  return kClasses;
}

const std::vector<NamedTypes>& sets() {
  static const std::vector<NamedTypes> kSets = {
      {"ints", {integer, {integer, 1}}},
      {"reals", {real, vector, row_vector, {real, 1}}},
      {"intreals", {integer, {integer, 1}, real, vector, row_vector, {real, 1}}},
      {"vectors", {vector, row_vector, {vector, 1}, {row_vector, 1}}},
  };
  return kSets;
}

std::optional<BaseType> base_named(std::string_view word) {
  for (int base = 0; base <= static_cast<int>(complex_matrix); ++base) {
    if (spelling(static_cast<BaseType>(base)) == word) return static_cast<BaseType>(base);
  }
  return std::nullopt;
}

std::optional<Modifier> modifier_named(std::string_view word) {
  if (word == "promote") return Modifier::real;
  if (word == "realpart") return Modifier::real_part;
  if (word == "tocomplex") return Modifier::complex;
  if (word == "rng") return Modifier::rng;
  return std::nullopt;
}

const Types* find(const std::vector<NamedTypes>& in, std::string_view name) {
  for (const NamedTypes& entry : in) {
    if (entry.name == name) return &entry.types;
  }
  return nullptr;
}

TypePattern plain(Types types) {
  TypePattern pattern;
  pattern.alternatives = std::move(types);
  return pattern;
}

TypePattern pack(char name) {
  TypePattern pattern;
  pattern.kind = Kind::pack;
  pattern.pack = name;
  return pattern;
}

bool is_plain(const TypePattern& pattern) {
  return pattern.kind == Kind::plain && !pattern.data_only && pattern.alternatives.size() == 1;
}
}  // namespace
}  // namespace credo::lang
