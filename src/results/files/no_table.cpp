#include "results/files/no_table.hpp"

#include <fmt/format.h>

#include <fstream>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
constexpr std::size_t kLooked = 4096;  // bytes

std::string beginning_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLooked, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// True if the row after the names has a cell that isn't a number. The last cell doesn't count if the row continues behind
// the text: a number may be cut there.
bool has_texts(const std::string& text) {
  const std::size_t begin = text.find('\n');
  if (begin == text.npos) return false;
  std::string row = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
  if (begin + 1 + row.size() == text.size() && text.size() == kLooked) {
    const std::size_t last = row.find_last_of(",;\t");
    if (last == row.npos) return false;
    row.resize(last);
  }
  for (std::size_t at = 0; at <= row.size();) {
    const std::size_t end = std::min(row.find_first_of(",;\t", at), row.size());
    std::string cell = row.substr(at, end - at);
    while (cell.ends_with('\r') || cell.ends_with(' ')) cell.pop_back();
    if (!io::parse_number(cell)) return true;
    at = end + 1;
  }
  return false;
}

bool is_table(const std::string& path) {
  const std::string text = beginning_of(path);
  const std::string names = text.substr(0, text.find('\n'));
  const bool is_named_so = path.ends_with(".csv") || path.ends_with(".tsv");
  return is_named_so && !text.starts_with('#') && names.find("__") == names.npos && has_texts(text);
}
}  // namespace

void require_no_tables(std::span<const std::string> paths) {
  for (const std::string& path : paths)
    if (is_table(path))
      throw Error(ErrorCode::usage, "this is a table of data, and no draws", path,
                  fmt::format("credo data {} shows its variables; draws come from credo sample "
                              "MODEL.stan --data {} -o fit.nc",
                              path, path));
}

}  // namespace credo::results
