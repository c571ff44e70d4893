#include "writer.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "../../../interceptor/core/crc32c.h"
#include "../../../interceptor/core/pack.h"
#include "../../../interceptor/core/pack_transfers.h"
#include "trace_error.h"

namespace varscope {
namespace {

// A living writer allocates space ahead of what it has committed.
constexpr size_t kSpaceAhead = 65536;

} // namespace

TraceWriter::TraceWriter(const std::string &path, const vst_header &header, uint32_t capacity)
    : file_(std::fopen(path.c_str(), "wb")), path_(path), header_(header), capacity_(capacity),
      scratch_((vst_pack_scratch_bytes(capacity) + 7) / 8), payload_(vst_pack_bound(capacity)) {
  if (file_ == nullptr)
    throw TraceError("cannot write " + path + ": " + std::strerror(errno));
  std::memcpy(header_.magic, VST_MAGIC, sizeof header_.magic);
  header_.byte_order = VST_BYTE_ORDER;
  header_.major = VST_MAJOR;
  header_.minor = VST_MINOR;
  header_.header_bytes = VST_HEADER_BYTES;
  header_.committed = 0;
  const std::vector<char> page(VST_HEADER_BYTES);
  put(page.data(), page.size());
}

TraceWriter::~TraceWriter() {
  if (file_ != nullptr)
    std::fclose(file_);
}

void TraceWriter::put(const void *data, size_t bytes) {
  if (bytes > 0)
    std::fwrite(data, 1, bytes, file_); // errors are asked for once, at the end
  header_.committed += bytes;
}

void TraceWriter::putBlock(vst_block head, const void *payload) {
  head.magic = VST_BLOCK_MAGIC;
  if (head.type != VST_BLOCK_STAGING && head.type != VST_BLOCK_COUNTS &&
      head.type != VST_BLOCK_TRANSFER_STAGING)
    head.checksum = vst_block_checksum(&head, payload);
  put(&head, sizeof head);
  put(payload, head.payload_bytes);
  const char padding[VST_ALIGN] = {};
  put(padding, (VST_ALIGN - head.payload_bytes % VST_ALIGN) % VST_ALIGN);
}

void TraceWriter::add(vst_block_type type, std::string_view head, std::string_view rest) {
  const std::string payload = std::string(head) + std::string(rest);
  vst_block block{};
  block.type = static_cast<uint16_t>(type);
  block.payload_bytes = static_cast<uint32_t>(payload.size());
  putBlock(block, payload.data());
}

void TraceWriter::addThreads(uint32_t threads) {
  for (uint32_t number = 0; number < threads; ++number) {
    Thread thread{};
    thread.counters.capacity = capacity_;
    thread.slots.resize(capacity_);
    thread.first = true;
    thread.offset = header_.committed + sizeof(vst_block);
    const std::vector<char> room(sizeof(vst_staging) + capacity_ * sizeof(vst_record));
    vst_block block{};
    block.type = VST_BLOCK_STAGING;
    block.payload_bytes = static_cast<uint32_t>(room.size());
    block.thread = number;
    putBlock(block, room.data());
    threads_.push_back(std::move(thread));
  }
}

void TraceWriter::record(uint32_t number, const vst_record &record) {
  Thread &thread = threads_[number];
  if (thread.used == capacity_)
    seal(number);
  thread.slots[thread.used++] = record;
  ++thread.counters.written;
  ++thread.counters.intercepted;
  count(number, 0, record.skipped);
}

void TraceWriter::seal(uint32_t number) {
  Thread &thread = threads_[number];
  if (thread.used == 0)
    return;
  vst_block block{};
  block.type = VST_BLOCK_FRAGMENTS;
  block.thread = number;
  block.count = thread.used;
  block.first_tick = thread.slots[0].enter;
  block.previous_exit = thread.first ? block.first_tick : thread.exit;
  block.payload_bytes = static_cast<uint32_t>(vst_pack(
      thread.slots.data(), thread.used, block.previous_exit, scratch_.data(), payload_.data()));
  putBlock(block, payload_.data());
  thread.exit = thread.slots[thread.used - 1].exit;
  thread.first = false;
  thread.used = 0;
}

void TraceWriter::transfers(uint32_t thread, const std::vector<vst_transfer> &all,
                            uint32_t perBlock, uint32_t unsealed) {
  const size_t sealed = all.size() - unsealed;
  vst_transfer_staging counters{};
  counters.written = all.size();
  counters.capacity = unsealed + 3; // some slots are not in use
  std::vector<vst_transfer> slots(all.begin() + static_cast<std::ptrdiff_t>(sealed), all.end());
  slots.resize(counters.capacity);
  std::string payload(bytesOf(counters));
  payload.append(reinterpret_cast<const char *>(slots.data()), slots.size() * sizeof slots[0]);
  vst_block block{};
  block.thread = thread;
  block.type = VST_BLOCK_TRANSFER_STAGING;
  block.payload_bytes = static_cast<uint32_t>(payload.size());
  putBlock(block, payload.data());
  std::vector<uint64_t> scratch((vst_transfers_scratch_bytes(perBlock) + 7) / 8);
  std::vector<uint8_t> packed(vst_transfers_bound(perBlock));
  for (size_t first = 0; first < sealed; first += perBlock) {
    block.type = VST_BLOCK_TRANSFERS;
    block.count = static_cast<uint32_t>(std::min<size_t>(perBlock, sealed - first));
    block.first_tick = all[first].end_record;
    block.payload_bytes = static_cast<uint32_t>(
        vst_pack_transfers(&all[first], block.count, thread, scratch.data(), packed.data()));
    putBlock(block, packed.data());
  }
}

void TraceWriter::count(uint32_t number, uint64_t lost, uint64_t sampledOut) {
  vst_staging &counters = threads_[number].counters;
  counters.lost += lost;
  counters.sampled_out += sampledOut;
  counters.intercepted += lost + sampledOut;
}

void TraceWriter::addCounts(uint32_t number, uint64_t lastExit,
                            const std::vector<vst_count> &counts) {
  vst_counts head{};
  head.capacity = static_cast<uint32_t>(counts.size());
  head.last_exit = lastExit;
  std::string payload(bytesOf(head));
  for (const vst_count &count : counts)
    payload += bytesOf(count);
  vst_block block{};
  block.type = VST_BLOCK_COUNTS;
  block.thread = number;
  block.payload_bytes = static_cast<uint32_t>(payload.size());
  putBlock(block, payload.data());
}

void TraceWriter::close(vst_process_state state) {
  const uint64_t committed = header_.committed;
  if (state != VST_FINALIZED) {
    const std::vector<char> ahead(kSpaceAhead);
    put(ahead.data(), ahead.size());
  }
  for (const Thread &thread : threads_) {
    std::fseek(file_, static_cast<long>(thread.offset), SEEK_SET);
    put(&thread.counters, sizeof thread.counters);
    put(thread.slots.data(), thread.slots.size() * sizeof(vst_record));
  }
  header_.committed = committed;
  header_.process_state = state;
  header_.fixed_checksum = vst_crc32c(0, &header_, offsetof(vst_header, committed));
  std::fseek(file_, 0, SEEK_SET);
  std::fwrite(&header_, sizeof header_, 1, file_);
  const bool failed = std::ferror(file_) != 0;
  const bool unclosed = std::fclose(file_) != 0;
  file_ = nullptr;
  if (failed || unclosed)
    throw TraceError("cannot write " + path_ + " in full");
}

} // namespace varscope
