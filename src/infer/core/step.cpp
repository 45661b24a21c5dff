#include "infer/core/step.hpp"

#include <new>

namespace credo::infer {

// In front of every frame; keeps the alignment that operator new gives.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) FramePool::Header {
  FramePool* pool;
  std::size_t size;
  Header* next;
};

FramePool::~FramePool() {
  while (spare_) ::operator delete(std::exchange(spare_, spare_->next));
}

void* FramePool::allocate(FramePool* pool, std::size_t size) {
  for (Header** spare = pool ? &pool->spare_ : nullptr; spare && *spare; spare = &(*spare)->next)
    if ((*spare)->size >= size && (*spare)->size < 2 * size)
      return std::exchange(*spare, (*spare)->next) + 1;
  auto* header = static_cast<Header*>(::operator new(sizeof(Header) + size));
  *header = {.pool = pool, .size = size, .next = nullptr};
  return header + 1;
}

void FramePool::release(void* frame) noexcept {
  Header* header = static_cast<Header*>(frame) - 1;
  FramePool* pool = header->pool;
  if (!pool) return ::operator delete(header);
  header->next = std::exchange(pool->spare_, header);
}

}  // namespace credo::infer
