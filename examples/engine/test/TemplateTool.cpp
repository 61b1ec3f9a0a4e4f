// Renders templates: a line {"template": …, "variables": {…}} in, a line {"text": …} or
// {"error": …} out.
#include "Json.h"
#include "jinja/FromJson.h"
#include "jinja/Template.h"

#include <iostream>

using namespace engine;

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto given = nlohmann::ordered_json::parse(line);
    Json answer;
    const auto parsed = jinja::Template::parse(given["template"].get<std::string>());
    if (!parsed) {
      answer["error"] = parsed.error().text;
    } else {
      const auto text = parsed->render(*jinja::fromJson(given["variables"]).dict());
      answer[text ? "text" : "error"] = text ? *text : text.error().text;
    }
    std::cout << dump(answer) << std::endl;
  }
}
