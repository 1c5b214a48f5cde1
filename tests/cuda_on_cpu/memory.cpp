#include "memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace on_cpu {
namespace {

// Every byte of a NaN, in both types.
constexpr int POISON = 0xff;

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

Region* first = nullptr;

}  // namespace

Region::Region(std::size_t size, std::size_t alignment) : size_(size), next_(first)
{
    const std::size_t page = page_size();
    const std::size_t inner = std::max<std::size_t>(1, (size + page - 1) / page) * page;
    pages_size_ = inner + 2 * page;
    void* const mapped = mmap(nullptr, pages_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pages_ = static_cast<unsigned char*>(mapped);
    if (mapped == MAP_FAILED || mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE) != 0) {
        std::perror("no memory for an operand");
        std::_Exit(3);
    }
    begin_ = pages_ + page + (inner - size) / alignment * alignment;
    // What lies beside it; its own bytes are for the owner to fill.
    std::memset(pages_ + page, POISON, static_cast<std::size_t>(begin_ - pages_ - page));
    std::memset(begin_ + size_, POISON, static_cast<std::size_t>(pages_ + page + inner - begin_ - size_));
    first = this;
}

Region::~Region()
{
    Region** link = &first;
    while (*link != this) {
        link = &(*link)->next_;
    }
    *link = next_;
    munmap(pages_, pages_size_);
}

void Region::poison() { std::memset(begin_, POISON, size_); }

bool Region::is_surrounded() const
{
    const std::size_t page = page_size();
    const auto is_poison = [](unsigned char byte) { return byte == POISON; };
    return std::all_of(pages_ + page, begin_, is_poison) &&
           std::all_of(begin_ + size_, pages_ + pages_size_ - page, is_poison);
}

bool is_inside(const void* begin, std::size_t size)
{
    const auto* const byte = static_cast<const unsigned char*>(begin);
    for (const Region* region = first; region; region = region->next_) {
        if (byte >= region->begin_ && byte + size <= region->begin_ + region->size_) {
            return true;
        }
    }
    return false;
}

void describe_address(const void* address, char* text, std::size_t text_size)
{
    const auto* const byte = static_cast<const unsigned char*>(address);
    for (const Region* region = first; region; region = region->next_) {
        if (byte >= region->pages_ && byte < region->pages_ + region->pages_size_) {
            std::snprintf(text, text_size, "an access at byte %td of %zu bytes", byte - region->begin_, region->size_);
            return;
        }
    }
    std::snprintf(text, text_size, "an access to memory that no operand owns");
}

}  // namespace on_cpu
