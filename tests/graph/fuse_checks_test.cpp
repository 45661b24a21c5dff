// Checks and joint kernels as steps of fused groups: what the direct sweep says, bit for bit.
//
// Tried with planted mutants, each rejected here: blocks judged without the number of their first
// element, the results of a pair exchanged, e^-|x| of the joint kernel rounded differently.
#include "base/team.hpp"
#include "graph/core/op.hpp"
#include "graph/execute/inspect.hpp"
#include "graph/execute/program.hpp"
#include "numerics/arithmetic.hpp"
#include "support/random_graph.hpp"

namespace credo::graph::fuse_checks_test {
namespace {

constexpr Index kSize = 5000;

struct Checked {
  Graph graph;
  NodeId input = graph.add_input(vector_shape(kSize));
  std::vector<Expr> outputs;
  Expr x() { return {graph, {input, -1}}; }
  Expr eta() { return 2.0 * x() + 1.0; }

  // `places` of all elements, or one for all.
  void check(std::string_view row, std::vector<Expr> in, std::vector<std::int32_t> places) {
    std::vector<Ref> refs;
    for (const Expr& e : in) refs.push_back(e.ref_in(graph));
    places.insert(places.begin(), ++number);
    graph.add(*find_op(row), Shape{0, 1, 1}, refs, graph.add_attributes({std::move(places), {}}));
  }
  std::int32_t number = 0;
};

using Statuses = std::vector<LaneStatus>;
using Point = std::function<double(Index element, Index lane)>;

Statuses statuses(const Program& program, Index lanes, const Point& at, Team* team = nullptr) {
  Workspace workspace(program, lanes);
  workspace.use_team(team);
  workspace.set_lanes(lanes);
  for (Index l = 0; l < lanes; ++l) {
    std::vector<double> values;
    for (Index e = 0; e < kSize; ++e) values.push_back(at(e, l));
    workspace.set_input(l, values);
  }
  workspace.run();
  Statuses found;
  for (Index l = 0; l < lanes; ++l) found.push_back(workspace.status(l));
  return found;
}

void expect_same_statuses(const Statuses& a, const Statuses& b, const std::string& where) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t l = 0; l < a.size(); ++l) {
    EXPECT_EQ(a[l].check, b[l].check) << where;
    EXPECT_EQ(a[l].order, b[l].order) << where;
    EXPECT_EQ(a[l].element, b[l].element) << where;
    const bool same =
        a[l].value == b[l].value || (std::isnan(a[l].value) && std::isnan(b[l].value));
    EXPECT_TRUE(same) << where << ": " << a[l].value << ", " << b[l].value;
  }
}

// The statuses with one lane, after comparing all ways to run.
Statuses agreed(Checked& c, const Point& at) {
  c.outputs = {sum(exp(c.eta() * 1e-3))};
  const Program direct(c.graph, c.input, c.outputs, {.fuse = false});
  const Program fused(c.graph, c.input, c.outputs);
  Team team(3, Team::Attendance::everybody);
  for (const Index lanes : {1, 2, 4, 8}) {
    const Statuses expected = statuses(direct, lanes, at);
    const std::string where = std::to_string(lanes) + " lanes";
    expect_same_statuses(expected, statuses(fused, lanes, at), where);
    expect_same_statuses(expected, statuses(fused, lanes, at, &team), where + ", a team");
  }
  return statuses(fused, 1, at);
}

double bad_at(Index element, Index first, Index second) {
  if (element == first) return kNaN;
  return element == second ? kInfinity : 0.25;
}

TEST(fused_checks, report_the_first_element_of_the_first_check) {
  Checked c;
  c.check("check_greater", {c.eta(), 0.0}, {7});
  c.check("check_finite", {c.eta()}, {3});
  c.check("check_not_nan", {c.eta()}, {5});
  const Statuses found =
      agreed(c, [](Index e, Index l) { return bad_at(e, 4200 + l, 1700 + 100 * l); });
  EXPECT_EQ(found[0].check, 2);
  EXPECT_EQ(found[0].element, 1700);
  EXPECT_EQ(found[0].value, kInfinity);
  const Statuses earlier = agreed(c, [](Index e, Index l) { return bad_at(e, 12 + l, 4999); });
  EXPECT_EQ(earlier[0].element, 12);
  EXPECT_TRUE(std::isnan(earlier[0].value));
}

TEST(fused_checks, report_the_element_that_comes_first_in_the_program) {
  Checked c;
  std::vector<std::int32_t> places;
  for (Index e = 0; e < kSize; ++e) places.push_back(static_cast<std::int32_t>(2 * kSize - e));
  c.check("check_not_nan", {c.eta()}, places);
  const Statuses found = agreed(c, [](Index e, Index l) {
    return e == 40 + l || e == 3000 || e == 4900 - 700 * l ? kNaN : 1.0;
  });
  EXPECT_EQ(found[0].element, 4900);
  EXPECT_EQ(found[0].order, 2 * kSize - 4900);
}

TEST(fused_checks, read_bounds_of_every_kind) {
  std::vector<double> upper;
  for (Index e = 0; e < kSize; ++e) upper.push_back(e == 3333 ? 0.0 : 10.0);
  for (const bool fails : {false, true}) {
    Checked c;
    c.check("check_less", {c.eta(), constant(vector_shape(kSize), upper)}, {1});
    c.check("check_greater_equal", {c.eta(), c.x()}, {2});
    c.check("check_less_equal", {c.eta(), 20.0 * c.x().element(0) + 3.0}, {3});
    const Statuses found =
        agreed(c, [&](Index e, Index) { return fails || e != 3333 ? 0.5 : -0.9; });
    EXPECT_EQ(found[0].check, fails ? 1 : 0);
    EXPECT_EQ(found[0].element, fails ? 3333 : 0);
  }
}

TEST(fused_checks, need_no_copy_of_what_they_judge) {
  Checked c;
  c.check("check_not_nan", {exp(c.eta())}, {1});
  c.outputs = {sum(exp(c.eta()))};
  const Program program(c.graph, c.input, c.outputs);
  const ProgramSummary summary = Inspector(program).summary(1);
  const double values = 8.0 * kSize, blocks = 8.0 * 192 * 128;  // the input, the area of blocks
  EXPECT_LT(summary.workspace_bytes, 1.5 * values + blocks);
  EXPECT_EQ(summary.num_calls, 0);
}

// ---- pairs

// Of all magnitudes, and where formulas change.
std::vector<double> arguments() {
  std::vector<double> all{0.0,    -0.0,    kNaN,   kInfinity, -kInfinity, 1e308,  -1e308,
                          5e-324, -5e-324, 745.2,  -745.2,    708.5,      -708.5, 40.0,
                          -40.0,  1e-17,   0.8813, 0.8814,    -0.881,     -0.882};
  for (int k = 0; all.size() < 8 * 400; ++k)
    all.push_back(std::ldexp(std::sin(1.7 * k), k % 37 - 26));
  return all;
}

TEST(joint_kernels, give_the_bits_of_the_two_rows) {
  const std::vector<double> x = arguments();
  const auto groups = ssize(x) / kGroup;
  const numerics::SimdTarget before = numerics::active_target();
  for (const numerics::SimdTarget target : numerics::supported_targets()) {
    numerics::force_target(target);
    for (const Op* op : op_table()) {
      if (op->joint.other == nullptr) continue;
      std::vector<double> first(x.size()), second(x.size()), one(x.size()), other(x.size());
      op->joint.kernel()(
          {.out = first.data(), .in = {x.data()}, .groups = groups, .second = second.data()});
      op->row()->block({.out = one.data(), .in = {x.data()}, .groups = groups});
      op->joint.other->row()->block({.out = other.data(), .in = {x.data()}, .groups = groups});
      EXPECT_EQ(std::memcmp(first.data(), one.data(), x.size() * 8), 0) << op->name;
      EXPECT_EQ(std::memcmp(second.data(), other.data(), x.size() * 8), 0) << op->name;
    }
  }
  numerics::force_target(before);
}

TEST(joint_kernels, run_in_either_order_and_beside_other_users) {
  for (const bool value_first : {false, true}) {
    for (const Index size : {70, 513, 2500}) {
      Graph graph;
      const NodeId input = graph.add_input(vector_shape(size));
      const Expr x(graph, {input, -1}), y = 3.0 * x - 0.5;
      const Expr a = value_first ? log1p_exp(y) : inv_logit(y),
                 b = value_first ? inv_logit(y) : log1p_exp(y);
      const std::array outputs{sum(a * b), sum(b + x), b, sum(y), sum(log1p_exp(x))};
      const Program direct(graph, input, outputs, {.fuse = false}), fused(graph, input, outputs);
      for (const Index lanes : {1, 2, 4, 8})
        testing::expect_equal(testing::results(direct, outputs.size(), lanes),
                              testing::results(fused, outputs.size(), lanes),
                              std::to_string(size) + ", " + std::to_string(lanes) + " lanes");
      Index num_rows = 0;
      for (const FusedGroup& group : Inspector(fused).summary(1).groups)
        num_rows += std::count(group.rows.begin(), group.rows.end(), "inv_logit") +
                    std::count(group.rows.begin(), group.rows.end(), "log1p_exp");
      EXPECT_EQ(num_rows, 2);  // one of three is made with another
    }
  }
}

}  // namespace
}  // namespace credo::graph::fuse_checks_test
