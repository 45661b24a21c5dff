// Recursive descent over the few forms that dump() writes; anything else of R is refused.
#include "io/data/r_dump.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/number_text.hpp"
#include "io/text_encoding.hpp"

namespace credo::io {
namespace {
constexpr double kMostElements = 2147483647.0;  // largest size
constexpr double kMostImplied = 1e7;  // elements that few letters stand for: a:b, numeric(n)

// A vector of R: numbers, or texts.
struct RVector {
  std::vector<double> numbers;
  std::vector<Index> missing;  // places
  std::vector<std::string> texts;
  std::vector<Index> dims;
  std::vector<std::string> levels;
  bool is_scalar = true, is_factor = false;
  std::size_t first_real = std::string::npos;  // the number written with a point or an exponent
  std::string first_real_text;
};

class RDumpParser {
 public:
  RDumpParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  DataTable table() {
    DataTable table(source_);
    for (skip_space(); at_ < text_.size(); skip_space()) {
      stop_if_asked();
      if (accept(";")) continue;
      const std::size_t begin = at_;
      std::string name = variable_name();
      if (!accept("<-") && !accept("=")) fail("expected <- behind the name");
      skip_space();
      const std::size_t place = at_;
      const RVector vector = value();
      table.add(std::move(name), data_value(vector, place, begin));
    }
    return table;
  }

 private:
  // ---- parts of the text

  std::string variable_name() {
    const char quote = peek();
    if (quote == '"' || quote == '`' || quote == '\'') return quoted();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n<=", at_), text_.size());
    std::string name(text_.substr(at_, end - at_));
    const bool begins =
        !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '.');
    if (!begins) fail("expected the name of a variable");
    at_ = end;
    return name;
  }

  RVector value() {
    if (++depth_ > 8) fail("calls within calls within calls");
    RVector vector;
    if (accept_call("structure"))
      vector = structure();
    else
      vector = plain();
    --depth_;
    return vector;
  }

  RVector structure() {
    RVector vector = value();
    while (accept(",")) attribute(vector);
    require(")");
    if (vector.is_factor != !vector.levels.empty()) fail("a factor has levels, and a class");
    if (vector.is_factor) require_codes(vector);
    return vector;
  }

  void require_codes(const RVector& vector) const {
    const auto most = static_cast<double>(vector.levels.size());
    for (const double code : vector.numbers)
      if (!std::isnan(code) && !(code >= 1.0 && code <= most && code == std::floor(code)))
        fail(fmt::format("{} is no code of a factor with {} levels", code, vector.levels.size()));
    if (vector.first_real != std::string::npos) fail("codes of a factor are whole numbers");
  }

  void attribute(RVector& vector) {
    const std::string name = variable_name();
    require("=");
    const RVector given = value();
    if (name == ".Dim" || name == "dim") {
      for (const double size : given.numbers) {
        if (!(size >= 0.0 && size <= kMostElements && size == std::floor(size)))
          fail("sizes of .Dim are whole numbers");
        vector.dims.push_back(static_cast<Index>(size));
      }
    } else if (name == "levels" || name == ".Label") {
      vector.levels = given.texts;
    } else if (name == "class") {
      vector.is_factor = given.texts.size() == 1 && given.texts[0] == "factor";
      if (!vector.is_factor) fail("objects of a class other than factor are no data");
    } else if (name != "names" && name != ".Names" && name != "dimnames" && name != ".Dimnames") {
      fail(fmt::format("the attribute {} isn't known here", name));
    }
  }

  RVector plain() {
    RVector vector;
    if (accept_call("c")) {
      vector.is_scalar = false;
      if (accept(")")) return vector;
      do element(vector);
      while (accept(","));
      require(")");
      return vector;
    }
    for (const char* name : {"integer", "double", "numeric"})
      if (accept_call(name)) {
        zeros(vector);
        return vector;
      }
    element(vector);
    return vector;
  }

  void zeros(RVector& vector) {
    vector.is_scalar = false;
    RVector size;
    if (!accept(")")) {
      element(size);
      require(")");
    }
    const double count = size.numbers.empty() ? 0.0 : size.numbers[0];
    if (!(count >= 0.0 && count <= kMostImplied)) fail("a size is from 0 to 10,000,000");
    vector.numbers.assign(static_cast<std::size_t>(count), 0.0);
  }

  // A number, a:b, NA, a truth or a text; with a name before it, which is left out.
  void element(RVector& vector) {
    stop_if_asked();
    skip_space();
    const char first = peek();
    if (first == '"' || first == '\'') {
      vector.texts.push_back(quoted());
      return;
    }
    const double from = number(vector);
    vector.numbers.push_back(from);
    if (!accept(":")) return;
    vector.is_scalar = false;
    RVector end;
    skip_space();
    const double to = number(end);
    if (!(std::abs(to - from) <= kMostImplied)) fail("a range a:b has at most 10,000,000 numbers");
    const double step = to >= from ? 1.0 : -1.0;
    const auto count = static_cast<Index>(std::abs(to - from));
    for (Index k = 1; k <= count; ++k)
      vector.numbers.push_back(from + step * static_cast<double>(k));
  }

  double number(RVector& vector) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '.' || text_[at_] == '_' || is_sign(begin)))
      ++at_;
    std::string_view token = text_.substr(begin, at_ - begin);
    if (token == "TRUE" || token == "FALSE") return token == "TRUE" ? 1.0 : 0.0;
    const bool is_na = token == "NA" || token == "NA_integer_" || token == "NA_real_";
    if (is_na || token == "NaN") {
      vector.missing.push_back(ssize(vector.numbers));
      return kNaN;
    }
    if (token.ends_with('L')) token.remove_suffix(1);
    const auto value = parse_number(token);
    if (!value || token.empty()) {
      at_ = begin;
      fail("expected a number, c(...) or structure(...)");
    }
    if (vector.first_real == std::string::npos && !fits_int(token))
      vector.first_real = begin, vector.first_real_text = std::string(token.substr(0, 40));
    return *value;
  }

  // A sign begins a number or its exponent.
  bool is_sign(std::size_t begin) const {
    if (text_[at_] != '-' && text_[at_] != '+') return false;
    return at_ == begin || text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E';
  }

  static bool fits_int(std::string_view token) {
    std::int32_t value = 0;
    const char* const end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    return error == std::errc() && stop == end;
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string result;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result += text_[at_++];
    }
    if (at_ >= text_.size()) fail("a text isn't closed");
    ++at_;
    if (!is_utf8(result)) fail("a text isn't UTF-8");
    return result;
  }

  // ---- types of values

  DataValue data_value(const RVector& vector, std::size_t place, std::size_t name_place) {
    if (!vector.texts.empty()) {
      at_ = place;
      fail("texts are no data", "a factor has codes: y <- factor(y) before dump()");
    }
    DataValue value;
    value.where = where(place);
    value.offset = name_place;
    value.dims = vector.dims;
    if (vector.dims.empty() && !(vector.is_scalar && vector.numbers.size() == 1))
      value.dims = {ssize(vector.numbers)};
    require_size(value, vector, place);
    take_numbers(value, vector);
    if (!vector.levels.empty() || !vector.missing.empty()) {
      auto facts = std::make_shared<ColumnFacts>();
      facts->name = std::string(text_.substr(name_place, place - name_place));
      facts->name = facts->name.substr(0, facts->name.find_first_of(" <="));
      facts->levels = vector.levels;
      facts->num_codes = ssize(vector.levels);
      facts->missing = missing_by_rows(vector);
      value.column = std::move(facts);
    }
    return value;
  }

  void require_size(const DataValue& value, const RVector& vector, std::size_t place) {
    double size = 1.0;
    for (const Index dim : value.dims) size *= static_cast<double>(dim);
    if (size == static_cast<double>(vector.numbers.size())) return;
    at_ = place;
    fail(fmt::format("{} numbers for sizes {}", vector.numbers.size(),
                     fmt::join(value.dims, " x ")));
  }

  void take_numbers(DataValue& value, const RVector& vector) {
    const bool whole = vector.first_real == std::string::npos;
    value.kind = vector.numbers.empty() ? DataKind::empty
                 : whole                ? DataKind::integers
                                        : DataKind::reals;
    if (!whole) {
      value.not_int = vector.first_real_text;
      value.where_not_int = where(vector.first_real);
    }
    const std::vector<std::size_t> order = by_rows(value.dims);
    for (const std::size_t k : order)
      if (whole)
        value.integers.push_back(
            std::isnan(vector.numbers[k]) ? 0 : static_cast<std::int32_t>(vector.numbers[k]));
      else
        value.reals.push_back(vector.numbers[k]);
  }

  std::vector<Index> missing_by_rows(const RVector& vector) const {
    std::vector<Index> places;
    if (vector.missing.empty()) return places;
    const std::vector<std::size_t> order =
        by_rows(vector.dims.empty() ? std::vector{ssize(vector.numbers)} : vector.dims);
    for (std::size_t k = 0; k < order.size(); ++k)
      if (std::ranges::binary_search(vector.missing, static_cast<Index>(order[k])))
        places.push_back(static_cast<Index>(k));
    return places;
  }

  // Places in R's order (first index fastest) of the elements in ours (last index fastest).
  static std::vector<std::size_t> by_rows(const std::vector<Index>& dims) {
    std::size_t size = 1;
    for (const Index dim : dims) size *= static_cast<std::size_t>(dim);
    std::vector<std::size_t> order(size);
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t rest = k, place = 0, outside = size;
      for (std::size_t d = dims.size(); d-- > 0;) {
        const auto dim = static_cast<std::size_t>(dims[d]);
        outside /= dim;
        place += rest % dim * outside;
        rest /= dim;
      }
      order[k] = place;
    }
    return order;
  }

  // ---- the text

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        ++at_;
      else
        return;
    }
  }
  bool accept(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    skip_space();
    return true;
  }
  bool accept_call(std::string_view name) {
    const std::size_t before = at_;
    if (accept(name) && accept("(")) return true;
    at_ = before;
    return false;
  }
  void require(std::string_view word) {
    if (!accept(word)) fail(fmt::format("expected {}", word));
  }
  // Places come nearly always in the order of the text.
  std::string where(std::size_t place) const {
    if (place < counted_to_) counted_to_ = line_begin_ = 0, line_ = 1;
    for (; counted_to_ < place; ++counted_to_)
      if (text_[counted_to_] == '\n') ++line_, line_begin_ = counted_to_ + 1;
    return fmt::format("{}:{}:{}", source_, line_, place - line_begin_ + 1);
  }
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const {
    throw Error(ErrorCode::data, "R's dump format: " + message, where(std::min(at_, text_.size())),
                hint.empty() ? "data are numbers, c(...) and structure(c(...), .Dim = c(...)), as "
                               "rstan's stan_rdump writes them"
                             : hint);
  }

  std::string_view text_;
  std::string source_;
  std::size_t at_ = 0;
  int depth_ = 0;
  mutable std::size_t counted_to_ = 0, line_begin_ = 0;
  mutable Index line_ = 1;
};
}  // namespace

DataTable parse_r_dump(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return RDumpParser(text, source).table();
}

}  // namespace credo::io
