// Launches kernels as the harness asks, one after the other, until its input ends.
//
// A job, in little-endian u32 words: bytes of the symbol; bytes of the signature; blocks; threads of a block; bytes of
// shared memory; problems; number of scalars; number of operands; bytes of each operand. Then the symbol, the
// signature, the scalars as u64 bit patterns, and the operands. The answer: bytes of a message, the message, and if it
// is empty the operands after the launch.

#include "block.h"
#include "kernel.h"
#include "memory.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace on_cpu {
namespace {

std::map<std::string, Kernel>& kernels()
{
    // Filled while static objects of other files are made, hence made at its first use.
    static std::map<std::string, Kernel> known;
    return known;
}

struct Launch {
    const Kernel* kernel;
    Arguments arguments;
};

void read(void* target, std::size_t n_bytes)
{
    if (std::fread(target, 1, n_bytes, stdin) != n_bytes) {
        std::fputs("the job ends too early\n", stderr);
        std::_Exit(3);
    }
}

void write(const void* source, std::size_t n_bytes)
{
    if (std::fwrite(source, 1, n_bytes, stdout) != n_bytes) {
        std::_Exit(3);
    }
}

struct Job {
    std::uint32_t symbol_size, signature_size, n_blocks, n_threads, shared_bytes, n_problems, n_scalars, n_operands;
};

void run(const Job& job)
{
    std::vector<std::uint32_t> sizes(job.n_operands);
    std::string symbol(job.symbol_size, ' '), signature(job.signature_size, ' ');
    std::vector<std::uint64_t> scalars(job.n_scalars);
    read(sizes.data(), sizes.size() * sizeof sizes[0]);
    read(symbol.data(), symbol.size());
    read(signature.data(), signature.size());
    read(scalars.data(), scalars.size() * sizeof scalars[0]);
    std::vector<std::unique_ptr<Region>> operands;
    std::vector<void*> pointers;
    for (const std::uint32_t size : sizes) {
        operands.push_back(std::make_unique<Region>(size));
        pointers.push_back(operands.back()->begin());
        read(pointers.back(), size);
    }

    std::string message;
    const auto found = kernels().find(symbol);
    if (found == kernels().end()) {
        message = "there is no such kernel";
    } else if (found->second.signature != signature) {
        message = "parameters " + found->second.signature + " in the text, " + signature + " in the plan";
    } else {
        const Launch launch{&found->second, {pointers.data(), job.n_problems, scalars.data()}};
        const auto body = [](const void* given) {
            const Launch& launch = *static_cast<const Launch*>(given);
            launch.kernel->call(launch.kernel->kernel, launch.arguments);
        };
        if (const char* fault = run_grid(job.n_blocks, job.n_threads, job.shared_bytes, body, &launch)) {
            message = fault;
        }
    }
    for (std::size_t idx = 0; idx < operands.size() && message.empty(); ++idx) {
        if (!operands[idx]->is_surrounded()) {
            message = "wrote beside operand " + std::to_string(idx);
        }
    }
    const auto message_size = static_cast<std::uint32_t>(message.size());
    write(&message_size, sizeof message_size);
    write(message.data(), message.size());
    for (std::size_t idx = 0; idx < operands.size() && message.empty(); ++idx) {
        write(pointers[idx], sizes[idx]);
    }
    std::fflush(stdout);
}

}  // namespace

void add(const Kernel& kernel) { kernels().insert({kernel.symbol, kernel}); }

}  // namespace on_cpu

int main()
{
    on_cpu::Job job;
    while (std::fread(&job, sizeof job, 1, stdin) == 1) {
        on_cpu::run(job);
    }
}
