#include "model/messages/moment_blocks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace credo::model {
using density::MomentBlock;
using density::MomentFamily;
using graph::Atom;
using graph::AtomKind;

namespace {
constexpr Index kLargestNormal = 500;
constexpr std::string_view kFoundJoints = "auto";  // --join: the joint factors that fit are found

// The use that prevents a block: that of the fewest parameters, then of the first statement.
const std::pair<const Atom, AtomUse>* to_blame(const GroupUses& uses, const auto& is_fault) {
  const std::pair<const Atom, AtomUse>* worst = nullptr;
  for (const auto& entry : uses.atoms) {
    if (!is_fault(entry.first)) continue;
    const bool is_worse = worst == nullptr || entry.second.num_groups < worst->second.num_groups ||
                          (entry.second.num_groups == worst->second.num_groups &&
                           entry.second.statement < worst->second.statement);
    if (is_worse) worst = &entry;
  }
  return worst;
}

class BlockMaker {
 public:
  BlockMaker(const DeclaredParameters& declared, std::span<const GroupUses> uses,
             const density::MomentRequest& request)
      : declared_(declared), uses_(uses), request_(request) {
    result_.block_of.resize(static_cast<std::size_t>(declared.size()), -1);
    result_.place_in.resize(static_cast<std::size_t>(declared.size()), 0);
  }

  MomentBlocks make() {
    find_requests();
    is_done_.assign(declared_.all().size(), 0);
    for (std::size_t g = 0; g < declared_.all().size(); ++g) {
      if (is_done_[g] != 0) continue;
      const DeclaredParameter& p = declared_.all()[g];
      if (const std::vector<std::size_t> joint = scaled_set_of(g); !joint.empty())
        add_scaled(joint);
      else if (p.kind == DeclaredKind::real)
        add_real(g);
      else
        add_others(g);
    }
    result_.num_steps = next_step_;
    return std::move(result_);
  }

 private:
  const DeclaredParameter& parameter(std::size_t g) const { return declared_.all()[g]; }

  void find_requests() {
    if (request_.join == std::vector<std::string>{std::string(kFoundJoints)}) return find_joints();
    std::vector<std::string> names;
    for (const DeclaredParameter& p : declared_.all()) names.push_back(p.name);
    for (const std::string& text : request_.join) {
      std::vector<std::size_t>& set = joined_.emplace_back();
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('+', begin), text.size());
        const std::string name = text.substr(begin, end - begin);
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
          throw Error(ErrorCode::usage, fmt::format("the program has no parameter {}", name),
                      "join", "--join takes names of parameters joined by +, as in --join mu+tau");
        set.push_back(static_cast<std::size_t>(found - names.begin()));
        begin = end + 1;
      }
    }
  }

  // A scale with the real numbers that every term multiplies by it, and by no other.
  void find_joints() {
    for (std::size_t s = 0; s < declared_.all().size(); ++s) {
      if (!is_scale(s) || fault_of_scale(s) != nullptr) continue;
      std::vector<std::size_t> set;
      for (std::size_t h = 0; h < declared_.all().size(); ++h) {
        const auto& scales = uses_[h].scales;
        if (scales && *scales == std::set{s} && fits_scale(h, s)) set.push_back(h);
      }
      if (set.empty()) continue;
      set.push_back(s);
      joined_.push_back(std::move(set));
    }
  }

  // Adds a block; its step is the next one if the step isn't given.
  MomentBlock& add(std::string name, MomentFamily family, std::vector<Index> values,
                   Index num_statistics, Index step) {
    MomentBlock block{.name = std::move(name), .family = family, .values = std::move(values)};
    block.first = result_.num_statistics;
    block.num_statistics = num_statistics;
    block.step = step;
    for (std::size_t k = 0; k < block.values.size(); ++k) {
      const auto v = static_cast<std::size_t>(block.values[k]);
      result_.block_of[v] = ssize(result_.blocks);
      result_.place_in[v] = static_cast<Index>(k);
    }
    result_.num_statistics += num_statistics;
    next_step_ = std::max(next_step_, step + 1);
    for (const DeclaredParameter& p : declared_.all()) {
      const bool has_it = std::ranges::any_of(
          block.values, [&](Index v) { return v >= p.first && v < p.first + p.size; });
      if (has_it) block.parameters.push_back(p.name);
    }
    result_.blocks.push_back(std::move(block));
    return result_.blocks.back();
  }

  [[noreturn]] void refuse(std::size_t g, const Atom& atom, std::int32_t statement,
                           const std::string& hint) const {
    throw NoFamily{
        g, fmt::format("has no conjugate family with {}", atom_name(atom, parameter(g).name)), hint,
        statement};
  }

  // ---- real numbers

  void require_real(std::size_t g) const {
    const auto* fault = to_blame(uses_[g], [](const Atom& a) {
      return a.kind != AtomKind::pair &&
             (a.kind != AtomKind::power || (a.power != 1.0 && a.power != 2.0));
    });
    if (fault == nullptr) return;
    refuse(g, fault->first, fault->second.statement,
           "the density must be a quadratic function of a number without bounds: write it as the "
           "location "
           "of a normal outcome, or declare it positive and give it a gamma prior");
  }

  // Parameters that meet, directly or through others.
  std::vector<std::size_t> meeting(std::size_t g) const {
    std::vector<std::size_t> set{g};
    std::vector<char> is_in(uses_.size(), 0);
    is_in[g] = 1;
    const auto join = [&](std::size_t h) {
      if (is_in[h] != 0 || is_done_[h] != 0 || parameter(h).kind != DeclaredKind::real) return;
      if (std::ranges::any_of(set, [&](std::size_t k) { return uses_[h].apart.contains(k); }))
        return;
      is_in[h] = 1;
      set.push_back(h);
    };
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (!request_.separate)
        for (const std::size_t h : uses_[set[k]].meets) join(h);
      for (const auto& joined : joined_)
        if (std::ranges::find(joined, set[k]) != joined.end())
          for (const std::size_t h : joined) join(h);
    }
    std::ranges::sort(set);
    return set;
  }

  void add_real(std::size_t g) {
    std::vector<std::size_t> set = meeting(g);
    Index size = 0;
    bool has_cross = set.size() > 1;
    for (const std::size_t h : set) {
      require_real(h);
      size += parameter(h).size;
      has_cross = has_cross || uses_[h].has_cross;
    }
    if (has_cross && size > kLargestNormal && set.size() > 1 && !uses_[g].has_cross) {
      set = {g};  // too many for one factor: each has its own
      size = parameter(g).size;
      has_cross = false;
    }
    for (const std::size_t h : set) is_done_[h] = 1;
    if (!has_cross || request_.separate) return add_independent(set, has_cross);
    if (size > kLargestNormal)
      throw NoFamily{
          g,
          fmt::format("has {} values that meet in products, and a joint factor has at most {}",
                      size, kLargestNormal),
          "add --separate for a factor for each value, or use --method normal", 0};
    std::vector<Index> values;
    std::string name;
    for (const std::size_t h : set) {
      name += (name.empty() ? "" : "+") + parameter(h).name;
      for (Index k = 0; k < parameter(h).size; ++k) values.push_back(parameter(h).first + k);
    }
    const Index n = ssize(values);
    add(name, MomentFamily::normal, std::move(values), n + n * n, next_step_);
  }

  // A factor for each value; values that meet move one after the other.
  void add_independent(std::span<const std::size_t> set, bool meet) {
    for (const std::size_t h : set) {
      const Index step = next_step_;
      for (Index k = 0; k < parameter(h).size; ++k)
        add(parameter(h).elements[static_cast<std::size_t>(k)], MomentFamily::normal,
            {parameter(h).first + k}, 2, meet ? next_step_ : step);
    }
  }

  // ---- normal values whose precision is scaled by a positive one

  bool is_scale(std::size_t g) const {
    return parameter(g).kind == DeclaredKind::positive || parameter(g).kind == DeclaredKind::matrix;
  }
  std::vector<std::size_t> scaled_set_of(std::size_t g) const {
    for (const auto& joined : joined_)
      if (std::ranges::find(joined, g) != joined.end() &&
          std::ranges::count_if(joined, [&](std::size_t h) { return is_scale(h); }) == 1)
        return joined;
    return {};
  }

  // One factor for each value or matrix of the scale, with as many values of each other parameter.
  void add_scaled(const std::vector<std::size_t>& set) {
    const std::size_t scale =
        *std::ranges::find_if(set, [&](std::size_t h) { return is_scale(h); });
    require_scale(scale);
    const Index count = parameter(scale).num_units();
    for (const std::size_t h : set) require_joined(h, scale, count);
    const Index step = next_step_;
    for (Index u = 0; u < count; ++u) add_scaled_unit(set, scale, u, step);
  }

  bool fits_scale(std::size_t h, std::size_t scale) const {
    const DeclaredParameter& p = parameter(scale);
    const Index count = p.num_units();
    return p.kind == DeclaredKind::matrix ? parameter(h).size == count * p.unit
                                          : parameter(h).size % count == 0;
  }

  void require_joined(std::size_t h, std::size_t scale, Index count) {
    if (is_done_[h] != 0)
      throw NoFamily{h, "is joined twice", "name each parameter once in --join", 0};
    is_done_[h] = 1;
    if (h == scale) return;
    if (parameter(h).kind != DeclaredKind::real)
      throw NoFamily{h, "can't be joined",
                     "--join takes numbers without bounds, and one positive number or matrix that "
                     "scales their precision",
                     0};
    require_real(h);
    if (!fits_scale(h, scale))
      throw NoFamily{h,
                     fmt::format("has {} values, which {} {} can't share", parameter(h).size, count,
                                 count == 1 ? "scale" : "scales"),
                     "join parameters of one size", 0};
  }

  void add_scaled_unit(const std::vector<std::size_t>& set, std::size_t scale, Index unit,
                       Index step) {
    const DeclaredParameter& s = parameter(scale);
    const Index count = s.num_units(), size = s.kind == DeclaredKind::matrix ? s.unit * s.unit : 1;
    std::vector<Index> values;
    std::string name;
    for (const std::size_t h : set) {
      name += (name.empty() ? "" : "+") + parameter(h).name;
      const Index own = parameter(h).size / count;
      for (Index k = 0; h != scale && k < own; ++k)
        values.push_back(parameter(h).first + unit * own + k);
    }
    const Index n = ssize(values);
    for (Index k = 0; k < size; ++k) values.push_back(s.first + unit * size + k);
    if (count > 1) name += fmt::format("[{}]", unit + 1);
    if (s.kind == DeclaredKind::matrix)
      add(name, MomentFamily::normal_wishart, std::move(values), 1 + 3 * n * n, step);
    else
      add(name, MomentFamily::normal_gamma, std::move(values), 2 + n + n * n, step);
  }

  const std::pair<const Atom, AtomUse>* fault_of_scale(std::size_t g) const {
    const AtomKind logarithm =
        parameter(g).kind == DeclaredKind::matrix ? AtomKind::log_det : AtomKind::log;
    return to_blame(uses_[g], [&](const Atom& a) { return a != Atom{} && a.kind != logarithm; });
  }

  void require_scale(std::size_t g) const {
    const auto* fault = fault_of_scale(g);
    if (fault != nullptr)
      refuse(g, fault->first, fault->second.statement,
             "a joint factor needs a precision: normal(mu, inv_sqrt(tau)) with a gamma prior on "
             "tau, or multi_normal_prec(mu, Lambda) with a Wishart prior");
  }

  // ---- all others

  void add_others(std::size_t g) {
    is_done_[g] = 1;
    switch (parameter(g).kind) {
      case DeclaredKind::positive:
        return add_positive(g);
      case DeclaredKind::unit:
        return add_elements(g, MomentFamily::beta, 1.0, 2, {AtomKind::log, AtomKind::log1m},
                            "a probability needs a beta prior and Bernoulli or binomial outcomes");
      case DeclaredKind::simplex:
        return add_units(
            g, MomentFamily::dirichlet, {AtomKind::log},
            "a simplex needs a Dirichlet prior and categorical or multinomial outcomes");
      case DeclaredKind::matrix:
        return add_matrix(g);
      default:
        return add_whole(g);
    }
  }

  void require_kinds_of(std::size_t g, std::initializer_list<AtomKind> kinds,
                        const std::string& hint) const {
    const auto* fault = to_blame(
        uses_[g], [&](const Atom& a) { return std::ranges::find(kinds, a.kind) == kinds.end(); });
    if (fault != nullptr) refuse(g, fault->first, fault->second.statement, hint);
  }

  void add_elements(std::size_t g, MomentFamily family, double power, Index num_statistics,
                    std::initializer_list<AtomKind> kinds, const std::string& hint) {
    require_kinds_of(g, kinds, hint);
    const std::vector<Index> steps = steps_of(g);
    for (Index k = 0; k < parameter(g).size; ++k)
      add(parameter(g).elements[static_cast<std::size_t>(k)], family, {parameter(g).first + k},
          num_statistics, steps[static_cast<std::size_t>(k)])
          .power = power;
  }

  // Values that meet have different steps, by colours.
  std::vector<Index> steps_of(std::size_t g) const {
    std::vector<Index> steps;
    for (Index k = 0; k < parameter(g).size; ++k) {
      std::set<Index> taken;
      const auto found =
          uses_[g].neighbours.find(static_cast<std::int32_t>(parameter(g).first + k));
      if (found != uses_[g].neighbours.end())
        for (const std::int32_t other : found->second)
          if (const Index j = other - parameter(g).first; j < k)
            taken.insert(steps[static_cast<std::size_t>(j)]);
      Index step = next_step_;
      while (taken.contains(step)) ++step;
      steps.push_back(step);
    }
    return steps;
  }

  void add_positive(std::size_t g) {
    require_kinds_of(g, {AtomKind::power, AtomKind::log},
                     "a positive number has its powers and its logarithm");
    std::vector<double> powers;
    for (const auto& [atom, use] : uses_[g].atoms)
      if (atom.kind == AtomKind::power) powers.push_back(atom.power);
    const std::string hint = fmt::format(
        "a prior that fits: gamma for a precision, as normal(mu, inv_sqrt({0})), inv_gamma for a "
        "variance, as normal(mu, sqrt({0}))",
        parameter(g).name);
    if (powers.empty())
      throw NoFamily{g, "enters the density only by its logarithm, so it has no proper factor",
                     hint, uses_[g].atoms.empty() ? 0 : uses_[g].atoms.begin()->second.statement};
    const bool is_pair = powers.size() == 2 && powers[0] == -powers[1];
    if (powers.size() > 1 && !is_pair) {
      const auto* fault =
          to_blame(uses_[g], [](const Atom& a) { return a.kind == AtomKind::power; });
      refuse(g, fault->first, fault->second.statement, hint);
    }
    add_elements(g, is_pair ? MomentFamily::power_gig : MomentFamily::power_gamma, powers.back(),
                 is_pair ? 3 : 2, {AtomKind::power, AtomKind::log}, hint);
  }

  void add_units(std::size_t g, MomentFamily family, std::initializer_list<AtomKind> kinds,
                 const std::string& hint) {
    require_kinds_of(g, kinds, hint);
    const DeclaredParameter& p = parameter(g);
    const Index step = next_step_;
    const bool is_matrix = family != MomentFamily::dirichlet;
    const Index size = is_matrix ? p.unit * p.unit : p.unit;
    for (Index u = 0; u < p.num_units(); ++u) {
      std::vector<Index> values;
      for (Index k = 0; k < size; ++k) values.push_back(p.first + u * size + k);
      add(p.num_units() > 1 ? fmt::format("{}[{}]", p.name, u + 1) : p.name, family,
          std::move(values), size + (is_matrix ? 1 : 0), step);
    }
  }

  void add_matrix(std::size_t g) {
    const std::string hint =
        "a precision matrix of multi_normal_prec needs a Wishart prior, a covariance of "
        "multi_normal an inv_wishart prior";
    const auto* fault = to_blame(
        uses_[g], [](const Atom& a) { return a.kind == AtomKind::power && a.power != 1.0; });
    if (fault != nullptr) refuse(g, fault->first, fault->second.statement, hint);
    const bool is_inverse = std::ranges::any_of(
        uses_[g].atoms, [](const auto& entry) { return entry.first.kind == AtomKind::inverse; });
    const AtomKind own = is_inverse ? AtomKind::inverse : AtomKind::power;
    add_units(g, is_inverse ? MomentFamily::inv_wishart : MomentFamily::wishart,
              {own, AtomKind::log_det}, hint);
  }

  void add_whole(std::size_t g) {
    const DeclaredParameter& p = parameter(g);
    const Index n = p.upper - p.lower + 1;
    add_elements(g, MomentFamily::categorical, 1.0, n, {AtomKind::one_hot},
                 "a label chooses among elements");
    for (MomentBlock& block : result_.blocks) {
      if (block.family != MomentFamily::categorical || block.num_categories > 0) continue;
      block.lower = p.lower;
      block.num_categories = n;
    }
  }

  const DeclaredParameters& declared_;
  std::span<const GroupUses> uses_;
  const density::MomentRequest& request_;
  std::vector<std::vector<std::size_t>> joined_;
  std::vector<char> is_done_;
  MomentBlocks result_;
  Index next_step_ = 0;
};
}  // namespace

MomentBlocks moment_blocks(const DeclaredParameters& declared, std::span<const GroupUses> uses,
                           const density::MomentRequest& request) {
  return BlockMaker(declared, uses, request).make();
}

std::string atom_name(const Atom& atom, const std::string& of) {
  switch (atom.kind) {
    case AtomKind::power:
      return atom.power == 1.0 ? of : fmt::format("{}^{}", of, atom.power);
    case AtomKind::log:
      return fmt::format("log({})", of);
    case AtomKind::log1m:
      return fmt::format("log(1 - {})", of);
    case AtomKind::pair:
      return fmt::format("products of {}", of);
    case AtomKind::log_det:
      return fmt::format("log |{}|", of);
    case AtomKind::inverse:
      return fmt::format("the inverse of {}", of);
    default:
      return fmt::format("each value of {}", of);
  }
}

}  // namespace credo::model
