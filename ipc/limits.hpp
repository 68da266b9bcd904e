// How large a message may be. ZMQ_MAXMSGSIZE bounds one frame and disconnects its sender; the receiving code bounds the
// number of a message's frames and their sum.
#pragma once

#include <cstddef>

namespace groth16d::ipc {

inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxFrames = 80;                           // 65 MiB in frames of 1 MiB, and the head
inline constexpr std::size_t kMaxMessageBytes = std::size_t{65} << 20;  // 64 MiB of inline payload, and its body

}  // namespace groth16d::ipc
