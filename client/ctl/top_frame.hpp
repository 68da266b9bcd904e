// One frame of `groth16ctl top`: a daemon's status as lines that fit a screen. Pure: what is drawn depends on nothing
// else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/lib/client.hpp"

namespace groth16d::ctl {

struct FrameSize {
  std::size_t columns = 100;
  std::size_t rows = 1000;  // enough for everything
};

// The budget as a bar of `columns` marks: one letter a kind of buffer (i w a k r o p), '-' for what is reserved and not
// allocated yet, '.' for what is free. A kind with any bytes shows at least one mark where there is room.
std::string budget_bar(const v1::DaemonStatus& daemon, std::size_t columns);

// Buffers by kind (rows) and stage (columns): count and bytes, with sums. "" where there are none.
std::string table_of_buffers(const v1::DaemonStatus& daemon);

// Lines without their ends, at most size.rows of at most size.columns characters; workers are cut last.
std::vector<std::string> frame_of(const v1::DaemonStatus& daemon, FrameSize size);

}  // namespace groth16d::ctl
