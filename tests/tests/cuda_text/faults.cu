// Kernels that a device would not survive, or would run to another result every time, and a few that are right.

static __device__ __forceinline__ unsigned int address(const void* pointer)
{
    return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

static __device__ __forceinline__ void fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ __forceinline__ void expect(unsigned int barrier, unsigned int n_bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(n_bytes) : "memory");
}

static __device__ __forceinline__ void init_alone(unsigned int barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void init(unsigned int barrier, unsigned int n_bytes)
{
    init_alone(barrier);
    fence();
    expect(barrier, n_bytes);
}

static __device__ __forceinline__ void wait(unsigned int barrier)
{
    unsigned int is_done = 0u;
    while (is_done == 0u) {
        asm volatile(
            "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0; selp.u32 %0, 1, 0, done; }"
            : "=r"(is_done)
            : "r"(barrier)
            : "memory");
    }
}

static __device__ __forceinline__ void load(void* target, const void* source, unsigned int n_bytes, unsigned int barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        ::"r"(address(target)), "l"(source), "r"(n_bytes), "r"(barrier)
        : "memory");
}

static __device__ __forceinline__ void store(void* target, const void* source, unsigned int n_bytes)
{
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
        ::"l"(target), "r"(address(source)), "r"(n_bytes)
        : "memory");
}

extern "C" __global__ void barrier_in_a_branch(const float* a, float* b, unsigned int n)
{
    if (threadIdx.x < 5u) {
        __syncthreads();
    }
    __syncthreads();
}

extern "C" __global__ void barrier_in_half_a_warp(const float* a, float* b, unsigned int n)
{
    if (threadIdx.x < 16u) {
        __syncwarp();
    }
}

extern "C" __global__ void shuffle_in_a_branch(const float* a, float* b, unsigned int n)
{
    if (threadIdx.x % 2u == 0u) {
        b[0] = __shfl_down_sync(0xffffffffu, a[0], 1u, 32);
    }
    __syncthreads();
}

extern "C" __global__ void different_operations(const float* a, float* b, unsigned int n)
{
    if (threadIdx.x < 16u) {
        __syncwarp();
    } else {
        b[0] = __shfl_down_sync(0xffffffffu, a[0], 1u, 32);
    }
}

extern "C" __global__ void whole_warp(const float* a, float* b, unsigned int n)
{
    b[threadIdx.x] = __shfl_down_sync(0xffffffffu, a[threadIdx.x], 1u, 32);
}

extern "C" __global__ void other_lanes(const float* a, float* b, unsigned int n)
{
    __syncwarp(0xffffu);
}

extern "C" __global__ void outside_of_the_mask(const float* a, float* b, unsigned int n)
{
    if (threadIdx.x < 16u) {
        b[threadIdx.x] = __shfl_down_sync(0xffffu, a[threadIdx.x], 1u, 32);
    }
}

extern "C" __global__ void behind_an_operand(const float* a, float* b, unsigned int n)
{
    b[0] = a[n];
}

extern "C" __global__ void behind_shared_memory(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    b[0] = reinterpret_cast<const float*>(glass_shared)[4u * n];
}

extern "C" __global__ void unaligned(const float* a, float* b, unsigned int n)
{
    const float4 v = *reinterpret_cast<const float4*>(a + 2u);
    b[0] = v.x;
}

extern "C" __global__ void too_few_bytes(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    const unsigned int barrier = address(glass_shared + 512);
    if (threadIdx.x == 0u) {
        init(barrier, 128u);
        load(glass_shared, a, 64u, barrier);
    }
    __syncwarp();
    wait(barrier);
}

extern "C" __global__ void unfenced_barrier(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    const unsigned int barrier = address(glass_shared + 512);
    if (threadIdx.x == 0u) {
        init_alone(barrier);
        expect(barrier, 64u);
        load(glass_shared, a, 64u, barrier);
    }
    __syncwarp();
    wait(barrier);
}

extern "C" __global__ void unexpected_load(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    const unsigned int barrier = address(glass_shared + 512);
    if (threadIdx.x == 0u) {
        init_alone(barrier);
        fence();
        load(glass_shared, a, 64u, barrier);
        expect(barrier, 64u);
    }
    __syncwarp();
    wait(barrier);
}

extern "C" __global__ void unfenced_refill(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    const unsigned int barrier = address(glass_shared + 512);
    if (threadIdx.x == 0u) {
        init(barrier, 64u);
        load(glass_shared, a, 64u, barrier);
    }
    __syncwarp();
    wait(barrier);
    b[threadIdx.x % 16u] = reinterpret_cast<const float*>(glass_shared)[threadIdx.x % 16u];
    __syncwarp();
    if (threadIdx.x == 0u) {
        expect(barrier, 64u);
        load(glass_shared, a, 64u, barrier);
    }
}

extern "C" __global__ void barrier_of_nobody(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    wait(address(glass_shared));
}

extern "C" __global__ void odd_copy(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    const unsigned int barrier = address(glass_shared + 512);
    if (threadIdx.x == 0u) {
        init(barrier, 12u);
        load(glass_shared, a, 12u, barrier);
    }
}

extern "C" __global__ void copy_behind_an_operand(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    const unsigned int barrier = address(glass_shared + 512);
    if (threadIdx.x == 0u) {
        init(barrier, 64u);
        load(glass_shared, a + 52u, 64u, barrier);
    }
}

extern "C" __global__ void unfenced_store(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    float* const staged = reinterpret_cast<float*>(glass_shared);
    staged[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0u) {
        store(b, staged, 128u);
    }
}

extern "C" __global__ void abandoned_store(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    float* const staged = reinterpret_cast<float*>(glass_shared);
    staged[threadIdx.x] = a[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0u) {
        store(b, staged, 128u);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
}

extern "C" __global__ void other_parameters(float* a, float* b, unsigned int n)
{
}

extern "C" __global__ void rotated(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    float* const staged = reinterpret_cast<float*>(glass_shared);
    const unsigned int first = 32u * blockIdx.x;
    staged[threadIdx.x] = a[first + threadIdx.x];
    __syncwarp();
    b[first + threadIdx.x] = staged[(threadIdx.x + 1u) % 32u];
}

extern "C" __global__ void rotated_without_a_barrier(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    float* const staged = reinterpret_cast<float*>(glass_shared);
    const unsigned int first = 32u * blockIdx.x;
    staged[threadIdx.x] = a[first + threadIdx.x];
    b[first + threadIdx.x] = staged[(threadIdx.x + 1u) % 32u];
}

extern "C" __global__ void read_before_the_copy(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    float* const staged = reinterpret_cast<float*>(glass_shared);
    const unsigned int barrier = address(glass_shared + 512);
    const unsigned int first = 32u * blockIdx.x;
    if (threadIdx.x == 0u) {
        init(barrier, 128u);
        load(staged, a + first, 128u, barrier);
    }
    __syncwarp();
    b[first + threadIdx.x] = staged[threadIdx.x];
    wait(barrier);
}

extern "C" __global__ void sum_of_a_warp(const float* a, float* b, unsigned int n)
{
    float acc = a[32u * blockIdx.x + threadIdx.x];
    acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 16u, 32));
    acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 8u, 32));
    acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 4u, 32));
    acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 2u, 32));
    acc = __fadd_rn(acc, __shfl_down_sync(0xffffffffu, acc, 1u, 32));
    if (threadIdx.x == 0u) {
        b[blockIdx.x] = acc;
    }
}

extern "C" __global__ void first_ten(const float* a, float* b, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char glass_shared[];
    float* const staged = reinterpret_cast<float*>(glass_shared);
    if (threadIdx.x >= 10u) {
        return;
    }
    if (threadIdx.x == 0u) {
        staged[0] = a[9];
    }
    __syncthreads();
    b[threadIdx.x] = staged[0];
}

extern "C" __global__ void approximations(const float* a, float* b, unsigned int n)
{
    for (unsigned int idx = 0u; idx < n / 2u; ++idx) {
        asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(b[idx]) : "f"(a[idx]));
        asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(b[idx + n / 2u]) : "f"(a[idx]));
    }
}
