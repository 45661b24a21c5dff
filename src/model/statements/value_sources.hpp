// From which parameters and data the values of expressions are computed, through local variables and transformed
// parameters, in whatever order these are assigned.
#pragma once
#include "model/statements/statement_frame.hpp"

namespace credo::model {

class SourceReader {
 public:
  // `globals`: the values of transformed parameters that were found so far. Both must live as long.
  SourceReader(const typed::Program& program, const AssignedValues& globals)
      : program_(program), globals_(globals) {}

  std::span<const AssignedValue> values_of(typed::Slot slot, const StatementFrame& frame) const;
  ValueSources sources_of(FramedExpression e) const;
  ValueSources sources_of_arguments(const typed::Call& call, const StatementFrame& frame) const;
  bool reads_data(FramedExpression e) const { return sources_of(e).reads_data; }
  // True if the expression reads elements of data, or values computed from data. Scalars are switches of the program.
  bool reads_rows(FramedExpression e) const;
  // True if data and parameters enter one number. A container that has elements of both isn't mixed.
  bool is_mixed(FramedExpression e) const;

 private:
  using Seen = std::set<std::pair<const StatementFrame*, int>>;  // no frame: global variables

  void collect(FramedExpression e, ValueSources& sources, Seen& seen) const;
  void collect_arguments(const typed::Call& density, const StatementFrame& frame,
                         ValueSources& sources, Seen& seen) const;
  void collect_variable(const typed::VariableUse& use, const StatementFrame& frame,
                        ValueSources& sources, Seen& seen) const;
  bool is_mixed(FramedExpression e, Seen& seen) const;

  const typed::Program& program_;
  const AssignedValues& globals_;
};

// The call if the expression is a density, or a distribution function of an outcome; else null.
const typed::Call* density_call(const typed::Expression& e);
bool is_tail_call(const typed::Call& call);

}  // namespace credo::model
