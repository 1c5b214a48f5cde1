// Reciprocals and reciprocal square roots as the hardware may give them: off by as much as its description allows,
// in a direction that no refinement can foresee, always the same for the same argument.

#include "ptx.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

// A mixed word of the bits (splitmix64), and from it a number in -1 .. 1.
std::uint64_t mixed(std::uint64_t bits)
{
    bits += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
double flushed(double x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x; }

std::uint32_t bits_of(float x)
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

std::uint64_t bits_of(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// A pseudo-random number in -1 .. 1 for an argument.
double deviation(float x) { return static_cast<double>(mixed(bits_of(x)) >> 11) * 0x1p-52 - 1.0; }

// One of the two f32 between which an exact value lies: an error below one unit in the last place.
float neighbour(double exact, float x)
{
    float result = static_cast<float>(exact);
    if (!std::isfinite(result) || static_cast<double>(result) == exact) {
        return result;
    }
    if (mixed(bits_of(x)) & 1u) {
        const bool is_above = static_cast<double>(result) > exact;
        result = std::nextafter(result, is_above ? -INFINITY : INFINITY);
    }
    return flushed(result);
}

// An exact value off by at most `error`, rounded to f32; the rounding takes 2^-24 of the error.
float disturbed(double exact, double error, float x)
{
    return flushed(static_cast<float>(exact * (1.0 + (error - 0x1p-24) * deviation(x))));
}

// The upper word of an f64; the instructions neither read nor write the lower one.
double upper(double x)
{
    const std::uint64_t bits = bits_of(x) & 0xffffffff00000000u;
    std::memcpy(&x, &bits, sizeof bits);
    return x;
}

// One of the two f64 without a lower word between which an exact value lies.
double neighbour(double exact, double x)
{
    if (!std::isfinite(exact)) {
        return exact;
    }
    const std::uint64_t bits = bits_of(exact) + (mixed(bits_of(x)) & 1u ? 0xffffffffu : 0u);
    std::memcpy(&exact, &bits, sizeof bits);
    return flushed(upper(exact));
}

}  // namespace

namespace ptx {

// Largest relative error: 2^-22.9.
void rsqrt_approx_f32(float& result, float x)
{
    result = disturbed(1.0 / std::sqrt(static_cast<double>(x)), std::exp2(-22.9), x);
}

void rsqrt_approx_ftz_f32(float& result, float x) { rsqrt_approx_f32(result, flushed(x)); }

// Largest error: one unit in the last place.
void rcp_approx_ftz_f32(float& result, float x)
{
    result = neighbour(1.0 / static_cast<double>(flushed(x)), x);
}

// The f64 instructions take and give an upper word, 20 bits of fraction.
void rsqrt_approx_ftz_f64(double& result, double x)
{
    result = neighbour(1.0 / std::sqrt(upper(flushed(x))), x);
}

void rcp_approx_ftz_f64(double& result, double x)
{
    result = neighbour(1.0 / upper(flushed(x)), x);
}

}  // namespace ptx
