// The gradient of a quadratic function at 0 and at the unit vectors gives h and P. A coordinate whose own slope isn't a line is a site of
// the prior. A row that depends on s = aᵀ f alone has the gradient g'(s) a at all points: one gradient gives a, values along a give the
// form of g. Values at random points prove the whole.
#include "infer/augment/block_reader.hpp"

#include <fmt/format.h>

#include "base/stream.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kBlockProofs = stream("augment.proofs");
constexpr double kSameBlock = 1e-9;  // relative to the sizes of the terms
constexpr std::array kBlockSpreads = {0.3, 1.0, 1.0, 3.0, 0.1};
constexpr std::size_t kRowsAtOnce = 128;
// Distances of points along a line, on both sides: places and widths of functions aren't known before.
constexpr std::array kLineSteps = {0.0, 0.0013, 0.011, 0.05, 0.17, 0.6,   1.9,
                                   5.0, 13.0,   31.0,  90.,  260., 1100.0};

density::Query part_of(const density::Model& model, density::Terms terms, Index batch) {
  density::Query query = model.query();
  query.terms = terms;
  query.batch = batch;
  return query;
}

std::vector<double> line_places() {
  std::vector<double> places;
  for (const double step : kLineSteps) {
    places.push_back(step);
    if (step > 0.0) places.push_back(-step);
  }
  std::ranges::sort(places);
  return places;
}

bool is_straight(std::span<const FormPoint> points) {
  const FormPoint &a = points.front(), &b = points.back();
  const double rate = (b.slope - a.slope) / (b.s - a.s);
  return std::ranges::all_of(points, [&](const FormPoint& p) {
    const double size = std::abs(a.slope) + std::abs(p.slope) + std::abs(rate * p.s) + 1e-12;
    return std::abs(a.slope + rate * (p.s - a.s) - p.slope) <= kSameBlock * size;
  });
}
}  // namespace

// ---- parts

BlockReader::BlockReader(const BlockPlan& plan)
    : plan_(plan),
      prior_(plan.model->asking(
          part_of(*plan.model, plan.has_prior ? density::Terms::prior : density::Terms::all, 0))) {
  if (!plan.has_prior) return;
  likelihood_ = std::make_unique<BlockPoints>(
      plan.model->asking(part_of(*plan.model, density::Terms::likelihood, 0)));
  rows_ = std::make_unique<BlockPoints>(
      plan.model->asking(part_of(*plan.model, density::Terms::likelihood, 1)));
}

Index BlockReader::num_evaluations() const {
  return prior_.num_evaluations() + (likelihood_ ? likelihood_->num_evaluations() : 0) +
         (rows_ ? rows_->num_evaluations() : 0);
}

bool BlockReader::refuse(std::string why) {
  why_not_ = std::move(why);
  return false;
}

bool BlockReader::find_prior(std::span<const double> position, BlockForm& form) {
  form = empty_form();
  if (!read_axes(position, form)) return false;
  std::vector<Index> bent;
  for (const BlockSite& site : form.sites) bent.push_back(site.places.front());
  if (!read_quadratic(prior_, position, bent, form)) return false;
  return holds(prior_, position, form) ||
         refuse("the prior is neither normal in them nor a product of functions of single values");
}

bool BlockReader::find_likelihood(std::span<const double> position, BlockForm& form) {
  form = empty_form();
  return read_quadratic(*likelihood_, position, {}, form) && holds(*likelihood_, position, form);
}

bool BlockReader::find_rows(std::span<const double> position, BlockForm& form) {
  form = empty_form();
  const Index num_rows = plan_.model->num_rows() / std::max<Index>(rows_->num_rows(), 1);
  for (Index row = 0; row < num_rows; ++row)
    if (!read_row(position, row, form)) return false;
  return holds(*likelihood_, position, form) ||
         refuse("rows of the likelihood depend on more than one linear combination of them");
}

// `bent`: places of the block whose own terms are sites.
bool BlockReader::read_quadratic(BlockPoints& points, std::span<const double> position,
                                 std::span<const Index> bent, BlockForm& form) {
  points.begin(position, plan_.inner, size() + 1);
  for (std::size_t d = 0; d < size(); ++d) points.value_of(d + 1, plan_.inner[d]) = 1.0;
  points.evaluate(false);
  const auto is_bent = [&](Index d) { return std::ranges::find(bent, d) != bent.end(); };
  for (std::size_t i = 0; i <= size(); ++i)
    if (!points.is_finite(i)) return refuse("the density is 0 where they are 0 or 1");
  for (Index e = 0; e < ssize(plan_.inner); ++e) {
    const Index coordinate = plan_.inner[static_cast<std::size_t>(e)];
    const double here = points.slope(0, coordinate);
    if (!is_bent(e)) form.shift[static_cast<std::size_t>(e)] += here;
    for (Index d = 0; d < ssize(plan_.inner); ++d)
      if (!(d == e && is_bent(d)))
        form.precision(e, d) += here - points.slope(static_cast<std::size_t>(d + 1), coordinate);
  }
  for (Index i = 0; i < form.precision.rows; ++i)
    for (Index j = 0; j < i; ++j)
      form.precision(i, j) = form.precision(j, i) =
          0.5 * (form.precision(i, j) + form.precision(j, i));
  return true;
}

// Coordinates along which the prior isn't normal.
bool BlockReader::read_axes(std::span<const double> position, BlockForm& form) {
  const std::vector<double> places = line_places();
  std::vector<FormPoint> line(places.size());
  for (Index d = 0; d < ssize(plan_.inner); ++d) {
    const Index coordinate = plan_.inner[static_cast<std::size_t>(d)];
    prior_.begin(position, plan_.inner, places.size());
    for (std::size_t i = 0; i < places.size(); ++i) prior_.value_of(i, coordinate) = places[i];
    prior_.evaluate(false);
    bool is_finite = true;
    for (std::size_t i = 0; i < places.size(); ++i) {
      line[i] = {places[i], prior_.log_density(i), prior_.slope(i, coordinate)};
      is_finite = is_finite && prior_.is_finite(i);
    }
    if (is_finite && is_straight(line)) continue;
    BlockSite site{.places = {d}, .weights = {1.0}};
    if (is_finite) site.form = match_augmentation(line, site.numbers);
    if (site.form == nullptr)
      return refuse(
          fmt::format("the distribution of {} given the rest isn't normal, Laplace's or Student's",
                      plan_.model->free_names()[static_cast<std::size_t>(coordinate)]));
    form.sites.push_back(std::move(site));
  }
  return true;
}

// The sites that the plan has, with the numbers that they have here.
bool BlockReader::read_prior_again(std::span<const double> position, BlockForm& form) {
  form = empty_form();
  form.sites = plan_.prior.sites;
  std::vector<Index> bent;
  for (BlockSite& site : form.sites) {
    bent.push_back(site.places.front());
    const Index coordinate = plan_.inner[static_cast<std::size_t>(bent.back())];
    const std::vector<double> places = site.form->places(site.numbers);
    prior_.begin(position, plan_.inner, places.size());
    for (std::size_t i = 0; i < places.size(); ++i) prior_.value_of(i, coordinate) = places[i];
    prior_.evaluate(false);
    std::vector<FormPoint> line;
    for (std::size_t i = 0; i < places.size(); ++i)
      line.push_back({places[i], prior_.log_density(i), prior_.slope(i, coordinate)});
    if (!site.form->match(line, site.numbers)) return false;
  }
  return read_quadratic(prior_, position, bent, form);
}

// ---- rows

// The row's direction from a gradient, its form from values along that.
bool BlockReader::read_row(std::span<const double> position, Index row, BlockForm& form) {
  Rng rng({.seed = 1, .purpose = kBlockProofs, .iteration = static_cast<std::uint32_t>(row)});
  constexpr std::size_t kTries = 3;
  rows_->begin(position, plan_.inner, kTries);
  for (std::size_t i = 0; i < kTries; ++i) {
    rows_->set_row(i, row);
    for (const Index d : plan_.inner)
      rows_->value_of(i, d) = i == 0 ? 0.0 : std::pow(0.2, double(i)) * rng.normal();
  }
  rows_->evaluate(true);
  BlockSite site{.places = {}, .weights = {}, .row = row};
  for (std::size_t i = 0; i < kTries && site.places.empty(); ++i)
    for (Index d = 0; d < ssize(plan_.inner); ++d)
      if (const double g = rows_->slope(i, plan_.inner[static_cast<std::size_t>(d)]);
          g != 0.0 && std::isfinite(g))
        site.places.push_back(d), site.weights.push_back(g);
  if (site.places.empty()) return true;  // the row doesn't depend on them; holds() proves it
  if (!read_line(position, site))
    return refuse(
        fmt::format("row {} of the likelihood isn't a probit outcome, nor normal, Laplace's "
                    "or Student's, in a linear combination of them",
                    row + 1));
  form.sites.push_back(std::move(site));
  return true;
}

// The form of a site from values along its direction, whose largest weight becomes 1.
bool BlockReader::read_line(std::span<const double> position, BlockSite& site) {
  const std::vector<double> places = line_places();
  double largest = 0.0, square = 0.0;
  for (const double weight : site.weights)
    if (std::abs(weight) > std::abs(largest)) largest = weight;
  for (double& weight : site.weights) weight /= largest, square += weight * weight;
  rows_->begin(position, plan_.inner, places.size());
  for (std::size_t i = 0; i < places.size(); ++i) lay_point(i, site, places[i]);
  rows_->evaluate(true);
  std::vector<FormPoint> line;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double slope = 0.0;
    for (std::size_t k = 0; k < site.places.size(); ++k)
      slope += rows_->slope(i, plan_.inner[static_cast<std::size_t>(site.places[k])]) *
               site.weights[k] / square;
    // The gradient may be no number if another row of the same statement loses its tail.
    if (std::isfinite(slope)) line.push_back({places[i], rows_->log_density(i), slope});
  }
  if (line.size() < 4) return false;
  site.form = match_augmentation(line, site.numbers);
  return site.form != nullptr;
}

// Direction and numbers of each row, from few points along its old direction; from nothing where these don't show them.
bool BlockReader::read_rows_again(std::span<const double> position, BlockForm& form) {
  for (std::size_t first = 0; first < form.sites.size(); first += kRowsAtOnce) {
    const auto some =
        std::span(form.sites).subspan(first, std::min(kRowsAtOnce, form.sites.size() - first));
    std::vector<std::vector<double>> places;
    std::size_t count = 0;
    for (const BlockSite& site : some)
      places.push_back(site.form->places(site.numbers)), count += places.back().size();
    rows_->begin(position, plan_.inner, count);
    std::size_t point = 0;
    for (std::size_t i = 0; i < some.size(); ++i)
      for (const double s : places[i]) lay_point(point++, some[i], s);
    rows_->evaluate(true);
    std::vector<std::size_t> unread;
    point = 0;
    for (std::size_t i = 0; i < some.size(); point += places[i++].size())
      if (!renew(some[i], point, places[i])) unread.push_back(i);
    for (const std::size_t i : unread) {
      BlockForm again;
      if (!read_row(position, some[i].row, again) || again.sites.empty() ||
          again.sites.front().form != some[i].form)
        return refuse(fmt::format("row {} of the likelihood has another form", some[i].row + 1));
      some[i] = std::move(again.sites.front());
    }
  }
  return true;
}

void BlockReader::lay_point(std::size_t point, const BlockSite& site, double s) {
  double square = 0.0;
  for (const double weight : site.weights) square += weight * weight;
  rows_->set_row(point, site.row);
  for (std::size_t k = 0; k < site.places.size(); ++k)
    rows_->value_of(point, plan_.inner[static_cast<std::size_t>(site.places[k])]) =
        s * site.weights[k] / square;
}

// From the evaluated points of a site, which lie along its old direction.
bool BlockReader::renew(BlockSite& site, std::size_t first, std::span<const double> places) {
  const std::vector<double> old = site.weights;
  const auto slope_at = [&](std::size_t i, std::size_t k) {
    return rows_->slope(first + i, plan_.inner[static_cast<std::size_t>(site.places[k])]);
  };
  double most = 0.0, square = 0.0, old_square = 0.0, product = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double largest = 0.0;
    for (std::size_t k = 0; k < old.size(); ++k)
      if (std::abs(slope_at(i, k)) > std::abs(largest)) largest = slope_at(i, k);
    if (!(std::abs(largest) > most) || !std::isfinite(largest)) continue;
    most = std::abs(largest);
    for (std::size_t k = 0; k < old.size(); ++k) site.weights[k] = slope_at(i, k) / largest;
  }
  if (most == 0.0) return false;
  for (std::size_t k = 0; k < old.size(); ++k) {
    square += site.weights[k] * site.weights[k], old_square += old[k] * old[k];
    product += site.weights[k] * old[k];
  }
  std::vector<FormPoint> line;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double slope = 0.0;
    for (std::size_t k = 0; k < old.size(); ++k) slope += slope_at(i, k) * site.weights[k] / square;
    if (!std::isfinite(slope)) return false;
    line.push_back({places[i] * product / old_square, rows_->log_density(first + i), slope});
  }
  std::ranges::sort(line, {}, &FormPoint::s);
  return site.form->match(line, site.numbers);
}

// ---- proof

bool BlockReader::holds(BlockPoints& points, std::span<const double> position,
                        const BlockForm& form) {
  Rng rng({.seed = 1, .purpose = kBlockProofs});
  BlockForm with_factors{form.precision, form.shift, {}};
  const std::vector<double> origin(size(), 0.0);
  for (const BlockSite& site : form.sites)
    add_site(site, site.form->draw(site.numbers, site.along(origin), rng), with_factors);
  points.begin(position, plan_.inner, kBlockSpreads.size() + 1);
  std::vector<std::vector<double>> f(kBlockSpreads.size() + 1, origin);
  for (std::size_t i = 1; i < f.size(); ++i)
    for (std::size_t d = 0; d < size(); ++d) {
      const double p = with_factors.precision(static_cast<Index>(d), static_cast<Index>(d));
      f[i][d] = kBlockSpreads[i - 1] * rng.normal() * (p > 0.0 ? 1.0 / std::sqrt(p) : 1.0);
      points.value_of(i, plan_.inner[d]) = f[i][d];
    }
  points.evaluate(false);
  const BlockForm::Value first = form.at(f[0]);
  std::size_t num_compared = 0;
  for (std::size_t i = 1; i < f.size(); ++i) {
    const BlockForm::Value own = form.at(f[i]);
    if (!points.is_finite(i)) continue;  // the program may lose a far tail
    ++num_compared;
    const double given = points.log_density(i) - points.log_density(0);
    const double size = 1.0 + own.size + first.size + std::abs(points.log_density(i)) +
                        std::abs(points.log_density(0));
    if (!(std::abs(own.log_density - first.log_density - given) <=
          kSameBlock * size + own.rounding + first.rounding))
      return false;
  }
  return 2 * num_compared > kBlockSpreads.size();
}

// ---- the form at a position

const BlockForm& BlockReader::read(std::span<const double> position) {
  if (has_whole_ && plan_.is_fixed()) return whole_;
  bool is_read = true;
  if (plan_.is_prior_fixed)
    prior_form_ = plan_.prior;
  else
    is_read = read_prior_again(position, prior_form_) || find_prior(position, prior_form_);
  if (plan_.is_likelihood_fixed) {
    likelihood_form_ = plan_.likelihood;
  } else if (plan_.uses_rows) {
    likelihood_form_ = plan_.likelihood;
    is_read = is_read && read_rows_again(position, likelihood_form_);
  } else {
    likelihood_form_ = empty_form();
    is_read = is_read && read_quadratic(*likelihood_, position, {}, likelihood_form_);
  }
  if (!is_read) refuse_position();
  whole_ = prior_form_;
  if (plan_.has_prior) {
    add_form(likelihood_form_, whole_);
    whole_.sites.insert(whole_.sites.end(), likelihood_form_.sites.begin(),
                        likelihood_form_.sites.end());
  }
  has_whole_ = true;
  return whole_;
}

void BlockReader::refuse_position() const {
  throw Error(ErrorCode::evaluation,
              "the density of the block given the other values has another form here than where it "
              "was recognised: " +
                  why_not_,
              "gibbs", "take the sampler nuts, or name a smaller block");
}

}  // namespace credo::infer
