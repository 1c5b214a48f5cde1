// Moves a batch between the contiguous and the interleaved layout, bits unchanged.
//
// A block owns one tile of 32 problems and walks its elements in chunks of at most 64. A chunk is read in the
// order of its source and written in the order of its destination, so both sides are coalesced; the exchange
// happens in shared memory, whose odd row length keeps the banks apart. Padding is neither read nor written.

#define TILE 32u
#define CHUNK 64u
#define THREADS 256u

// Word `index` of the chunk in problem-major order, `n_elements` a problem, without a division per step.
struct Cursor {
    unsigned int problem;
    unsigned int element;
};

static __device__ __forceinline__ Cursor first(unsigned int n_elements) {
    Cursor at;
    at.problem = threadIdx.x / n_elements;
    at.element = threadIdx.x - at.problem * n_elements;
    return at;
}

static __device__ __forceinline__ void advance(Cursor &at, unsigned int n_elements, Cursor step) {
    at.problem += step.problem;
    at.element += step.element;
    if (at.element >= n_elements) {
        at.element -= n_elements;
        at.problem += 1u;
    }
}

static __device__ __forceinline__ Cursor stride(unsigned int n_elements) {
    Cursor step;
    step.problem = THREADS / n_elements;
    step.element = THREADS - step.problem * n_elements;
    return step;
}

template <typename Word, bool INTERLEAVE>
static __device__ __forceinline__ void move_tile(
    const Word *__restrict__ from, Word *__restrict__ to, unsigned int n_elements, unsigned int n_problems) {
    __shared__ Word staged[TILE * (CHUNK + 1u)];
    const unsigned int n_valid = min(TILE, n_problems - blockIdx.x * TILE);
    const size_t tile = (size_t)blockIdx.x * TILE * n_elements;

    for (unsigned int chunk = blockIdx.y * CHUNK; chunk < n_elements; chunk += gridDim.y * CHUNK) {
        const unsigned int n_chunk = min(CHUNK, n_elements - chunk);
        const unsigned int row = n_chunk | 1u;
        const Cursor step = stride(n_chunk);
        if (INTERLEAVE) {
            for (Cursor at = first(n_chunk); at.problem < n_valid; advance(at, n_chunk, step)) {
                staged[at.problem * row + at.element] =
                    from[tile + (size_t)at.problem * n_elements + chunk + at.element];
            }
        } else {
            for (unsigned int word = threadIdx.x; word < n_chunk * TILE; word += THREADS) {
                const unsigned int problem = word % TILE;
                if (problem < n_valid) {
                    staged[problem * row + word / TILE] = from[tile + (size_t)chunk * TILE + word];
                }
            }
        }
        __syncthreads();
        if (INTERLEAVE) {
            for (unsigned int word = threadIdx.x; word < n_chunk * TILE; word += THREADS) {
                const unsigned int problem = word % TILE;
                if (problem < n_valid) {
                    to[tile + (size_t)chunk * TILE + word] = staged[problem * row + word / TILE];
                }
            }
        } else {
            for (Cursor at = first(n_chunk); at.problem < n_valid; advance(at, n_chunk, step)) {
                to[tile + (size_t)at.problem * n_elements + chunk + at.element] =
                    staged[at.problem * row + at.element];
            }
        }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) glass_layout_f32_interleave(
    const unsigned int *from, unsigned int *to, unsigned int n_elements, unsigned int n_problems) {
    move_tile<unsigned int, true>(from, to, n_elements, n_problems);
}

extern "C" __global__ void __launch_bounds__(THREADS) glass_layout_f32_deinterleave(
    const unsigned int *from, unsigned int *to, unsigned int n_elements, unsigned int n_problems) {
    move_tile<unsigned int, false>(from, to, n_elements, n_problems);
}

extern "C" __global__ void __launch_bounds__(THREADS) glass_layout_f64_interleave(
    const unsigned long long *from, unsigned long long *to, unsigned int n_elements, unsigned int n_problems) {
    move_tile<unsigned long long, true>(from, to, n_elements, n_problems);
}

extern "C" __global__ void __launch_bounds__(THREADS) glass_layout_f64_deinterleave(
    const unsigned long long *from, unsigned long long *to, unsigned int n_elements, unsigned int n_problems) {
    move_tile<unsigned long long, false>(from, to, n_elements, n_problems);
}
