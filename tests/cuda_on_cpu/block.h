// One block of CUDA threads on one CPU thread: what a kernel may ask of its block.
//
// Every CUDA thread is a fiber with a stack of its own. They run one after the other, each until it waits; blocks
// take turns between ascending and descending order, so that a missing barrier shows in one of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace on_cpu {

struct Dim3 {
    unsigned int x, y, z;
};

// Ends the launch with a message; fibers that are on their way are given up.
[[noreturn]] __attribute__((format(printf, 1, 2))) void fault(const char* format, ...);

// `__syncthreads`: all threads of the block that have not left.
void block_barrier(int line);

// `__syncwarp`: the lanes of the mask, which must exist and not have left.
void warp_barrier(unsigned int mask, int line);

// `__shfl_down_sync` on the bits of a value; a lane whose source lies outside its segment keeps its own.
std::uint64_t shuffle_down(unsigned int mask, std::uint64_t bits, unsigned int offset, int width, int line);

// `__shfl_sync` on the bits of a value: those of a lane of the own segment.
std::uint64_t shuffle_from(unsigned int mask, std::uint64_t bits, unsigned int source, int width, int line);

// `__ballot_sync`: which lanes of the mask say yes.
unsigned int ballot(unsigned int mask, bool is_yes, int line);

// Dynamic shared memory of the running block: poisoned with NaNs when the block starts, a fault beyond its end.
unsigned char* shared_memory();

// The 32-bit address of a byte of shared memory, and back.
std::size_t shared_address(const void* pointer);
unsigned char* shared_pointer(unsigned int address, unsigned int n_bytes, const char* what);

// Lets the other threads run while this one asks again and again; a fault if that is all that ever happens.
void poll(const char* what);

// Something happened that a polling thread may wait for.
void progressed();

// Index of the running thread, and the bounds of its warp inside the block.
unsigned int thread_number();
unsigned int warp_begin();
unsigned int warp_end();

using Body = void (*)(const void* launch);

// Runs `body(launch)` in `n_threads` threads for every block of a grid; the fault that ended it, or null.
const char* run_grid(unsigned int n_blocks, unsigned int n_threads, std::size_t shared_bytes, Body body, const void* launch);

// Seconds of processor time that a launch may take.
constexpr unsigned int MAX_SECONDS = 20;

// Threads of the largest block.
constexpr unsigned int MAX_THREADS = 1024;

}  // namespace on_cpu

extern on_cpu::Dim3 threadIdx, blockIdx, blockDim, gridDim;
