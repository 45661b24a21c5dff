#include "io/run_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/stop.hpp"
#include "io/file.hpp"
#include "io/number_text.hpp"

static_assert(std::endian::native == std::endian::little, "rows are stored as they are in memory");

namespace credo::io {
namespace {
// Device and number of the file of this name; zeros where there is none.
std::array<std::uint64_t, 2> identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

Error resumable(const Error& error, const std::string& path) {
  return Error(error.code(), error.message(), path,
               fmt::format("what it held is there; when that is mended: credo resume {}", path));
}

// Makes an empty file. Returns 0 or the system's reason against it.
int make_empty(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  return ::close(descriptor) == 0 ? 0 : errno;
}

// Why there can't be a new file beside this one; 0: there can. SQLite's own reason is that of its
// second attempt, to read.
int reason_against(const std::string& path) {
  const std::string probe = part_name(path) + "-probe";
  const int reason = make_empty(probe);
  unlink(probe.c_str());
  return reason;
}

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  throw Error(ErrorCode::io, fmt::format("the run file is damaged: {}", what), path);
}

constexpr const char* kTables =
    "CREATE TABLE facts(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE blocks(chain INTEGER, warmup INTEGER, first_row INTEGER, num_rows INTEGER,"
    "  columns BLOB NOT NULL, UNIQUE(chain, warmup, first_row));"
    "CREATE TABLE chains(chain INTEGER PRIMARY KEY, iteration INTEGER, num_rows INTEGER,"
    "  num_warmup_rows INTEGER, finished INTEGER, state BLOB NOT NULL, result BLOB NOT NULL);";
}  // namespace

// One prepared statement, bound by place from 1.
class RunFile::Statement {
 public:
  Statement(const RunFile& file, const char* sql) : file_(file) {
    if (sqlite3_prepare_v2(file.database_, sql, -1, &statement_, nullptr) != SQLITE_OK)
      file.fail("read");
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, place, value));
    return *this;
  }
  Statement& bind_text(int place, std::string_view text) {
    check(sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_STATIC,
                              SQLITE_UTF8));
    return *this;
  }
  // An empty blob isn't NULL.
  Statement& bind_bytes(int place, std::string_view bytes) {
    check(bytes.empty()
              ? sqlite3_bind_zeroblob(statement_, place, 0)
              : sqlite3_bind_blob64(statement_, place, bytes.data(), bytes.size(), SQLITE_STATIC));
    return *this;
  }
  // True while there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) file_.fail("read or write");
    return false;
  }
  Index whole(int column) { return sqlite3_column_int64(statement_, column); }
  std::string_view bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);  // before its size
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return size == 0 ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
  }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) file_.fail("write");
  }
  const RunFile& file_;
  sqlite3_stmt* statement_ = nullptr;
};

// Taken back unless committed.
class RunFile::Transaction {
 public:
  explicit Transaction(const RunFile& file) : file_(file) { file.execute("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (open_) sqlite3_exec(file_.database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    file_.execute("COMMIT");
    open_ = false;
  }

 private:
  const RunFile& file_;
  bool open_ = true;
};

// ---- opening

// Written under another name with a rollback journal, which leaves one file behind, and renamed.
RunFile RunFile::create(const std::string& path, const Facts& facts,
                        std::span<const RunBlock> blocks) {
  if (access(path.c_str(), F_OK) == 0)
    throw Error(ErrorCode::io, "the run file exists", path,
                "resume that run with credo resume, or remove the file");
  const std::string temporary = part_name(path);
  try {
    if (const int reason = make_empty(temporary))
      throw Error(ErrorCode::io, fmt::format("can't make the run file: {}", std::strerror(reason)));
    RunFile(temporary).fill(facts, blocks);
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      throw Error(ErrorCode::io, fmt::format("can't write the run file: {}", std::strerror(errno)),
                  path);
  } catch (const Error& error) {
    unlink(temporary.c_str());
    unlink((temporary + "-journal").c_str());
    throw Error(ErrorCode::io, error.message(), path, "the run had just begun: nothing is lost");
  }
  try {
    return open(path);
  } catch (const Error& error) {
    throw resumable(error, path);
  }
}

void RunFile::fill(const Facts& facts, std::span<const RunBlock> blocks) {
  open_database(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  execute("PRAGMA page_size=65536");  // a block is a megabyte
  execute("PRAGMA synchronous=FULL");
  Transaction transaction(*this);
  execute(kTables);
  facts_ = facts;
  facts_["schema"] = std::to_string(kRunFileSchema);
  for (const auto& [name, value] : facts_) {
    Statement(*this, "INSERT INTO facts VALUES(?, ?)")
        .bind_text(1, name)
        .bind_bytes(2, value)
        .step();
  }
  read_facts();
  for (const RunBlock& block : blocks) insert(block);
  transaction.commit();
}

// What is read later goes by what the chains say, so that must be what the blocks hold: they follow
// each other and have all columns. One transaction, as the run may be going on.
RunFile RunFile::open(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0)
    throw Error(ErrorCode::io, fmt::format("can't read the run file: {}", std::strerror(errno)),
                path);
  RunFile file(path);
  file.connect();
  file.execute("BEGIN");
  file.read_facts();
  const auto rows_in_blocks = [&file](Index chain, bool warmup) {
    Statement blocks(file,
                     "SELECT first_row, num_rows, length(columns) FROM blocks WHERE chain = ? AND "
                     "warmup = ? ORDER BY first_row");
    blocks.bind(1, chain).bind(2, warmup ? 1 : 0);
    Index total = 0;
    while (blocks.step()) {
      stop_if_asked();
      const Index rows = blocks.whole(1), bytes = blocks.whole(2),
                  row_bytes = 8 * file.num_columns_;
      if (blocks.whole(0) != total || rows < 0 || rows > bytes / row_bytes ||
          rows * row_bytes != bytes)
        damaged(file.path_,
                fmt::format("the block at row {} of chain {} is none", total, chain + 1));
      total += rows;
    }
    return total;
  };
  Statement chains(file, "SELECT chain, iteration, num_rows, num_warmup_rows FROM chains");
  while (chains.step()) {
    const Index chain = chains.whole(0);
    if (chain < 0 || chain >= file.num_chains_)
      damaged(path, fmt::format("there is a chain {}", chain + 1));
    if (chains.whole(1) < 0 || chains.whole(2) != rows_in_blocks(chain, false) ||
        chains.whole(3) != rows_in_blocks(chain, true))
      damaged(path, fmt::format("chain {} hasn't the rows that it should have", chain + 1));
  }
  file.execute("COMMIT");
  return file;
}

// A file that can't be written, and whose log is in it, is opened as one that nobody writes: in a
// directory that can't be written SQLite couldn't open it otherwise.
void RunFile::open_database(int flags) {
  std::string name = path_;
  if ((flags & SQLITE_OPEN_READONLY) != 0 && access((path_ + "-wal").c_str(), F_OK) != 0) {
    name = "file:";
    for (const char c : path_)
      name += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", c) : std::string(1, c);
    name += "?immutable=1";
    flags |= SQLITE_OPEN_URI;
  }
  if (sqlite3_open_v2(name.c_str(), &database_, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    fail("open");
  sqlite3_extended_result_codes(database_, 1);
  sqlite3_busy_timeout(database_, 10'000);
}

// Write-ahead log where the file system has what it takes; the pragma answers with what it is.
void RunFile::configure() {
  if (sqlite3_db_readonly(database_, "main") != 0) return;
  Statement journal(*this, "PRAGMA journal_mode=WAL");
  const bool has_wal = journal.step() && journal.bytes(0) == "wal";
  execute(has_wal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL");
}

void RunFile::read_facts() {
  facts_.clear();
  Statement rows(*this, "SELECT name, value FROM facts");
  while (rows.step()) facts_[std::string(rows.bytes(0))] = rows.bytes(1);
  if (fact("schema") != kRunFileSchema)
    throw Error(ErrorCode::io,
                fmt::format("the run file has schema {}, this program reads {}", facts_["schema"],
                            kRunFileSchema),
                path_, "use the version that wrote it");
  num_chains_ = fact("num_chains");
  num_columns_ = fact("num_columns");
  if (num_columns_ == 0) damaged(path_, "it has no columns");
}

void RunFile::set_fact(const std::string& name, const std::string& value) {
  Statement(*this, "INSERT OR REPLACE INTO facts VALUES(?, ?)")
      .bind_text(1, name)
      .bind_bytes(2, value)
      .step();
  facts_[name] = value;
}

Index RunFile::fact(const std::string& name) const {
  constexpr double kMost = 1e9;  // so that products with numbers of rows are whole numbers, too
  const auto found = facts_.find(name);
  const auto value = found == facts_.end() ? std::nullopt : parse_number(found->second);
  const bool holds = value && *value >= 0.0 && *value <= kMost && *value == std::floor(*value);
  if (!holds)
    throw Error(ErrorCode::io, fmt::format("not a run file: it has no number '{}'", name), path_);
  return static_cast<Index>(*value);
}

// ---- the name

bool RunFile::is_in_place() const { return identity_of(path_) == identity_; }

void RunFile::restore() {
  if (identity_of(path_) != identity_of(""))
    throw Error(ErrorCode::io, "the run file was replaced by another file", path_,
                "move that one away");
  const std::string temporary = part_name(path_);
  try {
    Statement(*this, "VACUUM INTO ?").bind_text(1, temporary).step();
    if (std::rename(temporary.c_str(), path_.c_str()) != 0)
      throw Error(ErrorCode::io, fmt::format("can't write the run file: {}", std::strerror(errno)),
                  path_);
  } catch (const Error&) {
    unlink(temporary.c_str());
    throw;
  }
  // Closing removes the log beside the name: before the new file has one.
  disconnect();
  connect();
}

void RunFile::disconnect() { sqlite3_close(std::exchange(database_, nullptr)); }

void RunFile::connect() {
  identity_ = identity_of(path_);
  open_database(access(path_.c_str(), W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  configure();
}

void RunFile::require_writable() const {
  if (access(path_.c_str(), W_OK) == 0) return;
  throw Error(ErrorCode::io, fmt::format("can't write the run file: {}", std::strerror(errno)),
              path_, "credo export writes what it has");
}

RunFile::RunFile(RunFile&& other) noexcept
    : path_(std::move(other.path_)),
      facts_(std::move(other.facts_)),
      num_chains_(other.num_chains_),
      num_columns_(other.num_columns_),
      database_(std::exchange(other.database_, nullptr)),
      identity_(other.identity_) {}

RunFile::~RunFile() {
  if (database_ != nullptr) sqlite3_close(database_);
}

void RunFile::execute(const char* sql) const {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

void RunFile::fail(std::string_view what) const {
  const int last = errno;  // of a commit SQLite doesn't know the reason any more
  const int kind = sqlite3_extended_errcode(database_) & 0xff;
  if (kind == SQLITE_NOTADB) throw Error(ErrorCode::io, "not a run file", path_);
  if (kind == SQLITE_NOMEM)
    throw Error(ErrorCode::resources, fmt::format("no memory to {} the run file", what), path_);
  const bool is_open =
      kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY && kind != SQLITE_PROTOCOL;
  int reason = is_open ? sqlite3_system_errno(database_) : reason_against(path_);
  if (is_open && reason == 0) reason = last;
  const bool by_system = reason != 0 && (kind == SQLITE_IOERR || !is_open);
  throw Error(ErrorCode::io,
              fmt::format("can't {} the run file: {}", what,
                          by_system ? std::strerror(reason) : sqlite3_errmsg(database_)),
              path_);
}

// ---- blocks

namespace {
// Of num_rows rows: column by column, as a block is stored.
std::vector<double> transposed(std::span<const double> rows, Index num_rows, Index num_columns) {
  std::vector<double> columns(rows.size());
  for (Index r = 0; r < num_rows; ++r)
    for (Index k = 0; k < num_columns; ++k)
      columns[static_cast<std::size_t>(k * num_rows + r)] =
          rows[static_cast<std::size_t>(r * num_columns + k)];
  return columns;
}

std::string_view bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

ChainState after(ChainState state, const RunBlock& block) {
  (block.warmup ? state.num_warmup_rows : state.num_rows) += block.num_rows;
  state.iteration = block.iteration;
  state.state = block.state;
  state.result = block.result;
  state.finished = block.finished;
  return state;
}
}  // namespace

void RunFile::append(std::span<const RunBlock> blocks) {
  try {
    Transaction transaction(*this);
    for (const RunBlock& block : blocks) insert(block);
    transaction.commit();
  } catch (const Error& error) {
    throw resumable(error, path_);
  }
}

void RunFile::insert(const RunBlock& block) {
  CREDO_ASSERT(ssize(block.rows) == block.num_rows * num_columns_, "a row has all columns");
  const std::vector<double> columns = transposed(block.rows, block.num_rows, num_columns_);
  const ChainState before = state(block.chain), now = after(before, block);
  if (block.num_rows > 0) {
    Statement(*this, "INSERT INTO blocks VALUES(?, ?, ?, ?, ?)")
        .bind(1, block.chain)
        .bind(2, block.warmup ? 1 : 0)
        .bind(3, block.warmup ? before.num_warmup_rows : before.num_rows)
        .bind(4, block.num_rows)
        .bind_bytes(5, bytes_of(columns))
        .step();
  }
  Statement(*this, "INSERT OR REPLACE INTO chains VALUES(?, ?, ?, ?, ?, ?, ?)")
      .bind(1, block.chain)
      .bind(2, now.iteration)
      .bind(3, now.num_rows)
      .bind(4, now.num_warmup_rows)
      .bind(5, now.finished ? 1 : 0)
      .bind_bytes(6, now.state)
      .bind_bytes(7, now.result)
      .step();
}

ChainState RunFile::state(Index chain) const {
  Statement row(*this,
                "SELECT iteration, num_rows, num_warmup_rows, finished, state, result FROM chains "
                "WHERE chain = ?");
  row.bind(1, chain);
  if (!row.step()) return {};
  return {.iteration = row.whole(0),
          .num_rows = row.whole(1),
          .num_warmup_rows = row.whole(2),
          .state = std::string(row.bytes(4)),
          .result = std::string(row.bytes(5)),
          .finished = row.whole(3) != 0};
}

Index RunFile::num_rows(Index chain, bool warmup) const {
  Statement row(*this, "SELECT num_rows, num_warmup_rows FROM chains WHERE chain = ?");
  row.bind(1, chain);
  return row.step() ? row.whole(warmup ? 1 : 0) : 0;
}

struct RunFile::BlockPlace {
  Index rowid, first_row, num_rows;
};

// The columns of the slab in one block, as they lie there; then the rows that belong to the slab.
void RunFile::read_block(const RunSlab& slab, const BlockPlace& block,
                         std::vector<double>& values) const {
  sqlite3_blob* blob = nullptr;
  if (sqlite3_blob_open(database_, "main", "blocks", "columns", block.rowid, 0, &blob) != SQLITE_OK)
    fail("read");
  const std::unique_ptr<sqlite3_blob, int (*)(sqlite3_blob*)> closing(blob, sqlite3_blob_close);
  if (sqlite3_blob_bytes(blob) != block.num_rows * num_columns_ * 8)
    damaged(path_, fmt::format("the block at row {} is none", block.first_row));
  std::vector<double> part(static_cast<std::size_t>(block.num_rows * slab.num_columns));
  if (sqlite3_blob_read(blob, part.data(), static_cast<int>(part.size() * sizeof(double)),
                        static_cast<int>(block.num_rows * slab.first_column * 8)) != SQLITE_OK)
    fail("read");
  const Index begin = std::max(block.first_row, slab.first_row);
  const Index end = std::min(block.first_row + block.num_rows, slab.first_row + slab.num_rows);
  for (Index k = 0; k < slab.num_columns; ++k)
    std::copy_n(part.begin() + k * block.num_rows + (begin - block.first_row), end - begin,
                values.begin() + k * slab.num_rows + (begin - slab.first_row));
}

std::vector<double> RunFile::read(const RunSlab& slab) const {
  std::vector<double> values(static_cast<std::size_t>(slab.num_rows * slab.num_columns));
  Statement blocks(*this,
                   "SELECT rowid, first_row, num_rows FROM blocks WHERE chain = ? AND warmup = ? "
                   "AND first_row < ? AND first_row + num_rows > ? ORDER BY first_row");
  blocks.bind(1, slab.chain)
      .bind(2, slab.warmup ? 1 : 0)
      .bind(3, slab.first_row + slab.num_rows)
      .bind(4, slab.first_row);
  Index found = 0;
  while (blocks.step()) {
    stop_if_asked();
    const BlockPlace block{blocks.whole(0), blocks.whole(1), blocks.whole(2)};
    read_block(slab, block, values);
    found += std::min(block.first_row + block.num_rows, slab.first_row + slab.num_rows) -
             std::max(block.first_row, slab.first_row);
  }
  if (found != slab.num_rows)
    throw Error(ErrorCode::io, fmt::format("rows of chain {} are missing", slab.chain + 1), path_);
  return values;
}

std::vector<double> RunRows::rows(const RunSlab& slab) const {
  const std::vector<double> columns = read(slab);
  return transposed(columns, slab.num_columns, slab.num_rows);
}

// ---- memory

RunMemory::RunMemory(Index num_chains, Index num_columns)
    : num_columns_(num_columns), chains_(static_cast<std::size_t>(num_chains)) {}

void RunMemory::append(std::span<const RunBlock> blocks) {
  for (const RunBlock& block : blocks) {
    Chain& chain = chains_[static_cast<std::size_t>(block.chain)];
    chain.blocks.push_back({.warmup = block.warmup,
                            .iteration = block.iteration,
                            .num_rows = block.num_rows,
                            .rows = {block.rows.begin(), block.rows.end()}});
    chain.state = after(std::move(chain.state), block);
  }
}

ChainState RunMemory::state(Index chain) const {
  return chains_[static_cast<std::size_t>(chain)].state;
}

Index RunMemory::num_rows(Index chain, bool warmup) const {
  const ChainState& state = chains_[static_cast<std::size_t>(chain)].state;
  return warmup ? state.num_warmup_rows : state.num_rows;
}

std::vector<double> RunMemory::read(const RunSlab& slab) const {
  std::vector<double> values(static_cast<std::size_t>(slab.num_rows * slab.num_columns));
  Index row = 0;
  for (const Block& block : chains_[static_cast<std::size_t>(slab.chain)].blocks) {
    if (block.warmup != slab.warmup) continue;
    for (Index r = 0; r < block.num_rows; ++r, ++row) {
      if (row < slab.first_row || row >= slab.first_row + slab.num_rows) continue;
      for (Index k = 0; k < slab.num_columns; ++k)
        values[static_cast<std::size_t>(k * slab.num_rows + row - slab.first_row)] =
            block.rows[static_cast<std::size_t>(r * num_columns_ + slab.first_column + k)];
    }
  }
  if (row < slab.first_row + slab.num_rows)
    throw Error(ErrorCode::io, fmt::format("rows of chain {} are missing", slab.chain + 1));
  return values;
}

std::vector<RunBlock> RunMemory::blocks() const {
  std::vector<RunBlock> all;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    for (const Block& block : chains_[c].blocks)
      all.push_back({.chain = static_cast<Index>(c),
                     .warmup = block.warmup,
                     .iteration = block.iteration,
                     .num_rows = block.num_rows,
                     .rows = block.rows});
    if (chains_[c].blocks.empty()) continue;
    all.back().state = chains_[c].state.state;
    all.back().result = chains_[c].state.result;
    all.back().finished = chains_[c].state.finished;
  }
  return all;
}

}  // namespace credo::io
