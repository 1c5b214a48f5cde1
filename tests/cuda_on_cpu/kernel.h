// How the driver calls an emitted kernel: by the types of its own parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>

namespace on_cpu {

// What a launch hands to a kernel.
struct Arguments {
    void* const* pointers;
    unsigned int n_problems;
    // Bits of the run-time scalars, in launch order.
    const std::uint64_t* scalars;
};

// A parameter's place in a signature such as `fFUns`, and its value in a launch. Pointers are f, d, u by their
// element, upper case where the kernel may write; n is a number, the first one that of problems; s and t are scalars.
template <class T>
struct Parameter;

struct Cursor {
    const Arguments& arguments;
    std::size_t n_pointers = 0;
    std::size_t n_scalars = 0;
    bool has_taken_problems = false;
};

template <class T>
T* next_pointer(Cursor& cursor)
{
    return static_cast<T*>(cursor.arguments.pointers[cursor.n_pointers++]);
}

template <class T>
T next_scalar(Cursor& cursor)
{
    T value;
    // The low bytes of the word: the protocol is little-endian, as are the machines that run it.
    std::memcpy(&value, &cursor.arguments.scalars[cursor.n_scalars++], sizeof value);
    return value;
}

// The number of problems, then whatever the scalars hold.
inline unsigned int next_number(Cursor& cursor)
{
    if (cursor.has_taken_problems) {
        return next_scalar<unsigned int>(cursor);
    }
    cursor.has_taken_problems = true;
    return cursor.arguments.n_problems;
}

#define ON_CPU_PARAMETER(TYPE, LETTER, VALUE)                   \
    template <>                                                 \
    struct Parameter<TYPE> {                                    \
        static constexpr char letter = LETTER;                  \
        static TYPE take(Cursor& cursor) { return VALUE; }      \
    };
ON_CPU_PARAMETER(const float*, 'f', next_pointer<const float>(cursor))
ON_CPU_PARAMETER(float*, 'F', next_pointer<float>(cursor))
ON_CPU_PARAMETER(const double*, 'd', next_pointer<const double>(cursor))
ON_CPU_PARAMETER(double*, 'D', next_pointer<double>(cursor))
ON_CPU_PARAMETER(const unsigned int*, 'u', next_pointer<const unsigned int>(cursor))
ON_CPU_PARAMETER(unsigned int*, 'U', next_pointer<unsigned int>(cursor))
ON_CPU_PARAMETER(unsigned long long*, 'L', next_pointer<unsigned long long>(cursor))
ON_CPU_PARAMETER(unsigned int, 'n', next_number(cursor))
ON_CPU_PARAMETER(float, 's', next_scalar<float>(cursor))
ON_CPU_PARAMETER(double, 't', next_scalar<double>(cursor))
#undef ON_CPU_PARAMETER

// A kernel that a job can name.
struct Kernel {
    const char* symbol;
    std::string signature;
    void (*call)(void (*kernel)(), const Arguments& arguments);
    void (*kernel)();
};

void add(const Kernel& kernel);

template <class... P>
void call(void (*kernel)(), const Arguments& arguments)
{
    Cursor cursor{arguments};
    // Braces fix the order in which the parameters are taken.
    std::apply(reinterpret_cast<void (*)(P...)>(kernel), std::tuple<P...>{Parameter<P>::take(cursor)...});
}

struct Registration {
    template <class... P>
    Registration(const char* symbol, void (*kernel)(P...))
    {
        add({symbol, {Parameter<P>::letter...}, call<P...>, reinterpret_cast<void (*)()>(kernel)});
    }
};

}  // namespace on_cpu
