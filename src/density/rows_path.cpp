#include "density/rows_path.hpp"

#include "base/error.hpp"
#include "density/model.hpp"

namespace credo::density {
namespace {
constexpr std::int32_t kFirstReason = 1 << 24;  // more than a program has checks
constexpr std::size_t kMostKept = 32;           // densities of a path
constexpr std::size_t kMostKeptByThread = 4;    // evaluators

std::unique_ptr<LogDensity> of_first_rows(const Model& posterior, Index count, Index num_rows) {
  Query query = posterior.query();
  query.without.resize(static_cast<std::size_t>(num_rows - count));
  std::iota(query.without.begin(), query.without.end(), count);
  return posterior.asking(query);
}

constexpr Index kOneRow = 1;
Query of_likelihood_by_row() { return {.terms = Terms::likelihood, .batch = kOneRow}; }
}  // namespace

Capability can_leave_rows(const LogDensity& posterior) {
  const Model* model = posterior.as_model();
  if (model == nullptr)
    return {.can = false,
            .reason = "the log density doesn't report them",
            .hint = "write it as a Stan program that states how the data are distributed: y ~ ..."};
  if (model->query() != Query{})
    return {.can = false,
            .reason = "only a part of the program's terms is used",
            .hint = "use all terms"};
  const std::vector<double> origin(static_cast<std::size_t>(model->dimension()), 0.0);
  const Capability can = model->can({.without = {0}}, origin);
  if (!can.can || model->num_rows() > 0) return can;
  return {.can = false,
          .reason = "the program has none",
          .hint = "state how the data are distributed: y ~ ..."};
}

Capability can_weigh_rows(const LogDensity& posterior) {
  if (const Capability can = can_leave_rows(posterior); !can.can) return can;
  const Model& model = *posterior.as_model();
  const std::vector<double> origin(static_cast<std::size_t>(model.dimension()), 0.0);
  if (const Capability can = model.can(of_likelihood_by_row(), origin); !can.can) return can;
  if (model.asking(of_likelihood_by_row())->num_rows() == kOneRow) return {};
  return {.can = false,
          .reason = "more than one statement has rows",
          .hint = "state the likelihood in one statement"};
}

// Requests of one number of rows are a batch; batches of several numbers come where several chains ask at once.
class RowsPath::Evaluating final : public Evaluator {
 public:
  explicit Evaluating(const RowsPath& path)
      : path_(path), whole_(path.posterior_.make_evaluator()) {}

  void evaluate(Want want, std::span<Request* const> batch) override {
    if (want == Want::pointwise) return whole_->evaluate(want, batch);
    CREDO_ASSERT(want == Want::value || want == Want::gradient, "a path has values and gradients");
    waiting_.clear();
    for (Request* request : batch)
      if (request->rows.empty())
        waiting_.push_back(request);
      else
        weigh_rows(want, *request);
    while (!waiting_.empty()) {
      const double rows = waiting_.front()->weight;
      const auto others = std::stable_partition(
          waiting_.begin(), waiting_.end(), [&](const Request* r) { return r->weight == rows; });
      const auto count = static_cast<std::size_t>(others - waiting_.begin());
      evaluate_at(static_cast<Index>(rows), want, std::span(waiting_).first(count));
      waiting_.erase(waiting_.begin(), others);
    }
  }
  void use_threads(Index num_threads) override { whole_->use_threads(num_threads); }

 private:
  struct Kept {
    Index count;
    Shared density;  // destroyed after its evaluator
    std::unique_ptr<Evaluator> evaluator;
  };

  void evaluate_at(Index count, Want want, std::span<Request* const> batch) {
    if (count == path_.num_rows_) return whole_->evaluate(want, batch);
    const Kept& kept = at(count);
    kept.evaluator->evaluate(want, batch);
    for (Request* request : batch)
      if (!request->status.ok()) request->status = path_.renumbered(kept.density, request->status);
  }
  void weigh_rows(Want want, Request& request) {
    evaluate_at(0, want, std::span<Request* const>(std::array{&request}));
    if (!request.status.ok()) return;
    if (row_ == nullptr) row_density_ = path_.of_one_row(), row_ = row_density_->make_evaluator();
    const std::size_t count = request.rows.size() / 2, n = request.gradient.size();
    gradients_.resize(count * n);
    parts_.assign(count, {});
    asked_.clear();
    for (std::size_t j = 0; j < count; ++j) {
      parts_[j].position = request.position;
      parts_[j].rows = request.rows.subspan(j, 1);
      parts_[j].weight = request.rows[count + j];
      parts_[j].gradient = std::span(gradients_).subspan(j * n, n);
      asked_.push_back(&parts_[j]);
    }
    row_->evaluate(want, asked_);
    for (const Request& part : parts_) {
      if (!part.status.ok()) {
        request.status = path_.renumbered(row_density_, part.status);
        request.log_density = -kInfinity;
        return;
      }
      request.log_density += part.log_density;
      for (std::size_t d = 0; d < n; ++d) request.gradient[d] += part.gradient[d];
    }
  }
  const Kept& at(Index count) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& kept) { return kept.count == count; });
    if (found != kept_.end()) return *found;
    if (kept_.size() == kMostKeptByThread) kept_.erase(kept_.begin());
    auto density = path_.of_rows(count);
    auto evaluator = density->make_evaluator();
    kept_.push_back({count, std::move(density), std::move(evaluator)});
    return kept_.back();
  }

  const RowsPath& path_;
  std::unique_ptr<Evaluator> whole_;
  std::vector<Kept> kept_;
  std::vector<Request*> waiting_;
  Shared row_density_;  // destroyed after its evaluator
  std::unique_ptr<Evaluator> row_;
  std::vector<double> gradients_;
  std::vector<Request> parts_;
  std::vector<Request*> asked_;
};

RowsPath::RowsPath(const LogDensity& prior, const LogDensity& posterior)
    : prior_(prior), posterior_(posterior), num_rows_(posterior.num_rows()) {
  CREDO_ASSERT(num_rows_ > 0, "a path of rows has rows");
}
RowsPath::~RowsPath() = default;

std::unique_ptr<Evaluator> RowsPath::make_evaluator() const {
  return std::make_unique<Evaluating>(*this);
}

std::string RowsPath::describe(const Status& status) const {
  if (status.source < kFirstReason) return posterior_.describe(status);
  const std::lock_guard lock(mutex_);
  const Reason& reason = reasons_[static_cast<std::size_t>(status.source - kFirstReason)];
  Status own = status;
  own.source = reason.source;
  return reason.density->describe(own);
}

Status RowsPath::renumbered(const Shared& density, const Status& status) const {
  const std::string kind = density->describe({.source = status.source});
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(reasons_, kind, &Reason::kind);
  if (found == reasons_.end())
    found = reasons_.insert(reasons_.end(), {kind, density, status.source});
  Status reported = status;
  reported.source = kFirstReason + static_cast<std::int32_t>(found - reasons_.begin());
  return reported;
}

RowsPath::Shared RowsPath::of_one_row() const {
  const std::lock_guard lock(mutex_);
  if (one_row_ == nullptr) one_row_ = posterior_.as_model()->asking(of_likelihood_by_row());
  return one_row_;
}

RowsPath::Shared RowsPath::of_rows(Index count) const {
  CREDO_ASSERT(count >= 0 && count < num_rows_, "a path of rows ends at the last one");
  if (count == 0) return {std::shared_ptr<const void>(), &prior_};
  const std::lock_guard lock(mutex_);
  for (const auto& [number, density] : last_asked_)
    if (number == count) return density;
  if (last_asked_.size() == kMostKept) last_asked_.erase(last_asked_.begin());
  last_asked_.emplace_back(count, of_first_rows(*posterior_.as_model(), count, num_rows_));
  return last_asked_.back().second;
}

}  // namespace credo::density
