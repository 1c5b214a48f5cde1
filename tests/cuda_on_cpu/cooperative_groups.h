// The part of CUDA's header of this name that emitted device functions use.
#pragma once

#include "cuda.h"

namespace cooperative_groups {

struct thread_block {
    unsigned int thread_rank() const { return threadIdx.x; }
    unsigned int num_threads() const { return blockDim.x; }
    unsigned int size() const { return num_threads(); }
    void sync(int line = __builtin_LINE()) const { on_cpu::block_barrier(line); }
};

inline thread_block this_thread_block() { return {}; }

// Consecutive threads of one warp.
template <unsigned int n_lanes>
struct thread_block_tile {
    unsigned int thread_rank() const { return threadIdx.x % n_lanes; }
    unsigned int mask() const
    {
        const unsigned int lanes = static_cast<unsigned int>((std::uint64_t{1} << n_lanes) - 1u);
        return lanes << (threadIdx.x % 32u - thread_rank());
    }
    void sync(int line = __builtin_LINE()) const { on_cpu::warp_barrier(mask(), line); }
    template <class T>
    T shfl_down(T value, unsigned int offset, int line = __builtin_LINE()) const
    {
        return on_cpu::shuffled_down(mask(), value, offset, static_cast<int>(n_lanes), line);
    }
};

// CUDA asks for a block that the tiles divide evenly.
template <unsigned int n_lanes>
thread_block_tile<n_lanes> tiled_partition(const thread_block& block)
{
    static_assert(n_lanes >= 1 && n_lanes <= 32 && (n_lanes & (n_lanes - 1)) == 0, "a power of two up to a warp");
    if (block.num_threads() % n_lanes != 0) {
        on_cpu::fault("tiles of %u threads do not divide a block of %u", n_lanes, block.num_threads());
    }
    return {};
}

}  // namespace cooperative_groups
