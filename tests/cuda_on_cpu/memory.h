// Memory between two pages that nobody may touch.
#pragma once

#include <cstddef>

namespace on_cpu {

// `size` bytes that end as close to an inaccessible page as their alignment allows; the bytes of the pages that do
// not belong to them hold NaNs and are watched.
class Region {
public:
    explicit Region(std::size_t size, std::size_t alignment = 16);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    unsigned char* begin() const { return begin_; }
    std::size_t size() const { return size_; }
    // Fills all of it with NaNs.
    void poison();
    // Whether the bytes around it are as they were.
    bool is_surrounded() const;

private:
    friend bool is_inside(const void* begin, std::size_t size);
    friend void describe_address(const void* address, char* text, std::size_t text_size);

    unsigned char* pages_;
    std::size_t pages_size_;
    unsigned char* begin_;
    std::size_t size_;
    Region* next_;
};

// Whether these bytes belong to one operand, or to shared memory.
bool is_inside(const void* begin, std::size_t size);

// Says where an address lies that could not be accessed.
void describe_address(const void* address, char* text, std::size_t text_size);

}  // namespace on_cpu
