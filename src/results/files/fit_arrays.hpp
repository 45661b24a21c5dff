// A fit as groups of arrays, whatever kind of file has its draws: what readers of answers know is then enough to read draws, too.
//
//   FitArrays arrays(open_fit({"fit.nc.run"}));
//   arrays.find("posterior", "theta")                     // chain × draw × theta_dim_0
//   open_arrays({"filtered.nc"})->find("evidence", "…")   // any file of results
//
// Groups:
//   posterior, sample_stats, log_likelihood  chain × draw × the variable's dimensions, as in NetCDF files; an optimum or predictions have
//                                            the group of that name; warmup_… if warm-up was kept
//   adaptation                               by chain of the run: step size, metric, counts, tuned settings; shorter lists end in NaN
//   evidence                                 by chain, if the algorithm estimates it
//   divergences, refusals, notes, warnings   a row each
//   tables                                   each by its name: the row's chain and its columns
//
// Attributes: program, data, sampler, seed, version, and the settings by their names.
#pragma once
#include "results/arrays/arrays.hpp"
#include "results/files/fit.hpp"
#include "results/files/write_fit.hpp"

namespace credo::results {

class FitArrays final : public ArrayResult {
 public:
  explicit FitArrays(std::unique_ptr<Fit> fit);
  // Arrays of a result file: data and inputs, too, other attributes, and the widths of whole numbers. The fit outlives it.
  FitArrays(const Fit& fit, const FitOutput& output);

  const std::vector<std::pair<std::string, Attribute>>& attributes() const override {
    return others_.attributes();
  }
  const std::vector<Group>& groups() const override { return groups_; }
  // Draws are read from the fit's file: a chain's row of a variable is all its draws. Throws as Fit::read does.
  std::vector<double> read(const Group& group, const Field& field, Index first = 0,
                           Index count = -1) const override;
  // Draws in parts of some elements of one chain; 32 MiB are read at once.
  void for_each_part(const Group& group, const Field& field, const TakePart& take) const override;

 private:
  struct Place {  // a field's values among the quantities of the fit
    bool warmup = false;
    Index first = -1;  // -1: a coordinate, numbered from 0
    std::vector<Index> dims = {};
  };
  struct Source;  // values of a field
  Source source_of(const Group& group, const Field& field) const;
  void describe(const FitOutput* output);  // null: as commands read it
  void describe_reports();
  void describe_file(bool with_data);
  void add_draws(bool warmup);
  std::size_t begin_draws(const std::string& name, bool warmup);
  void add_coordinate(std::size_t group, const std::string& name, Index size);
  void add_variable(std::size_t group, const density::Variable& variable, const Place& place,
                    Texts attributes);
  void set_width(const Place& place, Field& field) const;
  Index elements_at_once(bool warmup) const;

  std::shared_ptr<const Fit> fit_;
  bool is_file_ = false;
  std::vector<Group> groups_;               // those of draws first
  std::vector<std::vector<Place>> places_;  // by group of draws and field
  ArrayList others_;
};

// Opens a file of draws, CSV files of one chain each, or the answer of another command. Throws Error(io) and Error(data).
std::unique_ptr<ArrayResult> open_arrays(std::span<const std::string> paths);
// A NetCDF file that states the command whose answer it is; null if it is another file or can't be read.
std::unique_ptr<ArrayResult> open_answer(const std::string& path);

}  // namespace credo::results
