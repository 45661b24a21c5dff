// A program's log density as a function of expectations of statistics (density/moment_form.hpp): traced at declared values, rewritten,
// and compared with the program at random points before anybody uses it.
#pragma once
#include "graph/execute/program.hpp"
#include "model/densities.hpp"
#include "model/messages/moment_slots.hpp"

namespace credo::model {

class ProgramMoments final : public density::MomentForm {
 public:
  // `densities`: those of all terms that count. It must live as long.
  ProgramMoments(const Densities& densities, const density::MomentRequest& request);

  std::span<const density::MomentBlock> blocks() const override { return blocks_.blocks; }
  Index num_values() const override { return declared_.size(); }
  Index num_statistics() const override { return blocks_.num_statistics; }
  std::span<const std::string> value_names() const override { return names_; }
  std::span<const density::MomentSource> sources() const override { return sources_; }
  bool has_bounds() const override { return has_bounds_; }
  std::unique_ptr<density::MomentEvaluator> make_evaluator() const override;
  std::unique_ptr<density::MomentEvaluator> make_batch_evaluator(Index number,
                                                                 Index num_batches) const override;
  Index num_label_rows() const override {
    return ssize(label_slots_) / std::max<Index>(num_labels_, 1);
  }
  Index num_labels() const override { return num_labels_; }
  std::unique_ptr<density::LabelEvaluator> make_label_evaluator() const override;
  std::vector<double> values_at(std::span<const double> position) const override;
  double place(std::span<const double> values, std::span<double> position) const override {
    return declared_.place(values, position);
  }

 private:
  void trace(std::span<const double> values);
  void rewrite(const density::MomentRequest& request);
  graph::Traced rewritten(bool is_linear) const;
  std::unique_ptr<graph::Program> compiled(graph::Traced traced) const;
  void compile();
  void compile_labels();
  void add_sources(std::span<const GroupUses> uses);
  [[noreturn]] void refuse(std::string reason, std::int32_t statement, std::string hint) const;
  std::string text_of(std::int32_t statement) const;

  const Densities& densities_;
  const ProgramSource& source_;
  DeclaredParameters declared_;
  graph::Traced traced_;  // function of the declared values; output 0 is the log density
  struct StatementTerm {
    graph::Expr value;
    std::int32_t statement = 0;
  };
  std::optional<graph::MomentValue> symbolic_;  // it, if no log_sum_exp is nested
  graph::Expr expectation(graph::Expectations& expectations) const;
  std::vector<StatementTerm> terms_;  // add up to it; none where labels are summed out
  MomentBlocks blocks_;
  std::vector<std::string> names_;
  std::vector<density::MomentSource> sources_;
  std::unique_ptr<graph::Program> program_;  // outputs: g and its gradient
  bool has_bounds_ = false;
  std::unique_ptr<graph::Program> label_program_;  // outputs: the alternatives, the gradient
  std::vector<Index> label_slots_;                 // weight of each label of each row, row by row
  Index num_labels_ = 0, num_weights_ = 0;
};

// For as long as the densities live.
std::shared_ptr<const density::MomentForms> program_moment_forms(const Densities& densities);

}  // namespace credo::model
