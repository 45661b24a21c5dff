// The rows of a run, in memory or in a file, a block at a time.
//
// A run file is a SQLite database: facts, blocks of rows, one state a chain. What is in it was
// committed whole: kill -9 at any moment loses at most the block that was being made.
//
//   RunFile file = RunFile::create("fit.nc.run", facts);
//   file.append({.chain = 0, .iteration = 250, .num_rows = 100, .rows = rows, .state = bytes});
//   RunFile::open("fit.nc.run").state(0)
//
// One writer at a time, who holds a lock on the file; readers, also of other processes, see what
// was committed. Facts, chains and draws have check sums, and what is read is checked. Every
// function throws Error(io) with the file and the system's reason; after a failed append the file
// holds what it held before.
#pragma once
#include "base/error.hpp"
#include "io/part_file.hpp"

namespace credo::io {

class Database;

// Rows of one chain that belong together, and the chain's state after them.
struct RunBlock {
  Index chain = 0;
  bool warmup = false;
  Index iteration = 0;                // transitions done
  Index num_rows = 0;                 // may be 0
  std::span<const double> rows = {};  // num_rows times the number of columns, row by row
  std::string_view state = {};        // opaque, as is the result
  std::string_view result = {};
  bool finished = false;  // the chain's last block
};

struct ChainState {
  Index iteration = 0;
  Index num_rows = 0, num_warmup_rows = 0;  // in the file
  std::string state, result;                // empty before the first block
  bool finished = false;
};

// A part of the rows of one phase of one chain.
struct RunSlab {
  Index chain = 0;
  bool warmup = false;
  Index first_column = 0, num_columns = 0;
  Index first_row = 0, num_rows = 0;
};

// Where the rows of a run are kept.
class RunRows {
 public:
  virtual ~RunRows() = default;
  virtual Index num_columns() const = 0;
  // All of them or, with an Error, none. Later blocks of a chain stand behind earlier ones.
  virtual void append(std::span<const RunBlock> blocks) = 0;
  void append(const RunBlock& block) { append(std::span(&block, 1)); }
  virtual ChainState state(Index chain) const = 0;
  virtual Index num_rows(Index chain, bool warmup) const = 0;  // as state() says

  // Column by column. Throws Error(io) where there are no such rows.
  virtual std::vector<double> read(const RunSlab& slab) const = 0;
  std::vector<double> rows(const RunSlab& slab) const;  // row by row
};

// Of num_rows rows: column by column, as a block is stored.
void transpose(std::span<const double> rows, Index num_rows, std::vector<double>& columns);
ChainState after(ChainState state, const RunBlock& block);

class RunMemory final : public RunRows {
 public:
  RunMemory(Index num_chains, Index num_columns);
  Index num_columns() const override { return num_columns_; }
  using RunRows::append;
  void append(std::span<const RunBlock> blocks) override;
  ChainState state(Index chain) const override;
  Index num_rows(Index chain, bool warmup) const override;
  std::vector<double> read(const RunSlab& slab) const override;
  std::vector<RunBlock> blocks() const;  // views; the last one of a chain has its state

 private:
  struct Block {
    bool warmup;
    Index iteration, num_rows;
    std::vector<double> rows;
  };
  struct Chain {
    std::vector<Block> blocks;
    ChainState state;
  };
  Index num_columns_;
  std::vector<Chain> chains_;
};

class RunFile final : public RunRows {
 public:
  using Facts = std::map<std::string, std::string>;

  // Throws Error(io) where there is a run file already, or the log of one.
  static void require_free(const std::string& path);
  // A new file with what there is so far, which this process writes; one that exists is an error.
  // It appears under its name with all of that in it, and only `readers` may read it. `facts` must
  // have "num_chains" and "num_columns".
  static RunFile create(const std::string& path, const Facts& facts,
                        std::span<const RunBlock> blocks = {}, const Readers& readers = {});
  // To be read. Throws Error(io) if it isn't a run file, or one of another schema.
  static RunFile open(const std::string& path);
  static void require_writable(const std::string& path);  // throws Error(io) with the reason
  // To go on with it: nobody else may write it, and all that is in it is checked.
  static RunFile open_to_write(const std::string& path);
  ~RunFile() override;
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&&) = delete;

  // Whether the name is still this file's: it could have been removed or moved.
  bool is_in_place() const;
  // Where the name is free again, makes the file anew with all it holds.
  void restore();
  // Without a connection a copy of this process may make one of its own; nothing else works.
  void disconnect();
  void connect();

  const std::string& path() const { return path_; }
  const Facts& facts() const { return facts_; }
  void set_fact(const std::string& name, const std::string& value);  // in the file, too
  Index num_chains() const { return num_chains_; }
  Index num_columns() const override { return num_columns_; }

  using RunRows::append;
  void append(std::span<const RunBlock> blocks) override;  // one transaction
  ChainState state(Index chain) const override;
  Index num_rows(Index chain, bool warmup) const override;
  std::vector<double> read(const RunSlab& slab) const override;  // memory: the result, a part of it

 private:
  struct BlockPlace;
  struct Progress {  // of a chain, as far as this process knows
    Index iteration = 0, num_rows = 0, num_warmup_rows = 0;
    bool operator==(const Progress&) const = default;
  };
  explicit RunFile(std::string path);
  void fill(const Facts& facts, std::span<const RunBlock> blocks);
  void load();
  void verify() const;
  void require_own_schema() const;
  void require_untouched(Index chain) const;
  void configure();
  void read_facts();
  void store_fact(const std::string& name, const std::string& value);
  Index fact(const std::string& name) const;
  void insert(const RunBlock& block);
  void store_state(const RunBlock& block, const Progress& now);
  ChainState counts(Index chain) const;
  Index rows_in_blocks(Index chain, bool warmup) const;
  std::vector<double> read_block(const RunSlab& slab, const BlockPlace& block) const;
  void for_blocks(
      const RunSlab& slab,
      const std::function<void(const BlockPlace&, std::span<const double>)>& take) const;

  std::string path_;
  Facts facts_;
  Index num_chains_ = 0, num_columns_ = 0;
  std::vector<Progress> progress_;  // by chain
  std::vector<double> columns_;     // of the last block: memory that is asked for once
  std::array<std::uint64_t, 2> identity_{};
  // Of who writes it. Closed behind the database: whoever closes a file gives SQLite's locks back.
  Descriptor lock_;
  std::unique_ptr<Database> database_;
};

inline constexpr Index kRunFileSchema = 2;

}  // namespace credo::io
