// The built-in functions of the language: their names, their signatures, and which signature a call
// means.
//
// The table (signatures_table.cpp) holds one row a name and one pattern a line, in this notation:
//
//   int real complex vector row_vector matrix           themselves; also complex_vector,
//                                                       complex_row_vector, complex_matrix
//   T[]  T[,]                                           arrays
//   tuple(T, T)                                         tuples
//   {T|T}                                               one of them
//   ints reals intreals vectors                         such sets; each use chooses independently
//   $X                 one of the class X (kClasses in signatures.cpp), the same one everywhere in
//                      the pattern
//   @T  @1T  @0-2T     T in d further array dimensions, d >= 0, d >= 1, 0 <= d <= 2; the same d
//                      everywhere
//   @+kT               in d + k dimensions
//   promote(T) realpart(T) tocomplex(T)                 T with another base
//   rng(T)             T if all arguments are scalars, else T[]
//   data T             the argument must not depend on parameters
//   fn(T, ...): R      a function passed by name
//   ...                any number of arguments, in the fn and in the call the same
//   L...               in fn and in tuple(L...): the function's trailing arguments are the tuple's
//                      elements
//
// Patterns are matched directly, without expansion. Functions of our rows that the language hasn't
// (a univariate distribution; a built-in function that has its own signatures) join the table by themselves.
#pragma once
#include "base/result.hpp"
#include "lang/typed/types.hpp"

namespace credo::dist {
struct Distribution;
}

namespace credo::lang {

struct SignatureRow {
  std::string_view name, signatures;
};
std::span<const SignatureRow> language_signatures();  // the language's table, sorted by name
std::span<const SignatureRow> signature_rows();       // and those of our own rows

// The functions that follow from a univariate distribution, with their signatures: density, tails and
// draws, as far as the row has them.
std::vector<std::pair<std::string, std::string>> functions_of(const dist::Distribution& d);

// Built-ins are numbered densely in the order of their names.
int num_builtins();
int find_builtin(std::string_view name);  // -1 if it isn't built in
std::string_view builtin_name(int builtin);

// Pattern of an argument, of the result, or of a part of them.
struct TypePattern {
  enum class Kind : std::uint8_t { plain, tuple, function, pack };
  enum class Modifier : std::uint8_t { none, real, real_part, complex, rng };

  Kind kind = Kind::plain;
  Modifier modifier = Modifier::none;
  bool data_only = false;
  bool is_class = false;  // `alternatives` are those of the class
  bool wrapped = false;   // in d + extra_depth array dimensions
  int extra_depth = 0;
  char pack = 0;                          // 'L', 'K', or '.' for "..."
  std::vector<UnsizedType> alternatives;  // of a plain type
  std::vector<TypePattern> parts;         // parts of a tuple; parameters, then result of a function
};

struct Signature {
  int id = 0;
  std::vector<TypePattern> arguments;  // a trailing "..." is not among them
  TypePattern result;
  int min_depth = 0, max_depth = 0;  // range of d
  int num_choices = 1;               // size of the class in use
  bool is_variadic = false;
  bool is_higher_order = false;
};
std::span<const Signature> signatures_of(int builtin);
std::string to_string(const TypePattern& pattern);
std::string to_string(std::string_view name,
                      const Signature& signature);  // for lists of candidates

// For a text with the names of sets in it: "; reals is real, vector, row_vector or array[] real".
// Else empty.
std::string named_sets_in(std::string_view text);

// A function's type as far as calls are concerned.
struct FunctionType {
  std::vector<UnsizedType> parameters;
  std::vector<bool> data_only;
  UnsizedType result;
};

// One way a call can be meant.
struct Match {
  UnsizedType result;
  std::vector<UnsizedType> arguments;                 // to which the actual arguments are promoted
  std::vector<bool> data_only;                        // per argument
  std::vector<std::vector<bool>> data_only_elements;  // per argument that is a tuple; else empty
  int signature = -1;                                 // id, -1 for a user function
  int cost = 0;                                       // of the promotions
  int user = -1;                                      // index of the user function when it is one
  std::vector<int> passed;  // per argument that is a function's name: index of its overload
};

// All cheapest matches of the plain signatures of a built-in (more than one: ambiguous; none: no
// match).
std::vector<Match> match_builtin(int builtin, std::span<const UnsizedType> arguments);

// Keeps the matches of least cost, one for each list of argument types.
void keep_cheapest(std::vector<Match>& matches);

// Details that lang/typed/overloads.cpp shares.
UnsizedType instantiate(const TypePattern& pattern, int choice, int depth);
std::vector<int> depths_to_try(const Signature& signature, std::span<const UnsizedType> arguments);
struct CheapestType {
  UnsizedType type;
  int cost = 0;
};
// The alternative of a plain pattern that is cheapest to promote to.
std::optional<CheapestType> cheapest(const TypePattern& pattern, const UnsizedType& argument,
                                     int choice, int depth);

}  // namespace credo::lang
