// Takes the draws of a run, with everything the program computes from them, and keeps them: in
// memory, or in a run file beside the result, from which the run can be resumed.
//
//   RunStore store(model, options, {.path = "fit.nc.run", .facts = …});
//   infer::run_chains(model, options, store);
//   store.quantities(false, 0, 10)
//
// Columns: the sampler's, with lp__ first, then the program's outputs. Rows of a chain with W
// walkers: all walkers of a transition, one after another.
#pragma once
#include <atomic>

#include "base/gentle_stop.hpp"
#include "density/model.hpp"
#include "infer/core/fit_stages.hpp"
#include "io/run_file.hpp"
#include "results/files/block_queue.hpp"
#include "results/files/draw_cache.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/selection.hpp"

namespace credo::results {

// Path of the run file, which is created after 0.1 s or with the first block; if empty, there
// is no run file. Also facts about the run (run_facts).
struct RunPlace {
  std::string path = {};
  io::RunFile::Facts facts = {};
  Selection selection = {};  // outputs that are kept: others are only computed
  io::Readers readers = {};  // of the file
  bool at_once = false;      // with the first block
};

// A fit before the draws is kept as a fact of the file.
class RunStore final : public infer::DrawSink, public infer::FitKeeper, public Fit {
 public:
  RunStore(const density::Model& model, const infer::SampleOptions& options, RunPlace place = {});
  // Resumes in a file; the states of its chains are what SampleOptions::states takes.
  RunStore(const density::Model& model, const infer::SampleOptions& options, io::RunFile file);

  void begin(const Sizes& sizes) override;
  void draw(const infer::DrawRecord& record) override;
  void row(const infer::RowRecord& record) override;
  bool wants_state(Index chain, Index iteration, bool finished) override;
  void state(const infer::StateRecord& record) override;

  std::string kept_fit() override;
  void begin_fit() override;
  bool is_fit_due() override;
  void keep_fit(const std::string& state) override;
  bool is_fitting() const { return is_fitting_; }  // the fit isn't done

  // After the run. Rows that came after the last block are counted where no file holds them back.
  void close();
  // After close():
  bool has_file() const { return file_.has_value(); }
  bool is_kept() const { return file_ && file_->is_in_place(); }
  void remove_file();  // if there is one
  // Gives the file away, for another run of the same chains to resume; the store is empty then.
  io::RunFile take_file() { return std::move(*std::exchange(file_, std::nullopt)); }
  std::function<void(const std::string&)> warn;  // called with faults that don't end the run
  std::function<void()> look_after_lock;         // on the name, where the file isn't in its place
  // Once an end is requested, each chain's next state is a block: then `end` is called.
  void end_gently(GentleStop& gentle, std::function<void()> end);

  // The store as a fit: draws of blocks that are done, or all after close().
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return num_chains_ * num_walkers_; }
  Index num_walkers() const override { return num_walkers_; }
  Index num_draws(bool warmup) const override;
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  io::InputFiles::Contents files() const override;
  density::Draws read(const DrawSlab& slab) const override;
  const std::vector<RowTable>& tables() const override { return tables_; }
  std::vector<double> table_rows(Index table, Index chain) const override {
    const Index own = ssize(tables_) - ssize(added_);
    if (table < own) return rows_of_table(rows(), table, chain);
    return chain == 0 ? added_[static_cast<std::size_t>(table - own)] : std::vector<double>();
  }
  std::unique_ptr<WorkApart> apart(const std::function<void()>& work) override;

  Index num_columns() const { return num_quantities(*this); }
  // The program's outputs after warm-up.
  density::Draws output_draws() const { return quantities(false, ssize(columns_), layout_.size()); }
  // Keeps the result of run_chains, for result().
  void keep(infer::RunResult result) { result_ = std::move(result); }
  // After close(): a table of the first chain that was made of the run, not by it, and settings that say more of it. They
  // stand in the fit, and in files written from it, but not in the run file.
  void add_table(RowTable table, std::vector<double> rows);
  void add_settings(const std::map<std::string, std::string>& settings);

  using Note = FitNote;
  std::vector<Note> notes() const override;

 private:
  struct Waiting {  // a draw to be written
    std::vector<double> position, info;
    StreamKey key;
  };
  struct Open {  // a chain's block in the making
    std::vector<Waiting> waiting = {};
    std::vector<double> rows = {};
    std::vector<std::vector<double>> tables = {};  // rows of each
    Index num_rows = 0, iteration = 0;
    double since = 0.0;  // time by the clock
    double period = 0.0;
    std::vector<Note> notes = {};
    bool has_kept = false,
         is_safe = false;  // a block; one since the end was requested, or its last
  };
  const io::RunRows& rows() const {
    queue_.drain();
    return file_ ? static_cast<const io::RunRows&>(*file_) : memory_;
  }
  void select(std::vector<Index> places);
  void write_waiting(Index chain);
  double dropped_at(Index chain, std::span<const double> position);
  std::vector<QueuedRows> take_rows(Open& open);
  void commit(std::span<const io::RunBlock> blocks);
  void leave_out(Open& open);  // a chain that had ended before
  void note_kept(Open& open, bool finished);
  bool is_end_asked() const { return gentle_ != nullptr && gentle_->is_asked.load(); }
  void make_file();
  io::RunRows& target() { return file_ ? static_cast<io::RunRows&>(*file_) : memory_; }

  void name_columns(std::span<const infer::FieldSpec> columns,
                    std::span<const infer::RowGroup> groups);

  const density::Model& model_;
  const infer::SampleOptions& options_;
  RunPlace place_;
  bool is_in_memory_;
  FitOrigin origin_;
  std::vector<StatColumn> columns_;
  std::vector<RowTable> tables_;
  DrawCache cache_;
  std::vector<std::vector<double>> added_;  // rows of the last tables
  std::vector<Index> places_;               // of the outputs that are kept among the program's
  density::Layout layout_;                  // of these
  infer::RunResult result_;
  Index num_chains_ = 0, num_walkers_ = 1;
  double start_ = 0.0;
  bool is_fitting_ = false;
  double fit_asked_ = 0.0, fit_since_ = 0.0, fit_period_ = 0.0;  // seconds, as of a chain's block
  std::vector<Open> open_;                                       // by chain
  std::vector<std::unique_ptr<density::Writer>> writers_;        // by chain
  std::vector<std::unique_ptr<density::Evaluator>> evaluators_;  // by chain, where lp__ asks
  io::RunMemory memory_;
  std::optional<io::RunFile> file_;
  GentleStop* gentle_ = nullptr;
  std::function<void()> end_;
  std::atomic<Index> num_unkept_{0}, num_unsafe_{0}, num_unfinished_{0};  // chains
  // The last member: its thread uses the others, which nobody else does before drain().
  mutable BlockQueue queue_{[this](std::span<const io::RunBlock> blocks) { commit(blocks); }};
};

// The states of a file's chains, and the result of its run.
std::vector<std::string> states_of(const io::RunFile& file);
infer::RunResult result_of(const io::RunFile& file, const std::string& sampler, Index num_walkers);
std::vector<FitNote> notes_of(const io::RunFile& file);
Index num_complete_rows(const io::RunRows& rows, Index num_chains, bool warmup);

}  // namespace credo::results
