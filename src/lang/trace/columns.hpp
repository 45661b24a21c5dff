// Loops by columns: the body of a loop runs once with the loop variable a column of values, so that
// data stay columns and the graph has one node an operation, not one an operation and round.
//
// An attempt either succeeds and means exactly what the loop means, or throws NotColumnar inside,
// takes everything back and leaves the loop to the machine. The rules for columns are
// in docs/design/columns.md.
#pragma once
#include <set>
#include <unordered_set>

#include "graph/core/gates.hpp"
#include "lang/trace/column_value.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/trace/machine.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {

struct Selection;

struct NotColumnar {
  std::string reason;
};

// Thrown if a statement can't run for all rows at once, only for each group of rows with one key.
struct SplitRows {
  IntColumn keys;
  int context;
};

class Columns : private ProgramWalk<Columns> {
 public:
  explicit Columns(Machine& machine) : m_(machine) {}

  // True when the whole loop has run as columns.
  bool try_range(const typed::ForRange& s, std::int64_t first, std::int64_t last);
  bool try_each(const typed::ForEach& s, const Value& container);

 private:
  friend class ProgramWalk<Columns>;
  using Known = Machine::Known;
  struct SlotKey {
    const void* frame;  // null: global
    int index;
    auto operator<=>(const SlotKey&) const = default;
  };

  // Writes to elements of a container that was declared outside of the loop, and reads of the values
  // there before. A row may read elements that it has written or that no row writes; a later row may
  // write elements that an earlier one has read.
  struct SharedWrites {
    IntList owner, entry, row;  // by element: row that wrote it (or -1), and place of the value
    IntList reader;             // the last row that read the old value; empty if none has
    std::vector<Expr> reals;    // entries, one a write
    std::vector<IntColumn> ints;
    bool drawn = false;  // some whole numbers are drawn: all entries are in `reals`
    bool is_used() const { return !owner.empty() || !reader.empty(); }
  };

  // Rows that run together: the rounds of a loop, or some of an outer context's rows.
  struct Context {
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    Context* outer = nullptr;
    int id = 0;
    Index width = 0;
    IntColumn rows;         // row -> row of `outer`; null: the loop started outside of columns
    Context* loop = this;   // the nearest loop
    IntColumn loop_rows{};  // row -> row of `loop`; null: the same
    std::vector<DrawPath> paths{};  // path of each row, if random numbers can be drawn
    // Facts of a loop, by variable declared outside of it:
    std::map<SlotKey, SharedWrites> shared{};  // containers written by element
    std::map<SlotKey, Value> carried{};        // assigned as a whole: the value before the loop
    std::set<SlotKey> partly_set{};            // of those: assigned in some rows only
    std::map<SlotKey, Value> sums{};           // only added to: the increments, in outer's rows
    std::map<SlotKey, Value> element_sums{};   // containers whose elements are only added to
  };

  // The rows that take the side of a decision on parameters that is being run: lang/trace/columns_masks.hpp.
  struct Mask {
    Expr rows;           // 1 for rows that take this and all enclosing sides; empty: no side
    Expr any = {};       // 1 if any row takes the side
    Expr around = {};    // mask of the machine's sides around the loop; empty: none
    bool gated = false;  // values that the side reads pass gates, which stop derivatives
  };
  struct Condition {
    Expr yes, no;
  };
  class Side;
  class Invariant;

  using Saved = std::vector<std::pair<typed::Slot, Value>>;
  struct Mark {
    Machine::Mark machine;
    Context* at;
    Saved saved;
    std::vector<std::pair<std::map<SlotKey, Value>, std::map<SlotKey, Value>>> sums;
  };
  struct Taken {  // a gather that has been made
    const void* source;
    std::shared_ptr<const IntList> positions;
    Expr value;
    Value holder;
  };

  // A call or a step of a loop in all rows, while it runs.
  class Deeper {
   public:
    Deeper(Columns& columns, std::uint64_t step) : context_(*columns.at_), before_(context_.paths) {
      for (DrawPath& path : context_.paths) path = deeper(path, step);
    }
    ~Deeper() { context_.paths = std::move(before_); }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Context& context_;
    std::vector<DrawPath> before_;
  };

  // ---- contexts and loops: columns.cpp
  [[noreturn]] void abandon(std::string reason) const { throw NotColumnar{std::move(reason)}; }
  struct Rounds {
    const void* loop;
    Index count;
    const typed::Statement& body;
    typed::Slot variable;
  };
  bool attempt(const Rounds& rounds, const std::function<Value()>& column);
  template <class Node>
  const Facts& facts(const Node& node) {
    const auto [place, is_new] = facts_.try_emplace(&node);
    if (is_new) place->second = facts_of(node);
    return place->second;
  }
  Mark mark(const Facts& touched);
  void roll_back(const Mark& mark);
  Saved save(const Facts& touched);
  void restore(const Saved& saved);
  void report(Index rounds, bool columns, std::string outcome);
  void require_order_of_rounds(std::size_t first_term) const;
  bool is_exact() const { return m_.options_.exact; }  // in outputs (model/writer.hpp)
  void abandon_reordered() const { abandon("sums of the round in another order"); }
  // True if only values are needed, with sums in any order: then an unknown whole number is treated like a drawn one.
  bool takes_open() const { return !m_.options_.differentiable && !m_.options_.exact; }
  bool draws() const { return m_.options_.seed.has_value(); }
  void run_loop(Context& loop, const typed::Statement& s, typed::Slot variable,
                const std::function<Value()>& column);
  void run_body(Context& loop, const typed::Statement& s);
  bool sums_apart(const Context& loop, const SlotUse& use) const;
  bool is_summed_by_element(const SlotKey& key) const;  // by the outermost loop
  void open_variable(Context& loop, const SlotUse& use);
  void close(Context& loop, const Saved& saved);
  Value after_loop(const Context& loop, const SlotKey& key, const Value& before);
  Value last_row(const Column& column, const Value& before);
  Value last_whole_row(const Column& column, const Value& before);
  void commit(const SlotKey& key, SharedWrites& writes);
  void commit_by_element(Value& variable, const SharedWrites& writes);
  void merge_into_outer(const Context& loop, const SlotKey& key, SharedWrites& writes);
  SlotKey key_of(typed::Slot slot) const {
    return {slot.local ? static_cast<const void*>(m_.frame_) : nullptr, slot.index};
  }
  Value& value_of(const SlotKey& key);

  // ---- groups of rows: columns_rows.cpp
  using Body = std::function<Flow(std::int32_t key)>;
  Flow partition(const IntColumn& keys, const Facts& touched, const Body& body);
  Flow run_group(Context& group, std::int32_t key, const Body& body);
  struct Groups {  // rows of one key each
    std::vector<std::int32_t> keys;
    std::vector<IntList> rows;
  };
  Groups groups_of(const IntList& keys) const;
  Value merged(std::span<const Value> values, const Groups& groups, const SlotKey* key);
  Value merged_columns(std::span<const Value> values, const Groups& groups);
  Expr merged_reals(std::span<const Expr> parts, const Groups& groups);
  Flow merged_flow(std::span<const Flow> flows, const Groups& groups);
  bool is_settled_elsewhere(const SlotKey& key) const;
  Value here(const Column& column);
  IntList rows_up_to(int context) const;
  Value apart(const Value& value);  // a column of one column an element
  IntColumn taken_ints(const Value& source, const IntList& begin, std::int32_t offset) const;
  Expr taken_reals(const Value& source, const IntList& begin, std::int32_t offset);
  Expr as_reals(const IntColumn& ints);
  Expr element(const Value& value, Index k);  // a vector of width, or a scalar
  IntColumn int_element(const Value& value, Index k);
  Value scalar_value(Expr x);  // a column of reals, or a number of all rows
  Value int_value(IntColumn x);
  Value drawn_value(Expr x);                             // whole numbers that aren't known
  Expr as_matrix(const Column& rows, bool& rows_first);  // a row a column if rows_first
  Expr as_array(const Column& column);                   // vectors of one length, row by row

  // ---- statements: columns_statements.cpp
  Flow execute(const typed::Statement& s);
  Flow execute_split(const typed::Statement& s);
  Flow dispatch(const typed::Statement& s);
  Flow execute_all(std::span<const typed::Statement> statements);
  Machine& machine() { return m_; }
  Value& slot(typed::Slot s) { return m_.slot(s); }
  using ProgramWalk::exec, ProgramWalk::eval;
  Flow exec(const typed::Unpacking&) { abandon("an assignment to several variables"); }
  Flow exec(const typed::Declaration& s);
  Value value_before(const typed::AssignmentTarget& target);
  Flow exec(const typed::TargetIncrement& s);
  Flow exec(const typed::JacobianIncrement& s);
  Flow exec(const typed::Distribution& s);
  Flow exec(const typed::If& s);
  void require_end(const typed::While&, std::uint64_t round) const;
  Flow exec(const typed::ForRange& s);
  bool runs_by_columns(const typed::ForEach& s, const Value& container) const;
  void leave_with(Value value) { m_.frame_->result = std::move(value); }
  Flow exec(const typed::Message& s);
  Flow step_ragged(const typed::ForRange& s, const IntList& first, const IntList& trips);
  bool try_expand(const typed::ForRange& s, const IntList& first, const IntList& trips);
  void expand(const typed::ForRange& s, const IntList& first, const IntList& trips);
  bool can_expand(const Facts& body);
  void add_term(const Value& value, TermKind kind);
  void increase_target(const IncrementPart& part, std::size_t group);
  Expr rows_of(const Value& value);
  Expr rows_of(const typed::Call& c, std::span<const Value> arguments);
  Expr in_rounds(std::span<const Expr> elements);
  Known known_of(const Value& outcome, std::uint32_t autodiff);
  std::vector<char> known_elements(const Value& outcome);
  bool is_known_positive(const Value& value);
  Expr total(const Value& value);
  void truncate(const typed::Distribution& s, std::span<const Value> arguments);

  // ---- decisions on parameters: columns_expressions.cpp
  bool is_masked() const { return !mask_.rows.empty(); }
  Condition condition_of(const Value& value);
  Value truth(const Value& value);
  Value decided_value(Expr x);  // 0 or 1
  bool stays_open(const Value& same) const;
  Flow choose(const typed::If& s, const Value& condition, std::span<const typed::Statement> rest);
  Value choose(const typed::Conditional& n, const Value& condition);
  Value join(const typed::ShortCircuit& n, const Value& left);
  std::optional<Flow> leave_early(const typed::Statement& s,
                                  std::span<const typed::Statement> rest);
  Flow branch_by(const typed::If& s, const Value& condition);
  std::vector<SlotUse> assigned_here(const Facts& touched) const;
  Value selected(const Expr& which, const Value& a, const Value& b);
  Value selected(const Expr& which, const SlotKey& key, const Value& a, const Value& b);
  Expr gate(const Expr& x) const;
  Value gated(const Value& value);
  bool gate_arguments(std::string_view name, std::span<Value> arguments);
  bool is_data(const Value& value) const;
  Value where_taken(const Value& value);
  void add_masked(const typed::Distribution& s, std::span<const Value> arguments);

  // ---- writes: columns_writes.cpp
  void assign(const typed::Assignment& s, const Value& value);
  void require_bounds(const Value& value) const;
  void assign_whole(typed::Slot slot, const Value& value);
  void assign_elements(const typed::AssignmentTarget& target, const Value& value);
  bool add_to_sum(const typed::Assignment& s);
  void add_increment(const SlotKey& key, const Value& increment);
  bool add_to_element(const typed::Assignment& s, const Value& increment);
  Value reduced(const Value& increment, const Context& loop);
  Value in_order(const Value& increment, const Context& loop);
  Value added_in_order(const Value& before, const Value& increments);
  void make_own(typed::Slot slot, const SlotKey& key);
  void write_shared(SharedWrites& writes, Index size, const IntList& positions, const Value& value,
                    Index k);
  void write_own(typed::Slot slot, std::span<const std::int32_t> positions, const Value& value);
  Context* shared_by(const SlotKey& key) const;
  std::optional<Value> read_written(const SlotKey& key, const Value& container,
                                    const IntList& positions);
  void make_drawn(SharedWrites& writes);
  void mark_read(SharedWrites& writes, Index size, const IntList& positions, const IntList& rows);
  Value written(const SharedWrites& writes, const IntList& positions, bool is_integer);
  IntList rows_of_loop(const Context& loop) const;

  // ---- expressions: columns_expressions.cpp
  Value evaluate_open(const typed::Expression& e);
  Value evaluate(const typed::Expression& e) { return evaluate_open(e); }
  std::int32_t evaluate_int(const typed::Expression& e);
  template <class T>
  Value eval(const T&, const typed::Expression&) {
    abandon("a kind of expression that columns don't know");
  }
  Value eval(const typed::VariableUse& n, const typed::Expression&) { return variable(n.slot); }
  Value variable(typed::Slot slot);
  Value eval(const typed::Promotion& n, const typed::Expression& e);
  Value eval(const typed::Conditional& n, const typed::Expression& e);
  Value eval(const typed::ShortCircuit& n, const typed::Expression& e);
  Value eval(const typed::Indexed& n, const typed::Expression& e);
  Value eval(const typed::ArrayLiteral& n, const typed::Expression& e);
  Value eval(const typed::RowVectorLiteral& n, const typed::Expression& e);
  Value joined(std::span<const Value> elements, BaseType base);
  Value& slot_here(typed::Slot slot);

  // ---- indexing: columns_index.cpp
  struct Plan {
    std::vector<Selection> selections;  // places relative to `begin`
    IntColumn begin;                    // null: the same elements in all rows
    std::vector<IntColumn> varied;      // positions of the elements that a column of lists picks
  };
  using Indices = std::vector<const typed::IndexArgument*>;
  Plan plan_indices(BaseType base, const Dims& dims, const Indices& indices);
  Selection plan_index(const typed::IndexArgument& index, Index size, Index stride, Plan& plan);
  Selection plan_range(const typed::IndexArgument& index, Index size, Index stride, Plan& plan);
  void add_places(const Value& index, Index size, Index stride, Plan& plan);
  Value index(const Value& container, std::span<const typed::IndexArgument> indices,
              const SlotKey* variable);
  Value index_rows(const Value& container, const Plan& plan, const struct Selected& selected);
  Value index_varied(const Value& container, const Plan& plan, const struct Selected& selected);
  Value index_column(const Column& column, std::span<const typed::IndexArgument> indices);
  Value element_at(const Column& column, const IntList& places);
  Value read_shared(const SlotKey& key, const Value& container, const struct Selected& selected,
                    const IntColumn& begin);
  Value assembled(std::span<const Value> scalars, BaseType base, const Dims& dims);

  // ---- calls: columns_calls.cpp
  Expr marked(const Value& density) { return element(density, 0); }
  Value call_user(const typed::Call& c, std::vector<Value> arguments);
  Value call_builtin(const typed::Call& c, std::span<Value> arguments);
  Value call_on_columns(const typed::Call& c, std::span<Value> arguments);
  Value elementwise(const typed::Call& c, std::string_view name, std::span<Value> arguments);
  Value ints_by_row(const typed::Call& c, std::span<Value> arguments);
  std::optional<Value> int_operation(std::string_view name, std::span<Value> arguments);
  std::optional<Value> comparison(std::string_view name, std::span<Value> arguments);
  std::optional<Value> container_function(const typed::Call& c, std::span<Value> arguments);
  std::optional<Value> size_function(std::string_view name, const Value& container);
  std::optional<Value> part_function(std::string_view name, std::span<Value> arguments);
  Value recast(const Value& value, BaseType base, const Dims& dims);
  Value binary(std::string_view name, const Value& a, const Value& b);
  Value unary(std::string_view name, const Value& a);
  Value sum(const Value& x);
  Value softmax(const Value& x, bool log_scale);
  Value multiply(const typed::Call& c, std::span<Value> arguments);
  Value dot(const Value& a, const Value& b);
  Value exact_dot(const Value& rows, const Value& other);
  Value log_sum_exp(const Value& x);
  Value density(const typed::Call& c, std::span<const Value> arguments);
  Value draw(const typed::Call& c, std::span<const Value> arguments);
  dist::Density summed_density(const typed::Call& c, std::span<const Value> arguments, bool drop);
  std::vector<Expr> joint_arguments(const typed::Call& c, std::span<const Value> arguments);
  dist::Density joint_density(const typed::Call& c, std::span<const Value> arguments,
                              const dist::DensityRequest& request);
  Expr joint_density_each(const typed::Call& c, const dist::Distribution& d,
                          std::span<const Value> arguments);
  Value tail(const typed::Call& c, std::span<const Value> arguments);
  Index common_elements(std::span<const Value> arguments);
  std::vector<Expr> elements(std::span<const Value> arguments, Index k);

  Machine& m_;
  Context* at_ = nullptr;
  Mask mask_{};
  std::vector<graph::Gates*> gates_{};  // one for each running side, innermost last
  int next_context_ = 1;
  std::unordered_map<const void*, Facts> facts_;
  std::unordered_set<const void*> hopeless_;
  std::vector<Taken> taken_;
  std::unordered_map<const IntList*, std::pair<IntColumn, Expr>> real_ints_;
};

}  // namespace credo::lang
