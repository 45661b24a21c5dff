// The machine's frame: set-up, decisions, failures, terms. Statements are in
// machine_statements.cpp, expressions in machine_expressions.cpp, calls in machine_calls.cpp.
#include "lang/trace/machine.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "graph/core/op.hpp"
#include "lang/trace/columns.hpp"
#include "lang/trace/select_facts.hpp"

namespace credo::lang {
using graph::Graph;
using graph::NodeId;
using graph::Ref;

std::string_view to_string(TermKind kind) {
  constexpr std::array<std::string_view, 5> names{"prior", "likelihood", "transform Jacobian",
                                                  "user Jacobian", "unlabelled"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {
std::string text_of(const Failure& failure, double value) {
  return failure.text + (failure.shows_value ? fmt::format("{:.6g}", value) : "") + failure.behind;
}
}  // namespace

std::string message(const Failure& failure, double value) {
  switch (failure.kind) {
    case FailureKind::requirement:
      return fmt::format("{}: {} is {}, but must be {}", failure.function, failure.argument, value,
                         failure.rule);
    case FailureKind::guard:
      return "a decision on parameters came out another way";
    case FailureKind::rejected:
      return "reject: " + text_of(failure, value);
    case FailureKind::fatal:
      return "fatal_error: " + text_of(failure, value);
    case FailureKind::out_of_range:
      return fmt::format("index {}{}{} is out of range, {}", value,
                         failure.function.empty() ? "" : " of ", failure.function, failure.text);
  }
  return {};
}

// ---- values at the reference point

PointValues::PointValues(const Graph& graph, NodeId input, std::span<const double> point)
    : graph_(graph) {
  values_[input].assign(point.begin(), point.end());
}

double PointValues::value(Ref ref) {
  if (ref.node == graph::kScalarConstants)
    return graph_.scalar_constants()[static_cast<std::size_t>(ref.element)];
  return compute(ref.node)[static_cast<std::size_t>(ref.whole() ? 0 : ref.element)];
}

void PointValues::forget_from(NodeId id) {
  std::erase_if(values_, [&](const auto& entry) { return entry.first >= id; });
}

// Operands first, with an explicit stack: graphs of recurrences are deep.
const std::vector<double>& PointValues::compute(NodeId wanted) {
  std::vector<NodeId> stack{wanted};
  while (!stack.empty()) {
    stop_if_asked();
    const NodeId id = stack.back();
    const std::size_t before = stack.size();
    if (!values_.contains(id)) {
      for (const Ref& ref : graph_.operands(graph_.node(id))) {
        if (ref.node != graph::kScalarConstants && !values_.contains(ref.node))
          stack.push_back(ref.node);
      }
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    if (values_.contains(id)) continue;
    const graph::Node& node = graph_.node(id);
    std::vector<double> result(static_cast<std::size_t>(node.shape.size()));
    if (graph_.is_constant(id)) {
      std::copy_n(graph_.constant(id)->data(), result.size(), result.begin());
    } else {
      std::vector<Expr> in;
      for (const Ref& ref : graph_.operands(node)) {
        in.push_back(ref.whole() && ref.node != graph::kScalarConstants
                         ? graph::constant(graph_.node(ref.node).shape, values_.at(ref.node))
                         : Expr(value(ref)));
      }
      const Expr folded = graph::apply(*node.op, in, graph_.attributes(node));
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = folded.value(static_cast<Index>(i));
    }
    values_.emplace(id, std::move(result));
  }
  return values_.at(wanted);
}

// ---- checks

class Machine::CheckSink final : public graph::Checks {
 public:
  explicit CheckSink(Machine& machine) : machine_(machine) {}

 private:
  std::int32_t number(const graph::Requirement& r) override {
    if (machine_.graph_ == nullptr) return 1;  // everything is known: judged at once
    return machine_.add_failure(failure(r));
  }
  void failed(const graph::Requirement& r, double value) override {
    throw Rejection{failure(r), value};
  }
  Failure failure(const graph::Requirement& r) const {
    return {FailureKind::requirement, machine_.statement_, std::string(r.function),
            std::string(r.argument),  std::string(r.rule), {}};
  }
  Machine& machine_;
};

Machine::Machine(const typed::Program& program, MachineOptions options)
    : program_(program), options_(std::move(options)), checks_(std::make_unique<CheckSink>(*this)) {
  globals_.resize(program.globals.size());
}

// Only where the language elides it: checks refer to the machine that made them.
Machine::Machine(Machine&&) noexcept = default;
Machine::~Machine() = default;

void Machine::trace_into(Graph& graph, NodeId input, std::span<const double> point) {
  graph_ = &graph;
  point_ = std::make_unique<PointValues>(graph, input, point);
  if (options_.first_site >= 0)
    sites_ = std::make_unique<graph::Dependence>(graph, input, options_.first_site);
  if (options_.columns) columns_ = std::make_unique<Columns>(*this);
}

double Machine::value_here(const Scalar& scalar) {
  return scalar.is_known() ? scalar.known : point_->value(scalar.ref);
}

std::int32_t Machine::add_failure(Failure failure) {
  const std::string key_text = fmt::format(
      "{}|{}|{}|{}|{}|{}|{}{}", int(failure.kind), failure.statement, failure.function,
      failure.argument, failure.rule, failure.text, failure.shows_value, failure.behind);
  const auto [place, is_new] =
      failure_index_.try_emplace(key_text, static_cast<std::int32_t>(failures.size() + 1));
  if (is_new) failures.push_back(std::move(failure));
  return place->second;
}

// ---- decisions

bool Machine::decide(const Expr& condition) {
  if (condition.is_constant()) return condition.value() != 0.0;
  require_all_points();
  const bool outcome = point_->value(condition.ref()) != 0.0;
  const std::int32_t guard = add_failure({FailureKind::guard, statement_, {}, {}, {}, {}});
  if (outcome) {
    graph::check_greater(condition, 0.5, guard);
  } else {
    graph::check_less(condition, 0.5, guard);
  }
  key += outcome ? '1' : '0';
  return outcome;
}

std::int32_t Machine::integer(const Value& whole) {
  if (whole.is_int()) return whole.integer();
  const Whole& w = whole.whole();
  const Expr x(*graph_, w.ref);
  if (sites_ != nullptr && sites_->of(w.ref) != 0) {
    fail("the value of a discrete parameter is needed here before it is drawn",
         "it may be an index, an outcome or an argument of a density, and in conditions; not a "
         "size, a bound of a "
         "loop or an index that is assigned to");
  }
  if (w.least == 0 && w.most == 1) return decide(x) ? 1 : 0;
  require_all_points();
  const auto value = static_cast<std::int32_t>(point_->value(w.ref));
  const std::int32_t guard = add_failure({FailureKind::guard, statement_, {}, {}, {}, {}});
  graph::check_greater(graph::equal(x, double(value)), 0.5, guard);
  key += fmt::format("{},", value);
  return value;
}

Value Machine::closed(Value value) {
  if (graph_ == nullptr || !is_open(value)) return value;
  if (value.is_whole()) return integer(value);
  if (value.is_ints()) {
    IntArray& array = writable_ints(value);
    for (Index i = 0; i < ssize(array.values); ++i) array.set(i, integer(array.element(i)));
    return value;
  }
  auto tuple = std::make_shared<TupleValue>();
  for (const Value& element : value.tuple()->elements) tuple->elements.push_back(closed(element));
  return tuple;
}

Value Machine::whole_number(const Expr& value, std::int64_t least, std::int64_t most) {
  if (value.is_constant()) return static_cast<std::int32_t>(value.value());
  if (sites_ != nullptr) sites_->extend();
  const Value whole = Whole{.ref = value.ref(),
                            .least = static_cast<std::int32_t>(least),
                            .most = static_cast<std::int32_t>(most)};
  return options_.selects == Selects::none ? Value(integer(whole)) : whole;
}

// ---- marks

Machine::Mark Machine::mark() const {
  return {.graph = graph_->mark(),
          .terms = terms.size(),
          .density_marks = density_marks_.size(),
          .failures = failures.size(),
          .masked_checks = checks_->num_masked(),
          .statement = statement_,
          .key = key,
          .frame = frame_};
}

void Machine::roll_back(const Mark& mark) {
  graph_->roll_back(mark.graph);
  point_->forget_from(static_cast<NodeId>(mark.graph.nodes));
  terms.resize(mark.terms);
  density_marks_.resize(mark.density_marks);
  failures.resize(mark.failures);
  std::erase_if(failure_index_, [&](const auto& entry) {
    return entry.second > static_cast<std::int32_t>(mark.failures);
  });
  enter(mark.statement);
  key = mark.key;
  frame_ = mark.frame;
}

// ---- errors

std::string Machine::place() const {
  if (expression_ != nullptr && locate_range) return locate_range(expression_->range);
  return locate ? locate(statement_) : std::string();
}

void Machine::fail(std::string text, std::string hint) const {
  throw Error(ErrorCode::evaluation, std::move(text), place(), std::move(hint));
}

// The name of the indexed container, without the indices after it; an expression in one line.
std::string Machine::name_of(SourceRange container) const {
  constexpr std::size_t kLongest = 40;
  if (!text_of_range || container.begin == container.end) return {};
  std::string text = text_of_range(container);
  const bool is_name = std::isalpha(static_cast<unsigned char>(text[0])) != 0;
  if (is_name && text.find('(') == text.npos) text.resize(std::min(text.find('['), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.size() > kLongest || text.find('\n') != text.npos ? std::string() : text;
}

void Machine::fail_index(Index index, Index size, SourceRange container) const {
  const std::string name = name_of(container);
  fail(fmt::format("index {}{}{} is out of range, the size is {}", index,
                   name.empty() ? "" : " of ", name, size),
       size == 0 ? "there is no element: check the size in the data"
                 : fmt::format("an index runs from 1 to {} here: check the bounds of the loop, or "
                               "the size",
                               size));
}

void Machine::fail_sizes(std::string text) const {
  fail(std::move(text), "the size of one has to be that of the other: check their declarations");
}

void Machine::reject(std::string_view function, std::string_view argument, double value,
                     std::string_view rule) {
  throw Rejection{{FailureKind::requirement,
                   statement_,
                   std::string(function),
                   std::string(argument),
                   std::string(rule),
                   {}},
                  value};
}

namespace {
// Operators as they are written in programs.
std::string_view shown_operation(std::string_view function) {
  static constexpr std::array<std::array<std::string_view, 2>, 6> kShown{{{"add", "a + b"},
                                                                          {"divide", "a / b"},
                                                                          {"idivide", "a %/% b"},
                                                                          {"minus", "-a"},
                                                                          {"multiply", "a * b"},
                                                                          {"subtract", "a - b"}}};
  const auto shown = std::ranges::find_if(kShown, [&](const auto& s) { return s[0] == function; });
  return shown == kShown.end() ? function : (*shown)[1];
}
}  // namespace

std::int32_t Machine::int_result(std::string_view function, std::int64_t value) {
  if (value < Whole::kLeast || value > Whole::kMost)
    reject(shown_operation(function), "the result", static_cast<double>(value),
           "an int, which lies within -2147483648 and 2147483647: compute it with reals, as 1.0 * "
           "a * b");
  return static_cast<std::int32_t>(value);
}

const DrawSeed& Machine::draw_seed(std::string_view function) const {
  if (!options_.seed)
    fail(fmt::format("{} can't be called here: there is no random stream", function));
  return *options_.seed;
}

void Machine::count_step() {
  stop_if_asked();
  if (++steps_ > options_.limits.max_steps) {
    throw OutOfLimit(
        ErrorCode::evaluation,
        fmt::format("the program takes more than {} steps to trace", options_.limits.max_steps),
        place(), "look for a loop that doesn't end here, or raise --max-trace-steps");
  }
  if (graph_ != nullptr && graph_->num_nodes() > options_.limits.max_nodes) {
    throw OutOfLimit(
        ErrorCode::evaluation,
        fmt::format("the traced graph has more than {} nodes", options_.limits.max_nodes), place(),
        "vectorise the loop at this line, or look for a loop that doesn't end here");
  }
  if (ssize(terms) > options_.limits.max_nodes) {
    throw OutOfLimit(ErrorCode::evaluation,
                     fmt::format("the target has more than {} terms", options_.limits.max_nodes),
                     place(), "add a sum at once, or look for a loop that doesn't end here");
  }
}

// ---- terms

void Machine::add_term(Expr value, double dropped, TermKind kind, Expr rows) {
  Term term{.value = std::move(value),
            .dropped = dropped,
            .statement = statement_,
            .kind = kind,
            .group = terms.size(),
            .rows = std::move(rows)};
  terms.push_back(continuing_.empty() ? std::move(term) : term_where(continuing_, true, term));
}

Expr Machine::target() const {
  Expr total = 0.0;
  for (const Term& term : terms) total = total + term.value;
  return total;
}

// A local variable may hold data only, though its type is that of parameters.
Machine::Known Machine::known_of(const Value& outcome, std::uint32_t autodiff) {
  if ((autodiff & 1u) == 0 && !is_open(outcome)) return Known::all;
  if (graph_ == nullptr || is_open(outcome) || outcome.is_column()) return Known::none;
  const Expr all = expr(outcome);
  if (all.is_constant()) return Known::all;
  const std::vector<char> known = known_elements(all);
  const auto count = std::count(known.begin(), known.end(), 1);
  return count == 0 ? Known::none : count < ssize(known) ? Known::some : Known::all;
}

void Machine::mark_density(const Expr& value, Known outcome) {
  if (graph_ == nullptr || value.is_constant()) return;
  const auto mark = [&](TermKind kind) { density_marks_.emplace_back(value.ref().node, kind); };
  if (outcome != Known::none) mark(TermKind::likelihood);
  if (outcome != Known::all) mark(TermKind::prior);
}

Machine::OwnDensity Machine::begin_own_density(Known outcome) const {
  return {.outcome = outcome,
          .num_marks = density_marks_.size(),
          .first = graph_ == nullptr ? 0 : static_cast<NodeId>(graph_->num_nodes())};
}

// A node from before the call isn't the density, though the body may return it.
void Machine::mark_own_density(const OwnDensity& begun, const Expr& value) {
  if (graph_ == nullptr || value.is_constant() || value.ref().node < begun.first) return;
  if (begun.outcome == Known::all && density_marks_.size() > begun.num_marks)
    density_marks_.resize(begun.num_marks);
  mark_density(value, begun.outcome);
}

// A term is likelihood if the density of an observed outcome entered it, prior if only others did.
void Machine::label_terms() {
  if (graph_ == nullptr) return;
  std::vector<std::uint8_t> entered(static_cast<std::size_t>(graph_->num_nodes()), 0);
  for (const auto& [id, kind] : density_marks_) {
    entered[static_cast<std::size_t>(id)] |= kind == TermKind::likelihood ? 2
                                             : kind == TermKind::prior    ? 1
                                                                          : 4;
  }
  for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
    for (const Ref& ref : graph_->operands(graph_->node(id))) {
      entered[static_cast<std::size_t>(id)] |= entered[static_cast<std::size_t>(ref.node)];
    }
  }
  for (Term& term : terms) {
    if (term.kind != TermKind::unlabelled || term.value.is_constant()) continue;
    const std::uint8_t all = entered[static_cast<std::size_t>(term.value.ref().node)];
    const std::uint8_t bits = all & 3;
    term.is_tail = all == 4;
    if (bits != 0) term.kind = (bits & 2) != 0 ? TermKind::likelihood : TermKind::prior;
    term.is_mixed = bits == 3;
  }
}

// ---- blocks

void Machine::execute_block(const typed::Block& body) {
  Frame frame(body.locals.size(), {}, {});
  frame_ = &frame;
  struct Leave {
    Machine& machine;
    ~Leave() { machine.frame_ = nullptr, machine.chosen_ = nullptr; }
  } leave{*this};
  execute_all(body.statements);
}

void Machine::run(typed::BlockKind block) {
  execute_block(program_.block(block));
  check_globals(block);
}

void Machine::run(typed::BlockKind block, const Chosen& chosen) {
  chosen_ = &chosen;
  execute_block(program_.block(block));
}

Value Machine::evaluate_open(const typed::Expression& e) {
  count_step();
  const typed::Expression* const around = std::exchange(expression_, &e);
  Value value = std::visit([&](const auto& node) { return eval(node, e); }, e.node);
  expression_ = around;
  return value;
}

Value Machine::evaluate(const typed::Expression& e) { return closed(evaluate_open(e)); }

std::int32_t Machine::evaluate_int(const typed::Expression& e) { return evaluate(e).integer(); }

}  // namespace credo::lang
