// A request as JSON, which a result keeps, so that predictions read new tables as the fit read its own.
#include "io/json_reader.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "models/regression/regression.hpp"

namespace credo::models {

std::string to_json(const RegressionRequest& request) {
  io::JsonWriter json;
  json.object("formula", request.formula, "family", request.family, "link", request.link, "preset",
              request.preset, "priors", request.priors, "centred", request.centred, "nonlinear",
              request.nonlinear, "data", request.data.text());
  return json.text();
}

RegressionRequest parse_request(std::string_view text, const std::string& source) {
  const io::JsonValue json = io::parse_json_value(text, source);
  const auto word = [&](const char* name) {
    const io::JsonValue* value = json.find(name);
    return value == nullptr ? std::string() : value->as_string(name);
  };
  RegressionRequest request{.formula = word("formula"),
                            .family = word("family"),
                            .link = word("link"),
                            .preset = word("preset")};
  if (const io::JsonValue* priors = json.find("priors"))
    request.priors = priors->as_strings("priors");
  if (const io::JsonValue* centred = json.find("centred")) request.centred = centred->truth;
  if (const io::JsonValue* nonlinear = json.find("nonlinear")) request.nonlinear = nonlinear->truth;
  request.data = io::parse_data_recipe(word("data"));
  return request;
}

}  // namespace credo::models
