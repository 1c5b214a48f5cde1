// One kernel per helper: calls it for every pattern of a family and counts what differs from the reference.

// A helper's results beside those wanted. Functions of one result leave the reciprocal and the flag alone.
struct Verdict {
    Real given;
    Real given_reciprocal;
    bool given_bad;
    Real wanted;
    Real wanted_reciprocal;
    bool wanted_bad;
    bool holds;
    // Relative error, where a bound is checked.
    double error;
};

// Layout known to the host: 64-bit words.
struct Finding {
    unsigned long long input;
    unsigned long long given;
    unsigned long long given_reciprocal;
    unsigned long long wanted;
    unsigned long long wanted_reciprocal;
    unsigned long long flags;
};

static constexpr unsigned int MAX_FINDINGS = 8;

struct Tally {
    unsigned long long n_checked;
    unsigned long long n_mismatches;
    // Bits of a double >= 0, which are in the order of the numbers.
    unsigned long long worst_error;
    unsigned long long n_findings;
    Finding findings[MAX_FINDINGS];
};

static __device__ Bits size_bits(Real x)
{
    return bits(x) & ~SIGN;
}

static __device__ bool is_nan(Real x)
{
    return size_bits(x) > INFINITE;
}

static __device__ bool is_finite_and_not_0(Real x)
{
    return size_bits(x) > 0 && size_bits(x) < INFINITE;
}

static __device__ bool is_finite_and_above_0(Real x)
{
    return is_finite_and_not_0(x) && bits(x) < SIGN;
}

static __device__ bool is_power_of_two_in_range(Real x)
{
    const Bits mantissa = bits(smallest_scale()) - 1;
    return x >= smallest_scale() && x <= largest_scale() && (bits(x) & mantissa) == 0;
}

// Equal bits; payload and sign of a NaN are outside the promise.
static __device__ bool is_same(Real x, Real y)
{
    return bits(x) == bits(y) || (is_nan(x) && is_nan(y));
}

static __device__ Verdict of_value(Real given, Real wanted)
{
    return {given, 0, false, wanted, 0, false, is_same(given, wanted), 0.0};
}

static __device__ Verdict of_pivot(Pivot given, Real wanted, Real wanted_reciprocal, bool is_good)
{
    const Real nan = real(INFINITE + 1);
    Verdict verdict = {given.pivot, given.reciprocal, given.is_bad, wanted, wanted_reciprocal, !is_good, false, 0.0};
    if (!is_good) {
        verdict.wanted = nan;
        verdict.wanted_reciprocal = nan;
    }
    verdict.holds = is_same(verdict.given, verdict.wanted) &&
                    is_same(verdict.given_reciprocal, verdict.wanted_reciprocal) &&
                    verdict.given_bad == verdict.wanted_bad;
    return verdict;
}

static __device__ Verdict check_sqrt(Real x)
{
    return of_value(glass_sqrt(x), exact_sqrt(x));
}

static __device__ Verdict check_reciprocal(Real x)
{
    return of_value(glass_reciprocal(x), exact_reciprocal(x));
}

static __device__ Verdict check_cholesky_pivot(Real x)
{
    const Real root = exact_sqrt(x);
    return of_pivot(glass_cholesky_pivot(x), root, exact_reciprocal(root), is_finite_and_above_0(x));
}

static __device__ Verdict check_general_pivot(Real x)
{
    return of_pivot(glass_general_pivot(x), x, exact_reciprocal(x), is_finite_and_not_0(x));
}

// The reciprocal within its bound, the pivot x times it.
static __device__ Verdict check_rsqrt_pivot(Real x)
{
    const Pivot given = glass_rsqrt_pivot(x);
    const bool is_good = is_finite_and_above_0(x);
    Verdict verdict = of_pivot(given, product(x, given.reciprocal), given.reciprocal, is_good);
    if (is_good) {
        verdict.error = rsqrt_error(x, given.reciprocal);
        verdict.holds = verdict.holds && verdict.error <= RSQRT_LIMIT;
    }
    return verdict;
}

// The power of two s with s <= |x| < 2 s, or the nearer end of the range. Of NaN any power of two in the range.
static __device__ bool is_scale_of(Real scale, Real x)
{
    const Real size = real(size_bits(x));
    const bool fits_below = size >= scale || scale == smallest_scale();
    const bool fits_above = size < product(scale, 2) || scale == largest_scale();
    return is_power_of_two_in_range(scale) && (is_nan(x) || (fits_below && fits_above));
}

static __device__ Verdict check_exponent_scale(Real x)
{
    Verdict verdict = of_value(glass_exponent_scale(x), x);
    verdict.holds = is_scale_of(verdict.given, x);
    return verdict;
}

static __device__ Verdict check_inverse_exponent_scale(Real x)
{
    Verdict verdict = of_value(glass_inverse_exponent_scale(x), x);
    const Real scale = exact_reciprocal(verdict.given);
    verdict.holds = is_scale_of(scale, x) && product(verdict.given, scale) == 1;
    return verdict;
}

// Wrong on purpose: a sweep that finds nothing here proves nothing elsewhere.
static __device__ Verdict check_careless_sqrt(Real x)
{
    return of_value(is_finite_and_above_0(x) ? careless_sqrt(x) : exact_sqrt(x), exact_sqrt(x));
}

static __device__ void record(Tally* tally, Real input, const Verdict& verdict)
{
    // Read before the atomic, so that a wrong helper does not queue every thread on one word.
    if (*static_cast<volatile unsigned long long*>(&tally->n_findings) >= MAX_FINDINGS) {
        return;
    }
    const unsigned long long finding_idx = atomicAdd(&tally->n_findings, 1ull);
    if (finding_idx < MAX_FINDINGS) {
        tally->findings[finding_idx] = {bits(input),
                                        bits(verdict.given),
                                        bits(verdict.given_reciprocal),
                                        bits(verdict.wanted),
                                        bits(verdict.wanted_reciprocal),
                                        (verdict.given_bad ? 2ull : 0ull) | (verdict.wanted_bad ? 1ull : 0ull)};
    }
}

template <Verdict (*check)(Real)>
static __device__ void sweep(unsigned int family, unsigned long long n_patterns, Tally* tally)
{
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long n_checked = 0;
    unsigned long long n_mismatches = 0;
    double worst = 0.0;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n_patterns;
         i += step) {
        const Real input = pattern(family, i);
        const Verdict verdict = check(input);
        worst = fmax(worst, verdict.error);
        n_checked += 1;
        if (!verdict.holds) {
            n_mismatches += 1;
            record(tally, input, verdict);
        }
    }
    atomicAdd(&tally->n_checked, n_checked);
    atomicAdd(&tally->n_mismatches, n_mismatches);
    atomicMax(&tally->worst_error, static_cast<unsigned long long>(__double_as_longlong(worst)));
}

#define SWEEP(function)                                                                                     \
    extern "C" __global__ void sweep_##function(unsigned int family, unsigned long long n_patterns, Tally* tally) \
    {                                                                                                       \
        sweep<check_##function>(family, n_patterns, tally);                                                 \
    }

SWEEP(sqrt)
SWEEP(reciprocal)
SWEEP(cholesky_pivot)
SWEEP(general_pivot)
SWEEP(rsqrt_pivot)
SWEEP(exponent_scale)
SWEEP(inverse_exponent_scale)
SWEEP(careless_sqrt)
