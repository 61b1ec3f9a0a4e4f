#include "Pages.h"

#include <cassert>

namespace engine {

PageAllocator::PageAllocator(int count) : isTaken(size_t(count)) {
  for (int32_t page = count; page-- != 0;)
    list.push_back(page);
}

std::optional<int32_t> PageAllocator::take() {
  if (list.empty())
    return std::nullopt;
  const int32_t page = list.back();
  list.pop_back();
  isTaken[size_t(page)] = true;
  return page;
}

bool PageAllocator::release(int32_t page) {
  if (page < 0 || page >= count() || !isTaken[size_t(page)])
    return false;
  isTaken[size_t(page)] = false;
  list.push_back(page);
  return true;
}

bool PageList::grow(int count) {
  const int missing = count - int(list.size());
  if (missing > allocator->free())
    return false;
  for (int i = 0; i < missing; ++i)
    list.push_back(*allocator->take());
  return true;
}

void PageList::clear() {
  for (int32_t page : list) {
    [[maybe_unused]] const bool wasTaken = allocator->release(page);
    assert(wasTaken);
  }
  list.clear();
}

} // namespace engine
