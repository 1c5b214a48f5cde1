// Floats: every bit pattern, and the compiler's correctly rounded functions.

typedef float Real;
typedef unsigned int Bits;
typedef GlassPivotF32 Pivot;

static __device__ Bits bits(Real x)
{
    return __float_as_uint(x);
}

static __device__ Real real(Bits word)
{
    return __uint_as_float(word);
}

static constexpr Bits SIGN = 0x80000000u;
static constexpr Bits INFINITE = 0x7f800000u;

static __device__ Real exact_sqrt(Real x)
{
    return __fsqrt_rn(x);
}

static __device__ Real exact_reciprocal(Real x)
{
    return __frcp_rn(x);
}

static __device__ Real product(Real x, Real y)
{
    return __fmul_rn(x, y);
}

// The clamped range of exponent scales.
static __device__ Real smallest_scale()
{
    return 1.1754943508222875e-38f;
}

static __device__ Real largest_scale()
{
    return 8.507059173023462e+37f;
}

// Relative error of `near` as 1 / sqrt(x), to 2^-50.
static __device__ double rsqrt_error(Real x, Real near)
{
    return fabs(__fma_rn(static_cast<double>(near), __dsqrt_rn(static_cast<double>(x)), -1.0));
}

// Two units in the last place, which the CUDA programming guide states for rsqrtf.
static constexpr double RSQRT_LIMIT = 2.384185791015625e-07;

// A root that is right for most x only: subnormal x are flushed.
static __device__ Real careless_sqrt(Real x)
{
    return glass_normal_sqrt(x);
}

static __device__ Real pattern(unsigned int, unsigned long long pattern_idx)
{
    return real(static_cast<Bits>(pattern_idx));
}
