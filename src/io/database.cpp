#include "io/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "io/part_file.hpp"
#include "io/written_files.hpp"

namespace credo::io {

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string shown(text.substr(0, kMost));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return shown;
}

void damaged(const std::string& path, std::string_view what) {
  throw Error(
      ErrorCode::io, fmt::format("the run file is damaged: {}", printable(what)), path,
      fmt::format("put a sound copy in its place, or begin anew with its options: --like {} "
                  "-o OTHER",
                  path));
}

namespace {
// Why there can't be a new file beside this one; 0: there can. SQLite's own reason is that of its
// second attempt, to read.
int reason_against(const std::string& path) {
  try {
    errno = 0;
    const PartFile probe(path);
    return 0;
  } catch (const Error&) {
    return errno;
  }
}

// A file that can't be written, and whose log is in it, is opened as one that nobody writes: in a
// directory that can't be written SQLite couldn't open it otherwise.
std::string immutable(const std::string& path) {
  std::string name = "file:";
  for (const char c : path)
    name += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return name + "?immutable=1";
}

// A run file comes from anybody. Features that could run code from it, or change the meaning of our
// statements, are off.
bool is_guarded(sqlite3* database) {
  constexpr std::array<std::pair<int, int>, 4> kOptions = {{{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                                            {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                                            {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                                            {SQLITE_DBCONFIG_ENABLE_VIEW, 0}}};
  return std::all_of(kOptions.begin(), kOptions.end(), [&](const auto& option) {
    return sqlite3_db_config(database, option.first, option.second, nullptr) == SQLITE_OK;
  });
}
}  // namespace

Database::Database(std::string path, bool is_to_be_written) : path_(std::move(path)) {
  if (!is_to_be_written) require_not_written(path_);
  constexpr int kPatience = 10'000;  // ms
  int flags = is_to_be_written ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const bool has_log = access((path_ + "-wal").c_str(), F_OK) == 0;
  const bool is_frozen = !is_to_be_written && !has_log;
  if (is_frozen) flags |= SQLITE_OPEN_URI;
  const std::string name = is_frozen ? immutable(path_) : path_;
  const int code = sqlite3_open_v2(name.c_str(), &database_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK || !is_guarded(database_)) close_after_failure();
  sqlite3_extended_result_codes(database_, 1);
  sqlite3_busy_timeout(database_, kPatience);
}

// No destructor follows.
void Database::close_after_failure() {
  try {
    fail("open");
  } catch (...) {
    sqlite3_close(std::exchange(database_, nullptr));
    throw;
  }
}

Database::~Database() { sqlite3_close(database_); }

void Database::execute(const char* sql) const {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

namespace {
class Blob {
 public:
  Blob(sqlite3* database, const char* table, Index row)
      : code_(sqlite3_blob_open(database, "main", table, "columns", row, 0, &blob_)) {}
  ~Blob() { sqlite3_blob_close(blob_); }
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;
  bool is_open() const { return code_ == SQLITE_OK; }
  sqlite3_blob* get() const { return blob_; }

 private:
  sqlite3_blob* blob_ = nullptr;
  int code_;
};
}  // namespace

void Database::read_numbers(const char* table, Index row, Index first,
                            std::span<double> values) const {
  const Blob blob(database_, table, row);
  if (!blob.is_open() ||
      sqlite3_blob_read(blob.get(), values.data(), static_cast<int>(values.size_bytes()),
                        static_cast<int>(first * 8)) != SQLITE_OK)
    fail("read");
}

Index Database::num_bytes(const char* table, Index row) const {
  const Blob blob(database_, table, row);
  if (!blob.is_open()) fail("read");
  return sqlite3_blob_bytes(blob.get());
}

std::map<std::string, std::string> Database::schema() const {
  std::map<std::string, std::string> all;
  Statement rows(*this, "SELECT type || ' ' || name, sql FROM sqlite_schema");
  while (rows.step()) all[std::string(rows.bytes(0))] = rows.bytes(1);
  return all;
}

std::string Database::fault() const {
  Statement check(*this, "PRAGMA quick_check(1)");
  if (!check.step()) return "its pages can't be read";
  const std::string_view said = check.bytes(0);
  return said == "ok" ? "" : std::string(said);
}

void Database::fail(std::string_view what) const {
  const int last = errno;  // SQLite loses the reason of a failed commit
  const int kind = sqlite3_extended_errcode(database_) & 0xff;
  if (kind == SQLITE_NOTADB)
    throw Error(ErrorCode::io, "not a run file", path_,
                "a run that is not complete has OUTPUT.run beside its result");
  if (kind == SQLITE_CORRUPT) damaged(path_, sqlite3_errmsg(database_));
  if (kind == SQLITE_NOMEM)
    throw Error(ErrorCode::resources, fmt::format("no memory to {} the run file", what), path_);
  const bool is_open =
      kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY && kind != SQLITE_PROTOCOL;
  int reason = is_open ? sqlite3_system_errno(database_) : reason_against(path_);
  if (is_open && reason == 0) reason = last;
  const bool by_system = reason != 0 && (kind == SQLITE_IOERR || !is_open);
  throw Error(ErrorCode::io,
              fmt::format("can't {} the run file: {}", what,
                          printable(by_system ? std::strerror(reason) : sqlite3_errmsg(database_))),
              path_);
}

// ---- statements

Statement::Statement(const Database& database, const char* sql) : database_(database) {
  if (sqlite3_prepare_v2(database.database_, sql, -1, &statement_, nullptr) != SQLITE_OK)
    database.fail("read");
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int place, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, place, value));
  return *this;
}

Statement& Statement::bind_text(int place, std::string_view text) {
  check(
      sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_bytes(int place, std::string_view bytes) {
  check(bytes.empty()
            ? sqlite3_bind_zeroblob(statement_, place, 0)
            : sqlite3_bind_blob64(statement_, place, bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail("read or write");
  return false;
}

Index Statement::whole(int column) { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::bytes(int column) {
  const void* data = sqlite3_column_blob(statement_, column);  // before its size
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return size == 0 ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail("write");
}

// ---- transactions

Transaction::Transaction(const Database& database) : database_(database) {
  database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // the first error is reported
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace credo::io
