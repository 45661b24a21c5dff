// A SQLite database as the run file uses it: opened so that nothing in the file runs or misleads
// (no triggers, no views, a schema that is not trusted), statements that bind by place, and
// transactions that are taken back unless committed. Every failure is an Error(io) with the file
// and the system's reason.
#pragma once
#include "base/types.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace credo::io {

class Database {
 public:
  // The file must be there. Not to be written: also in a directory that can't be written.
  Database(std::string path, bool is_to_be_written);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql) const;
  // Numbers of the column `columns` of one row of `table`: whole numbers, from that place on.
  void read_numbers(const char* table, Index row, Index first, std::span<double> values) const;
  Index num_bytes(const char* table, Index row) const;
  // Names of the objects in the file, with the SQL that made them.
  std::map<std::string, std::string> schema() const;
  // Checks every page; empty, or the first fault.
  std::string fault() const;

  [[noreturn]] void fail(std::string_view what) const;
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  void close_after_failure();
  std::string path_;
  sqlite3* database_ = nullptr;
};

// One prepared statement, bound by place from 1.
class Statement {
 public:
  Statement(const Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, std::int64_t value);
  Statement& bind_text(int place, std::string_view text);
  Statement& bind_bytes(int place, std::string_view bytes);  // an empty blob isn't NULL
  bool step();                                               // true while there is a row
  Index whole(int column);
  std::string_view bytes(int column);  // until the next step

 private:
  void check(int code) const;
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

// Taken back unless committed.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

// Text for a message: a damaged file may hold any bytes.
std::string printable(std::string_view text);
[[noreturn]] void damaged(const std::string& path, std::string_view what);

}  // namespace credo::io
