// The part of CUDA C++ that emitted kernels use, for a compiler that knows only C++.
//
// Included before an emitted text. Inline PTX is not C++: the harness replaces each statement by a call to its
// model in ptx.h.
#pragma once

#include "block.h"
#include "ptx.h"

#include <math.h>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __constant__ const
// One block runs at a time; the dynamic part is the driver's.
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __CUDA_ARCH__ 900

// Blocks run one after the other, so that each sees what those before it wrote.
#define __threadfence()

#define __syncthreads() on_cpu::block_barrier(__LINE__)
#define __syncwarp(...) on_cpu::warp_barrier(on_cpu::full_or(__VA_ARGS__), __LINE__)
#define __ballot_sync(mask, is_yes) on_cpu::ballot(mask, is_yes, __LINE__)
#define __shfl_down_sync(mask, value, offset, ...) \
    on_cpu::shuffled_down(mask, value, offset, on_cpu::width_or_warp(__VA_ARGS__), __LINE__)

#define __shfl_sync(mask, value, source, ...) \
    on_cpu::shuffled_from(mask, value, source, on_cpu::width_or_warp(__VA_ARGS__), __LINE__)

#define __reduce_add_sync(mask, word) on_cpu::merged(mask, word, on_cpu::added, __LINE__)
#define __reduce_min_sync(mask, word) on_cpu::merged(mask, word, on_cpu::smaller, __LINE__)
#define __reduce_max_sync(mask, word) on_cpu::merged(mask, word, on_cpu::larger, __LINE__)

namespace on_cpu {

inline unsigned int full_or(unsigned int mask = 0xffffffffu) { return mask; }
inline int width_or_warp(int width = 32) { return width; }

// The same bytes as another type.
template <class To, class From>
inline To bits_as(From from)
{
    static_assert(sizeof(To) == sizeof(From), "types of one size");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

inline float shuffled_down(unsigned int mask, float value, unsigned int offset, int width, int line)
{
    const auto bits = static_cast<std::uint64_t>(bits_as<std::uint32_t>(value));
    return bits_as<float>(static_cast<std::uint32_t>(shuffle_down(mask, bits, offset, width, line)));
}
inline double shuffled_down(unsigned int mask, double value, unsigned int offset, int width, int line)
{
    return bits_as<double>(shuffle_down(mask, bits_as<std::uint64_t>(value), offset, width, line));
}
inline unsigned int shuffled_down(unsigned int mask, unsigned int value, unsigned int offset, int width, int line)
{
    return static_cast<unsigned int>(shuffle_down(mask, value, offset, width, line));
}

inline float shuffled_from(unsigned int mask, float value, unsigned int source, int width, int line)
{
    const auto bits = static_cast<std::uint64_t>(bits_as<std::uint32_t>(value));
    return bits_as<float>(static_cast<std::uint32_t>(shuffle_from(mask, bits, source, width, line)));
}
inline double shuffled_from(unsigned int mask, double value, unsigned int source, int width, int line)
{
    return bits_as<double>(shuffle_from(mask, bits_as<std::uint64_t>(value), source, width, line));
}

// The words of a warp as one. The device gives it to all lanes, this model to the first.
inline unsigned int merged(
    unsigned int mask, unsigned int word, unsigned int (*merge)(unsigned int, unsigned int), int line)
{
    for (unsigned int offset = 16u; offset > 0u; offset /= 2u) {
        word = merge(word, shuffled_down(mask, word, offset, 32, line));
    }
    return word;
}
inline unsigned int added(unsigned int a, unsigned int b) { return a + b; }
inline unsigned int smaller(unsigned int a, unsigned int b) { return b < a ? b : a; }
inline unsigned int larger(unsigned int a, unsigned int b) { return a < b ? b : a; }

// Consecutive elements in one access. The device faults on an address that is not a multiple of the whole size;
// the empty asm keeps the compiler from assuming that the address is one.
template <std::size_t n_bytes>
inline void check_alignment(const void* pointer)
{
    auto address = reinterpret_cast<std::uintptr_t>(pointer);
    __asm__("" : "+r"(address));
    if (address % n_bytes != 0) {
        fault("an access of %zu bytes is not aligned to its size", n_bytes);
    }
}

template <class T>
struct alignas(2 * sizeof(T)) Vector2 {
    T x, y;
    Vector2() = default;
    Vector2(T x_, T y_) : x(x_), y(y_) {}
    Vector2(const Vector2& from) { *this = from; }
    Vector2& operator=(const Vector2& from)
    {
        check_alignment<sizeof *this>(&from);
        check_alignment<sizeof *this>(this);
        x = from.x, y = from.y;
        return *this;
    }
};

template <class T>
struct alignas(4 * sizeof(T)) Vector4 {
    T x, y, z, w;
    Vector4() = default;
    Vector4(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
    Vector4(const Vector4& from) { *this = from; }
    Vector4& operator=(const Vector4& from)
    {
        check_alignment<sizeof *this>(&from);
        check_alignment<sizeof *this>(this);
        x = from.x, y = from.y, z = from.z, w = from.w;
        return *this;
    }
};

}  // namespace on_cpu

using float2 = on_cpu::Vector2<float>;
using float4 = on_cpu::Vector4<float>;
using uint4 = on_cpu::Vector4<unsigned int>;
using double2 = on_cpu::Vector2<double>;

inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

template <class T>
inline T min(T a, T b) { return b < a ? b : a; }
template <class T>
inline T max(T a, T b) { return a < b ? b : a; }

// Correctly rounded arithmetic; contraction is off where this is compiled.
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }

template <class T>
inline T __ldcg(const T* pointer) { return *pointer; }
template <class T>
inline void __stcs(T* pointer, T value) { *pointer = value; }
inline unsigned int atomicAdd(unsigned int* target, unsigned int value)
{
    const unsigned int old = *target;
    *target += value;
    return old;
}

inline float __double2float_rn(double a) { return static_cast<float>(a); }

inline float __uint_as_float(unsigned int a) { return on_cpu::bits_as<float>(a); }
inline float __int_as_float(int a) { return on_cpu::bits_as<float>(a); }
inline unsigned int __float_as_uint(float a) { return on_cpu::bits_as<unsigned int>(a); }
inline int __float_as_int(float a) { return on_cpu::bits_as<int>(a); }
inline double __longlong_as_double(long long a) { return on_cpu::bits_as<double>(a); }
inline long long __double_as_longlong(double a) { return on_cpu::bits_as<long long>(a); }
inline int __double2hiint(double a) { return static_cast<int>(on_cpu::bits_as<std::uint64_t>(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(on_cpu::bits_as<std::uint64_t>(a)); }
inline double __hiloint2double(int high, int low)
{
    const auto bits = static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32;
    return on_cpu::bits_as<double>(bits | static_cast<std::uint32_t>(low));
}

inline std::size_t __cvta_generic_to_shared(const void* pointer) { return on_cpu::shared_address(pointer); }
