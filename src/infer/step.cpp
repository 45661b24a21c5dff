#include "infer/step.hpp"

#include <new>

namespace credo::infer {

// In front of every frame; keeps the alignment that operator new gives.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) FramePool::Header {
  FramePool* pool;
  std::size_t size;
};

FramePool::~FramePool() { ::operator delete(spare_); }

void* FramePool::allocate(FramePool* pool, std::size_t size) {
  if (pool && pool->spare_ && pool->spare_->size >= size)
    return std::exchange(pool->spare_, nullptr) + 1;
  auto* header = static_cast<Header*>(::operator new(sizeof(Header) + size));
  *header = {.pool = pool, .size = size};
  return header + 1;
}

void FramePool::release(void* frame) noexcept {
  Header* header = static_cast<Header*>(frame) - 1;
  FramePool* pool = header->pool;
  if (!pool) return ::operator delete(header);
  ::operator delete(pool->spare_);
  pool->spare_ = header;
}

}  // namespace credo::infer
