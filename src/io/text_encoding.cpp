#include "io/text_encoding.hpp"

namespace credo::io {

// By the byte order mark; without one, by the zero bytes beside the first two characters, which are
// ASCII in every program and in JSON.
std::string_view foreign_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  if (text.size() < 4) return {};
  std::array<bool, 4> zero{};
  for (std::size_t i = 0; i < zero.size(); ++i) zero[i] = text[i] == '\0';
  constexpr std::array kSmall16{false, true, false, true}, kBig16{true, false, true, false};
  constexpr std::array kSmall32{false, true, true, true}, kBig32{true, true, true, false};
  if (zero == kSmall16 || zero == kBig16) return "UTF-16";
  return zero == kSmall32 || zero == kBig32 ? "UTF-32" : "";
}

std::string to_utf8_hint(std::string_view encoding) {
  return "save the file as UTF-8, or convert it: iconv -f " + std::string(encoding) +
         " -t UTF-8 OLD > NEW";
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const bool begins = first < 0x80 || (first >= 0xC2 && first <= 0xF4);
    if (!begins || at + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(k) & 0xC0) != 0x80) return false;
    if (first == 0xE0 && byte(1) < 0xA0) return false;   // overlong
    if (first == 0xED && byte(1) >= 0xA0) return false;  // surrogates
    if (first == 0xF0 && byte(1) < 0x90) return false;   // overlong
    if (first == 0xF4 && byte(1) >= 0x90) return false;  // above U+10FFFF
    at += length;
  }
  return true;
}

}  // namespace credo::io
