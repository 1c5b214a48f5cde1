static __device__ float tree(float *sums, float acc) {
    __syncthreads();
    sums[threadIdx.x] = acc;
    for (unsigned int offset = THREADS / 2u; offset > 0u; offset /= 2u) {
        __syncthreads();
        if (threadIdx.x < offset) sums[threadIdx.x] += sums[threadIdx.x + offset];
    }
    return sums[0];
}

extern "C" __global__ void __launch_bounds__(THREADS) vector(
    POINTERS
#if N_SUMS
    float *partials,
#endif
    unsigned int *arena,
#if N_SUMS
    unsigned int *ticket,
#endif
    unsigned int n, unsigned int n_groups, unsigned int gate, unsigned int cleared NUMBERS) {
    const unsigned int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (cleared != 0xffffffffu && group == 0u && threadIdx.x == 0u) arena[cleared] = 0u;
    if (gate != 0xffffffffu && arena[gate] == 0u) return;
    if (group >= n_groups) return;
    const unsigned int base = group * THREADS * ELEMENTS;
#if N_SUMS
    __shared__ float sums[THREADS];
    __shared__ unsigned int is_last;
    float acc[N_SUMS] = {};
#endif
    for (unsigned int i = threadIdx.x; i < THREADS * ELEMENTS; i += THREADS) {
        if (i < n - base) { ELEMENT(base + i) }
    }
#if N_SUMS
    for (unsigned int s = 0u; s < N_SUMS; ++s) {
        const float sum = tree(sums, acc[s]);
        if (threadIdx.x == 0u) partials[s * n_groups + group] = sum;
    }
    if (threadIdx.x == 0u) {
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == n_groups - 1u;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (unsigned int s = 0u; s < N_SUMS; ++s) {
        float total = 0.0f;
        for (unsigned int g = threadIdx.x; g < n_groups; g += THREADS) total += __ldcg(partials + s * n_groups + g);
        acc[s] = tree(sums, total);
    }
    if (threadIdx.x == 0u) {
        *ticket = 0u;
        STEP
    }
#endif
}
