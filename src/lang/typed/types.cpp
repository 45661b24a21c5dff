// The types without sizes: promotions, common types, spelling. The promotion order of the bases is
// one small table.
#include "lang/typed/types.hpp"

namespace credo::lang {
namespace {
// Facts about a base: its spelling, its own dimensions, and where it goes when its
// scalars become real or complex (or when complex scalars become real).
struct BaseFacts {
  std::string_view spelling;
  int dimensions;
  BaseType with_real, with_complex, real_part;
};
const BaseFacts& facts(BaseType base);
std::optional<int> base_cost(BaseType from, BaseType to);
std::optional<int> tuple_cost(const UnsizedType& from, const UnsizedType& to);
std::optional<UnsizedType> common_tuple(const UnsizedType& a, const UnsizedType& b);
using Map = UnsizedType (*)(UnsizedType);
UnsizedType map_base(UnsizedType type, BaseType to, Map for_elements);
template <class Test>
bool any_base(const UnsizedType& type, Test test);
}  // namespace

UnsizedType UnsizedType::tuple(std::vector<UnsizedType> elements, int depth) {
  UnsizedType type(BaseType::tuple, depth);
  type.elements = std::move(elements);
  return type;
}

bool UnsizedType::is_value() const {
  return base != BaseType::none && base != BaseType::function && base != BaseType::text;
}

int num_dimensions(const UnsizedType& type) { return type.depth + facts(type.base).dimensions; }

bool is_int_based(const UnsizedType& type) {
  if (type.base != BaseType::tuple) return type.base == BaseType::integer;
  return std::all_of(type.elements.begin(), type.elements.end(),
                     [](const UnsizedType& element) { return is_int_based(element); });
}

bool contains_int(const UnsizedType& type) {
  return any_base(type, [](BaseType base) { return base == BaseType::integer; });
}

bool contains_complex(const UnsizedType& type) {
  return any_base(type, [](BaseType base) { return base != facts(base).real_part; });
}

bool contains_poison(const UnsizedType& type) {
  return any_base(type, [](BaseType base) { return base == BaseType::poison; });
}

UnsizedType array_of(UnsizedType type, int more) {
  if (!type.is_poison()) type.depth += more;
  return type;
}

std::optional<UnsizedType> element_type(const UnsizedType& type) {
  if (type.is_poison()) return type;
  if (type.depth > 0) return array_of(type, -1);
  if (facts(type.base).dimensions == 0) return std::nullopt;
  const bool is_complex = facts(type.base).real_part != type.base;
  return UnsizedType(is_complex ? BaseType::complex : BaseType::real);
}

UnsizedType with_real_base(UnsizedType type) {
  const BaseType to = facts(type.base).with_real;
  return map_base(std::move(type), to, with_real_base);
}

UnsizedType with_complex_base(UnsizedType type) {
  const BaseType to = facts(type.base).with_complex;
  return map_base(std::move(type), to, with_complex_base);
}

UnsizedType real_part(UnsizedType type) {
  const BaseType to = facts(type.base).real_part;
  return map_base(std::move(type), to, real_part);
}

std::optional<int> promotion_cost(const UnsizedType& from, const UnsizedType& to) {
  if (from.depth != to.depth) return std::nullopt;
  if (from.base == BaseType::tuple && to.base == BaseType::tuple) return tuple_cost(from, to);
  return base_cost(from.base, to.base);
}

bool promotes(const UnsizedType& from, const UnsizedType& to) {
  if (contains_poison(from) || contains_poison(to)) return true;
  return promotion_cost(from, to).has_value();
}

std::optional<UnsizedType> common_type(const UnsizedType& a, const UnsizedType& b) {
  if (contains_poison(a)) return b;
  if (contains_poison(b)) return a;
  if (promotion_cost(a, b)) return b;
  if (promotion_cost(b, a)) return a;
  return common_tuple(a, b);
}

std::string_view spelling(BaseType base) { return facts(base).spelling; }

std::string to_string(const UnsizedType& type) {
  std::string text;
  if (type.depth > 0)
    text = "array[" + std::string(static_cast<std::size_t>(type.depth - 1), ',') + "] ";
  if (type.base != BaseType::tuple) return text + std::string(spelling(type.base));
  const std::string_view end = type.elements.size() == 1 ? ",)" : ")";
  return text + "tuple(" + to_string(std::span(type.elements)) + std::string(end);
}

std::string with_article(const UnsizedType& type) {
  const bool begins_with_vowel = type.depth > 0 || type.base == BaseType::integer;
  return (begins_with_vowel ? "an " : "a ") + to_string(type);
}

std::string to_string(std::span<const UnsizedType> types) {
  std::string text;
  for (const UnsizedType& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

namespace {
const BaseFacts& facts(BaseType base) {
  using enum BaseType;
  static constexpr std::array<BaseFacts, 14> kFacts{{
      {"unknown", 0, poison, poison, poison},
      {"int", 0, real, complex, integer},
      {"real", 0, real, complex, real},
      {"complex", 0, complex, complex, real},
      {"vector", 1, vector, complex_vector, vector},
      {"row_vector", 1, row_vector, complex_row_vector, row_vector},
      {"matrix", 2, matrix, complex_matrix, matrix},
      {"complex_vector", 1, complex_vector, complex_vector, vector},
      {"complex_row_vector", 1, complex_row_vector, complex_row_vector, row_vector},
      {"complex_matrix", 2, complex_matrix, complex_matrix, matrix},
      {"tuple", 0, tuple, tuple, tuple},
      {"void", 0, none, none, none},
      {"function", 0, function, function, function},
      {"string", 0, text, text, text},
  }};
  return kFacts[static_cast<std::size_t>(base)];
}

std::optional<int> base_cost(BaseType from, BaseType to) {
  if (from == to) return 0;
  if (from == BaseType::integer && to == BaseType::complex) return 2;
  if (facts(from).with_real == to || facts(from).with_complex == to) return 1;
  return std::nullopt;
}

std::optional<int> tuple_cost(const UnsizedType& from, const UnsizedType& to) {
  if (from.elements.size() != to.elements.size()) return std::nullopt;
  int total = 0;
  for (std::size_t i = 0; i < from.elements.size(); ++i) {
    const auto cost = promotion_cost(from.elements[i], to.elements[i]);
    if (!cost) return std::nullopt;
    total += *cost;
  }
  return total;
}

std::optional<UnsizedType> common_tuple(const UnsizedType& a, const UnsizedType& b) {
  const bool both = a.base == BaseType::tuple && b.base == BaseType::tuple;
  if (!both || a.depth != b.depth || a.elements.size() != b.elements.size()) return std::nullopt;
  std::vector<UnsizedType> elements;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    auto common = common_type(a.elements[i], b.elements[i]);
    if (!common) return std::nullopt;
    elements.push_back(std::move(*common));
  }
  return UnsizedType::tuple(std::move(elements), a.depth);
}

UnsizedType map_base(UnsizedType type, BaseType to, Map for_elements) {
  type.base = to;
  for (UnsizedType& element : type.elements) element = for_elements(std::move(element));
  return type;
}

template <class Test>
bool any_base(const UnsizedType& type, Test test) {
  if (test(type.base)) return true;
  return std::any_of(type.elements.begin(), type.elements.end(),
                     [&](const UnsizedType& element) { return any_base(element, test); });
}
}  // namespace
}  // namespace credo::lang
