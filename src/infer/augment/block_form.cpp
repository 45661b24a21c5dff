#include "infer/augment/block_form.hpp"

#include <fmt/format.h>

#include "base/stream.hpp"
#include "infer/augment/block_reader.hpp"
#include "infer/core/kernel_options.hpp"
#include "infer/gibbs/site_sweep.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kBlockStarts = stream("augment.starts");
constexpr Index kMostBlockValues = 1000;  // matrices have their square
constexpr int kPlaces = 3;  // places of the other coordinates at which a block is tried
}  // namespace

BlockForm::Value BlockForm::at(std::span<const double> f) const {
  Value value;
  const auto add = [&](double term) { value.log_density += term, value.size += std::abs(term); };
  for (std::size_t d = 0; d < f.size(); ++d) {
    add(shift[d] * f[d]);
    double product = 0.0, terms = 0.0;
    for (std::size_t e = 0; e < f.size(); ++e) {
      const double term = precision(static_cast<Index>(d), static_cast<Index>(e)) * f[e];
      product += term, terms += std::abs(term);
    }
    value.log_density -= 0.5 * f[d] * product;
    value.size += 0.5 * std::abs(f[d]) * terms;
  }
  for (const BlockSite& site : sites) {
    const double log_g = site.form->log_g(site.numbers, site.along(f));
    add(log_g);
    if (site.form->is_probability) value.rounding += rounding_of_tail(log_g);
  }
  return value;
}

bool BlockForm::has_fixed_precision() const {
  return std::ranges::all_of(sites,
                             [](const BlockSite& site) { return site.form->has_fixed_precision; });
}

void add_site(const BlockSite& site, const LatentFactor& factor, BlockForm& into) {
  for (std::size_t j = 0; j < site.places.size(); ++j) {
    into.shift[static_cast<std::size_t>(site.places[j])] += factor.shift * site.weights[j];
    for (std::size_t k = 0; k < site.places.size(); ++k)
      into.precision(site.places[j], site.places[k]) +=
          factor.precision * site.weights[j] * site.weights[k];
  }
}

void add_form(const BlockForm& part, BlockForm& into) {
  for (std::size_t k = 0; k < part.precision.values.size(); ++k)
    into.precision.values[k] += part.precision.values[k];
  for (std::size_t d = 0; d < part.shift.size(); ++d) into.shift[d] += part.shift[d];
}

// ---- the search for a block

namespace {
bool agree(double a, double b) { return std::abs(a - b) <= 1e-11 * (std::abs(a) + std::abs(b)); }

bool same_form(const BlockForm& a, const BlockForm& b) {
  const auto all_agree = [](const auto& x, const auto& y) {
    return std::ranges::equal(x, y, [](double p, double q) { return agree(p, q); });
  };
  return all_agree(a.precision.values, b.precision.values) && all_agree(a.shift, b.shift) &&
         std::ranges::equal(a.sites, b.sites, [&](const BlockSite& x, const BlockSite& y) {
           return x.row == y.row && x.form == y.form && x.places == y.places &&
                  all_agree(x.weights, y.weights) && all_agree(x.numbers, y.numbers);
         });
}

class BlockSearch {
 public:
  explicit BlockSearch(const density::Model& model, std::string_view algorithm)
      : model_(model), algorithm_(algorithm), layout_(model.continuous()) {
    for (int k = 0; k < kPlaces; ++k) places_.push_back(draw_place(k));
    const density::Query rows{.terms = density::Terms::likelihood, .batch = 1};
    has_prior_ = model.can({.terms = density::Terms::prior}, places_[0]).can &&
                 model.can({.terms = density::Terms::likelihood}, places_[0]).can &&
                 model.can(rows, places_[0]).can;
  }

  // The block with as many variables as possible; each that can't join leaves its reason.
  BlockPlan find() {
    std::vector<Index> all(layout_.variables().size());
    std::iota(all.begin(), all.end(), Index{0});
    if (auto whole = plan_of(all)) return std::move(*whole);
    std::optional<BlockPlan> best;
    std::vector<Index> chosen;
    for (const Index variable : all) {
      chosen.push_back(variable);
      if (auto plan = plan_of(chosen)) {
        best = std::move(plan);
      } else {
        reasons_.push_back(layout_.variables()[static_cast<std::size_t>(variable)].name + ": " +
                           why_not_);
        chosen.pop_back();
      }
    }
    if (best) return std::move(*best);
    refuse(
        fmt::format("no parameter has a normal distribution given the rest and a latent value ({})",
                    fmt::join(reasons_, "; ")));
  }
  BlockPlan of(std::string_view names) {
    std::vector<Index> chosen;
    for (std::size_t at = 0; at <= names.size();) {
      const std::size_t end = std::min(names.find(',', at), names.size());
      std::string name(names.substr(at, end - at));
      std::erase(name, ' ');
      const auto variable = layout_.find_variable(name);
      if (!variable)
        throw Error(ErrorCode::usage, fmt::format("there is no parameter '{}'", name), "block",
                    "name parameters of the program, joined by commas");
      chosen.push_back(*variable);
      at = end + 1;
    }
    std::ranges::sort(chosen);
    if (auto plan = plan_of(chosen)) return std::move(*plan);
    refuse(fmt::format("{} has no normal distribution given the rest and a latent value: {}", names,
                       why_not_));
  }

 private:
  // A position with a finite gradient.
  std::vector<double> draw_place(int number) const {
    Rng rng({.seed = 1, .purpose = kBlockStarts, .iteration = static_cast<std::uint32_t>(number)});
    const auto evaluator = model_.make_evaluator();
    const auto n = static_cast<std::size_t>(model_.dimension());
    std::vector<double> position(n), gradient(n);
    for (int tries = 0; tries < 100; ++tries) {
      if (const auto start = model_.draw_start(rng, 1.0); start && tries % 2 == 1)
        position = start->position;
      else
        for (double& x : position) x = rng.uniform(-1.0, 1.0) / (1.0 + 0.1 * tries);
      density::Request request{.position = position, .gradient = gradient, .status = {}};
      density::Request* batch[] = {&request};
      evaluator->evaluate(density::Want::gradient, batch);
      if (request.status.ok()) return position;
    }
    throw Error(ErrorCode::evaluation, "no point with a finite density was found in 100 tries",
                std::string(algorithm_),
                "see credo diagnose for the statements that refuse points");
  }

  std::optional<BlockPlan> plan_of(std::span<const Index> variables) {
    BlockPlan plan;
    plan.model = &model_, plan.has_prior = has_prior_;
    std::vector<char> is_inner(static_cast<std::size_t>(layout_.size()), 0);
    for (const Index v : variables) {
      plan.names.push_back(layout_.variables()[static_cast<std::size_t>(v)].name);
      const Index size = layout_.variables()[static_cast<std::size_t>(v)].size();
      for (Index k = 0; k < size; ++k) is_inner[static_cast<std::size_t>(layout_.first(v) + k)] = 1;
    }
    for (Index d = 0; d < layout_.size(); ++d)
      (is_inner[static_cast<std::size_t>(d)] != 0 ? plan.inner : plan.outer).push_back(d);
    if (ssize(plan.inner) > kMostBlockValues) {
      why_not_ = fmt::format("{} values are more than {}", plan.inner.size(), kMostBlockValues);
      return std::nullopt;
    }
    BlockReader reader(plan);
    if (!is_found(reader, plan)) {
      why_not_ = reader.why_not();
      return std::nullopt;
    }
    return plan;
  }

  // At all places; whether the parts are the same there is kept.
  bool is_found(BlockReader& reader, BlockPlan& plan) const {
    if (!reader.find_prior(places_[0], plan.prior)) return false;
    plan.is_prior_fixed = plan.is_likelihood_fixed = true;
    if (plan.has_prior) {
      plan.uses_rows = !reader.find_likelihood(places_[0], plan.likelihood);
      if (plan.uses_rows && !reader.find_rows(places_[0], plan.likelihood)) return false;
    }
    for (std::size_t k = 1; k < places_.size() && !plan.outer.empty(); ++k) {
      BlockForm prior, likelihood;
      if (!reader.find_prior(places_[k], prior)) return false;
      plan.is_prior_fixed = plan.is_prior_fixed && same_form(plan.prior, prior);
      if (!plan.has_prior) continue;
      if (plan.uses_rows ? !reader.find_rows(places_[k], likelihood)
                         : !reader.find_likelihood(places_[k], likelihood))
        return false;
      plan.is_likelihood_fixed = plan.is_likelihood_fixed && same_form(plan.likelihood, likelihood);
    }
    return true;
  }

  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(ErrorCode::usage, message, std::string(algorithm_),
                "credo sample --sampler nuts takes any program, and --method lbfgs climbs on any");
  }

  const density::Model& model_;
  std::string_view algorithm_;
  density::Layout layout_;
  std::vector<std::vector<double>> places_;
  bool has_prior_ = false;
  std::vector<std::string> reasons_;
  std::string why_not_;
};
}  // namespace

BlockPlan find_block(const density::LogDensity& density, std::string_view names,
                     std::string_view algorithm) {
  require_continuous(density, algorithm);
  const density::Model* model = density.as_model();
  if (model == nullptr || model->query().terms != density::Terms::all || !model->has_gradient())
    throw Error(ErrorCode::usage, "it reads the terms of a program, and this density isn't one",
                std::string(algorithm), "take a sampler that needs evaluations only, as nuts");
  BlockSearch search(*model, algorithm);
  return names.empty() ? search.find() : search.of(names);
}

}  // namespace credo::infer
