// The types of the Stan language without sizes, and the implicit promotions between them
// (language facts 3, 8.1): int -> real -> complex, the same inside arrays and tuples, and
// vector -> complex_vector, row_vector -> complex_row_vector, matrix -> complex_matrix.
#pragma once
#include "base/std.hpp"

namespace credo::lang {

enum class BaseType : std::uint8_t {
  poison,  // the type of a wrong expression; everything is allowed with it, so one fault is one
           // message
  integer,
  real,
  complex,
  vector,
  row_vector,
  matrix,
  complex_vector,
  complex_row_vector,
  complex_matrix,
  tuple,
  none,      // `void`
  function,  // a function's name as an argument
  text,      // a string literal
};

struct UnsizedType {
  BaseType base = BaseType::poison;
  int depth = 0;                      // number of array dimensions around the base
  std::vector<UnsizedType> elements;  // of a tuple

  UnsizedType() = default;
  UnsizedType(BaseType of, int array_depth = 0)
      : base(of), depth(array_depth) {}  // NOLINT: implicit
  static UnsizedType tuple(std::vector<UnsizedType> elements, int depth = 0);

  bool operator==(const UnsizedType&) const = default;

  bool is(BaseType scalar_base) const { return base == scalar_base && depth == 0; }
  bool is_poison() const { return base == BaseType::poison; }
  bool is_int() const { return is(BaseType::integer); }
  bool is_real() const { return is(BaseType::real); }
  bool is_complex() const { return is(BaseType::complex); }
  bool is_void() const { return base == BaseType::none; }
  bool is_tuple() const { return is(BaseType::tuple); }
  bool is_scalar() const { return is_int() || is_real() || is_complex(); }
  bool is_value() const;  // neither void nor a function nor text
};

// Number of indices that reach a scalar (or a tuple): array dimensions, then 1 for vectors and 2
// for matrices.
int num_dimensions(const UnsizedType& type);

// True when every scalar inside is int; such expressions never carry derivatives.
bool is_int_based(const UnsizedType& type);
// True when some scalar inside is int (a tuple may mix).
bool contains_int(const UnsizedType& type);
bool contains_complex(const UnsizedType& type);
bool contains_poison(const UnsizedType& type);

// The type with `more` array dimensions around it; negative numbers take dimensions off.
UnsizedType array_of(UnsizedType type, int more = 1);
// Type of a loop's elements of the container: element of an array, real of a vector or matrix; nullopt
// for scalars.
std::optional<UnsizedType> element_type(const UnsizedType& type);

UnsizedType with_real_base(UnsizedType type);  // int -> real
UnsizedType with_complex_base(
    UnsizedType type);                    // int, real -> complex; vector -> complex_vector; ...
UnsizedType real_part(UnsizedType type);  // complex -> real; complex_vector -> vector; ...

// Cost of promoting `from` to `to` (language facts 8.3): 0 when equal, int -> real 1, real ->
// complex 1, int -> complex 2, a tuple the sum over its elements; nothing when there is no
// promotion.
std::optional<int> promotion_cost(const UnsizedType& from, const UnsizedType& to);
bool promotes(const UnsizedType& from, const UnsizedType& to);  // poison goes with everything

// The least type both promote to.
std::optional<UnsizedType> common_type(const UnsizedType& a, const UnsizedType& b);

std::string_view spelling(BaseType base);                   // "row_vector"
std::string to_string(const UnsizedType& type);             // "array[,] tuple(int, array[] vector)"
std::string with_article(const UnsizedType& type);          // "an int", "a vector"
std::string to_string(std::span<const UnsizedType> types);  // "int, array[] real"

}  // namespace credo::lang
