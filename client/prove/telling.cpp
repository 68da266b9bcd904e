#include "client/prove/telling.hpp"

#include <iostream>

namespace groth16d::client {

using Json = nlohmann::ordered_json;

void print_json(const Json& value) { std::cout << value.dump(2, ' ', false, Json::error_handler_t::replace) << '\n'; }

void say_as(const std::string& program, const std::string& line) { std::cerr << program << ": " << line << '\n'; }

void tell_error(const std::string& program, const Error& error, bool json) {
  if (json) print_json({{"error", {{"code", to_string(error.code)}, {"name", error.name}, {"text", error.text}}}});
  say_as(program, error.text + " [" + error.name + "]");
}

}  // namespace groth16d::client
