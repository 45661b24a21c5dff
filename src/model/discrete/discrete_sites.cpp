#include "model/discrete/discrete_sites.hpp"

#include "base/error.hpp"
#include "graph/passes/part.hpp"
#include "model/discrete/site_clusters.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::model {
using graph::Expr;

namespace {
constexpr std::int32_t kMostValuesInTrees = 16;  // two of them meet in a table

// The place of each site in its step; -1: it isn't in.
std::vector<std::int32_t> places_in(const graph::Sites& sites, Index num_sites) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(num_sites), -1);
  for (std::size_t i = 0; i < sites.size(); ++i)
    places[static_cast<std::size_t>(sites[i])] = static_cast<std::int32_t>(i);
  return places;
}

// The given factors that hold sites of a step, joined by the sites they hold.
struct StepFactors {
  std::vector<numerics::Scope> scopes;       // scopes of places in the step
  std::vector<std::int32_t> factors, table;  // given ones, and into which table they are added
};
StepFactors factors_of(const graph::Sites& sites, std::span<const graph::Sites> scopes,
                       Index num_sites) {
  const std::vector<std::int32_t> places = places_in(sites, num_sites);
  StepFactors result;
  std::map<numerics::Scope, std::int32_t> index;
  for (std::size_t f = 0; f < scopes.size(); ++f) {
    numerics::Scope scope;
    for (const std::int32_t site : scopes[f]) {
      const std::int32_t place = places[static_cast<std::size_t>(site)];
      if (place >= 0) scope.push_back(place);
    }
    if (scope.empty()) continue;
    std::sort(scope.begin(), scope.end());
    const auto [entry, is_new] =
        index.try_emplace(scope, static_cast<std::int32_t>(result.scopes.size()));
    if (is_new) result.scopes.push_back(std::move(scope));
    result.factors.push_back(static_cast<std::int32_t>(f));
    result.table.push_back(entry->second);
  }
  return result;
}

Expr tables_of(const Expr& values, StepFactors factors) {
  const Index size = ssize(factors.factors);
  const Expr parts = graph::gather(graph::vector_shape(size), values, std::move(factors.factors));
  if (factors.scopes.size() == 1) return size == 1 ? parts : graph::sum(parts);
  return graph::scatter_add(graph::vector_shape(ssize(factors.scopes)), parts,
                            std::move(factors.table));
}

// Sites that meet have different colours, as few as those met before leave free: two in a forest or a grid.
std::vector<std::int32_t> colours_of(std::span<const numerics::Scope> scopes,
                                     std::size_t num_sites) {
  std::vector<std::vector<std::int32_t>> neighbours(num_sites);
  for (const numerics::Scope& scope : scopes) {
    if (scope.size() < 2) continue;
    neighbours[static_cast<std::size_t>(scope[0])].push_back(scope[1]);
    neighbours[static_cast<std::size_t>(scope[1])].push_back(scope[0]);
  }
  std::vector<std::int32_t> colours(num_sites, -1), waiting;
  const auto free_colour = [&](std::int32_t site) {
    std::set<std::int32_t> taken;
    for (const std::int32_t other : neighbours[static_cast<std::size_t>(site)])
      taken.insert(colours[static_cast<std::size_t>(other)]);
    std::int32_t colour = 0;
    while (taken.contains(colour)) ++colour;
    return colour;
  };
  for (std::size_t first = 0; first < num_sites; ++first) {
    if (colours[first] >= 0) continue;
    colours[first] = 0;
    waiting.push_back(static_cast<std::int32_t>(first));
    while (!waiting.empty()) {
      const auto at = static_cast<std::size_t>(waiting.back());
      waiting.pop_back();
      for (const std::int32_t other : neighbours[at]) {
        if (colours[static_cast<std::size_t>(other)] >= 0) continue;
        colours[static_cast<std::size_t>(other)] = free_colour(other);
        waiting.push_back(other);
      }
    }
  }
  return colours;
}

// An assignment gives a value to each colour. Those with the numbers 0 .. base² - 1 hold each pair of values of
// each pair of colours: an orthogonal array of strength two [rao1947], if there are two colours, or base + 1
// and base is a prime.
Index colour_digit(Index assignment, std::int32_t colour, Index base) {
  const Index low = assignment % base, high = assignment / base;
  if (colour == 0) return low;
  return colour == 1 ? high : (low + (colour - 1) * high) % base;
}

// The assignment that gives a colour a value and has `other` as its low digit (colour 1) or its high one.
Index with_colour_digit(Index value, std::int32_t colour, Index other, Index base) {
  if (colour == 1) return other + value * base;
  const Index shift = colour == 0 ? 0 : (colour - 1) * other % base;
  return (value + base - shift) % base + other * base;
}

Index array_base(std::int32_t most_values, std::int32_t num_colours) {
  if (num_colours <= 2) return most_values;
  const auto is_prime = [](Index n) {
    for (Index k = 2; k * k <= n; ++k)
      if (n % k == 0) return false;
    return n > 1;
  };
  Index base = std::max<Index>(most_values, num_colours - 1);
  while (!is_prime(base)) ++base;
  return base;
}
}  // namespace

DiscreteSites::DiscreteSites(graph::Traced traced, const graph::Factors& factors,
                             const DiscreteRanges& ranges, const SiteOptions& options)
    : traced_(std::move(traced)), ranges_(ranges), options_(options) {
  first_site_ = traced_.graph->node(traced_.input).shape.size() - ranges_.size();
  find_wide(factors);
  std::vector<char> apart = on_wide_;
  for (std::size_t m = 0; m < apart.size(); ++m)
    if (ranges_.num_values(m) > kMostValuesInTrees) apart[m] = 1;
  for (const SiteStep& step : steps_of(factors.scopes, apart, options_.blocks))
    add_step(step, factors);
  traced_.graph.reset();
}

void DiscreteSites::find_wide(const graph::Factors& factors) {
  on_wide_.assign(static_cast<std::size_t>(ranges_.size()), 0);
  if (factors.wide.is_constant()) return;
  wide_ = program_of(factors.wide);
  for (const std::int32_t k : inputs_of(*traced_.graph, traced_.input, {&factors.wide, 1})) {
    if (k >= first_site_) on_wide_[static_cast<std::size_t>(k - first_site_)] = 1;
  }
}

std::unique_ptr<const graph::Program> DiscreteSites::program_of(const Expr& output) const {
  const graph::Passes passes(options_.passes);
  const graph::Traced part =
      passes.run(graph::part_of(*traced_.graph, traced_.input, {&output, 1}));
  return std::make_unique<const graph::Program>(*part.graph, part.input, part.outputs,
                                                graph::ProgramOptions{.fuse = passes.has("fuse")});
}

void DiscreteSites::add_step(const SiteStep& given, const graph::Factors& factors) {
  Step step;
  step.sites = given.sites;
  step.kind = given.kind;
  StepFactors own = factors_of(given.sites, factors.scopes, ranges_.size());
  step.plan.scopes = own.scopes;
  for (const std::int32_t site : step.sites)
    step.plan.sizes.push_back(ranges_.num_values(static_cast<std::size_t>(site)));
  if (!own.scopes.empty()) step.program = program_of(tables_of(factors.values, std::move(own)));
  plan_tables(step);
  steps_.push_back(std::move(step));
}

void DiscreteSites::plan_tables(Step& step) const {
  const std::size_t n = step.sites.size();
  const bool alone = step.kind == StepKind::apart;
  step.colours = alone ? std::vector<std::int32_t>(n, 0) : colours_of(step.plan.scopes, n);
  const auto most = [](const auto& list) { return *std::max_element(list.begin(), list.end()); };
  step.base = array_base(most(step.plan.sizes), most(step.colours) + 1);
  step.num_assignments = alone ? step.base : step.base * step.base;
  if (step.kind == StepKind::forest)
    step.plan = numerics::plan_elimination(std::move(step.plan.scopes), std::move(step.plan.sizes));
  step.tables.assign(n, -1);
  std::vector<std::int32_t> at(n, 0);
  for (std::size_t f = 0; f < step.plan.scopes.size(); ++f) {
    const numerics::Scope& scope = step.plan.scopes[f];
    step.tables[static_cast<std::size_t>(scope[0])] = static_cast<std::int32_t>(f);
    if (alone) continue;
    std::vector<Index>& list = step.assignments.emplace_back();
    numerics::for_each_assignment(step.plan, scope, at,
                                  [&] { list.push_back(assignment_with(step, scope, at)); });
  }
}

// The first assignment that gives the sites of a scope these values. One digit is tried, the first site's value
// determines the other.
Index DiscreteSites::assignment_with(const Step& step, const numerics::Scope& scope,
                                     std::span<const std::int32_t> values) const {
  const auto first = static_cast<std::size_t>(scope[0]);
  for (Index digit = 0; digit < step.base; ++digit) {
    const Index assignment =
        with_colour_digit(values[first], step.colours[first], digit, step.base);
    const bool holds = std::all_of(scope.begin(), scope.end(), [&](std::int32_t v) {
      const auto k = static_cast<std::size_t>(v);
      return colour_digit(assignment, step.colours[k], step.base) == values[k];
    });
    if (holds) return assignment;
  }
  throw Error(ErrorCode::internal, "two sites of a table have one colour", "discrete sites");
}

// ---- updates

namespace {
class Updates final : public density::DiscreteUpdates {
 public:
  explicit Updates(std::shared_ptr<const DiscreteSites> sites) : sites_(std::move(sites)) {
    const Index lanes = sites_->max_lanes();
    for (const DiscreteSites::Step& step : sites_->steps()) {
      workspaces_.push_back(step.program == nullptr
                                ? nullptr
                                : std::make_unique<graph::Workspace>(*step.program, lanes));
      clusters_.push_back(
          step.kind == StepKind::clusters ? std::make_unique<SiteClusters>(step.plan) : nullptr);
    }
    if (sites_->wide() != nullptr)
      wide_ = std::make_unique<graph::Workspace>(*sites_->wide(), lanes);
  }

  Index num_steps() const override { return ssize(sites_->steps()); }
  density::SiteUpdate kind() const override { return sites_->update(); }

  void update(Index number, std::span<double> position,
              const density::ChooseByLogWeight& choose) override {
    const DiscreteSites::Step& step = sites_->steps()[static_cast<std::size_t>(number)];
    evaluate(step, workspaces_[static_cast<std::size_t>(number)].get(), position);
    switch (step.kind) {
      case StepKind::apart:
        return move_apart(step, position, [&](Index, std::span<const double> log_weights) {
          return choose(log_weights);
        });
      case StepKind::forest:
        return draw_jointly(step, position, choose);
      case StepKind::clusters:
        return draw_clusters(step, *clusters_[static_cast<std::size_t>(number)], position, choose);
    }
  }

  bool move(Index number, std::span<double> position,
            const density::MoveByLogWeight& move) override {
    const DiscreteSites::Step& step = sites_->steps()[static_cast<std::size_t>(number)];
    if (step.kind != StepKind::apart) return false;
    evaluate(step, workspaces_[static_cast<std::size_t>(number)].get(), position);
    move_apart(step, position, move);
    return true;
  }

 private:
  using Step = DiscreteSites::Step;

  void evaluate(const Step& step, graph::Workspace* workspace, std::span<const double> position);
  void move_apart(const Step& step, std::span<double> position,
                  const density::MoveByLogWeight& move);
  void draw_jointly(const Step& step, std::span<double> position,
                    const density::ChooseByLogWeight& choose);
  void draw_clusters(const Step& step, SiteClusters& clusters, std::span<double> position,
                     const density::ChooseByLogWeight& choose);
  void gather_tables(const Step& step);
  void add_wide(std::int32_t site, std::span<double> position);
  std::size_t place(std::int32_t site) const {
    return static_cast<std::size_t>(sites_->first_site() + site);
  }
  double value(std::int32_t site, std::int32_t k) const {  // the k-th, or the last there is
    const auto m = static_cast<std::size_t>(site);
    return std::min(sites_->ranges().lower[m] + k, sites_->ranges().upper[m]);
  }
  // Runs the program for assignments 0 .. count - 1: set(input, a) makes the input of a,
  // take(lane, a) has its output.
  template <class Set, class Take>
  void run(graph::Workspace& workspace, Index count, const Set& set, const Take& take);

  std::shared_ptr<const DiscreteSites> sites_;
  std::vector<std::unique_ptr<graph::Workspace>> workspaces_;  // by step
  std::vector<std::unique_ptr<SiteClusters>> clusters_;        // by step; null: it has none
  std::unique_ptr<graph::Workspace> wide_;
  std::vector<double> input_, weights_;
  std::vector<std::vector<double>> values_;  // values of the tables, by assignment
  std::vector<std::vector<double>> tables_;
  std::vector<std::int32_t> drawn_;
};

// A state at which a summand isn't a number, or is +infinity, is one at which the density refuses
// the point.
double possible(double log_weight) { return log_weight < kInfinity ? log_weight : -kInfinity; }

template <class Set, class Take>
void Updates::run(graph::Workspace& workspace, Index count, const Set& set, const Take& take) {
  Index lanes = 1;
  while (lanes < count && 2 * lanes <= sites_->max_lanes()) lanes *= 2;
  workspace.set_lanes(lanes);
  for (Index first = 0; first < count; first += lanes) {
    for (Index l = 0; l < lanes; ++l) {
      set(input_, std::min(first + l, count - 1));
      workspace.set_input(l, input_);
    }
    workspace.run();
    for (Index l = 0; l < lanes && first + l < count; ++l) take(l, first + l);
  }
}

void Updates::evaluate(const Step& step, graph::Workspace* workspace,
                       std::span<const double> position) {
  if (workspace == nullptr) return;
  input_.assign(position.begin(), position.end());
  if (ssize(values_) < step.num_assignments)
    values_.resize(static_cast<std::size_t>(step.num_assignments));
  const auto set = [&](std::vector<double>& input, Index a) {
    for (std::size_t i = 0; i < step.sites.size(); ++i)
      input[place(step.sites[i])] = value(
          step.sites[i], static_cast<std::int32_t>(colour_digit(a, step.colours[i], step.base)));
  };
  run(*workspace, step.num_assignments, set, [&](Index lane, Index a) {
    auto& values = values_[static_cast<std::size_t>(a)];
    values.resize(static_cast<std::size_t>(step.program->output_size(0)));
    workspace->copy_output(0, lane, values);
  });
}

// The site's weights at the others' values now: those of its step may have been drawn meanwhile.
void Updates::add_wide(std::int32_t site, std::span<double> position) {
  input_.assign(position.begin(), position.end());
  run(
      *wide_, ssize(weights_),
      [&](std::vector<double>& input, Index k) {
        input[place(site)] = value(site, static_cast<std::int32_t>(k));
      },
      [&](Index lane, Index k) {
        weights_[static_cast<std::size_t>(k)] += wide_->output(0, 0, lane);
      });
}

void Updates::move_apart(const Step& step, std::span<double> position,
                         const density::MoveByLogWeight& move) {
  for (std::size_t i = 0; i < step.sites.size(); ++i) {
    const std::int32_t site = step.sites[i], table = step.tables[i];
    weights_.assign(static_cast<std::size_t>(step.plan.sizes[i]), 0.0);
    for (std::size_t k = 0; table >= 0 && k < weights_.size(); ++k)
      weights_[k] = values_[k][static_cast<std::size_t>(table)];
    if (sites_->is_wide(site)) add_wide(site, position);
    for (double& w : weights_) w = possible(w);
    const bool any =
        std::any_of(weights_.begin(), weights_.end(), [](double w) { return w > -kInfinity; });
    if (!any) continue;
    const auto now = static_cast<Index>(position[place(site)]) -
                     sites_->ranges().lower[static_cast<std::size_t>(site)];
    position[place(site)] = value(site, static_cast<std::int32_t>(move(now, weights_)));
  }
}

double log_sum(std::span<const double> terms) { return numerics::log_sum_exp(terms); }

void Updates::gather_tables(const Step& step) {
  tables_.clear();
  for (std::size_t f = 0; f < step.assignments.size(); ++f) {
    auto& table = tables_.emplace_back();
    for (const Index a : step.assignments[f])
      table.push_back(possible(values_[static_cast<std::size_t>(a)][f]));
  }
}

// Forward filtering, backward sampling along the trees.
void Updates::draw_jointly(const Step& step, std::span<double> position,
                           const density::ChooseByLogWeight& choose) {
  gather_tables(step);
  const auto total = [](std::span<const double> terms) {
    return std::accumulate(terms.begin(), terms.end(), 0.0);
  };
  if (!(numerics::eliminate(step.plan, tables_, total, log_sum) > -kInfinity)) return;
  drawn_.assign(step.sites.size(), -1);
  numerics::draw_back(step.plan, tables_, drawn_, [&](std::span<double> weights) {
    return static_cast<std::int32_t>(choose(weights));
  });
  for (std::size_t i = 0; i < step.sites.size(); ++i) {
    if (drawn_[i] < 0) {  // in no factor: all values alike
      weights_.assign(static_cast<std::size_t>(step.plan.sizes[i]), 0.0);
      drawn_[i] = static_cast<std::int32_t>(choose(weights_));
    }
    position[place(step.sites[i])] = value(step.sites[i], drawn_[i]);
  }
}

void Updates::draw_clusters(const Step& step, SiteClusters& clusters, std::span<double> position,
                            const density::ChooseByLogWeight& choose) {
  gather_tables(step);
  drawn_.clear();
  for (const std::int32_t site : step.sites)
    drawn_.push_back(static_cast<std::int32_t>(position[place(site)]) -
                     sites_->ranges().lower[static_cast<std::size_t>(site)]);
  clusters.draw(tables_, drawn_, choose);
  for (std::size_t i = 0; i < step.sites.size(); ++i)
    position[place(step.sites[i])] = value(step.sites[i], drawn_[i]);
}
}  // namespace

std::unique_ptr<density::DiscreteUpdates> make_updates(std::shared_ptr<const DiscreteSites> sites) {
  return std::make_unique<Updates>(std::move(sites));
}

}  // namespace credo::model
