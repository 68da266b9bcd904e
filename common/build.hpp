// Which build a program is: the version of the source, and the id that the linker gave this very file.
#pragma once

#include <string>

namespace groth16d {

// 40 hex digits from the program's own .note.gnu.build-id; "" where the linker wrote none. Two files that differ in one
// instruction have different ids, and the same source built the same way has the same.
std::string build_id();

// "0.1.0 (build 3f2a91c04d17)": what --version of every program says, and what a worker's HELLO says.
std::string version_text();

}  // namespace groth16d
