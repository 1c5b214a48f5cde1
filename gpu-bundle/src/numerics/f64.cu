// Doubles: random and hard bit patterns, and the compiler's correctly rounded functions.

typedef double Real;
typedef unsigned long long Bits;
typedef GlassPivotF64 Pivot;

static __device__ Bits bits(Real x)
{
    return static_cast<Bits>(__double_as_longlong(x));
}

static __device__ Real real(Bits word)
{
    return __longlong_as_double(static_cast<long long>(word));
}

static constexpr Bits SIGN = 0x8000000000000000ull;
static constexpr Bits INFINITE = 0x7ff0000000000000ull;

static __device__ Real exact_sqrt(Real x)
{
    return __dsqrt_rn(x);
}

static __device__ Real exact_reciprocal(Real x)
{
    return __drcp_rn(x);
}

static __device__ Real product(Real x, Real y)
{
    return __dmul_rn(x, y);
}

// The clamped range of exponent scales.
static __device__ Real smallest_scale()
{
    return 2.2250738585072014e-308;
}

static __device__ Real largest_scale()
{
    return 4.4942328371557898e+307;
}

// Relative error of `near` as 1 / sqrt(x): half of 1 - x near^2, whose first product is kept in two parts.
static __device__ double rsqrt_error(Real x, Real near)
{
    const double high = __dmul_rn(x, near);
    const double low = __fma_rn(x, near, -high);
    return 0.5 * fabs(__fma_rn(-low, near, __fma_rn(-high, near, 1.0)));
}

// 2^-53 of the last rounding, half of that of the product inside the residual, 2^-68 of what the steps leave.
static constexpr double RSQRT_LIMIT = 1.665368418255625e-16;

// A root that is right for most x only: the last step, which decides between two neighbours, is left out.
static __device__ Real careless_sqrt(Real x)
{
    const double rsqrt = glass_near_rsqrt(x);
    const double first = __dmul_rn(x, rsqrt);
    const double root = __fma_rn(__fma_rn(-first, first, x), __dmul_rn(rsqrt, 0.5), first);
    return x < 1.0e-200 ? exact_sqrt(x) : root;
}
