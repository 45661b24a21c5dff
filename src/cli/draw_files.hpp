// The draws of a run with everything the program computes from them, and their files.
#pragma once
#include "density/draws.hpp"
#include "infer/sample.hpp"
#include "model/writer.hpp"

namespace credo::cli {

// Keeps for every kept transition the sampler's columns and the program's outputs (parameters,
// transformed parameters, generated quantities).
class DrawStore final : public infer::DrawSink {
 public:
  DrawStore(const model::Model& model, const infer::SampleOptions& options)
      : model_(model), options_(options) {}
  void begin(const Sizes& sizes) override;
  void draw(const infer::DrawRecord& record) override;

  const density::Draws& draws() const { return draws_; }  // outputs; warm-up isn't among them
  const density::Draws& info() const { return info_; }
  const density::Draws& warmup_draws() const { return warmup_draws_; }
  const density::Draws& warmup_info() const { return warmup_info_; }
  density::Draws log_density() const;  // S x C x 1: lp__
  const std::vector<infer::FieldSpec>& columns() const { return columns_; }
  Index num_kept(Index chain) const { return kept_[static_cast<std::size_t>(chain)]; }
  Index num_warmup_kept(Index chain) const { return warmup_kept_[static_cast<std::size_t>(chain)]; }

  struct Note {  // rejections in generated quantities, by text
    std::string text;
    Index count;
  };
  std::vector<Note> notes() const;

 private:
  const model::Model& model_;
  const infer::SampleOptions& options_;
  std::vector<infer::FieldSpec> columns_;
  density::Draws draws_, info_, warmup_draws_, warmup_info_;
  std::vector<Index> kept_, warmup_kept_;
  std::vector<std::map<std::string, Index>> notes_;  // by chain
  std::vector<model::Writer> writers_;               // by chain
  std::vector<std::vector<double>> rows_;            // by chain: the row being written
  double dropped_ = 0.0;
};

// PREFIX_1.csv, ... in CmdStan's form; each appears only when it is complete.
void write_csv_files(const std::string& prefix, const model::Model& model,
                     const infer::SampleOptions& options, const infer::RunResult& result,
                     const DrawStore& store, Index sig_figs);

}  // namespace credo::cli
