#include "io/run_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/stop.hpp"
#include "io/database.hpp"
#include "io/lock_file.hpp"
#include "io/number_text.hpp"
#include "io/run_sums.hpp"

static_assert(std::endian::native == std::endian::little, "rows are stored as they are in memory");

namespace credo::io {
namespace {
// SQLite keeps the statement that created a table.
constexpr std::array<std::pair<const char*, const char*>, 3> kTables = {
    {{"table facts",
      "CREATE TABLE facts(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"},
     {"table blocks",
      "CREATE TABLE blocks(chain INTEGER, part INTEGER, first_row INTEGER, num_rows INTEGER,"
      "  columns BLOB NOT NULL, sums BLOB NOT NULL, UNIQUE(chain, part, first_row))"},
     {"table chains",
      "CREATE TABLE chains(chain INTEGER PRIMARY KEY, iteration INTEGER, num_rows BLOB NOT NULL,"
      "  finished INTEGER, state BLOB NOT NULL, result BLOB NOT NULL, sum INTEGER)"}}};
constexpr Index kMostGroups = 64;
constexpr const char* kIndex = "index sqlite_autoindex_blocks_1";             // index of UNIQUE
constexpr std::array<const char*, 3> kBeside = {"-wal", "-shm", "-journal"};  // SQLite's own files

Error resumable(const Error& error, const RunFile& file) {
  if (!error.hint().empty()) return error;
  return Error(error.code(), error.message(), file.path(),
               fmt::format("its {} are kept; when that is mended: credo resume {}",
                           file.has_rows() ? "draws" : "pieces", file.path()));
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;  // also a link to nothing
}
}  // namespace

std::string run_file_of(const std::string& output) { return output + ".run"; }
std::string result_of_run_file(const std::string& path) {
  return path.ends_with(".run") ? path.substr(0, path.size() - 4) : path;
}

// ---- opening

// Nothing may be read as this file's log that isn't.
void RunFile::require_free(const std::string& path) {
  if (is_there(path))
    throw Error(ErrorCode::io, "there is a run that hasn't ended", path,
                fmt::format("credo resume {} continues it; remove it to begin anew", path));
  for (const char* end : kBeside)
    if (is_there(path + end))
      throw Error(ErrorCode::io, "there is the log of a run file that isn't there", path + end,
                  "move it away, or back to its run file");
}

// Written under another name and renamed. A journal isn't needed: what fails is thrown away.
RunFile RunFile::create(const std::string& path, const Facts& facts,
                        std::span<const RunBlock> blocks, const Readers& readers) {
  require_free(path);
  RunFile file(path);
  try {
    PartFile part(path, readers);
    (void)lock_descriptor(part.descriptor());
    RunFile(part.name()).fill(facts, blocks);
    part.take_name();
    file.lock_ = part.take_descriptor();
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), path, "the run had just begun: no draw is lost");
  }
  try {
    file.load();
  } catch (const Error& error) {
    throw resumable(error, file);
  }
  return file;
}

void RunFile::fill(const Facts& facts, std::span<const RunBlock> blocks) {
  database_ = std::make_unique<Database>(path_, true);
  if (facts.at("num_columns").size() > 0)
    database_->execute("PRAGMA page_size=65536");  // a block is a megabyte
  database_->execute("PRAGMA journal_mode=MEMORY");
  database_->execute("PRAGMA synchronous=FULL");
  Transaction transaction(*database_);
  for (const auto& [name, text] : kTables) database_->execute(text);
  for (const auto& [name, value] : facts) store_fact(name, value);
  store_facts({{"schema", std::to_string(kRunFileSchema)}});
  read_facts();
  for (const RunBlock& block : blocks) insert(block);
  transaction.commit();
}

RunFile RunFile::open(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0)
    throw Error(ErrorCode::io, fmt::format("can't read the run file: {}", std::strerror(errno)),
                path);
  RunFile file(path);
  file.load();
  return file;
}

void RunFile::require_writable(const std::string& path) {
  if (access(path.c_str(), W_OK) == 0) return;
  throw Error(ErrorCode::io, fmt::format("can't write the run file: {}", std::strerror(errno)),
              path, "credo export writes its draws so far");
}

RunFile RunFile::open_to_write(const std::string& path) {
  require_writable(path);
  RunFile file(path);
  file.lock_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (lock_descriptor(file.lock_.number()) == Locked::by_another)
    throw Error(ErrorCode::io,
                "another process is writing this run, under another name of its file", path,
                "wait for its end, or stop it; credo export writes its draws so far");
  file.load();
  file.verify();
  return file;
}

// Later reads rely on the facts of the chains, which must agree with the blocks: they follow
// each other and have all columns. One transaction, because the run may be writing.
void RunFile::load() {
  connect();
  database_->execute("BEGIN");
  read_facts();
  require_own_schema();
  progress_.clear();
  Statement chains(*database_, "SELECT chain FROM chains");
  while (chains.step()) {
    const Index chain = chains.whole(0);
    if (has_rows() && (chain < 0 || chain >= num_chains_))
      damaged(path_, fmt::format("it has a chain {}", chain + 1));
    ChainState now = progress(chain);
    bool is_whole = now.iteration >= 0 && ssize(now.num_rows) <= num_groups();
    for (Index g = 0; g < num_groups(); ++g)
      is_whole = is_whole && now.rows_of(g) == rows_in_blocks(chain, g);
    if (!is_whole)
      damaged(path_, fmt::format("chain {} hasn't the rows that it should have", chain + 1));
    progress_[chain] = std::move(now);
  }
  database_->execute("COMMIT");
}

Index RunFile::rows_in_blocks(Index chain, Index group) const {
  Statement blocks(*database_,
                   "SELECT first_row, num_rows, length(columns), length(sums) FROM blocks WHERE "
                   "chain = ? AND part = ? ORDER BY first_row");
  blocks.bind(1, chain).bind(2, group);
  Index total = 0;
  while (blocks.step()) {
    stop_if_asked();
    const Index rows = blocks.whole(1), bytes = blocks.whole(2), row_bytes = 8 * num_columns(group);
    const Pieces pieces{chain, group, total, rows, num_columns(group)};
    if (blocks.whole(0) != total || rows < 0 || rows > bytes / row_bytes ||
        rows * row_bytes != bytes || blocks.whole(3) != 8 * pieces.count())
      damaged(
          path_,
          fmt::format("the block at row {} of chain {} is damaged: its sizes contradict each other",
                      total, chain + 1));
    total += rows;
  }
  return total;
}

// Checks everything that a resumed run would take over.
void RunFile::verify() const {
  if (const std::string fault = database_->fault(); !fault.empty()) damaged(path_, fault);
  for (const Index chain : chains())
    for (Index group = 0; group < num_groups(); ++group)
      for_parts({.chain = chain,
                 .group = group,
                 .num_columns = num_columns(group),
                 .num_rows = num_rows(chain, group)},
                [](const RunPart&) {});
}

// A trigger, a view or another form of a table could change the effect of our statements.
void RunFile::require_own_schema() const {
  std::map<std::string, std::string> there = database_->schema();
  std::string wrong;
  for (const auto& [name, text] : kTables) {
    const auto found = there.find(name);
    if (found == there.end() || found->second != text) wrong = name;
    if (found != there.end()) there.erase(found);
  }
  there.erase(kIndex);
  if (wrong.empty() && there.empty()) return;
  throw Error(ErrorCode::io,
              there.empty() ? fmt::format("its {} isn't that of a run file", wrong)
                            : fmt::format("it has a {}, which no run file has",
                                          printable(there.begin()->first)),
              path_, "another program has changed it: copy it again from its source");
}

// Write-ahead log if the file system supports it; the pragma returns the mode in use.
void RunFile::configure() {
  Statement journal(*database_, "PRAGMA journal_mode=WAL");
  const bool has_wal = journal.step() && journal.bytes(0) == "wal";
  database_->execute(has_wal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL");
}

void RunFile::read_facts() {
  const auto schema = database_->schema();
  const auto table = schema.find(kTables[0].first);
  if (table == schema.end() || table->second != kTables[0].second)
    throw Error(ErrorCode::io, "not a run file: it has no table of facts", path_);
  facts_.clear();
  Statement rows(*database_, "SELECT name, value FROM facts");
  while (rows.step()) facts_[std::string(rows.bytes(0))] = rows.bytes(1);
  if (whole_fact("schema", facts_["schema"]) != kRunFileSchema)
    throw Error(ErrorCode::io,
                fmt::format("the run file has schema {}, this program reads {}", facts_["schema"],
                            kRunFileSchema),
                path_, "use the version that wrote it");
  if (facts_[kSumFact] != sum_of(facts_)) damaged(path_, "the check sum of its facts is another");
  take_sizes();
}

void RunFile::take_sizes() {
  num_chains_ = whole_fact("num_chains", facts_["num_chains"]);
  num_columns_.clear();
  const auto text = facts_.find("num_columns");
  if (text == facts_.end()) damaged(path_, "it has no columns");
  std::istringstream words(text->second);
  for (std::string word; words >> word;) {
    const Index count = whole_fact("num_columns", word);
    if (count == 0 || num_groups() == kMostGroups)
      damaged(path_, "its groups aren't those of a run");
    num_columns_.insert(num_columns_.end(), num_columns_.empty() ? kNumDrawGroups : 1, count);
  }
  if (!has_rows() && !text->second.empty()) damaged(path_, "it has no columns");
}

void RunFile::store_fact(const std::string& name, const std::string& value) {
  Statement(*database_, "INSERT OR REPLACE INTO facts VALUES(?, ?)")
      .bind_text(1, name)
      .bind_bytes(2, value)
      .step();
  facts_[name] = value;
}

void RunFile::set_facts(const Facts& facts) {
  Transaction transaction(*database_);
  store_facts(facts);
  transaction.commit();
}

void RunFile::store_facts(const Facts& facts) {
  for (const auto& [name, value] : facts) store_fact(name, value);
  store_fact(kSumFact, sum_of(facts_));
}

void RunFile::lengthen(const Facts& facts) {
  Transaction transaction(*database_);
  store_facts(facts);
  for (auto& [chain, progress] : progress_) {
    if (!progress.finished) continue;
    progress.finished = false;
    Statement(*database_, "UPDATE chains SET finished = 0, sum = ? WHERE chain = ?")
        .bind(1, sum_of(chain, progress))
        .bind(2, chain)
        .step();
  }
  transaction.commit();
}

Index RunFile::whole_fact(const char* name, const std::string& text) const {
  constexpr double kMost = 1e9;  // so that products with numbers of rows are whole numbers, too
  const auto value = parse_number(text);
  const bool holds = value && *value >= 0.0 && *value <= kMost && *value == std::floor(*value);
  if (!holds)
    throw Error(ErrorCode::io, fmt::format("not a run file: it has no number '{}'", name), path_);
  return static_cast<Index>(*value);
}

// ---- the name

bool RunFile::is_in_place() const { return identity_of(path_) == identity_; }

// Removed or moved while it is written, the file is still open.
void RunFile::look_after(const std::function<void()>& look_after_lock,
                         const std::function<void(const std::string&)>& warn) {
  if (is_in_place()) return;
  const bool known = std::exchange(missed_, true);
  try {
    if (look_after_lock) look_after_lock();
    restore();
    missed_ = false;
    if (warn) warn(fmt::format("{}: the run file was removed or moved; it is made again", path_));
  } catch (const Error& error) {
    if (!known && warn)
      warn(fmt::format("{}; until it can be made again this run can't be resumed", error.what()));
  }
}

void RunFile::restore() {
  if (is_there(path_))
    throw Error(ErrorCode::io, "the run file was replaced by another file", path_,
                "move that one away");
  Readers readers;
  if (struct stat info{}; ::fstat(lock_.number(), &info) == 0) readers.narrow(info);
  PartFile part(path_, readers);
  (void)lock_descriptor(part.descriptor());
  Statement(*database_, "VACUUM INTO ?").bind_text(1, part.name()).step();
  part.take_name();
  // Closing removes the log beside the name: before the new file has one.
  disconnect();
  lock_ = part.take_descriptor();
  connect();
}

void RunFile::disconnect() { database_.reset(); }

void RunFile::connect() {
  identity_ = identity_of(path_);
  const bool is_writer = lock_.number() >= 0;
  if (is_writer && identity_ != identity_of(lock_.number()) && is_there(path_))
    throw Error(ErrorCode::io, "the run file was replaced by another file", path_);
  database_ = std::make_unique<Database>(path_, access(path_.c_str(), W_OK) == 0);
  if (is_writer) configure();
}

void RunFile::remove(const std::function<void(const std::string&)>& warn) {
  const bool is_ours = is_in_place();
  disconnect();
  lock_ = Descriptor();
  if (!is_ours) return;
  for (const char* suffix : {"-wal", "-shm", ""})
    if (::unlink((path_ + suffix).c_str()) != 0 && errno != ENOENT && warn)
      warn(fmt::format("{}{}: the run is done, but its run file can't be removed: {}", path_,
                       suffix, std::strerror(errno)));
}

std::vector<Index> RunFile::chains() const {
  std::vector<Index> all;
  for (const auto& [chain, progress] : progress_) all.push_back(chain);
  return all;
}

RunFile::RunFile(std::string path) : path_(std::move(path)) {}
RunFile::RunFile(RunFile&& other) noexcept = default;
RunFile::~RunFile() = default;

// ---- blocks

void RunFile::append(std::span<const RunBlock> blocks) {
  std::map<Index, ChainState> before;
  for (const RunBlock& block : blocks) before[block.chain] = progress_[block.chain];
  try {
    Transaction transaction(*database_);
    for (const RunBlock& block : blocks) insert(block);
    transaction.commit();
  } catch (const Error& error) {
    for (auto& [chain, state] : before) progress_[chain] = std::move(state);
    throw resumable(error, *this);
  }
}

// The last word against two writers, where locks don't work or somebody got round them: a chain
// that isn't where this process left it was continued by another.
void RunFile::require_untouched(Index chain, const ChainState& known) const {
  const ChainState now = progress(chain);
  if (now == known) return;
  throw Error(
      ErrorCode::io,
      fmt::format("another process has written this run file: chain {} is at transition {}, "
                  "this process left it at {}",
                  chain + 1, now.iteration, known.iteration),
      path_, "this process ends without a change to it; let the other one continue");
}

void RunFile::insert(const RunBlock& block) {
  CREDO_ASSERT(has_rows() ? ssize(block.rows) == block.num_rows * num_columns(block.group)
                          : block.num_rows == 0,
               "a row has all columns of its group");
  ChainState& progress = progress_[block.chain];
  require_untouched(block.chain, progress);
  if (block.num_rows > 0) {
    transpose(block.rows, block.num_rows, columns_);
    const Index first = progress.rows_of(block.group);
    const Pieces pieces{block.chain, block.group, first, block.num_rows, num_columns(block.group)};
    const std::vector<std::uint64_t> sums = pieces.sums(columns_);
    Statement(*database_, "INSERT INTO blocks VALUES(?, ?, ?, ?, ?, ?)")
        .bind(1, block.chain)
        .bind(2, block.group)
        .bind(3, first)
        .bind(4, block.num_rows)
        .bind_bytes(5, bytes_of(columns_))
        .bind_bytes(6, bytes_of(sums))
        .step();
  }
  if (has_rows()) progress.add_rows(block.group, block.num_rows);
  progress.iteration = block.iteration;
  progress.finished = block.finished;
  store_state(block, progress);
}

void RunFile::store_state(const RunBlock& block, const ChainState& now) {
  Statement(*database_, "INSERT OR REPLACE INTO chains VALUES(?, ?, ?, ?, ?, ?, ?)")
      .bind(1, block.chain)
      .bind(2, now.iteration)
      .bind_bytes(3, bytes_of(now.num_rows))
      .bind(4, now.finished ? 1 : 0)
      .bind_bytes(5, block.state)
      .bind_bytes(6, block.result)
      .bind(7, sum_of(block.chain, now))
      .step();
}

ChainState RunFile::progress(Index chain) const {
  Statement row(*database_,
                "SELECT iteration, num_rows, finished, sum FROM chains WHERE chain = ?");
  row.bind(1, chain);
  if (!row.step()) return {};
  ChainState found{.iteration = row.whole(0), .finished = row.whole(2) != 0};
  const std::string_view rows = row.bytes(1);
  found.num_rows.resize(rows.size() / sizeof(Index));
  if (!rows.empty())
    std::memcpy(found.num_rows.data(), rows.data(), rows.size() / sizeof(Index) * sizeof(Index));
  if (row.whole(3) != sum_of(chain, found))
    damaged(path_, fmt::format("the check sum of chain {} is another", chain + 1));
  return found;
}

ChainState RunFile::state(Index chain) const {
  ChainState found = progress(chain);
  Statement row(*database_, "SELECT state, result FROM chains WHERE chain = ?");
  row.bind(1, chain);
  if (!row.step()) return found;
  found.state = row.bytes(0);
  found.result = row.bytes(1);
  return found;
}

Index RunFile::num_rows(Index chain, Index group) const { return progress(chain).rows_of(group); }

struct RunFile::BlockPlace {
  Index rowid, first_row, num_rows;
  std::vector<std::uint64_t> sums;
};

// Whole pieces are read, which have check sums.
std::span<const double> RunFile::read_block(const RunSlab& slab, const BlockPlace& block,
                                            std::vector<double>& buffer) const {
  const Index all = num_columns(slab.group);
  const Pieces pieces{slab.chain, slab.group, block.first_row, block.num_rows, all};
  const Index first = slab.first_column / pieces.width(), width = pieces.width();
  const Index end = (slab.first_column + slab.num_columns + width - 1) / width;
  const Index begin_column = first * width, end_column = std::min(end * width, all);
  const bool is_whole = ssize(block.sums) == pieces.count() &&
                        database_->num_bytes("blocks", block.rowid) == block.num_rows * all * 8;
  if (!is_whole)
    damaged(path_, fmt::format("the block at row {} is damaged: its size isn't that of its rows",
                               block.first_row));
  const auto size = static_cast<std::size_t>(block.num_rows * (end_column - begin_column));
  if (buffer.size() < size) buffer.resize(size);
  const auto part = std::span(buffer).first(size);
  database_->read_numbers("blocks", block.rowid, block.num_rows * begin_column, part);
  for (Index p = first; p < end; ++p) {
    const Index from = (p - first) * width * block.num_rows;
    const Index count = std::min(width * block.num_rows, ssize(part) - from);
    const auto piece =
        part.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
    if (pieces.sum(p, piece) != block.sums[static_cast<std::size_t>(p)])
      damaged(path_, fmt::format("the check sum of draws of chain {} from row {} on is another",
                                 slab.chain + 1, block.first_row));
  }
  const Index begin = (slab.first_column - begin_column) * block.num_rows;
  return part.subspan(static_cast<std::size_t>(begin));
}

void RunFile::for_parts(const RunSlab& slab,
                        const std::function<void(const RunPart&)>& take) const {
  Statement blocks(*database_,
                   "SELECT rowid, first_row, num_rows, sums FROM blocks WHERE chain = ? AND "
                   "part = ? AND first_row < ? AND first_row + num_rows > ? ORDER BY first_row");
  blocks.bind(1, slab.chain)
      .bind(2, slab.group)
      .bind(3, slab.first_row + slab.num_rows)
      .bind(4, slab.first_row);
  std::vector<double> buffer;
  Index found = 0;
  while (blocks.step()) {
    stop_if_asked();
    BlockPlace block{blocks.whole(0), blocks.whole(1), blocks.whole(2), {}};
    const std::string_view sums = blocks.bytes(3);
    block.sums.resize(sums.size() / sizeof(std::uint64_t));
    std::memcpy(block.sums.data(), sums.data(), block.sums.size() * sizeof(std::uint64_t));
    const Index begin = std::max(block.first_row, slab.first_row);
    const Index end = std::min(block.first_row + block.num_rows, slab.first_row + slab.num_rows);
    take({.first_row = begin,
          .num_rows = end - begin,
          .first = read_block(slab, block, buffer).data() + begin - block.first_row,
          .column_step = block.num_rows});
    found += end - begin;
  }
  if (found != slab.num_rows)
    damaged(path_, fmt::format("rows of chain {} are missing", slab.chain + 1));
}

}  // namespace credo::io
