// From the plan to the tape for one number of lanes.
#include "graph/execute/code.hpp"

#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "graph/execute/plan.hpp"
#include "graph/ops/chunks.hpp"

namespace credo::graph {
namespace {

// Up to this many doubles a vector is run by micros of eight doubles each; beyond, by a group.
constexpr Index kMicroDoubles = 32;
// The local area: partial sums of the sinks of one group, then its blocks, then the partial sums of
// transposed products.
constexpr Index kPartialDoubles = 64, kMaxSinks = 192;
constexpr Index kMaxSlots = 192, kSmallestBlock = 64;
constexpr Index kSlotArea = kMaxSlots * kSmallestBlock;
constexpr Index kFirstSlot = kMaxSinks * kPartialDoubles;
constexpr Index kProductSums = kFirstSlot + kSlotArea;
constexpr Index kTargetDoubles = 4096;  // all blocks together: most of a first-level cache
// Handing work to other threads takes some microseconds, or tens if they are asleep.
constexpr double kWorthSplitting = 20'000.0;  // nanoseconds

bool is_product(Form form) { return form == Form::product || form == Form::transposed_product; }
bool is_sink(Form form) {
  return form == Form::sum || form == Form::dot || form == Form::sum_log1p_exp ||
         form == Form::scatter_add || form == Form::transposed_product;
}

// Doubles of a sink's result, and in how many chunks it is summed up.
Index result_elements(const Step& step) {
  if (step.form == Form::scatter_add) return step.in[1].at;
  return step.form == Form::transposed_product ? step.extra : 1;
}
int chunk_shift(const Step& step) {
  if (step.form != Form::scatter_add) return kSumShift;
  return scatter_shift(step.size, result_elements(step));
}

// Time of a step for one element in one lane, in nanoseconds, very roughly: log1p_exp takes ten times
// as long as a sum.
double cost(const Step& step) {
  switch (step.form) {
    case Form::gather:
    case Form::scatter_add:
      return 1.0;
    case Form::product:
    case Form::transposed_product:
      return 0.15 * double(step.extra);
    case Form::sum:
    case Form::dot:
    case Form::check:
      return 0.1;
    default:
      return 0.4;
  }
}

// BlockOperand::advance before the length of a block is known.
constexpr Index kSlot = -1, kPlace = -2, kData = -3;

std::uint32_t position(Index doubles) { return static_cast<std::uint32_t>(doubles); }

class CodeMaker {
 public:
  CodeMaker(const Plan& plan, Index lanes);
  Code run();

 private:
  Index doubles(Index place) const { return place * lanes_; }
  void lay_out();
  Index pattern(std::int32_t place);
  Index operand(const Source& source, Index group);
  void add(MicroFn fn, Index out, Index a = 0, Index b = 0, Index c = 0);
  void add_micros(const Step& step);
  void add_row(const Step& step);
  void add_call(const Step& step);
  bool fits_micros(const StepGroup& group) const;
  void add_group(const StepGroup& group);
  void join_chunks(const BlockGroup& group);

  const Plan& plan_;
  Index lanes_;
  std::size_t w_;
  const TapeKernels& kernels_;
  Code code_;
  Index chunks_ = 0, patterns_ = 0;
  std::int32_t step_ = 0;  // being added
  std::unordered_map<std::int32_t, double> constants_;
  std::unordered_map<std::int32_t, Index> pattern_of_;

  friend class GroupMaker;
};

// One fused group: which block every value lies in, by linear scan over the steps.
class GroupMaker {
 public:
  GroupMaker(CodeMaker& maker, const StepGroup& group);
  BlockGroup run();

 private:
  void find_last_uses();
  void find_pairs();
  const Joint& joint(std::int32_t index) const {
    return maker_.plan_.rows[static_cast<std::size_t>(index)]->joint;
  }
  void read_operands(const Step& s, BlockOp& op);
  BlockOperand read(const Source& source, std::uint32_t bit, BlockOp& op);
  BlockOperand replicated(std::int32_t number);
  void choose_kernel(const Step& s, BlockOp& op);
  void place_sums(const Step& s, BlockOp& op);
  void join_pair(std::int32_t index, BlockOp& op);
  BlockOperand result_of(std::int32_t index);
  void read_ahead();
  void add(std::int32_t index);
  void release(std::int32_t index);
  Index new_slot();
  void set_lengths(Index block);
  const Step& step(std::int32_t index) const {
    return maker_.plan_.steps[static_cast<std::size_t>(index)];
  }

  CodeMaker& maker_;
  const StepGroup& range_;
  BlockGroup group_;
  std::map<std::int32_t, std::int32_t> last_use_, last_external_;  // by step, by constant
  std::map<std::int32_t, Index> slot_of_, external_slot_;
  std::map<std::int32_t, std::int32_t> pair_of_;  // steps that one kernel makes, by either
  std::vector<Index> free_;
  Index num_slots_ = 0, num_sinks_ = 0;
  Index product_sums_ = 0, chunks_ = 0;  // doubles
  double cost_ = 0.0;                    // of an element
  bool has_products_ = false;
  std::int32_t current_ = 0;  // step being added
};

CodeMaker::CodeMaker(const Plan& plan, Index lanes)
    : plan_(plan), lanes_(lanes), w_(lane_code(lanes)), kernels_(*plan.kernels) {
  lay_out();
  for (const Preset& preset : plan.presets) {
    if (preset.count == 1) constants_[preset.place] = *preset.values;
  }
}

// Values, the local area, sums of chunks, patterns. Groups use the second and third in turn.
void CodeMaker::lay_out() {
  Index product_sums = 0, chunks = 0;
  bool blocks = false;
  for (const StepGroup& group : plan_.groups) {
    Index my_sums = 0, my_chunks = 0;
    for (auto k = group.first; group.fused && k < group.last; ++k) {
      const Step& step = plan_.steps[static_cast<std::size_t>(k)];
      const Index width = doubles(result_elements(step));
      if (step.form == Form::transposed_product) my_sums += kGroup * width;
      if (is_sink(step.form)) my_chunks += width * num_chunks(step.size, chunk_shift(step));
    }
    blocks |= group.fused;
    product_sums = std::max(product_sums, my_sums);
    chunks = std::max(chunks, my_chunks);
  }
  constexpr Index kApart = 16;  // doubles: areas of different threads share no pair of cache lines
  code_.local = doubles(plan_.num_elements);
  code_.num_local = blocks ? (kProductSums + product_sums + kApart - 1) / kApart * kApart : 0;
  chunks_ = code_.local + code_.num_local;
  patterns_ = chunks_ + (chunks + kGroup - 1) / kGroup * kGroup;
}

void CodeMaker::add(MicroFn fn, Index out, Index a, Index b, Index c) {
  code_.tape.push_back({fn, position(out), position(a), position(b), position(c)});
  code_.steps.push_back(step_);
}

// A group of doubles full of one element: the element itself if it has eight lanes.
Index CodeMaker::pattern(std::int32_t place) {
  if (lanes_ == kGroup) return doubles(place);
  const auto [entry, is_new] = pattern_of_.try_emplace(place, patterns_);
  if (!is_new) return entry->second;
  patterns_ += kGroup;
  const auto constant = constants_.find(place);
  if (constant != constants_.end()) {
    code_.patterns.push_back({entry->second, constant->second});
  } else {
    add(kernels_.spread[w_], entry->second, doubles(place));
  }
  return entry->second;
}

Index CodeMaker::operand(const Source& source, Index group) {
  if (source.kind == Source::repeated) return pattern(source.at);
  return doubles(source.at) + group * kGroup;
}

void CodeMaker::add_row(const Step& step) {
  const auto at = [&](std::size_t k, Index group) {
    return k < step.num_in ? operand(step.in[k], group) : 0;
  };
  if (step.size == 1)
    return add(step.row->element[w_], doubles(step.out), at(0, 0), at(1, 0), at(2, 0));
  for (Index group = 0; group * kGroup < step.size * lanes_; ++group) {
    const Index a = at(0, group), b = at(1, group), c = at(2, group);
    add(step.row->element[3], doubles(step.out) + group * kGroup, a, b, c);
  }
}

void CodeMaker::add_call(const Step& step) {
  const PlannedCall& planned = plan_.calls[static_cast<std::size_t>(step.extra)];
  PreparedCall call{planned.kernel, {}};
  call.call.operands = planned.operands.data();
  call.call.num_operands = ssize(planned.operands);
  call.call.shape = planned.shape;
  call.call.attributes = &planned.attributes;
  call.call.lanes = lanes_;
  add(run_call, doubles(step.out), ssize(code_.calls));
  code_.calls.push_back(call);
}

void CodeMaker::add_micros(const Step& step) {
  const Index out = doubles(step.out), a = doubles(step.in[0].at), b = doubles(step.in[1].at);
  switch (step.form) {
    case Form::row:
      return add_row(step);
    case Form::call:
      return add_call(step);
    case Form::sum:
      return add(kernels_.sum[w_], out, a, 0, step.size);
    case Form::dot:
      return add(kernels_.dot[w_], out, a, b, step.size);
    case Form::gather:
      return add(kernels_.gather[w_], out, a, step.extra, step.size);
    case Form::scatter_add:
      add(kernels_.zero, out, 0, 0, b);
      return add(kernels_.scatter_add[w_], out, a, step.extra, step.size);
    case Form::product:
    case Form::transposed_product:
    case Form::sum_log1p_exp:
    case Form::check:
      CREDO_ASSERT(false, "products, long sums and checks of vectors run in groups");
      return;
    case Form::small:
      return add((*step.small)[w_], out, a, 0, step.size);
    case Form::broadcast:
      return add(kernels_.broadcast[w_], out, a, 0, step.size);
    case Form::copy:
      if (step.size == 1) return add(kernels_.copy_element[w_], out, a);
      return add(kernels_.copy, out, a, 0, doubles(step.size));
  }
}

bool CodeMaker::fits_micros(const StepGroup& group) const {
  if (group.size * lanes_ > kMicroDoubles) return false;
  for (auto k = group.first; k < group.last; ++k) {
    const Step& step = plan_.steps[static_cast<std::size_t>(k)];
    if (is_product(step.form)) return false;
    if (step.form != Form::sum && step.form != Form::dot) continue;
    for (std::size_t i = 0; i < step.num_in; ++i) {
      if (step.in[i].kind != Source::place) return false;
    }
  }
  return true;
}

void CodeMaker::add_group(const StepGroup& range) {
  BlockGroup group = GroupMaker(*this, range).run();
  add(run_group, 0, ssize(code_.groups));
  join_chunks(group);
  code_.groups.push_back(std::move(group));
}

void CodeMaker::join_chunks(const BlockGroup& group) {
  for (std::size_t k = 0; k < group.ops.size(); ++k) {
    const BlockOp& op = group.ops[k];
    if (op.width == 0 || op.out.advance == 0) continue;
    step_ = group.steps[k];
    const Step& step = plan_.steps[static_cast<std::size_t>(step_)];
    add(kernels_.join, doubles(step.out), op.out.offset, op.width,
        num_chunks(group.size, op.shift));
  }
}

Code CodeMaker::run() {
  code_.lanes = lanes_;
  for (const StepGroup& group : plan_.groups) {
    stop_if_asked();
    step_ = group.first;
    if (group.fused && !fits_micros(group)) {
      add_group(group);
      continue;
    }
    for (; step_ < group.last; ++step_) add_micros(plan_.steps[static_cast<std::size_t>(step_)]);
  }
  code_.num_doubles = patterns_;
  CREDO_ASSERT(patterns_ < Index{1} << 32, "positions have 32 bits");
  return std::move(code_);
}

GroupMaker::GroupMaker(CodeMaker& maker, const StepGroup& group) : maker_(maker), range_(group) {
  group_.size = group.size;
}

void GroupMaker::find_last_uses() {
  for (auto k = range_.first; k < range_.last; ++k) {
    for (std::size_t i = 0; i < step(k).num_in; ++i) {
      const Source& source = step(k).in[i];
      if (source.kind == Source::temporary) last_use_[source.at] = k;
      if (source.kind == Source::external) last_external_[source.at] = k;
    }
  }
}

// A row and the one that it has a joint kernel with, of one operand.
void GroupMaker::find_pairs() {
  const auto operand = [&](std::int32_t index) {
    const Source& source = step(index).in[0];
    return std::pair(source.kind, source.at);
  };
  std::map<std::pair<Source::Kind, std::int32_t>, std::int32_t> firsts;
  for (auto k = range_.first; k < range_.last; ++k) {
    if (step(k).form == Form::row && joint(k).other != nullptr) firsts.emplace(operand(k), k);
  }
  for (auto k = range_.first; !firsts.empty() && k < range_.last; ++k) {
    const auto first = step(k).num_in == 1 ? firsts.find(operand(k)) : firsts.end();
    if (step(k).form != Form::row || first == firsts.end()) continue;
    if (joint(first->second).other != maker_.plan_.rows[static_cast<std::size_t>(k)]) continue;
    if (pair_of_.contains(first->second)) continue;
    pair_of_[k] = first->second;
    pair_of_[first->second] = k;
  }
}

Index GroupMaker::new_slot() {
  if (free_.empty()) return num_slots_++;
  const Index slot = free_.back();
  free_.pop_back();
  return slot;
}

// Shared data, written once for every lane.
BlockOperand GroupMaker::replicated(std::int32_t number) {
  const auto [entry, is_new] = external_slot_.try_emplace(number, 0);
  if (is_new) {
    entry->second = new_slot();
    const double* data = maker_.plan_.external[static_cast<std::size_t>(number)]->data();
    BlockOp op;
    op.run = maker_.kernels_.replicate_block[maker_.w_];
    op.out = {nullptr, entry->second, kSlot};
    op.in[0] = {data, 0, kData};
    group_.ops.push_back(op);
    group_.steps.push_back(current_);
  }
  return {nullptr, entry->second, kSlot};
}

BlockOperand GroupMaker::read(const Source& source, std::uint32_t bit, BlockOp& op) {
  switch (source.kind) {
    case Source::place:
      return {nullptr, maker_.doubles(source.at), kPlace};
    case Source::repeated:
      op.repeated |= bit;
      return {nullptr, maker_.pattern(source.at), 0};
    case Source::temporary:
      return {nullptr, slot_of_.at(source.at), kSlot};
    case Source::external:
      break;
  }
  if (maker_.lanes_ > 1) return replicated(source.at);
  return {maker_.plan_.external[static_cast<std::size_t>(source.at)]->data(), 0, kData};
}

// Frees the blocks that step `index` is the last to read.
void GroupMaker::release(std::int32_t index) {
  for (std::size_t i = 0; i < step(index).num_in; ++i) {
    const Source& source = step(index).in[i];
    auto& slots = source.kind == Source::temporary ? slot_of_ : external_slot_;
    const auto& last = source.kind == Source::temporary ? last_use_ : last_external_;
    if (source.kind != Source::temporary && source.kind != Source::external) continue;
    const auto entry = slots.find(source.at);
    if (entry == slots.end() || last.at(source.at) != index) continue;
    free_.push_back(entry->second);
    slots.erase(entry);
  }
}

// Gathers and A x read a complete vector; products read their matrix where it is.
void GroupMaker::read_operands(const Step& s, BlockOp& op) {
  const auto complete = [&](const Source& source) {
    return BlockOperand{nullptr, maker_.doubles(source.at), 0};
  };
  if (s.form == Form::gather) {
    op.in[0] = complete(s.in[0]);
  } else if (is_product(s.form)) {
    op.in[0].data = maker_.plan_.external[static_cast<std::size_t>(s.in[0].at)]->data();
    op.in[1] = s.form == Form::product ? complete(s.in[1]) : read(s.in[1], 2u, op);
  } else {
    for (std::size_t i = 0; i < s.num_in; ++i) op.in[i] = read(s.in[i], 1u << i, op);
  }
}

void GroupMaker::choose_kernel(const Step& s, BlockOp& op) {
  const TapeKernels& kernels = maker_.kernels_;
  const std::size_t w = maker_.w_;
  if (s.form == Form::row) op.run = row_block(s.num_in), op.kernel = s.row->block;
  if (s.form == Form::gather) op.run = kernels.gather_block[w];
  if (s.form == Form::scatter_add) op.run = kernels.scatter_add_block[w];
  if (s.form == Form::gather || s.form == Form::scatter_add)
    op.index = maker_.plan_.ints.data() + s.extra;
  if (s.form == Form::sum || s.form == Form::dot)
    op.run = s.form == Form::sum ? kernels.sum_block[w] : kernels.dot_block[w];
  if (s.form == Form::sum_log1p_exp) op.run = kernels.sum_log1p_exp_block[w];
  if (s.form == Form::check) {
    op.run = check_block;
    op.check = &maker_.plan_.checks[static_cast<std::size_t>(s.extra)];
    if (s.num_in == 1) op.in[1] = op.in[0];
  }
  if (!is_product(s.form)) return;
  has_products_ = true;
  op.columns = s.extra;
  op.panels = s.panels;
  op.run = s.form == Form::product ? kernels.product_block[w] : kernels.transposed_product_block[w];
}

// Each chunk has a sum of its own, to be joined behind the group; a single one is the result.
void GroupMaker::place_sums(const Step& s, BlockOp& op) {
  op.width = maker_.doubles(result_elements(s));
  op.shift = chunk_shift(s);
  if (s.form == Form::sum || s.form == Form::dot) op.partials = kPartialDoubles * num_sinks_++;
  if (s.form == Form::sum_log1p_exp) {
    op.partials = kPartialDoubles * num_sinks_;
    num_sinks_ += 2;
  }
  if (s.form == Form::transposed_product) {
    op.partials = kProductSums + product_sums_;
    product_sums_ += kGroup * op.width;
  }
  group_.shift = std::max(group_.shift, op.shift);
  op.out = {nullptr, maker_.doubles(s.out), 0};
  const Index count = num_chunks(group_.size, op.shift);
  if (count == 1) return;
  op.out = {nullptr, maker_.chunks_ + chunks_, op.width};
  chunks_ += count * op.width;
}

BlockOperand GroupMaker::result_of(std::int32_t index) {
  const Step& s = step(index);
  if (s.out != kNoPlace) return {nullptr, maker_.doubles(s.out), kPlace};
  slot_of_[index] = new_slot();
  return {nullptr, slot_of_[index], kSlot};
}

// The later step of a pair is made with the earlier one.
void GroupMaker::join_pair(std::int32_t index, BlockOp& op) {
  const auto pair = pair_of_.find(index);
  if (pair == pair_of_.end()) return;
  op.second = result_of(pair->second);
  const bool later = joint(index).other == nullptr;
  op.run = joint_block;
  op.kernel = joint(later ? pair->second : index).kernel();
  if (later) std::swap(op.out, op.second);
}

void GroupMaker::add(std::int32_t index) {
  current_ = index;
  const Step& s = step(index);
  const auto pair = pair_of_.find(index);
  if (pair != pair_of_.end() && pair->second < index) return release(index);
  BlockOp op;
  read_operands(s, op);
  release(index);
  if (is_sink(s.form)) {
    place_sums(s, op);
  } else if (s.form != Form::check) {
    op.out = result_of(index);
  }
  choose_kernel(s, op);
  join_pair(index, op);
  for (const std::int32_t made : {index, pair == pair_of_.end() ? index : pair->second}) {
    const auto slot = slot_of_.find(made);
    if (slot == slot_of_.end() || last_use_.contains(made)) continue;
    free_.push_back(slot->second);
    slot_of_.erase(slot);
  }
  cost_ += cost(s);
  group_.ops.push_back(op);
  group_.steps.push_back(index);
}

void GroupMaker::set_lengths(Index block) {
  const auto set = [&](BlockOperand& operand) {
    if (operand.advance == kSlot) operand = {nullptr, kFirstSlot + operand.offset * block, 0, true};
    if (operand.advance == kPlace) operand.advance = block;
    if (operand.advance == kData) operand.advance = block / maker_.lanes_;
  };
  for (BlockOp& op : group_.ops) {
    set(op.out);
    set(op.second);
    for (BlockOperand& operand : op.in) set(operand);
  }
  group_.block_elements = block / maker_.lanes_;
}

// While a joint kernel computes, the next block of a matrix comes from memory: a panel a group of
// eight elements.
void GroupMaker::read_ahead() {
  const auto product = std::find_if(group_.ops.begin(), group_.ops.end(),
                                    [](const BlockOp& op) { return op.panels; });
  if (product == group_.ops.end()) return;
  for (BlockOp& op : group_.ops) {
    if (op.run != joint_block) continue;
    op.ahead = product->in[0].data;
    op.columns = product->columns;
    return;
  }
}

BlockGroup GroupMaker::run() {
  find_last_uses();
  find_pairs();
  for (auto k = range_.first; k < range_.last; ++k) add(k);
  CREDO_ASSERT(num_slots_ <= kMaxSlots && num_sinks_ <= kMaxSinks, "blocks fit the area");
  Index block = kBlock;
  const Index target = has_products_ ? kSlotArea : kTargetDoubles;  // short columns cost more
  while (block > kSmallestBlock && block * num_slots_ > target) block /= 2;
  set_lengths(block);
  if (maker_.lanes_ == 1) read_ahead();
  const double nanoseconds = cost_ * double(maker_.doubles(group_.size));
  group_.splits = group_.num_parts() > 1 && nanoseconds >= kWorthSplitting;
  return std::move(group_);
}
}  // namespace

Code make_code(const Plan& plan, Index lanes) { return CodeMaker(plan, lanes).run(); }

}  // namespace credo::graph
