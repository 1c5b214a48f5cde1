// Bit patterns of doubles by number. The random ones are distinct; the hard ones are of eight kinds, 32 of each in turn.

static constexpr unsigned int RANDOM = 0;
static constexpr Bits MANTISSA = 0x000fffffffffffffull;
static constexpr Bits MAX_FIELD = 2046;

// A bijection of 64-bit words that scatters neighbours.
static __device__ Bits scattered(Bits word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
    return word ^ (word >> 31);
}

// Words of one pattern, one after the other.
struct Source {
    Bits state;

    __device__ Bits word()
    {
        state += 0x9e3779b97f4a7c15ull;
        return scattered(state);
    }

    __device__ Bits below(Bits limit)
    {
        return (word() >> 11) % limit;
    }

    // A number below 2^52, of every length equally often.
    __device__ Bits few()
    {
        return (word() >> 12) >> below(52);
    }
};

// Exponent fields where a helper changes its scaling, where inputs or results become subnormal, and around 1.
static __device__ const unsigned short EDGES[16] = {0,     1,     2,     0x26e, 0x26f, 0x270, 0x3fe, 0x3ff,
                                                    0x400, 0x58e, 0x58f, 0x590, 2043,  2044,  2045,  2046};

static __device__ Bits exponent_field(Source& source)
{
    return source.below(2) ? source.below(MAX_FIELD + 1) : EDGES[source.below(16)];
}

// One negative number in eight.
static __device__ Bits sign(Source& source)
{
    return source.below(8) == 0 ? SIGN : 0;
}

static __device__ Real with_field(Bits mantissa, Bits field)
{
    return real((mantissa & MANTISSA) | (field << 52));
}

// x times a random power of four that keeps it normal.
static __device__ Real with_even_shift(Real x, Source& source)
{
    const Bits is_even = ~(bits(x) >> 52) & 1;
    return with_field(bits(x), 1 + is_even + 2 * source.below(1023));
}

// Mantissas near all ones: reciprocals of 2^53 - a, a odd and small, lie closest to the middle between two doubles.
static __device__ Bits ones(Source& source)
{
    return MANTISSA - source.few();
}

// Mantissas near p / q whose reciprocals are as close to the middle, from 2^106 - a^2 = (2^53 - a) (2^53 + a): where q
// divides the first factor and p the second, p (2^53 - a) / q is a 53-bit integer, and 2^106 over it almost the odd
// q (2^53 + a) / p.
static __device__ Bits ratio(Source& source)
{
    const Bits p = 3 + 2 * source.below(31);
    const Bits q = p + 2 * (1 + source.below((p - 1) / 2));
    const Bits top = 1ull << 53;
    Bits a = top % q;
    while ((top + a) % p != 0 && a < p * q) {
        a += q;
    }
    a += a % 2 == 0 ? p * q : 0;
    const Bits n_periods = source.below(256) >> source.below(8);
    const Bits distance = 2 * p * q * n_periods;
    a += source.below(2) ? distance : 0 - distance;
    return (p * ((top - a) / q)) & MANTISSA;
}

// Perfect squares and the doubles on both sides.
static __device__ Real square(Source& source)
{
    const Bits root = 1 + source.below(94906265);
    const Real shifted = with_even_shift(__ull2double_rn(root * root), source);
    return real(bits(shifted) + source.below(3) - 1);
}

// Doubles whose roots lie closest to the middle between two doubles. Such a middle is an odd 54-bit integer m over a
// power of two; m^2 = c modulo 2^55 for a small c makes (m^2 - c) / 2^55, or over 2^54, an integer of 53 bits.
static __device__ Real middle_root(Source& source)
{
    const Bits size = source.below(1 << 20) >> source.below(20);
    const Bits c = 1 + 8 * (source.below(2) ? size : 0 - size);
    // 1 / sqrt(c) modulo 2^63 by Newton's steps from 1, where 3 bits hold: k bits become 2 k - 2.
    Bits inverse = 1;
    for (unsigned int step = 0; step < 6; ++step) {
        inverse *= (3 - c * inverse * inverse) >> 1;
    }
    const Bits m_modulus = 1ull << 54;
    Bits m = (c * inverse) & (m_modulus - 1);
    m = m < m_modulus / 2 ? m_modulus - m : m;
    const Bits high = __umul64hi(m, m);
    const Bits low = m * m;
    const bool is_long = high >> 43;
    const unsigned int n_dropped = is_long ? 55 : 54;
    const Bits half = 1ull << (n_dropped - 1);
    const Bits rounded_low = low + half;
    const Bits rounded_high = high + (rounded_low < low ? 1 : 0);
    const Bits kept = (rounded_high << (64 - n_dropped)) | (rounded_low >> n_dropped);
    const Real whole = __ull2double_rn(kept);
    return with_even_shift(is_long ? product(whole, 2.0) : whole, source);
}

// Squares of numbers with hard reciprocals, for pairs: the root of a rounded square is the number squared.
static __device__ Real hard_root(Source& source)
{
    const Bits choice = source.below(3);
    const Bits mantissa = choice == 0 ? ones(source) : choice == 1 ? source.few() : ratio(source);
    const Real root = with_field(mantissa, 1023 - 511 + source.below(1023));
    return product(root, root);
}

// 0, infinity and the ends of the ranges, and what lies around.
static __device__ Bits edge(Source& source)
{
    const Bits choice = source.below(17);
    const Bits field = choice == 16 ? MAX_FIELD + 1 : EDGES[choice];
    const Bits distance = source.few();
    return (field << 52) + (source.below(2) ? distance : 0 - distance);
}

static __device__ Real hard_pattern(unsigned int kind, Source& source)
{
    switch (kind) {
    case 0: return real(bits(with_field(ones(source), exponent_field(source))) | sign(source));
    case 1: return real(bits(with_field(source.few(), exponent_field(source))) | sign(source));
    case 2: return real(bits(with_field(ratio(source), exponent_field(source))) | sign(source));
    case 3: return square(source);
    case 4: return middle_root(source);
    case 5: return hard_root(source);
    case 6: return real(source.few() | sign(source));
    default: return real(edge(source) ^ sign(source));
    }
}

static __device__ Real pattern(unsigned int family, unsigned long long pattern_idx)
{
    if (family == RANDOM) {
        return real(scattered((pattern_idx + 1) * 0x9e3779b97f4a7c15ull));
    }
    Source source = {scattered(~pattern_idx)};
    // One kind per warp, whose threads then take the same way.
    return hard_pattern(static_cast<unsigned int>(pattern_idx / 32 % 8), source);
}
