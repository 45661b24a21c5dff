// A text of comma-separated values in records and cells [rfc4180], piece by piece: the record that isn't complete yet is kept between
// two pieces.
#pragma once
#include <deque>

#include "io/data/column_builder.hpp"

namespace credo::io {

struct Record {
  std::span<const Cell> cells;  // one empty cell: an empty line
  Index line = 1;               // that it begins on
};

class RecordSplitter {
 public:
  // Errors name the source.
  RecordSplitter(char separator, std::string source);

  // `take` is called for each record that is complete; with `is_last` the end of the text ends one, too.
  // Throws Error{data} for text behind a closing quote, a quote that isn't closed, a NUL, a lone
  // carriage return, and a record longer than 16 MiB.
  void feed(std::string_view piece, bool is_last, const std::function<void(const Record&)>& take);
  std::size_t num_bytes_taken() const { return num_bytes_taken_; }  // by the records that are over

 private:
  // Records from the beginning of the text; the number of bytes they take.
  std::size_t split(std::string_view text, bool is_last,
                    const std::function<void(const Record&)>& take);
  // One record from `at` on; where the next begins, or npos if it isn't complete.
  std::size_t record(std::string_view text, std::size_t at, bool is_last);
  std::size_t quoted_cell(std::string_view text, std::size_t at, bool is_last);
  std::size_t plain_cell(std::string_view text, std::size_t at, bool is_last);
  [[noreturn]] void fail_for_zero() const;
  [[noreturn]] void fail(Index line, const std::string& message, const std::string& hint) const;

  char separator_;
  std::string source_, pending_;
  std::vector<Cell> cells_;
  std::deque<std::string> unquoted_;  // texts of cells with doubled quotes
  std::size_t num_bytes_taken_ = 0;
  Index line_ = 1, lines_inside_ = 0;
  bool ended_ = false;  // the record, by the cell that was read last
};

}  // namespace credo::io
