#define ELEMENTS 2u

static __device__ float tree(float *sums, float acc) {
    sums[threadIdx.x] = acc;
    for (unsigned int offset = 128u; offset > 0u; offset /= 2u) {
        __syncthreads();
        if (threadIdx.x < offset) sums[threadIdx.x] += sums[threadIdx.x + offset];
    }
    return sums[0];
}

extern "C" __global__ void __launch_bounds__(256) level(
    const float *x,
#ifdef TWO_INPUTS
    const float *y,
#endif
#if defined(TO_PARTIALS) || defined(LAST_BLOCK)
    float *partials,
#endif
    unsigned int *arena,
#ifdef LAST_BLOCK
    unsigned int *ticket,
#endif
    unsigned int n, unsigned int n_groups, unsigned int x_start, unsigned int y_start, unsigned int slot,
    unsigned int gate, unsigned int accumulate) {
    __shared__ float sums[256];
    if (gate != 0xffffffffu && arena[gate] == 0u) return;
    const unsigned int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (group >= n_groups) return;
    const unsigned int base = group * 256u * ELEMENTS;
    float acc = 0.0f;
    for (unsigned int i = threadIdx.x; i < 256u * ELEMENTS; i += 256u) {
        if (i < n - base) acc = ADD(acc, base + i);
    }
    float sum = tree(sums, acc);
#ifdef TO_PARTIALS
    if (threadIdx.x == 0u) partials[group] = sum;
#else
#ifdef LAST_BLOCK
    __shared__ unsigned int is_last;
    if (threadIdx.x == 0u) {
        partials[group] = sum;
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == n_groups - 1u;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    acc = 0.0f;
    for (unsigned int i = threadIdx.x; i < n_groups; i += 256u) acc += __ldcg(partials + i);
    sum = tree(sums, acc);
    if (threadIdx.x == 0u) *ticket = 0u;
#endif
    if (threadIdx.x == 0u) {
        if (accumulate != 0u) sum = __uint_as_float(arena[slot]) + sum;
        arena[slot] = __float_as_uint(sum);
    }
#endif
}
