#include "infer/core/far_evaluators.hpp"

#include "base/archive.hpp"
#include "infer/core/batch_dealer.hpp"

namespace credo::infer {
namespace {
using density::Request;
using density::Want;

// A batch on its way, and its answers: numbers one after another, as the processor has them.
struct FarQuestion {
  Index want = 0, size = 0;
  std::vector<double> positions = {}, weights = {};
  static void saved(auto& self, auto&& field) {
    field(self.want);
    field(self.size);
    field(self.positions);
    field(self.weights);
  }
};
struct FarAnswer {
  RankFailure failure = {};
  std::vector<double> values = {};     // for each point: log density, log ratio, dropped
  std::vector<double> gradients = {};  // if they were requested
  std::vector<Index> refused = {};     // points
  static void saved(auto& self, auto&& field) {
    field(self.failure);
    field(self.values);
    field(self.gradients);
    field(self.refused);
  }
};
constexpr Index kValues = 3;

FarQuestion question_of(Want want, FarEvaluators::Batch batch) {
  FarQuestion question{.want = static_cast<Index>(want), .size = ssize(batch)};
  for (const Request* request : batch) {
    question.positions.insert(question.positions.end(), request->position.begin(),
                              request->position.end());
    question.weights.push_back(request->weight);
  }
  return question;
}

// The points of a question in a helper's memory.
struct FarPoints {
  FarQuestion question;
  std::vector<double> gradients;
  std::vector<Request> requests;
  std::vector<Request*> batch;

  FarPoints(FarQuestion asked, std::size_t dimension) : question(std::move(asked)) {
    const auto size = static_cast<std::size_t>(question.size);
    const bool with_gradient = static_cast<Want>(question.want) == Want::gradient;
    gradients.resize(with_gradient ? size * dimension : 0);
    requests.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      Request& request = requests[i];
      request.position = std::span(question.positions).subspan(i * dimension, dimension);
      if (with_gradient) request.gradient = std::span(gradients).subspan(i * dimension, dimension);
      request.weight = question.weights[i];
      batch.push_back(&request);
    }
  }

  FarAnswer answer() {
    FarAnswer answer{.gradients = std::move(gradients)};
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Request& request = requests[i];
      answer.values.insert(answer.values.end(),
                           {request.log_density, request.log_ratio, request.dropped});
      if (!request.status.ok()) answer.refused.push_back(static_cast<Index>(i));
    }
    return answer;
  }
};

void put(const FarAnswer& answer, FarEvaluators::Batch batch, std::vector<Request*>& refused) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Request& request = *batch[i];
    const double* const values = answer.values.data() + i * static_cast<std::size_t>(kValues);
    request.log_density = values[0];
    request.log_ratio = values[1];
    request.dropped = values[2];
    request.status = {};
    const std::size_t length = request.gradient.size();
    if (!answer.gradients.empty())
      std::copy_n(answer.gradients.data() + i * length, length, request.gradient.begin());
  }
  for (const Index i : answer.refused) refused.push_back(batch[static_cast<std::size_t>(i)]);
}
}  // namespace

FarEvaluators::~FarEvaluators() {
  for (Index helper = first_; helper < end_; ++helper) ranks_.send(helper, RankTag::request, "");
}

bool FarEvaluators::can_ask(Want want, Batch batch) {
  if (want != Want::value && want != Want::gradient) return false;
  return std::all_of(batch.begin(), batch.end(),
                     [](const Request* request) { return request->rows.empty(); });
}

FarEvaluators::Batch FarEvaluators::send(Want want, Batch batch) {
  const Index size = ssize(batch), num_parts = count() + 1;
  const auto part = [&](Index k) {
    const Index begin = size * k / num_parts, end = size * (k + 1) / num_parts;
    return batch.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  sent_.clear();
  for (Index k = 1; k < num_parts; ++k) {
    sent_.push_back({want, part(k)});
    ranks_.send(first_ + k - 1, RankTag::request, archived(question_of(want, part(k))));
  }
  return part(0);
}

std::vector<Request*> FarEvaluators::receive() {
  std::vector<Request*> refused;
  RankFailure failure;
  for (Index k = 0; k < count(); ++k) {
    const Sent& sent = sent_[static_cast<std::size_t>(k)];
    const Ranks::Message message = credo::receive(ranks_, first_ + k, RankTag::answer);
    const auto answer = from_archive<FarAnswer>(message.bytes, "answer of a rank");
    if (answer.failure.code != 0)
      failure = answer.failure;
    else
      put(answer, sent.batch, refused);
  }
  if (failure.code != 0) throw error_of(failure);
  return refused;
}

Index help_evaluate(Ranks& ranks, Index leader, const density::LogDensity& density,
                    Index num_threads) {
  BatchDealer dealer(density, num_threads);
  Index num_points = 0;
  for (;;) {
    const Ranks::Message message = receive(ranks, leader, RankTag::request);
    if (message.bytes.empty()) return num_points;
    FarAnswer answer;
    try {
      FarPoints points(from_archive<FarQuestion>(message.bytes, "question of a rank"),
                       static_cast<std::size_t>(density.dimension()));
      if (!points.batch.empty())
        dealer.evaluate(static_cast<Want>(points.question.want), points.batch);
      num_points += points.question.size;
      answer = points.answer();
    } catch (...) {
      answer.failure = failure_of(std::current_exception());
    }
    ranks.send(leader, RankTag::answer, archived(answer));
  }
}

}  // namespace credo::infer
