#include "model/discrete/discrete_draws.hpp"

#include "base/choice.hpp"

namespace credo::model {
using graph::Expr;

namespace {
// Makes a plan: rows of log weights are kept in groups of equal width, each of which becomes a few
// vectors of the graph.
class DrawPlanner {
 public:
  explicit DrawPlanner(std::span<const std::int32_t> sizes) {
    plan_.sizes.assign(sizes.begin(), sizes.end());
    plan_.start.assign(sizes.size(), 0);
    has_distribution_.assign(sizes.size(), 0);
  }

  void add(const numerics::EliminationPlan& plan, std::span<const Summands> buckets);
  void add(const LoneSites& sites);
  void add_free_sites();
  std::pair<DrawPlan, Expr> finish();

 private:
  using Row = DrawPlan::Row;
  // One vector of log weights for each number of a possible value; places count from the group's
  // begin.
  struct Group {
    std::vector<Summands> scalars;  // by number, then row
    std::vector<Expr> vectors;      // instead
    std::map<Key, std::int32_t> rows;
  };

  Row row_of(const Summands& log_weights);
  std::int32_t values_of(std::vector<std::int32_t> values);
  void add_step(std::int32_t site, std::span<const std::int32_t> neighbours,
                std::span<const Row> rows, std::span<const std::size_t> groups);
  Row alike(std::int32_t num_values);
  std::size_t group_of(std::size_t width);

  DrawPlan plan_;
  std::vector<char> has_distribution_;  // by site
  std::vector<Group> groups_;
  std::vector<std::size_t> row_groups_;  // group of each row of the plan
  std::map<std::size_t, std::size_t> group_by_width_;
  std::map<std::vector<std::int32_t>, std::int32_t> values_;  // places in plan_.values
  std::size_t last_group_ = 0;                                // group of the last row_of()
};

std::int32_t DrawPlanner::values_of(std::vector<std::int32_t> values) {
  const auto [place, is_new] =
      values_.try_emplace(values, static_cast<std::int32_t>(plan_.values.size()));
  if (is_new) plan_.values.insert(plan_.values.end(), values.begin(), values.end());
  return place->second;
}

DrawPlanner::Row DrawPlanner::alike(std::int32_t num_values) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(num_values));
  std::iota(all.begin(), all.end(), 0);
  return {values_of(std::move(all)), num_values, -1, 0};
}

std::size_t DrawPlanner::group_of(std::size_t width) {
  const auto [place, is_new] = group_by_width_.try_emplace(width, groups_.size());
  if (is_new) groups_.emplace_back().scalars.resize(width);
  return place->second;
}

// Equal rows have one place.
DrawPlanner::Row DrawPlanner::row_of(const Summands& log_weights) {
  std::vector<std::int32_t> possible;
  Key key;
  for (std::size_t k = 0; k < log_weights.size(); ++k) {
    if (is_impossible(log_weights[k])) continue;
    possible.push_back(static_cast<std::int32_t>(k));
    append_key(key, log_weights[k]);
  }
  if (possible.empty()) return alike(static_cast<std::int32_t>(log_weights.size()));
  const auto width = static_cast<std::int32_t>(possible.size());
  const std::int32_t first = values_of(possible);
  if (width == 1) return {first, 1, -1, 0};
  last_group_ = group_of(possible.size());
  Group& group = groups_[last_group_];
  const auto [place, is_new] =
      group.rows.try_emplace(std::move(key), static_cast<std::int32_t>(group.rows.size()));
  for (std::size_t i = 0; is_new && i < possible.size(); ++i)
    group.scalars[i].push_back(log_weights[static_cast<std::size_t>(possible[i])]);
  return {first, width, place->second, 0};
}

// A site that has the same one value whatever the others are needs no step.
void DrawPlanner::add_step(std::int32_t site, std::span<const std::int32_t> neighbours,
                           std::span<const Row> rows, std::span<const std::size_t> groups) {
  const auto m = static_cast<std::size_t>(site);
  has_distribution_[m] = 1;
  const std::int32_t value = plan_.values[static_cast<std::size_t>(rows[0].first)];
  if (std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
        return row.width == 1 && plan_.values[static_cast<std::size_t>(row.first)] == value;
      })) {
    plan_.start[m] = value;
    return;
  }
  plan_.steps.push_back({site, plan_.rows.size(), plan_.neighbours.size(), neighbours.size()});
  plan_.rows.insert(plan_.rows.end(), rows.begin(), rows.end());
  row_groups_.insert(row_groups_.end(), groups.begin(), groups.end());
  plan_.neighbours.insert(plan_.neighbours.end(), neighbours.begin(), neighbours.end());
}

// In the reverse order of the sums.
void DrawPlanner::add(const numerics::EliminationPlan& plan, std::span<const Summands> buckets) {
  std::size_t end = buckets.size();
  std::vector<Row> rows;
  std::vector<std::size_t> groups;
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    const std::size_t begin = end - static_cast<std::size_t>(plan.table_size(step->neighbours));
    rows.clear(), groups.clear();
    for (std::size_t b = begin; b < end; ++b) {
      rows.push_back(row_of(buckets[b]));
      groups.push_back(last_group_);
    }
    add_step(step->variable, step->neighbours, rows, groups);
    end = begin;
  }
}

void DrawPlanner::add(const LoneSites& sites) {
  if (sites.possible.empty()) return;  // if the density is 0, all values are equally likely
  const auto width = static_cast<std::int32_t>(sites.possible.size());
  const std::size_t index = groups_.size();
  if (width > 1) groups_.emplace_back().vectors = sites.weights;
  for (std::size_t i = 0; i < sites.sites.size(); ++i) {
    const Row row{values_of(sites.possible), width, width > 1 ? sites.rows[i] : -1, 0};
    add_step(sites.sites[i], {}, {&row, 1}, {&index, 1});
  }
}

void DrawPlanner::add_free_sites() {
  for (std::size_t m = 0; m < has_distribution_.size(); ++m) {
    if (has_distribution_[m] != 0) continue;
    const Row row = alike(plan_.sizes[m]);
    const std::size_t none = 0;
    add_step(static_cast<std::int32_t>(m), {}, {&row, 1}, {&none, 1});
  }
}

std::pair<DrawPlan, Expr> DrawPlanner::finish() {
  std::vector<Expr> parts;
  std::vector<std::int32_t> begins, strides;
  std::int32_t size = 0;
  for (Group& group : groups_) {
    for (const Summands& numbers : group.scalars)
      group.vectors.push_back(graph::pack(graph::vector_shape(std::ssize(numbers)), numbers));
    const Shifted shifted = shifted_exps(group.vectors);
    parts.insert(parts.end(), shifted.exps.begin(), shifted.exps.end());
    begins.push_back(size);
    strides.push_back(static_cast<std::int32_t>(group.vectors[0].size()));
    size += strides.back() * static_cast<std::int32_t>(group.vectors.size());
  }
  for (std::size_t r = 0; r < plan_.rows.size(); ++r) {
    Row& row = plan_.rows[r];
    if (row.place < 0) continue;
    row.place += begins[row_groups_[r]];
    row.stride = strides[row_groups_[r]];
  }
  Expr weights = graph::fill(graph::vector_shape(0), 0.0);
  if (!parts.empty()) weights = graph::concat(graph::vector_shape(size), parts);
  return {std::move(plan_), weights};
}
}  // namespace

std::pair<DrawPlan, Expr> plan_draws(const SiteSums& sums, std::span<const std::int32_t> sizes) {
  DrawPlanner planner(sizes);
  planner.add(sums.plan, sums.buckets);
  for (const LoneSites& sites : sums.lone) planner.add(sites);
  planner.add_free_sites();
  return planner.finish();
}

const DrawPlan::Row& DrawPlan::row(const Step& step, std::span<const std::int32_t> drawn) const {
  std::size_t place = 0;
  for (std::size_t i = 0; i < step.num_neighbours; ++i) {
    const auto v = static_cast<std::size_t>(neighbours[step.first_neighbour + i]);
    place = place * static_cast<std::size_t>(sizes[v]) + static_cast<std::size_t>(drawn[v]);
  }
  return rows[step.first_row + place];
}

// ---- drawing

DiscreteDrawer::DiscreteDrawer(std::shared_ptr<const DiscreteDraws> draws,
                               const DiscreteRanges& ranges)
    : draws_(std::move(draws)),
      lower_(ranges.lower),
      drawn_(ranges.lower.size()),
      workspace_(*draws_->program, 1),
      weights_(static_cast<std::size_t>(draws_->program->output_size(0))) {
  workspace_.set_lanes(1);
  std::int32_t widest = 1;
  for (const DrawPlan::Row& row : plan().rows) widest = std::max(widest, row.width);
  of_row_.resize(static_cast<std::size_t>(widest));
}

std::span<const double> DiscreteDrawer::weights(std::span<const double> point) {
  workspace_.set_input(0, point);
  workspace_.run();
  workspace_.copy_output(0, 0, weights_);
  return weights_;
}

// Draws a value by weight; if all weights are 0, values are equally likely.
std::int32_t DiscreteDrawer::chosen(const DrawPlan::Row& row, Rng& rng) {
  const std::span values(plan().values.data() + row.first, static_cast<std::size_t>(row.width));
  if (row.width == 1) return values[0];
  const std::span of_row(of_row_.data(), values.size());
  double total = 0.0;
  for (std::int32_t i = 0; row.place >= 0 && i < row.width; ++i) {
    const auto k = static_cast<std::size_t>(i);
    of_row[k] = weights_[static_cast<std::size_t>(row.place + i * row.stride)];
    total += of_row[k];
  }
  if (!(total > 0.0)) return values[static_cast<std::size_t>(rng.index_below(row.width))];
  return values[static_cast<std::size_t>(choose_by_weight(of_row, rng.uniform()))];
}

void DiscreteDrawer::draw(std::span<const double> point, Rng& rng, std::span<double> out) {
  weights(point);
  std::copy(plan().start.begin(), plan().start.end(), drawn_.begin());
  for (const DrawPlan::Step& step : plan().steps)
    drawn_[static_cast<std::size_t>(step.site)] = chosen(plan().row(step, drawn_), rng);
  for (std::size_t m = 0; m < out.size(); ++m) out[m] = lower_[m] + drawn_[m];
}

}  // namespace credo::model
