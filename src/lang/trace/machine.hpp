// The tracer, which is the interpreter: walks a typed program with values that are numbers or
// expressions of a graph.
//
// Without a graph every value must be known; the machine then computes transformed data,
// transformed parameters and generated quantities. With a graph it traces the log density: what
// depends on the unconstrained parameters becomes nodes, everything else is computed. A decision on
// parameters becomes a whole number in the graph; branches that only assign become selects
// (docs/design/selects.md). If a number must be known, it is taken at the reference point and
// recorded as a guard: a check that other points take the same path through the program.
#pragma once
#include <unordered_set>

#include "base/error.hpp"
#include "graph/factors/factors.hpp"
#include "graph/ops/checks.hpp"
#include "lang/trace/increment_parts.hpp"
#include "lang/trace/program_walk.hpp"
#include "lang/trace/random_streams.hpp"
#include "lang/trace/value.hpp"
#include "lang/typed/typed.hpp"

namespace credo::dist {
struct Density;
}

namespace credo::lang {

struct TraceLimits {
  std::int64_t max_steps = 200'000'000;  // expressions evaluated in one run of the machine
  std::int64_t max_nodes = 30'000'000;   // of the graph
  int max_recursion = 500;               // calls of user functions inside each other
  Index max_elements = 200'000'000;      // of one container
};

enum class TermKind : std::uint8_t {
  prior,
  likelihood,
  transform_jacobian,
  user_jacobian,
  unlabelled
};
std::string_view to_string(TermKind kind);

// One summand of the log density.
struct Term {
  Expr value;            // scalar, without the dropped constants
  double dropped = 0.0;  // constants that `~` drops (language facts 10.3)
  Expr varying = {};     // constants in `value` that apply on one side of a decision; empty: none
  std::int32_t statement = 0;
  TermKind kind = TermKind::unlabelled;
  bool is_mixed = false;  // its outcomes are known in part, or densities of both kinds entered it
  bool is_tail = false;   // contains distribution functions of known outcomes, but no density
  // While terms are kept apart: the first of the summands that one statement adds together, and the
  // elements that the value is the sum of, with all constants; empty: it is one itself.
  std::size_t group = 0;
  Expr rows = {};
  bool is_taken_off = false;  // subtracted, or its factors may be negative
};

// Description of a check's failure.
enum class FailureKind : std::uint8_t { requirement, guard, rejected, fatal, out_of_range };
inline bool is_fatal(FailureKind kind) {  // the run must end (17.1)
  return kind == FailureKind::fatal || kind == FailureKind::out_of_range;
}
struct Failure {
  FailureKind kind = FailureKind::requirement;
  std::int32_t statement = 0;
  std::string function{}, argument{}, rule{};  // for a requirement
  std::string text{};                          // of reject and fatal_error
  std::string behind = {};                     // the part of the text after the value
  bool shows_value = false;                    // a value stands between `text` and `behind`
  bool operator==(const Failure&) const = default;
};
std::string message(const Failure& failure, double value);

// The evaluation is refused here: a broken requirement, a failed constraint or reject().
// Recoverable (17.1).
struct Rejection {
  Failure failure;
  double value = kNaN;
  Expr shown = {};  // the value in the failure's text, if it isn't known while tracing
};

// Thrown if an early return of a function can't be a select: the call is traced again, with guards.
struct NoEarlyReturns {};

// Thrown where a guard is needed and some points don't get there: in one side of a decision, or after
// an early return. If the reference point is one of these, its values have no meaning there, and a loop
// on them may never end. The surrounding decision becomes a guard instead.
struct NoGuardHere {};

// Computes values of a graph's nodes at one point, on demand.
class PointValues {
 public:
  PointValues(const graph::Graph& graph, graph::NodeId input, std::span<const double> point);
  double value(graph::Ref ref);
  void forget_from(graph::NodeId id);  // it and later ones have been taken back

 private:
  const std::vector<double>& compute(graph::NodeId id);
  const graph::Graph& graph_;
  std::unordered_map<graph::NodeId, std::vector<double>> values_;
};

// Branches on parameters that become selects (docs/design/selects.md).
enum class Selects : std::uint8_t { none, all };

using PrintSink = std::function<void(std::string_view)>;

struct Mixture;  // lang/trace/increment_parts.hpp

// A built-in density as a term of its own: `y ~ foo(...)` or `target += foo_lpdf(y | ...)`, which may have
// constants beside it.
struct SeenDensity {
  const typed::Call& call;
  std::span<const Value> arguments;                 // outcome first
  const typed::Distribution* truncation = nullptr;  // null: none
  const typed::Expression* increment = nullptr;     // null for `~`
  bool is_summed = false;            // it is added to one of MachineOptions::watched_sums
  const Mixture* mixture = nullptr;  // null: none; else `call` is its first component
  bool is_truncated() const { return truncation != nullptr; }
};
using DensityWatch = std::function<void(const SeenDensity&)>;
// Called before elements of a global variable are read; `read` is the whole expression.
using ReadWatch = std::function<void(int slot, const typed::Expression& read)>;

class SolverCache;

struct MachineOptions {
  TraceLimits limits = {};
  std::optional<DrawSeed> seed = {};  // for _rng functions; empty: they can't be called
  PrintSink print = {};               // null: print does nothing
  DensityWatch watch = {};  // called for each such term while running with numbers; may be null
  DensityWatch watch_tails = {};  // called for each increment by _lcdf or _lccdf; may be null
  // Called for each density or distribution function that the program defines and that is a term of its own, instead of its evaluation
  // if only densities are watched; may be null.
  DensityWatch watch_own = {};
  ReadWatch before_read = {};     // may be null
  bool columns = true;  // trace loops by columns where they can be (docs/design/columns.md)
  Selects selects = Selects::none;
  Index first_site = -1;       // elements of the input from this one on are discrete parameters
  bool differentiable = true;  // the traced graph will be differentiated
  bool exact = false;          // every sum in the order of the interpreter, bit for bit
  bool constants = true;       // false: _lupdf and _lupmf leave out what `~` drops
  bool apart = false;          // summands of a statement are terms of their own, with their rows
  std::shared_ptr<SolverCache> solvers = {};  // solvers of the interpreter; may be null
  bool watches_mixtures = false;              // `watch` is also called for mixtures of densities
  // `watch` is also called for densities that are added to these global variables, which are added to the target
  // later.
  std::set<int> watched_sums = {};
};

// How a loop was traced, the last time it ran.
struct LoopReport {
  std::int32_t statement = 0;
  Index rounds = 0;
  bool by_columns = false;
  std::string reason;  // why not
};

class Columns;

class Machine : private ProgramWalk<Machine> {
 public:
  Machine(const typed::Program& program, MachineOptions options);
  Machine(Machine&&) noexcept;
  ~Machine();

  // Traces from now on: nodes go to `graph`, decisions are taken at `point`.
  void trace_into(graph::Graph& graph, graph::NodeId input, std::span<const double> point);
  graph::Graph* graph() { return graph_; }
  void set_seed(DrawSeed seed) { options_.seed = std::move(seed); }  // for _rng functions
  const typed::Program& program() const { return program_; }
  const MachineOptions& options() const { return options_; }
  double value_here(const Scalar& scalar);  // at the point where decisions are taken

  void enter(
      const typed::Statement& s) {  // messages and nodes from now on belong to this statement
    enter(s.id);
  }
  void enter(std::int32_t statement) {
    statement_ = statement;
    if (graph_ != nullptr) graph_->statement = statement;
  }
  void run(typed::BlockKind block);  // its statements, then the checks of its variables
  // `unchecked`: marks of globals; empty: none.
  void check_globals(typed::BlockKind block, std::span<const char> unchecked = {});
  // Runs the block's statements, inner ones too, that are marked by their ids, without checks.
  // Densities are watched, and added to the terms if `adds_terms`.
  struct Chosen {
    std::span<const char> statements;
    bool adds_terms = false;
  };
  void run(typed::BlockKind block, const Chosen& chosen);

  Value& global(int slot) { return globals_[static_cast<std::size_t>(slot)]; }
  std::vector<Value>& globals() { return globals_; }

  Value unset_value(const typed::SizedType& type) { return unset_by(own_sizes(), type); }
  Value evaluate(const typed::Expression& e);       // whole numbers are known
  Value evaluate_open(const typed::Expression& e);  // or depend on parameters
  std::int32_t evaluate_int(const typed::Expression& e);
  Dims evaluate_dims(const typed::SizedType& type) { return dims_by(own_sizes(), type); }

  // The pieces that built-in functions use.
  Expr expr(const Value& value) { return to_expr(value, graph_); }
  bool decide(const Expr& condition);  // condition is 0 or 1; a guard if it depends on parameters
  // Called before values at the reference point decide something.
  void require_all_points() const {
    if (!all_points_get_here_) throw NoGuardHere{};
  }
  std::int32_t integer(const Value& whole);  // decided by a guard if it depends on parameters
  Value closed(Value value);                 // all whole numbers in it are known
  // An expression as a whole number; known if it is constant.
  Value whole_number(const Expr& value, std::int64_t least, std::int64_t most);
  graph::Checks& checks() { return *checks_; }
  const DrawSeed& draw_seed(std::string_view function) const;
  DrawPath path_to(const typed::Call& call) const {
    return deeper(path_, static_cast<std::uint64_t>(call.site));
  }
  DrawPath path() const { return path_; }
  bool is_in_function() const { return recursion_ > 0; }
  Value& variable(typed::Slot s) { return slot(s); }
  void forget_steps() { steps_ = 0; }  // forgets the steps of the last run
  void start_at(DrawPath path) { path_ = path; }
  // Fatal (17.1), with the place of the current expression, else of the statement.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const;
  [[noreturn]] void fail_sizes(std::string message) const;  // sizes of two operands differ
  [[noreturn]] void fail_index(Index index, Index size, SourceRange container) const;
  [[noreturn]] void reject(std::string_view function, std::string_view argument, double value,
                           std::string_view rule);
  // The result of a function of ints. Throws if it doesn't fit in 32 bits.
  std::int32_t int_result(std::string_view function, std::int64_t value);
  // Elements of an outcome that are known while tracing.
  enum class Known : std::uint8_t { none, some, all };
  Known known_of(const Value& outcome, std::uint32_t autodiff);
  void mark_density(const Expr& value, Known outcome);
  void mark_tail(const Expr& value, Known outcome);  // value of a (log) CDF or CCDF
  // Marks for the elements of the outcome that are known while tracing (lang/trace/machine_rows.cpp).
  std::vector<char> known_elements(const Expr& outcome) const;
  // Rows of densities that a function of the program calls. If the function returns one of these densities, they are
  // the rows of the call, too.
  bool keeps_inner_rows() const { return options_.apart && graph_ != nullptr && recursion_ > 0; }
  void keep_inner_rows(const Expr& value, Expr rows);
  Expr inner_rows(const Expr& value) const;  // empty if value isn't one of these densities
  // Adds the rows as terms: likelihood for known elements of the outcome, prior for the others. False if terms aren't
  // kept apart, or the rows don't match the elements.
  bool add_by_elements(const Expr& rows, std::span<const char> known, std::size_t group);
  // State around a call of a density that the program defines: a known outcome decides its kind,
  // regardless of the densities that its body calls.
  struct OwnDensity {
    Known outcome = Known::none;
    std::size_t num_marks = 0;
    graph::NodeId first = 0;  // first node that the call makes
  };
  OwnDensity begin_own_density(Known outcome) const;
  void mark_own_density(const OwnDensity& begun, const Expr& value);
  // The term of a `~` statement. `known`: which elements of the outcome are known, if `outcome` is Known::some.
  void add_density(const dist::Density& density, Known outcome, Expr rows,
                   std::span<const char> known = {});
  bool drops_constants(bool spelt_so) const;
  std::uint32_t autodiff_bits(std::span<const typed::Expression> arguments) const;
  std::uint64_t autodiff_of(std::span<const typed::Expression> arguments) const;
  Value call_user(const typed::FunctionRef& function, std::vector<Value> arguments,
                  std::uint64_t autodiff, bool drops);
  // A function that was passed by name; see lang/trace/callable.hpp.
  Value call_passed(const typed::FunctionName& name, std::vector<Value> arguments,
                    std::uint64_t autodiff);
  Expr target() const;
  std::int32_t statement() const { return statement_; }
  std::string place() const;  // "glm.stan:12:3" of the code being run, by `locate`

  std::vector<Term> terms;
  std::vector<Failure> failures;                              // check number k is failures[k - 1]
  std::string key;                                            // the guards' outcomes
  std::vector<LoopReport> loops;                              // while tracing
  std::function<std::string(std::int32_t statement)> locate;  // statement -> "file:line:column"
  std::function<std::string(SourceRange)> locate_range;       // the same of an expression
  std::function<std::string(SourceRange)> text_of_range;      // as the program has it

  void add_term(Expr value, double dropped, TermKind kind, Expr rows = {});
  std::int32_t add_failure(Failure failure);
  void label_terms();  // prior or likelihood, from the densities that entered each term

 private:
  class CheckSink;
  friend class CheckSink;
  friend class Columns;
  friend class ProgramWalk<Machine>;

  struct Frame;
  class Journal;
  struct Written {  // by a branch
    Value* variable;
    Index element;  // -1: the whole
    Value value;
  };
  using Writes = std::vector<Written>;
  struct Mark {
    graph::Graph::Mark graph;
    std::size_t terms, density_marks, failures;
    Index masked_checks;
    std::int32_t statement;
    std::string key;
    Frame* frame;
  };

  class Masking;
  // `continuing`: the masks of what runs on after some points have returned; those from `level` on
  // belong to the side that is at work.
  struct Frame {
    struct Setting {
      std::uint64_t autodiff = 0;  // bits of the call's arguments
      bool drops_constants = false, may_leave_early = false;
    };
    Frame(std::size_t num_locals, std::vector<Value> arguments, Setting how);
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    Setting setting;
    std::vector<Value> locals;
    Value result;
    Expr returned;  // 1 for points that have returned with `result`; empty: none
    std::vector<std::unique_ptr<Masking>> continuing;
    std::size_t level = 0;
  };

  // A call of a function of the program, while it runs. The callee has variables of its own.
  class FunctionCall {
   public:
    FunctionCall(Machine& machine, const typed::Function& f);
    ~FunctionCall();
    FunctionCall(const FunctionCall&) = delete;
    FunctionCall& operator=(const FunctionCall&) = delete;

   private:
    Machine& machine_;
    Frame* caller_;
    Journal* journal_;
  };

  // A call or a round of a loop, while it runs.
  class Deeper {
   public:
    Deeper(Machine& machine, std::uint64_t step) : machine_(machine), before_(machine.path_) {
      machine.path_ = deeper(before_, step);
    }
    ~Deeper() { machine_.path_ = before_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Machine& machine_;
    DrawPath before_;
  };

  void execute_block(const typed::Block& body);
  bool is_left_out(const typed::Statement& s) const {
    return chosen_ != nullptr && chosen_->statements[static_cast<std::size_t>(s.id)] == 0;
  }
  bool only_watches() const { return chosen_ != nullptr && !chosen_->adds_terms; }
  void count_step();
  void check_sizes(const Dims& expected, const Dims& found, std::string_view of);
  Flow execute(const typed::Statement& s);
  Flow execute_all(std::span<const typed::Statement> statements);
  Machine& machine() { return *this; }
  using ProgramWalk::exec, ProgramWalk::eval;
  Flow exec(const typed::Declaration& s);
  Flow exec(const typed::Unpacking& s);
  Flow exec(const typed::TargetIncrement& s);
  void add_apart(const IncrementPart& part, std::size_t group);
  Flow exec(const typed::JacobianIncrement& s) {
    return add_total(s.value, TermKind::user_jacobian);
  }
  Flow add_total(const typed::Expression& value, TermKind kind);
  void watch(const typed::TargetIncrement& s);
  void watch_own(const typed::TargetIncrement& s);
  void watch_mixture(const typed::TargetIncrement& s);
  bool add_to_sum(const typed::Assignment& s);  // false: sums are like other assignments here
  Flow exec(const typed::Distribution& s);
  Flow exec(const typed::If& s);
  void require_end(const typed::While& s, std::uint64_t round) const;
  Flow exec(const typed::ForRange& s);
  bool may_be_columns() const { return columns_ != nullptr && journal_ == nullptr; }
  bool runs_by_columns(const typed::ForEach& s, const Value& container);
  Flow exec(const typed::Message& s);

  Value eval(const std::monostate&, const typed::Expression& e);
  Value eval(const typed::ImaginaryLiteral&, const typed::Expression& e);
  Value eval(const typed::StringLiteral&, const typed::Expression& e);
  Value eval(const typed::VariableUse& n, const typed::Expression&) { return slot(n.slot); }
  Value eval(const typed::Promotion& n, const typed::Expression& e);
  Value eval(const typed::Conditional& n, const typed::Expression& e);
  Value eval(const typed::ShortCircuit& n, const typed::Expression& e);
  Value eval(const typed::TargetValue&, const typed::Expression&) { return Scalar(target()); }
  Value eval(const typed::FunctionName&, const typed::Expression& e);
  Value eval(const typed::Indexed& n, const typed::Expression& e);
  Value eval(const typed::Projection& n, const typed::Expression& e);
  Value eval(const typed::ArrayLiteral& n, const typed::Expression& e);
  Value eval(const typed::RowVectorLiteral& n, const typed::Expression& e);
  Value eval(const typed::MatrixLiteral& n, const typed::Expression& e);
  Value eval(const typed::TupleLiteral& n, const typed::Expression& e);

  // ---- selects and picks: machine_selects.cpp
  struct Branch {
    Writes writes;
    std::vector<Term> terms;
    Flow flow = Flow::next;
    Value result;   // the value returned, if any
    Expr returned;  // 1 for points that have returned in this branch; empty: none
    bool rejected = false;
  };
  // Settings while one side of a decision runs.
  struct Side {
    Expr mask;  // empty: no mask
    bool gated = false, on_sites = false;
  };
  struct Leaving {  // `where` is 1 for points that have returned with the value
    Expr where;
    Value value;
  };
  class SideRun;
  bool is_on_sites(const Value& whole);  // on discrete parameters only
  bool may_try(const void* decision) const {
    return options_.selects != Selects::none && !guarded_.contains(decision);
  }
  Side side(const Expr& which, bool on_sites, bool total) const;
  Mark mark() const;
  void roll_back(const Mark& mark);
  std::optional<Flow> try_select(const typed::If& s, const Value& condition);
  std::optional<Value> try_select(const typed::Conditional& n, const Value& condition);
  std::optional<Value> try_join(const typed::ShortCircuit& n, const Value& left);
  bool is_harmless_since(const Mark& mark, bool on_sites, bool is_small) const;
  Branch run_branch(const typed::Body& branch, const Side& side);
  void refuse_where(const Expr& mask, const Rejection& r);
  std::optional<Flow> merge(const Expr& which, Branch& if_true, Branch& if_false);
  std::optional<Flow> merge_one(Branch& side);
  std::optional<Flow> leave(const Expr& which, const Branch& if_true, const Branch& if_false);
  bool go_on_without(const Leaving& left);
  void leave_with(Value value);
  std::optional<Writes> merged_writes(const Expr& which, const Writes& if_true,
                                      const Writes& if_false);
  void store_writes(const Writes& writes);
  void merge_terms(const Expr& which, const Branch& if_true, const Branch& if_false);
  bool merge_rows(const Expr& which, const Branch& if_true, const Branch& if_false);
  Term term_where(const Expr& which, bool if_true, const Term& term) const;
  std::optional<Value> selected(const Expr& which, const Value& a, const Value& b);
  void forget_packs(const Mark& mark, const struct Facts& touched);
  void forget_packs(const Mark& mark, std::span<const Value> values);
  const struct SelectFacts& select_facts(const typed::If& s);
  Value truth(const Value& whole);  // 1 where it isn't 0
  // Single indices from 0; those with a node in `open` are computed, from 1.
  Value pick(const Value& container, std::span<const std::int32_t> places,
             std::span<const Whole> open);
  // One dimension, from 1.
  Value pick_each(const Value& container, const IntArray& places, SourceRange of);
  Value picked(const Value& container, const struct Selected& candidates, const Selected& taken,
               const Expr& begin);
  Value taken_value(const Value& reachable, const Expr& value, const struct Selected& taken);
  std::optional<Value> evaluate_masked(const typed::Expression& e, const Side& side);
  void give_up(const void* decision, const Mark& before);
  void require_inside(const Whole& index, Index size, SourceRange container);
  std::string name_of(SourceRange container) const;  // "mu"; empty: not known

  Value call_user(const typed::Call& c, std::vector<Value> arguments) {
    return call_user(c.function, std::move(arguments), autodiff_of(c.arguments),
                     drops_constants(c.drops_constants));
  }
  Expr marked(const Value& value) { return expr(value); }  // marks a density or a tail
  Value call_in_frame(int function, std::vector<Value> arguments, Frame::Setting setting);
  Value run_body(const typed::Function& f, std::vector<Value> arguments,
                 const Frame::Setting& setting);
  void settle_arguments(const typed::Call& c, std::span<Value> arguments);
  Value call_builtin(const typed::Call& c, std::span<Value> arguments);
  Value run_builtin(const typed::Call& c, std::span<Value> arguments);  // they are settled
  using SizeOf = std::function<std::int32_t(const typed::Expression&)>;
  SizeOf own_sizes();
  Dims dims_by(const SizeOf& size_of, const typed::SizedType& type) const;
  Value unset_by(const SizeOf& size_of, const typed::SizedType& type) const;
  void assign(const typed::Assignment& s, const Value& value);
  void assign(Value& variable, std::span<const typed::Access> accesses, const Value& value,
              SourceRange of = {});
  Value value_before(const typed::AssignmentTarget& target);
  // `of` is where the program names the container, for messages.
  Value index(const Value& container, std::span<const typed::IndexArgument> indices,
              SourceRange of);
  Value index_singles(const Value& container, std::span<const typed::IndexArgument> indices,
                      SourceRange of);
  void truncate(const typed::Distribution& s, std::span<const Value> arguments);
  void add_to_last(Expr value, Expr rows);
  Expr tail_at(const typed::FunctionRef& function, const Value& x, std::span<const Value> arguments,
               Index i);
  std::string text_of(const typed::Expression& argument);
  bool is_known(const typed::Expression& argument);
  Rejection rejection(const typed::Message& s);

  Value& slot(typed::Slot s) {
    return (s.local ? frame_->locals : globals_)[static_cast<std::size_t>(s.index)];
  }

  const typed::Program& program_;
  MachineOptions options_;
  graph::Graph* graph_ = nullptr;
  std::unique_ptr<PointValues> point_;
  std::unique_ptr<graph::Checks> checks_;
  std::vector<Value> globals_;
  Frame* frame_ = nullptr;
  const Chosen* chosen_ = nullptr;  // null: every statement
  std::int64_t steps_ = 0;
  DrawPath path_ = 0;  // to where the machine is, for random numbers
  int recursion_ = 0;
  std::int32_t statement_ = 0;
  const typed::Expression* expression_ = nullptr;  // at work; for messages
  const typed::Expression* assigned_ = nullptr;    // the value of the last assignment
  std::vector<std::pair<graph::NodeId, TermKind>> density_marks_;
  std::vector<std::pair<Expr, Expr>> inner_rows_;  // values of densities, and their rows
  std::unordered_map<std::string, std::int32_t> failure_index_;
  std::unique_ptr<Columns> columns_;          // while tracing
  std::unique_ptr<graph::Dependence> sites_;  // with discrete parameters
  Journal* journal_ = nullptr;                // of the branch that is being run for a select
  std::unordered_map<const typed::If*, std::unique_ptr<const SelectFacts>> select_facts_;
  std::unordered_map<const void*, Index> num_decisions_;  // how often each was met
  std::unordered_set<const void*> guarded_;               // decisions that can't be selects
  std::unordered_set<int> leaves_whole_;  // functions whose early returns can't be selects
  int num_sides_ = 0;  // nesting depth of the decisions whose sides are being run for selects
  // False in one side of a decision on parameters and after an early return.
  bool all_points_get_here_ = true;
  Expr continuing_;  // 1 for points that haven't returned yet; empty: all points
};

// Evaluated indices of one bracket against a container's sizes; errors through machine.fail_index.
std::vector<struct Selection> evaluate_indices(Machine& machine, const Dims& dims,
                                               std::span<const typed::IndexArgument> indices,
                                               SourceRange of);

// A limit of the machine is reached, whatever the data are.
class OutOfLimit final : public Error {
 public:
  using Error::Error;
};

}  // namespace credo::lang
