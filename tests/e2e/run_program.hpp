// Running a program to its end, as a user's shell does, and keeping what it said.
#pragma once

#include <string>
#include <vector>

namespace groth16d::e2e {

struct Outcome {
  int exit_code = -1;  // 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

// The path of one of this build's programs.
std::string program(const std::string& name);

// argv[0] is a path. Nothing of this process's descriptors is inherited but what a shell gives.
Outcome run_program(const std::vector<std::string>& argv);

// groth16ctl with these arguments.
Outcome ctl(std::vector<std::string> arguments);

}  // namespace groth16d::e2e
