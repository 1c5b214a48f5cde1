// Fibers, barriers and shared memory of one block.

#include "block.h"
#include "copies.h"
#include "memory.h"

#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <sys/time.h>
#include <ucontext.h>

on_cpu::Dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace on_cpu {
namespace {

constexpr unsigned int WARP = 32;
constexpr std::size_t STACK_BYTES = 512 * 1024;
// Where shared memory begins in its 32-bit address space; not at zero, so that a lost offset shows.
constexpr unsigned int SHARED_BASE = 1024;

enum class State { ready, at_block_barrier, at_warp_operation, polling, done };
enum class Operation { none, barrier, shuffle };

struct Thread {
    ucontext_t start;
    jmp_buf context;
    std::unique_ptr<Region> stack;
    bool is_started = false;
    State state = State::done;
    int line = 0;
};

// Lanes of a warp that wait for each other, known by the lowest of them.
struct Meeting {
    unsigned int mask = 0;
    unsigned int n_waiting = 0;
    // What they have called, and where.
    Operation operation = Operation::none;
    int line = 0;
    unsigned int first_lane = 0;
    // Two sets of shuffled values: a lane may be one shuffle ahead of its slowest neighbour.
    std::uint64_t slots[2][WARP] = {};
    unsigned int n_past = 0;
};

struct Warp {
    Meeting meetings[WARP];
    unsigned int lanes_done = 0;
};

Thread threads[MAX_THREADS];
Warp warps[MAX_THREADS / WARP];
unsigned int n_threads = 0;
unsigned int current = 0;
bool is_in_thread = false;
unsigned int n_live = 0;
unsigned int n_at_block_barrier = 0;
int block_line = 0;
bool has_progressed = false;
const char* polled = "";
std::unique_ptr<Region> shared;
Body body = nullptr;
const void* launch = nullptr;
jmp_buf scheduler;
bool has_failed = false;
char message[1024];

Warp& own_warp() { return warps[current / WARP]; }

// Back to the scheduler; returns when it resumes this thread.
void wait_as(State state, int line)
{
    Thread& self = threads[current];
    self.state = state;
    self.line = line;
    if (_setjmp(self.context) == 0) {
        _longjmp(scheduler, 1);
    }
}

void release_block()
{
    for (unsigned int idx = 0; idx < n_threads; ++idx) {
        if (threads[idx].state == State::at_block_barrier) {
            threads[idx].state = State::ready;
        }
    }
    n_at_block_barrier = 0;
    progressed();
}

// A thread has run to its end.
void leave()
{
    copies_at_exit();
    Warp& warp = own_warp();
    warp.lanes_done |= 1u << current % WARP;
    for (const Meeting& meeting : warp.meetings) {
        if (meeting.n_waiting > 0 && (meeting.mask & warp.lanes_done) != 0) {
            fault("a thread leaves while others of its warp wait for it at line %d", meeting.line);
        }
    }
    --n_live;
    progressed();
    if (n_live > 0 && n_at_block_barrier == n_live) {
        release_block();
    }
}

void run_thread()
{
    for (;;) {
        body(launch);
        leave();
        wait_as(State::done, 0);
    }
}

// Runs one thread until it waits, leaves or fails.
__attribute__((noinline)) void resume(unsigned int idx)
{
    current = idx;
    threadIdx = {idx, 0, 0};
    Thread& thread = threads[idx];
    if (_setjmp(scheduler) == 0) {
        is_in_thread = true;
        if (thread.is_started) {
            _longjmp(thread.context, 1);
        }
        thread.is_started = true;
        setcontext(&thread.start);
    }
    is_in_thread = false;
}

void prepare(Thread& thread)
{
    thread.state = State::ready;
    if (thread.is_started) {
        return;
    }
    if (!thread.stack) {
        thread.stack = std::make_unique<Region>(STACK_BYTES);
    }
    getcontext(&thread.start);
    thread.start.uc_stack.ss_sp = thread.stack->begin();
    thread.start.uc_stack.ss_size = STACK_BYTES;
    thread.start.uc_link = nullptr;
    makecontext(&thread.start, run_thread, 0);
}

// Every thread waits and none can go on: who waits where.
void report_deadlock()
{
    unsigned int n_warp = 0, n_polling = 0;
    int warp_line = 0;
    for (unsigned int idx = 0; idx < n_threads; ++idx) {
        if (threads[idx].state == State::at_warp_operation) {
            ++n_warp;
            warp_line = threads[idx].line;
        }
        n_polling += threads[idx].state == State::polling;
    }
    std::snprintf(
        message, sizeof message,
        "block %u cannot go on: of %u threads, %u wait at a block barrier (line %d), %u at an operation of their warp (line "
        "%d), %u for %s; %u have left",
        blockIdx.x, n_threads, n_at_block_barrier, block_line, n_warp, warp_line, n_polling, n_polling ? polled : "nothing",
        n_threads - n_live);
    has_failed = true;
}

void run_block(bool is_descending)
{
    for (unsigned int idx = 0; idx < n_threads; ++idx) {
        prepare(threads[idx]);
    }
    std::fill(warps, warps + (n_threads + WARP - 1) / WARP, Warp{});
    n_live = n_threads;
    n_at_block_barrier = 0;
    while (n_live > 0 && !has_failed) {
        has_progressed = false;
        for (unsigned int nth = 0; nth < n_threads && !has_failed; ++nth) {
            const unsigned int idx = is_descending ? n_threads - 1 - nth : nth;
            const State state = threads[idx].state;
            if (state == State::ready) {
                has_progressed = true;
                resume(idx);
            } else if (state == State::polling) {
                resume(idx);
            }
        }
        if (!has_progressed && !has_failed && !deliver_copies()) {
            report_deadlock();
        }
    }
}

// Where lanes of a warp meet.
Meeting& meeting_of(unsigned int mask, int line)
{
    const unsigned int lane = current % WARP;
    const unsigned int n_lanes = warp_end() - warp_begin();
    if ((mask >> lane & 1u) == 0u) {
        fault("line %d: lane %u is not in its own mask 0x%08x", line, lane, mask);
    }
    if (n_lanes < WARP && mask >> n_lanes != 0) {
        fault("line %d: mask 0x%08x in a warp of %u threads", line, mask, n_lanes);
    }
    if ((own_warp().lanes_done & mask) != 0) {
        fault("line %d: lane %u waits for lanes that have left", line, lane);
    }
    return own_warp().meetings[__builtin_ctz(mask)];
}

// Waits for the lanes of the mask; the last one lets the others go.
void meet(Meeting& meeting, Operation operation, unsigned int mask, int line)
{
    const unsigned int lane = current % WARP;
    if (meeting.n_waiting == 0) {
        meeting.mask = mask;
        meeting.operation = operation;
        meeting.line = line;
        meeting.first_lane = lane;
    } else if (meeting.mask != mask || meeting.operation != operation || meeting.line != line) {
        fault("lanes of a warp diverge: lane %u is at line %d, lane %u at line %d", meeting.first_lane, meeting.line, lane,
              line);
    }
    if (++meeting.n_waiting < static_cast<unsigned int>(__builtin_popcount(mask))) {
        wait_as(State::at_warp_operation, line);
        return;
    }
    meeting.n_waiting = 0;
    ++meeting.n_past;
    for (unsigned int idx = warp_begin(); idx < warp_end(); ++idx) {
        if (mask >> idx % WARP & 1u && threads[idx].state == State::at_warp_operation) {
            threads[idx].state = State::ready;
        }
    }
    progressed();
}

void on_signal(int signal, siginfo_t* info, void*)
{
    char said[256];
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
        describe_address(info->si_addr, said, sizeof said);
        break;
    case SIGVTALRM:
        std::snprintf(said, sizeof said, "more than %u seconds of processor time", MAX_SECONDS);
        break;
    default:
        std::snprintf(said, sizeof said, "signal %d", signal);
    }
    if (!is_in_thread) {
        std::fprintf(stderr, "outside of a kernel: %s\n", said);
        std::_Exit(3);
    }
    fault("%s", said);
}

void catch_signals()
{
    static unsigned char stack[64 * 1024];
    stack_t alternate = {};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    // The handler does not return, so its signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM}) {
        sigaction(signal, &action, nullptr);
    }
}

void limit_time(unsigned int seconds)
{
    itimerval timer = {};
    timer.it_value.tv_sec = seconds;
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

}  // namespace

void fault(const char* format, ...)
{
    const int n_written = std::snprintf(message, sizeof message, "block %u, thread %u: ", blockIdx.x, current);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message + n_written, sizeof message - static_cast<std::size_t>(n_written), format, arguments);
    va_end(arguments);
    if (!is_in_thread) {
        std::fprintf(stderr, "outside of a kernel: %s\n", message);
        std::_Exit(3);
    }
    has_failed = true;
    _longjmp(scheduler, 1);
}

void progressed() { has_progressed = true; }

void poll(const char* what)
{
    polled = what;
    wait_as(State::polling, 0);
}

unsigned int thread_number() { return current; }
unsigned int warp_begin() { return current / WARP * WARP; }
unsigned int warp_end() { return std::min(warp_begin() + WARP, n_threads); }

void block_barrier(int line)
{
    if (n_at_block_barrier == 0) {
        block_line = line;
    } else if (block_line != line) {
        fault("threads of the block diverge: some are at line %d, this one is at line %d", block_line, line);
    }
    if (++n_at_block_barrier == n_live) {
        release_block();
        return;
    }
    wait_as(State::at_block_barrier, line);
}

void warp_barrier(unsigned int mask, int line) { meet(meeting_of(mask, line), Operation::barrier, mask, line); }

// Hands out what a lane of the mask has; every lane of it names its own source.
static std::uint64_t shuffle(unsigned int mask, std::uint64_t bits, unsigned int source, int line)
{
    const unsigned int lane = current % WARP;
    if ((mask >> source & 1u) == 0u) {
        fault("line %d: lane %u reads lane %u, which is not in mask 0x%08x", line, lane, source, mask);
    }
    Meeting& meeting = meeting_of(mask, line);
    std::uint64_t* const slots = meeting.slots[meeting.n_past % 2];
    slots[lane] = bits;
    meet(meeting, Operation::shuffle, mask, line);
    return slots[source];
}

static unsigned int segment_of(int width, int line)
{
    if (width < 1 || width > 32 || (width & (width - 1)) != 0) {
        fault("line %d: a shuffle in segments of %d lanes", line, width);
    }
    return static_cast<unsigned int>(width);
}

std::uint64_t shuffle_down(unsigned int mask, std::uint64_t bits, unsigned int offset, int width, int line)
{
    const unsigned int lane = current % WARP, segment = segment_of(width, line);
    const bool is_inside = lane % segment + offset < segment;
    return shuffle(mask, bits, is_inside ? lane + offset : lane, line);
}

std::uint64_t shuffle_from(unsigned int mask, std::uint64_t bits, unsigned int source, int width, int line)
{
    const unsigned int lane = current % WARP, segment = segment_of(width, line);
    return shuffle(mask, bits, lane - lane % segment + source % segment, line);
}

unsigned int ballot(unsigned int mask, bool is_yes, int line)
{
    Meeting& meeting = meeting_of(mask, line);
    std::uint64_t* const slots = meeting.slots[meeting.n_past % 2];
    slots[current % WARP] = is_yes ? 1u : 0u;
    meet(meeting, Operation::shuffle, mask, line);
    unsigned int votes = 0u;
    for (unsigned int lane = 0; lane < WARP; ++lane) {
        if ((mask >> lane & 1u) != 0u && slots[lane] != 0u) {
            votes |= 1u << lane;
        }
    }
    return votes;
}

unsigned char* shared_memory() { return shared->begin(); }

std::size_t shared_address(const void* pointer)
{
    const auto* const byte = static_cast<const unsigned char*>(pointer);
    if (byte < shared->begin() || byte >= shared->begin() + shared->size()) {
        fault("the shared address of a pointer that does not point to shared memory");
    }
    return SHARED_BASE + static_cast<std::size_t>(byte - shared->begin());
}

unsigned char* shared_pointer(unsigned int address, unsigned int n_bytes, const char* what)
{
    if (address < SHARED_BASE || address - SHARED_BASE + std::size_t{n_bytes} > shared->size()) {
        fault("%s outside of the %zu bytes of shared memory: %u bytes at offset %d", what, shared->size(), n_bytes,
              static_cast<int>(address - SHARED_BASE));
    }
    return shared->begin() + (address - SHARED_BASE);
}

const char* run_grid(unsigned int n_blocks, unsigned int n_threads_, std::size_t shared_bytes, Body body_, const void* launch_)
{
    static const bool has_handlers = (catch_signals(), true);
    static_cast<void>(has_handlers);
    n_threads = n_threads_;
    body = body_;
    launch = launch_;
    has_failed = false;
    blockDim = {n_threads, 1, 1};
    gridDim = {n_blocks, 1, 1};
    shared = std::make_unique<Region>(shared_bytes, 128);
    limit_time(MAX_SECONDS);
    for (unsigned int block_idx = 0; block_idx < n_blocks && !has_failed; ++block_idx) {
        blockIdx = {block_idx, 0, 0};
        shared->poison();
        forget_copies();
        run_block(block_idx % 2 == 1);
        if (!has_failed && !shared->is_surrounded()) {
            std::snprintf(message, sizeof message, "block %u wrote beside its shared memory", block_idx);
            has_failed = true;
        }
    }
    limit_time(0);
    if (!has_failed) {
        return nullptr;
    }
    // Their stacks hold a launch that is over.
    for (Thread& thread : threads) {
        thread.is_started = false;
        thread.state = State::done;
    }
    return message;
}

}  // namespace on_cpu
