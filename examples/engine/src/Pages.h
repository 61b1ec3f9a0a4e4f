//===- Pages.h - Who has which page of the KV cache ----------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

class PageAllocator {
public:
  explicit PageAllocator(int count);
  int count() const { return int(isTaken.size()); }
  int free() const { return int(list.size()); }
  std::optional<int32_t> take();
  /// False, without any effect, for a page that is not taken.
  [[nodiscard]] bool release(int32_t page);

private:
  std::vector<int32_t> list;
  std::vector<bool> isTaken;
};

/// Pages of one sequence, released with it.
class PageList {
public:
  explicit PageList(PageAllocator &allocator) : allocator(&allocator) {}
  PageList(const PageList &) = delete;
  PageList &operator=(const PageList &) = delete;
  ~PageList() { clear(); }

  /// Takes pages until there are `count`; takes none where there are not enough.
  [[nodiscard]] bool grow(int count);
  void clear();
  std::span<const int32_t> pages() const { return list; }

private:
  PageAllocator *allocator;
  std::vector<int32_t> list;
};

} // namespace engine
