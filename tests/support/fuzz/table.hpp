// Any bytes are a table, or assignments of R, or an Error{data}. Sizes match numbers, codes have levels,
// rows have lines, and pieces of a text are read as the text.
#pragma once
#include "io/data/data_files.hpp"
#include "io/data/r_dump.hpp"
#include "io/data/table_reader.hpp"
#include "support/fuzz/data.hpp"

namespace credo::fuzz {

inline void claim_column(const io::DataValue& value) {
  claim_sizes(value);
  if (value.column == nullptr) return;
  const io::ColumnFacts& column = *value.column;
  for (const Index k : column.missing)
    claim(k >= 0 && k < value.num_elements(), "what is missing is an element");
  if (!column.levels.empty())
    for (const std::int32_t code : value.integers)
      claim(code >= 0 && code <= ssize(column.levels), "codes have levels");
  if (column.lines != nullptr && value.num_elements() > 0)
    claim(!column.where(value.num_elements() - 1).empty(), "an element has a place");
}

// Asked as a program asks, which may be refused.
inline void ask(const io::DataTable& table) {
  for (const std::string& name : table.names()) {
    claim_column(*table.find(name));
    const io::Wanted wanted{name, "array[] int", "", table.find(name)->dims};
    may_be_refused([&] { (void)io::int_values(table, wanted); });
    may_be_refused([&] { (void)io::real_values(table, wanted); });
  }
}

inline std::optional<io::DataTable> table_in_pieces(std::string_view bytes, std::size_t size,
                                                    const io::TableOptions& options) {
  io::TableReader reader("fuzz.csv", options);
  try {
    for (std::size_t at = 0; at < bytes.size(); at += size)
      reader.feed(bytes.substr(at, size), false);
    reader.feed({}, true);
    return reader.finish();
  } catch (const Error& error) {
    claim(error.code() == ErrorCode::data, "what is no table is an error of data");
    return std::nullopt;
  }
}

// The first byte says how the rest is read.
inline void run_table(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  io::TableOptions options;
  options.separator = (how & 1) != 0 ? ';' : (how & 2) != 0 ? '\t' : ',';
  options.decimal_comma = options.separator == ';';
  options.lists_missing = (how & 4) != 0;
  if ((how & 8) != 0) options.uses = io::parse_column_uses("X=[a,b],g=factor(c)");
  options.num_bytes = bytes.size();
  const auto whole = table_in_pieces(bytes, std::max<std::size_t>(bytes.size(), 1), options);
  const auto pieces = table_in_pieces(bytes, 3, options);
  claim(whole.has_value() == pieces.has_value(), "pieces are refused as the text is");
  if (whole) {
    ask(*whole);
    claim(whole->names() == pieces->names(), "pieces have the same names");
    for (const std::string& name : whole->names())
      claim(whole->find(name)->integers == pieces->find(name)->integers,
            "pieces have the same ints");
  }
  is_data_or_refused([&] { ask(io::parse_r_dump(bytes, "fuzz.R")); });
  may_be_refused([&] { (void)io::parse_column_uses(bytes); });
  may_be_refused([&] { (void)io::parse_data_recipe(std::string(bytes)); });
}

}  // namespace credo::fuzz
