#include "io/number_text.hpp"

#include <charconv>

namespace credo::io {
namespace {
constexpr std::size_t kLongestNumber = 32;  // "-2.2250738585072014e-308" is 24 characters
constexpr int kMostDigits = 17;             // that many always identify a double
}  // namespace

void append_number(std::string& out, double value, int significant) {
  std::array<char, kLongestNumber> text;
  char* const begin = text.data();
  char* const end = begin + text.size();
  // The sign of a NaN means nothing; without this it would depend on the instruction that made it.
  if (std::isnan(value)) value = kNaN;
  const auto result = significant > 0 ? std::to_chars(begin, end, value, std::chars_format::general,
                                                      std::min(significant, kMostDigits))
                                      : std::to_chars(begin, end, value);
  out.append(begin, result.ptr);
}

void append_number(std::string& out, std::int64_t value) {
  std::array<char, kLongestNumber> text;
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

std::string number_text(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range && stop == end)
    return std::strtod(std::string(text).c_str(), nullptr);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Index count_said(double value) {
  return std::isnan(value) ? 0 : static_cast<Index>(std::clamp(value, 0.0, 1e15));
}

}  // namespace credo::io
