// A pipeline as a user writes it: factor, solve and multiply at one tier, with what the functions leave in local or
// shared memory. A is 7 x 7, B 7 x 3; Y is the leading 6 x 6 block of L times V.
#include "dynamics.cuh"

extern "C" __global__ void by_threads(
    const float* a, const float* b, const float* v, float* l, float* x, float* y, unsigned int* status, unsigned int n)
{
    const unsigned int problem = blockIdx.x * blockDim.x + threadIdx.x;
    if (problem >= n) {
        return;
    }
    float factor[49];
    glass::thread::potrf_f32_n7(a + problem * 49u, factor, status + problem);
    glass::thread::trsm_f32_n7_nrhs3(factor, b + problem * 21u, x + problem * 21u);
    glass::thread::gemv_strided_f32_m6_k6_lda7(factor, v + problem * 6u, y + problem * 6u);
    for (unsigned int element = 0u; element < 49u; ++element) {
        l[problem * 49u + element] = factor[element];
    }
}

extern "C" __global__ void by_warps(
    const float* a, const float* b, const float* v, float* l, float* x, float* y, unsigned int* status, unsigned int n)
{
    __shared__ float factors[2][49];
    __shared__ float scratch[2][7];
    const unsigned int warp = threadIdx.x / 32u, problem = blockIdx.x * 2u + warp;
    if (problem >= n) {
        return;
    }
    float* const factor = factors[warp];
    glass::warp::potrf_f32_n7(a + problem * 49u, factor, status + problem);
    glass::warp::trsm_f32_n7_nrhs3(factor, b + problem * 21u, x + problem * 21u, scratch[warp]);
    glass::warp::gemv_strided_f32_m6_k6_lda7(factor, v + problem * 6u, y + problem * 6u);
    for (unsigned int element = threadIdx.x % 32u; element < 49u; element += 32u) {
        l[problem * 49u + element] = factor[element];
    }
}

extern "C" __global__ void by_blocks(
    const float* a, const float* b, const float* v, float* l, float* x, float* y, unsigned int* status, unsigned int n)
{
    __shared__ float factor[49];
    __shared__ float scratch[7];
    const unsigned int problem = blockIdx.x;
    glass::block::potrf_f32_n7_t64(a + problem * 49u, factor, status + problem);
    glass::block::trsm_f32_n7_nrhs3_t64(factor, b + problem * 21u, x + problem * 21u, scratch);
    glass::block::gemv_strided_f32_m6_k6_lda7_t64(factor, v + problem * 6u, y + problem * 6u);
    for (unsigned int element = threadIdx.x; element < 49u; element += 64u) {
        l[problem * 49u + element] = factor[element];
    }
}

extern "C" __global__ void by_groups(
    const float* a, const float* b, const float* v, float* l, float* x, float* y, unsigned int* status, unsigned int n)
{
    __shared__ float factor[49];
    __shared__ float scratch[7];
    const auto block = cooperative_groups::this_thread_block();
    const unsigned int problem = blockIdx.x;
    glass::cgrps::potrf_f32_n7_t64(block, a + problem * 49u, factor, status + problem);
    glass::cgrps::trsm_f32_n7_nrhs3_t64(block, factor, b + problem * 21u, x + problem * 21u, scratch);
    glass::cgrps::gemv_strided_f32_m6_k6_lda7_t64(block, factor, v + problem * 6u, y + problem * 6u);
    for (unsigned int element = threadIdx.x; element < 49u; element += 64u) {
        l[problem * 49u + element] = factor[element];
    }
}

// Sums by a tree over lanes: Z = M W, M 5 x 33.
extern "C" __global__ void trees_by_warps(const float* m, const float* w, float* z, unsigned int n)
{
    const unsigned int problem = blockIdx.x * 2u + threadIdx.x / 32u;
    if (problem < n) {
        glass::warp::gemv_f32_m5_k33_reduced8(m + problem * 165u, w + problem * 33u, z + problem * 5u);
    }
}

extern "C" __global__ void trees_by_blocks(const float* m, const float* w, float* z, unsigned int n)
{
    const unsigned int problem = blockIdx.x;
    glass::block::gemv_f32_m5_k33_reduced8_t64(m + problem * 165u, w + problem * 33u, z + problem * 5u);
}

extern "C" __global__ void trees_by_groups(const float* m, const float* w, float* z, unsigned int n)
{
    const auto block = cooperative_groups::this_thread_block();
    const unsigned int problem = blockIdx.x;
    glass::cgrps::gemv_f32_m5_k33_reduced8_t64(block, m + problem * 165u, w + problem * 33u, z + problem * 5u);
}
