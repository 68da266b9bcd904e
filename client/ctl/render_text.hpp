// The daemon's messages for a person: aligned tables, units, a timeline drawn in characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/lib/client.hpp"

namespace groth16d::ctl {

// Columns padded to their widest cell, two blanks between them; the first row is the head.
std::string table(const std::vector<std::vector<std::string>>& rows);

// "1.5 GiB", "12 KiB", "0 B".
std::string bytes_text(std::uint64_t bytes);
// "850 ms", "12.3 s", "4 min 05 s", "3 h 20 min".
std::string duration_text(std::uint64_t milliseconds);
// "2026-01-31 23:59:59.123" in UTC, of milliseconds since the epoch.
std::string time_text(std::uint64_t wall_ms);

std::string text_of(const v1::JobStatus& job);
std::string text_of(const v1::CircuitStatus& circuit);
std::string text_of(const v1::DaemonStatus& daemon);

std::string table_of(const std::vector<v1::JobStatus>& jobs);
std::string table_of(const std::vector<v1::CircuitStatus>& circuits);
std::string table_of(const std::vector<v1::WorkerStatus>& workers);

// One line a stage: partition, stage, slot, a bar between the job's acceptance and its end, begin and length.
std::string timeline_of(const v1::JobStatus& job);

}  // namespace groth16d::ctl
