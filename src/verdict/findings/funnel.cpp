// A scale that determines the spread of other parameters, with trouble at its narrow end.
//
// Coupling: the correlation of u (a scale's logarithm) with the logarithm of the others' spread in the same draw. The
// spread of a vector is the standard deviation of its elements, that of a scalar its distance from the median. If x ~
// normal(0, s) and log s has the standard deviation d, the correlation is d / sqrt(d² + 1.2) for one x; 0.5 needs d
// near 0.65, a scale that is known to a factor of two.
//
// Trouble, without which a funnel is harmless: divergences at the narrow end (rank sum, 3 standard errors; more than
// 1 in 1000 transitions), energies that don't mix, or u that doesn't.
#include "diagnose/summary.hpp"
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::funnel_row {
namespace {
constexpr double kCoupling = 0.5, kAtTheNeck = 3.0;
constexpr double kBreaksOff = 0.001;  // share of the transitions
constexpr double kEnergy = 0.3, kRHat = 1.05, kEss = 100.0;
constexpr double kEssOfCoupling = 30.0;  // with fewer draws, a correlation of 0.5 is chance
constexpr Index kMostScales = 60, kMostElements = 40, kMostVectors = 200;

// Within chains: those that sit in different places have different spreads there, and make no
// funnel.
double correlation(const diagnose::Chains& x, const diagnose::Chains& y) {
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (Index c = 0; c < x.num_chains; ++c) {
    const auto here = x.chain(c), there = y.chain(c);
    const double mx = diagnose::mean(here), my = diagnose::mean(there);
    for (std::size_t s = 0; s < here.size(); ++s) {
      xy += (here[s] - mx) * (there[s] - my);
      xx += (here[s] - mx) * (here[s] - mx);
      yy += (there[s] - my) * (there[s] - my);
    }
  }
  return xx * yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

// log of the spread of one variable in each draw.
struct Spread {
  std::string variable;
  std::vector<double> log_spread;
};

std::vector<double> log_distance(const Case& at_hand, Index column) {
  std::vector<double> values = at_hand.draws(column).values;
  const double centre = diagnose::quantile(values, 0.5);
  const double tiny = 1e-12 * at_hand.columns[static_cast<std::size_t>(column)].sd;
  for (double& x : values) x = std::log(std::fabs(x - centre) + tiny);
  return values;
}

std::vector<double> log_sd_of_elements(const Case& at_hand, const Variable& variable) {
  const Index count = std::min(variable.count, kMostElements);
  const density::Draws draws = at_hand.evidence.draws->read(variable.first, count);
  std::vector<double> result(static_cast<std::size_t>(at_hand.num_total()));
  std::vector<double> elements(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < result.size(); ++s) {
    for (Index k = 0; k < count; ++k) elements[static_cast<std::size_t>(k)] = draws.quantity(k)[s];
    result[s] = 0.5 * std::log(diagnose::variance(elements) + 1e-300);
  }
  return result;
}

std::vector<Spread> spreads(const Case& at_hand) {
  std::vector<Spread> all;
  for (const Variable& variable : at_hand.evidence.variables) {
    if (!variable.sampled || variable.count == 0 || ssize(all) >= kMostVectors) continue;
    if (at_hand.columns[static_cast<std::size_t>(variable.first)].constant) continue;
    all.push_back({variable.name, variable.count >= 3 ? log_sd_of_elements(at_hand, variable)
                                                      : log_distance(at_hand, variable.first)});
  }
  return all;
}

struct Neck {
  Index scale = -1;
  double coupling = 0.0;
  std::string variable = {};  // variable whose spread follows
};

Neck coupling_of(const Case& at_hand, Index column, std::span<const Spread> others) {
  diagnose::ChainsCopy u = at_hand.draws(column);
  if (at_hand.columns[static_cast<std::size_t>(column)].lowest > 0.0)
    for (double& x : u.values) x = std::log(x);
  Neck best{.scale = column};
  for (const Spread& other : others) {
    if (other.variable == at_hand.variable_of(column).name) continue;
    const double r = correlation(u, {other.log_spread, at_hand.num_draws, at_hand.num_chains});
    if (std::fabs(r) > std::fabs(best.coupling)) best.coupling = r, best.variable = other.variable;
  }
  return best;
}

double least_energy_exchange(const Case& at_hand) {
  const std::vector<double>& energy = at_hand.statistic("energy");
  if (energy.empty()) return kInfinity;
  double least = kInfinity;
  for (const double value : diagnose::e_bfmi({energy, at_hand.num_draws, at_hand.num_chains}))
    least = std::min(least, std::isnan(value) ? kInfinity : value);
  return least;
}

// Why the neck matters; empty: it doesn't.
std::string trouble(const Case& at_hand, const Neck& neck) {
  const Column& column = at_hand.columns[static_cast<std::size_t>(neck.scale)];
  const std::vector<double>& marks = at_hand.statistic("divergent");
  const Index count = num_marked(marks);
  if (exceeds(count, at_hand.num_total(), kBreaksOff)) {
    const Located place = located_in(at_hand.draws(neck.scale), neck.scale, marks);
    if (place.z * neck.coupling < 0.0 && std::fabs(place.z) > kAtTheNeck)
      return counted(count, "transition") + " diverged there: they sit near " + column.name +
             " = " + number(place.median);
  }
  const double exchange = least_energy_exchange(at_hand);
  if (exchange < kEnergy) return "the energy hardly changes (E-BFMI " + number(exchange) + ")";
  if (column.ess_bulk > kEssOfCoupling && (column.r_hat > kRHat || column.ess_bulk < kEss))
    return column.name + " mixes slowly (R-hat " + r_hat_text(column.r_hat) + ", " +
           whole(column.ess_bulk) + " effective draws)";
  for (const MassCheck& check : at_hand.mass_checks())
    if (check.column == neck.scale && check.gap &&
        check.gap->misses_below() == (neck.coupling > 0.0))
      return "below " + column.name + " = " + number(check.gap->value) + " lies " +
             percent(check.gap->by_density) + " of the mass and " + percent(check.gap->by_draws) +
             " of the draws";
  return {};
}

std::vector<Index> scales(const Case& at_hand) {
  std::vector<Index> candidates;
  for (const Index k : at_hand.sampled)
    if (at_hand.variable_of(k).count <= 10) candidates.push_back(k);
  std::stable_sort(candidates.begin(), candidates.end(), [&](Index a, Index b) {
    return at_hand.columns[static_cast<std::size_t>(a)].screen >
           at_hand.columns[static_cast<std::size_t>(b)].screen;
  });
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(kMostScales)));
  return candidates;
}

// The spread follows something that is itself distributed around it, as the y of y ~ normal(x^2, w)
// is: the bend of a banana, no scale.
bool is_backwards(const Case& at_hand, const Neck& neck) {
  const auto* program = at_hand.evidence.program.get();
  return program != nullptr &&
         program->place_of_scale(neck.variable, at_hand.variable_of(neck.scale).name) &&
         !program->place_of_scale(at_hand.variable_of(neck.scale).name, neck.variable);
}

bool has_gap(const Case& at_hand) {
  const std::vector<MassCheck>& checks = at_hand.mass_checks();
  return std::any_of(checks.begin(), checks.end(),
                     [](const MassCheck& check) { return check.gap.has_value(); });
}

// True if the draws mixed well in spite of some divergences and no probability mass is known to be missing.
bool is_harmless(const Case& at_hand) {
  constexpr double kMost = 0.02;  // share of the transitions
  const Index count = num_marked(at_hand.statistic("divergent"));
  return at_hand.has_mixed_well() && !has_gap(at_hand) &&
         static_cast<double>(count) <= kMost * static_cast<double>(at_hand.num_total());
}

bool looks_ill(const Case& at_hand) {
  return exceeds(num_marked(at_hand.statistic("divergent")), at_hand.num_total(), kBreaksOff) ||
         least_energy_exchange(at_hand) < kEnergy || has_gap(at_hand) ||
         std::any_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
           const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
           return column.r_hat > kRHat || column.ess_bulk < kEss;
         });
}

std::size_t coordinate_of(const Probe& probe, const Case& at_hand, Index column) {
  const std::string& name = at_hand.columns[static_cast<std::size_t>(column)].name;
  return static_cast<std::size_t>(std::find(probe.names().begin(), probe.names().end(), name) -
                                  probe.names().begin());
}

// True if the prior couples the variable to the scale, in whatever form: the change of the log prior when both move
// isn't the sum of the changes when each moves alone. Unknown if the prior can't be evaluated separately.
std::optional<bool> is_tied_by_prior(const Case& at_hand, const Neck& neck, Index element) {
  constexpr Index kDraws = 4;
  constexpr double kRounding = 1e-8;
  const Probe* probe = at_hand.probe();
  if (probe == nullptr) return std::nullopt;
  const std::size_t s = coordinate_of(*probe, at_hand, neck.scale),
                    v = coordinate_of(*probe, at_hand, element);
  if (std::max(s, v) >= probe->names().size()) return std::nullopt;
  const auto at = [&](Index m, double along_s, double along_v) {
    std::vector<double> point = probe->point(m);
    point[s] += along_s * probe->scale(static_cast<Index>(s));
    point[v] += along_v * probe->scale(static_cast<Index>(v));
    return probe->log_prior(point);
  };
  for (Index m = 0; m < kDraws; ++m) {
    const double here = at(m, 0.0, 0.0), s_moved = at(m, 0.5, 0.0), v_moved = at(m, 0.0, 0.5);
    const double both = at(m, 0.5, 0.5), size = std::fabs(here) + std::fabs(both) + 1.0;
    if (std::isnan(here + s_moved + v_moved + both)) return std::nullopt;
    if (std::fabs(both - s_moved - v_moved + here) > kRounding * size) return true;
  }
  return false;
}

// Tests the last element of the variable, because the first one of a random walk may have its own distribution.
bool has_scale_in_its_distribution(const Case& at_hand, const Neck& neck, bool is_argument) {
  if (is_argument) return true;
  for (const Variable& variable : at_hand.evidence.variables)
    if (variable.name == neck.variable)
      return is_tied_by_prior(at_hand, neck, variable.first + variable.count - 1).value_or(false);
  return false;
}

// is_argument: the scale is an argument of the variable's density (the centred form). It decides which way
// the coordinates may still be changed; a declared multiplier is the non-centred form.
std::string remedy_of(const Case& at_hand, const Neck& neck, bool is_argument) {
  const std::string& scale = at_hand.columns[static_cast<std::size_t>(neck.scale)].name;
  const auto* program = at_hand.evidence.program.get();
  const auto* variable = program == nullptr ? nullptr : program->find_parameter(neck.variable);
  const bool is_affine =
      variable != nullptr && variable->constraint == density::ConstraintKind::affine;
  const bool is_read = program != nullptr && !program->text.empty();
  if ((is_argument && !is_affine) || !is_read)
    return "Write " + neck.variable +
           " as location + scale * z with z ~ std_normal() (the non-centred form), or declare it "
           "<offset = location, multiplier = scale>.";
  const std::string finer =
      at_hand.is_of_particles() ? kBetterPopulations : "raise --adapt-delta to 0.95 or 0.99";
  if (neck.coupling < 0.0)
    return "Where the data say much about an element the centred form suits it better: give those "
           "elements that have many data a density with the scale as its argument (theta ~ "
           "normal(location, scale)) and leave the others as they are. Also " +
           finer + ".";
  return "The program has " + neck.variable + " in coordinates without " + scale +
         " already. Give " + scale +
         " a prior that says which values are possible (an exponential or half-normal of the right "
         "size), and " +
         finer + ".";
}

Finding finding_of(const Case& at_hand, const Neck& neck, const std::string& why,
                   bool has_reached) {
  const Column& column = at_hand.columns[static_cast<std::size_t>(neck.scale)];
  Finding finding{.id = "funnel", .level = Level::bad, .parameters = {column.name, neck.variable}};
  const bool narrow_below = neck.coupling > 0.0;
  finding.text = "A funnel: " + neck.variable + " becomes narrow where " + column.name + " is " +
                 (narrow_below ? "small" : "large") + " (correlation " + number(neck.coupling) +
                 " with the logarithm of its spread), and no one step size fits both ends; " + why +
                 ". The narrow end is " +
                 (has_reached ? "hard to enter; the density was integrated along it by another "
                                "way, and the draws agree with it."
                  : is_harmless(at_hand) ? "hard to enter, and the chains have mixed all the same."
                                         : "missing from the draws.");
  const auto* program = at_hand.evidence.program.get();
  const density::Place* place =
      program == nullptr
          ? nullptr
          : program->place_of_scale(at_hand.variable_of(neck.scale).name, neck.variable);
  if (place != nullptr) finding.place = *place;
  finding.remedy = remedy_of(
      at_hand, neck, has_scale_in_its_distribution(at_hand, neck, finding.place.has_value()));
  if (!finding.place) finding.place = at_hand.place_of(neck.scale);
  return finding;
}

// The density was integrated along the scale, and the draws agree: dear draws, but right ones, and
// enough of them. Tails that agree along all that was sampled need no count.
bool has_reached_the_neck(const Case& at_hand, const Neck& neck) {
  const Column& column = at_hand.columns[static_cast<std::size_t>(neck.scale)];
  return is_cleared(at_hand, neck.scale) && column.ess_bulk > kEss && !(column.r_hat > kRHat) &&
         (column.ess_tail > kEss / 2.0 || are_all_cleared(at_hand));
}

std::vector<Finding> check(const Case& at_hand) {
  if (at_hand.sampled.size() < 2 || !looks_ill(at_hand)) return {};
  const std::vector<Spread> others = spreads(at_hand);
  Neck best;
  std::string why;
  std::vector<Neck> necks;
  for (const Index k : scales(at_hand)) {
    const Neck neck = coupling_of(at_hand, k, others);
    if (std::fabs(neck.coupling) < kCoupling || is_backwards(at_hand, neck)) continue;
    necks.push_back(neck);
    if (std::fabs(neck.coupling) < std::fabs(best.coupling)) continue;
    const std::string here = trouble(at_hand, neck);
    if (!here.empty()) best = neck, why = here;
  }
  // Trouble shows along other outputs, too; the scale is the one that the spread follows best.
  for (const Neck& neck : necks)
    if (neck.variable == best.variable && std::fabs(neck.coupling) > std::fabs(best.coupling))
      best = neck;
  if (best.scale < 0) return {};
  const bool has_reached = has_reached_the_neck(at_hand, best);
  Finding finding = finding_of(at_hand, best, why, has_reached);
  if (has_reached || is_harmless(at_hand)) finding.level = Level::note;
  return {finding};
}
}  // namespace

const FindingSpec funnel{.id = "funnel",
                         .title = "a funnel whose neck the sampler can't enter",
                         .explains = {"missing_mass", "divergences", "low_energy_exchange",
                                      "tree_depth", "not_mixed", "few_draws", "heavy_tails"},
                         .check = check};

}  // namespace credo::verdict::funnel_row
