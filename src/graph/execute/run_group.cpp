// Fused groups, block by block: on the calling thread, or by a team.
//
// A team's members begin with shares of their own, the same in every run, so that the data of a
// share stay in the caches of one processor. A member that is done takes from other shares. Parts don't
// depend on each other: sums have a place for each chunk, and are joined behind the group.
#include <atomic>

#include "graph/execute/code.hpp"
#include "graph/execute/plan.hpp"

namespace credo::graph {
namespace {

// Parts [next, end) are still to be run.
struct alignas(64) Share {
  std::atomic<Index> next = 0;
  Index end = 0;
};

class SplitRun {
 public:
  SplitRun(const BlockGroup& group, const Machine& machine, double* base);
  void run(Team& team);

 private:
  static void help(void* self, Index member) { static_cast<SplitRun*>(self)->work(member); }
  void work(Index member);
  void take_from(Share& share, BlockState& state);

  const BlockGroup& group_;
  const Machine& machine_;
  double* base_;
  Index num_members_, at_once_;
  std::array<Share, static_cast<std::size_t>(Team::kMost)> shares_;
  using Statuses = std::array<LaneStatus, kMaxLanes>;  // statuses of a member: its parts vary
  std::array<Statuses, static_cast<std::size_t>(Team::kMost)> statuses_{};
};

// Elements between two checks of the stop flag: a whole number of blocks.
constexpr Index kAtOnce = Index{1} << 14;

// Returns early once the flag is set: whoever runs the group then gives up.
void run_parts(const BlockGroup& group, const Machine& machine, BlockState& state, Index last) {
  while (state.first < last) {
    const Index end = std::min(last, state.first + kAtOnce);
    run_blocks(group, machine.code->lanes, state, end,
               [](const BlockOp& op, const BlockState& s) { op.run(op, s); });
    if (end < last && machine.stop->load(std::memory_order_relaxed)) return;
  }
}

SplitRun::SplitRun(const BlockGroup& group, const Machine& machine, double* base)
    : group_(group),
      machine_(machine),
      base_(base),
      num_members_(std::min(machine.team->size(), group.num_parts())) {
  constexpr Index kTurns = 8;  // turns of a member, if no member is late
  const Index parts = group.num_parts();
  at_once_ = std::max<Index>(1, parts / (num_members_ * kTurns));
  for (Index m = 0; m < num_members_; ++m) {
    Share& share = shares_[static_cast<std::size_t>(m)];
    share.next.store(parts * m / num_members_, std::memory_order_relaxed);
    share.end = parts * (m + 1) / num_members_;
  }
}

void SplitRun::run(Team& team) {
  team.run(&SplitRun::help, this);
  stop_if_asked();
  for (const Statuses& mine : statuses_) {
    for (Index l = 0; l < machine_.code->lanes; ++l) {
      const LaneStatus& failed = mine[static_cast<std::size_t>(l)];
      if (comes_before(failed, machine_.status[l])) machine_.status[l] = failed;
    }
  }
}

void SplitRun::work(Index member) {
  const Code& code = *machine_.code;
  double* local =
      member == 0 ? base_ + code.local : machine_.locals + (member - 1) * code.num_local;
  BlockState state{.bases = {base_, local},
                   .status = statuses_[static_cast<std::size_t>(member)].data()};
  for (Index k = 0; k < num_members_; ++k)
    take_from(shares_[static_cast<std::size_t>((member + k) % num_members_)], state);
}

void SplitRun::take_from(Share& share, BlockState& state) {
  for (;;) {
    const Index part = share.next.fetch_add(at_once_, std::memory_order_relaxed);
    if (part >= share.end) return;
    state.first = part << group_.shift;
    const Index end = std::min(part + at_once_, share.end) << group_.shift;
    run_parts(group_, machine_, state, std::min(end, group_.size));
    if (machine_.stop->load(std::memory_order_relaxed)) return;
  }
}
}  // namespace

namespace {
template <std::size_t kArity>
void row_block_of(const BlockOp& op, const BlockState& s) {
  BlockArgs args{.out = s.place(op.out), .repeated = op.repeated, .groups = s.groups};
  for (std::size_t k = 0; k < kArity; ++k) args.in[k] = s.at(op.in[k]);
  op.kernel(args);
}
}  // namespace

BlockFn row_block(std::size_t arity) {
  static constexpr std::array<BlockFn, 3> table{&row_block_of<1>, &row_block_of<2>,
                                                &row_block_of<3>};
  return table[std::max<std::size_t>(arity, 1) - 1];
}

void joint_block(const BlockOp& op, const BlockState& s) {
  op.kernel({.out = s.place(op.out),
             .in = {s.at(op.in[0])},
             .repeated = op.repeated,
             .groups = s.groups,
             .second = s.place(op.second),
             .ahead = op.ahead + (s.first + s.count) * op.columns,
             .lines = op.columns});
}

void check_block(const BlockOp& op, const BlockState& s) {
  op.check->kernel({.x = s.at(op.in[0]),
                    .bound = s.at(op.in[1]),
                    .repeated = (op.repeated & 2u) != 0,
                    .first = s.first,
                    .count = s.count,
                    .lanes = s.lanes,
                    .status = s.status,
                    .attributes = &op.check->attributes});
}

void run_group(double* base, const Micro& m, const Machine& machine) {
  const Code& code = *machine.code;
  const BlockGroup& group = code.groups[m.a];
  if (machine.team != nullptr && group.splits)
    return SplitRun(group, machine, base).run(*machine.team);
  BlockState state{.bases = {base, base + code.local}, .status = machine.status};
  run_parts(group, machine, state, group.size);
  if (group.size > kAtOnce) stop_if_asked();
}

}  // namespace credo::graph
