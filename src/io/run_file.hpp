// The rows of a run, in memory or in a file, a block at a time, in groups: the draws, those of
// warm-up, and other rows that an algorithm reports, with columns of their own.
//
// A run file is a SQLite database: facts, blocks of rows, one state and one result a chain. Its contents were
// committed whole: kill -9 at any moment loses at most the block that was being made. Numbered pieces of work are chains
// without rows, of any numbers, in a file without columns: a piece in progress has a state, a finished one a result.
//
//   RunFile file = RunFile::create("fit.nc.run", facts);
//   file.append({.chain = 0, .iteration = 250, .num_rows = 100, .rows = rows, .state = bytes});
//   RunFile::open("fit.nc.run").state(0)
//
// One writer at a time holds a lock on the file; readers, also of other processes, see data after
// their commit. Facts, chains and draws have check sums, which are checked at each read. Every
// function throws Error(io) with the file and the system's reason; after a failed append the file
// is unchanged.
#pragma once
#include "base/error.hpp"
#include "io/part_file.hpp"

namespace credo::io {

class Database;

// "fit.nc" is written from "fit.nc.run".
std::string run_file_of(const std::string& output);
std::string result_of_run_file(const std::string& path);

// The groups that all runs have, with the same columns; others come behind them.
inline constexpr Index kDraws = 0, kWarmup = 1, kNumDrawGroups = 2;
inline Index draw_group(bool warmup) { return warmup ? kWarmup : kDraws; }

// Rows of one chain that belong together, and the chain's state after them. If blocks are
// appended together, the last one of a chain has its state.
struct RunBlock {
  Index chain = 0;
  Index group = kDraws;
  Index iteration = 0;                // transitions done
  Index num_rows = 0;                 // may be 0
  std::span<const double> rows = {};  // num_rows times the group's number of columns, row by row
  std::string_view state = {};        // opaque, as is the result
  std::string_view result = {};
  bool finished = false;  // the chain's last block
};

struct ChainState {
  Index iteration = 0;
  std::vector<Index> num_rows = {};     // by group; a group beyond has none
  std::string state = {}, result = {};  // empty before the first block
  bool finished = false;

  Index rows_of(Index group) const {
    return group < ssize(num_rows) ? num_rows[static_cast<std::size_t>(group)] : 0;
  }
  void add_rows(Index group, Index count);
  bool operator==(const ChainState&) const = default;
};

// A part of the rows of one group of one chain.
struct RunSlab {
  Index chain = 0;
  Index group = kDraws;
  Index first_column = 0, num_columns = 0;
  Index first_row = 0, num_rows = 0;
};

// Rows of one block within a slab, where they lie in memory.
struct RunPart {
  Index first_row = 0, num_rows = 0;  // rows of the chain's group
  const double* first = nullptr;      // the slab's first column in the first row
  Index row_step = 1, column_step = 1;

  const double* column(Index k) const { return first + k * column_step; }
};

// Store of the rows of a run.
class RunRows {
 public:
  virtual ~RunRows() = default;
  virtual Index num_columns(Index group) const = 0;
  virtual Index num_groups() const = 0;
  // All of them or, with an Error, none. Later blocks of a chain stand behind earlier ones.
  virtual void append(std::span<const RunBlock> blocks) = 0;
  void append(const RunBlock& block) { append(std::span(&block, 1)); }
  virtual ChainState state(Index chain) const = 0;
  virtual Index num_rows(Index chain, Index group) const = 0;  // agrees with state()

  // Calls `take` with the slab's rows, block by block in their order; a part is valid during the call. Throws Error(io) if
  // the chain has no such rows.
  virtual void for_parts(const RunSlab& slab,
                         const std::function<void(const RunPart&)>& take) const = 0;
  std::vector<double> read(const RunSlab& slab) const;  // column by column
  std::vector<double> rows(const RunSlab& slab) const;  // row by row
};

// Transposes num_rows rows to columns, the layout of a stored block.
void transpose(std::span<const double> rows, Index num_rows, std::vector<double>& columns);
ChainState after(ChainState state, const RunBlock& block);

class RunMemory final : public RunRows {
 public:
  RunMemory() = default;
  RunMemory(Index num_chains, std::vector<Index> num_columns);  // by group
  Index num_columns(Index group) const override {
    return num_columns_[static_cast<std::size_t>(group)];
  }
  Index num_groups() const override { return ssize(num_columns_); }
  using RunRows::append;
  void append(std::span<const RunBlock> blocks) override;
  ChainState state(Index chain) const override;
  Index num_rows(Index chain, Index group) const override;
  void for_parts(const RunSlab& slab,
                 const std::function<void(const RunPart&)>& take) const override;
  std::vector<RunBlock> blocks() const;  // views; the last one of a chain has its state

 private:
  struct Block {
    Index group, iteration, num_rows;
    std::vector<double> rows;
  };
  struct Chain {
    std::vector<Block> blocks;
    ChainState state;
  };
  std::vector<Index> num_columns_;
  std::vector<Chain> chains_;
};

class RunFile final : public RunRows {
 public:
  using Facts = std::map<std::string, std::string>;

  // Throws Error(io) where there is a run file already, or the log of one.
  static void require_free(const std::string& path);
  // A new file with the rows so far, which this process writes; one that exists is an error.
  // It appears under its name with all of that in it, and only `readers` may read it. `facts` must
  // have "num_chains" and "num_columns": those of the draws, and of the groups behind those of warm-up,
  // "10 3 12", or "" in a file of pieces.
  static RunFile create(const std::string& path, const Facts& facts,
                        std::span<const RunBlock> blocks = {}, const Readers& readers = {});
  // To be read. Throws Error(io) if it isn't a run file, or one of another schema.
  static RunFile open(const std::string& path);
  static void require_writable(const std::string& path);  // throws Error(io) with the reason
  // Opens it for resuming: other processes can't write it, and its whole contents are checked.
  static RunFile open_to_write(const std::string& path);
  ~RunFile() override;
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&&) = delete;

  // True if the name is still this file's: it could have been removed or moved.
  bool is_in_place() const;
  // Creates it again if it isn't, after `look_after_lock`, which throws Error if the lock is another process's now. A failure is a
  // warning, once. Both may be empty.
  void look_after(const std::function<void()>& look_after_lock,
                  const std::function<void(const std::string&)>& warn);
  // Creates the file again with its contents if the name is free.
  void restore();
  // Without a connection a copy of this process may make one of its own; other functions don't work.
  void disconnect();
  void connect();
  // Removes the file, unless another one has its name. `warn` may be empty. It is the last call.
  void remove(const std::function<void(const std::string&)>& warn);

  const std::string& path() const { return path_; }
  const Facts& facts() const { return facts_; }
  void set_facts(const Facts& facts);  // in the file, too
  // The run gets longer, as these facts say: no chain has had its last block. One transaction.
  void lengthen(const Facts& facts);
  Index num_chains() const { return num_chains_; }
  bool has_rows() const { return !num_columns_.empty(); }  // false: a file of pieces
  std::vector<Index> chains() const;                       // those with a state, or pieces
  Index num_columns(Index group) const override {
    return num_columns_[static_cast<std::size_t>(group)];
  }
  Index num_groups() const override { return ssize(num_columns_); }

  using RunRows::append;
  void append(std::span<const RunBlock> blocks) override;  // one transaction
  ChainState state(Index chain) const override;
  ChainState progress(Index chain) const;  // without state and result, which may be long
  Index num_rows(Index chain, Index group) const override;
  void for_parts(const RunSlab& slab,
                 const std::function<void(const RunPart&)>& take) const override;

 private:
  struct BlockPlace;
  explicit RunFile(std::string path);
  void fill(const Facts& facts, std::span<const RunBlock> blocks);
  void load();
  void verify() const;
  void require_own_schema() const;
  void require_untouched(Index chain, const ChainState& known) const;
  void configure();
  void read_facts();
  void store_fact(const std::string& name, const std::string& value);
  void store_facts(const Facts& facts);
  void take_sizes();
  Index whole_fact(const char* name, const std::string& text) const;
  void insert(const RunBlock& block);
  void store_state(const RunBlock& block, const ChainState& now);
  Index rows_in_blocks(Index chain, Index group) const;
  // The columns of the slab in one block, in `buffer`, which keeps its memory from block to block.
  std::span<const double> read_block(const RunSlab& slab, const BlockPlace& block,
                                     std::vector<double>& buffer) const;

  std::string path_;
  Facts facts_;
  Index num_chains_ = 0;
  std::vector<Index> num_columns_;        // by group
  std::map<Index, ChainState> progress_;  // by chain, as far as this process knows; without states
  std::vector<double> columns_;           // columns of the last block: memory is allocated once
  std::array<std::uint64_t, 2> identity_{};
  bool missed_ = false;  // it wasn't in its place, and couldn't be made again
  // Lock of the writer. Closed after the database: closing a file releases SQLite's locks.
  Descriptor lock_;
  std::unique_ptr<Database> database_;
};

inline constexpr Index kRunFileSchema = 4;

}  // namespace credo::io
