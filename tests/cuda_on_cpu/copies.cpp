// Asynchronous copies: in bulk, with the barriers in shared memory that count them, and of single elements.

#include "copies.h"

#include "block.h"
#include "memory.h"
#include "ptx.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace on_cpu {
namespace {

// A barrier in its current phase; one arrival ends each.
struct Barrier {
    unsigned int n_complete = 0;
    unsigned int n_pending = 1;
    std::uint64_t n_expected_bytes = 0;
    std::uint64_t n_coming_bytes = 0;
    // Whether the copy engine knows of it, and who has to tell.
    bool is_fenced = false;
    unsigned int initialiser = 0;
};

struct Load {
    unsigned int barrier;
    unsigned char* target;
    const void* source;
    unsigned int n_bytes;
};

struct Store {
    void* target;
    const unsigned char* source;
    unsigned int n_bytes;
    bool is_committed;
};

std::map<unsigned int, Barrier> barriers;
std::vector<Load> loads;
// Bytes that loads have delivered to, which lanes may have read since.
std::vector<Load> delivered;
std::vector<Store> stores[MAX_THREADS];
// Copies of single elements: groups of a thread in order, the last one still open.
struct Element {
    unsigned char* target;
    const void* source;
    unsigned int n_bytes;
};

std::vector<std::vector<Element>> elements[MAX_THREADS];
bool is_closed[MAX_THREADS];
// Whether a thread has fenced what it stored since it last waited for a load.
bool has_fenced[MAX_THREADS];

Barrier& barrier_at(unsigned int address)
{
    const auto found = barriers.find(address);
    if (found == barriers.end()) {
        fault("a barrier at %u that nobody has initialised", address);
    }
    return found->second;
}

void check_copy(const void* global, const void* in_shared, unsigned int n_bytes)
{
    const auto is_aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; };
    if (!is_aligned(global) || !is_aligned(in_shared) || n_bytes % 16 != 0 || n_bytes == 0) {
        fault("a bulk copy of %u bytes: size and both addresses must be multiples of 16", n_bytes);
    }
    if (!is_inside(global, n_bytes)) {
        fault("a bulk copy of %u bytes that do not lie in one operand", n_bytes);
    }
}

}  // namespace

void forget_copies()
{
    barriers.clear();
    loads.clear();
    delivered.clear();
    for (auto& own : stores) {
        own.clear();
    }
    for (auto& own : elements) {
        own.clear();
    }
    std::memset(has_fenced, 0, sizeof has_fenced);
}

void copies_at_exit()
{
    if (!stores[thread_number()].empty()) {
        fault("the thread leaves before its bulk stores have read shared memory");
    }
    if (!elements[thread_number()].empty()) {
        fault("the thread leaves before its copies have arrived");
    }
}

bool deliver_copies()
{
    bool has_delivered = false;
    for (auto& [address, barrier] : barriers) {
        if (barrier.n_pending > 0 || barrier.n_coming_bytes != barrier.n_expected_bytes) {
            continue;
        }
        for (const Load& load : loads) {
            if (load.barrier == address) {
                std::memcpy(load.target, load.source, load.n_bytes);
                delivered.push_back(load);
            }
        }
        const auto is_of = [address = address](const Load& load) { return load.barrier == address; };
        loads.erase(std::remove_if(loads.begin(), loads.end(), is_of), loads.end());
        barrier.n_complete += 1;
        barrier.n_pending = 1;
        barrier.n_expected_bytes = barrier.n_coming_bytes = 0;
        has_delivered = true;
    }
    return has_delivered;
}

}  // namespace on_cpu

namespace ptx {
using namespace on_cpu;

void mbarrier_init(unsigned int barrier)
{
    std::memset(shared_pointer(barrier, 8, "a barrier"), 0xa5, 8);
    if (barrier % 8 != 0) {
        fault("a barrier at %u, not a multiple of 8", barrier);
    }
    Barrier fresh;
    fresh.initialiser = thread_number();
    if (!barriers.insert({barrier, fresh}).second) {
        fault("a barrier is initialised twice");
    }
}

void mbarrier_arrive_expect_tx(unsigned int barrier, unsigned int n_bytes)
{
    Barrier& known = barrier_at(barrier);
    if (known.n_pending == 0) {
        fault("one arrival more than the barrier counts");
    }
    --known.n_pending;
    known.n_expected_bytes += n_bytes;
    progressed();
}

void mbarrier_try_wait_parity_0(unsigned int& is_done, unsigned int barrier)
{
    mbarrier_try_wait_parity(is_done, barrier, 0);
}

void mbarrier_try_wait_parity(unsigned int& is_done, unsigned int barrier, unsigned int parity)
{
    // The phase before the current one has the other parity.
    const bool is_complete = barrier_at(barrier).n_complete % 2 != parity;
    is_done = is_complete ? 1u : 0u;
    if (is_complete) {
        has_fenced[thread_number()] = false;
    } else {
        poll("bytes at a barrier that expects other copies than it gets");
    }
}

void fence_proxy_async()
{
    has_fenced[thread_number()] = true;
    for (auto& [address, barrier] : barriers) {
        barrier.is_fenced |= barrier.initialiser == thread_number();
    }
}

void bulk_load(unsigned int target, const void* source, unsigned int n_bytes, unsigned int barrier)
{
    unsigned char* const bytes = shared_pointer(target, n_bytes, "a bulk load");
    check_copy(source, bytes, n_bytes);
    Barrier& known = barrier_at(barrier);
    if (known.n_pending > 0) {
        fault("a bulk load before its barrier expects it");
    }
    if (!known.is_fenced) {
        fault("a bulk load before the initialisation of its barrier has been fenced");
    }
    const auto overlaps = [&](const Load& old) { return old.target < bytes + n_bytes && bytes < old.target + old.n_bytes; };
    if (std::any_of(delivered.begin(), delivered.end(), overlaps)) {
        for (unsigned int idx = warp_begin(); idx < warp_end(); ++idx) {
            if (!has_fenced[idx]) {
                fault("a bulk load before thread %u has fenced what it read there", idx);
            }
        }
    }
    known.n_coming_bytes += n_bytes;
    // Whoever looks before the phase is complete must see that nothing is there yet, nor what was there before.
    std::memset(bytes, 0xff, n_bytes);
    loads.push_back({barrier, bytes, source, n_bytes});
    progressed();
}

void bulk_store(void* target, unsigned int source, unsigned int n_bytes)
{
    unsigned char* const bytes = shared_pointer(source, n_bytes, "a bulk store");
    check_copy(target, bytes, n_bytes);
    for (unsigned int idx = warp_begin(); idx < warp_end(); ++idx) {
        if (!has_fenced[idx]) {
            fault("a bulk store before thread %u has fenced what it wrote", idx);
        }
    }
    stores[thread_number()].push_back({target, bytes, n_bytes, false});
}

void bulk_commit_group()
{
    for (Store& store : stores[thread_number()]) {
        store.is_committed = true;
    }
}

void bulk_wait_group_read_0()
{
    std::vector<Store> rest;
    for (const Store& store : stores[thread_number()]) {
        if (store.is_committed) {
            std::memcpy(store.target, store.source, store.n_bytes);
        } else {
            rest.push_back(store);
        }
    }
    stores[thread_number()] = rest;
}

void copy_async(unsigned int target, const void* source, unsigned int n_bytes)
{
    unsigned char* const bytes = shared_pointer(target, n_bytes, "a copy of one element");
    const bool is_aligned = target % n_bytes == 0 && reinterpret_cast<std::uintptr_t>(source) % n_bytes == 0;
    if ((n_bytes != 4 && n_bytes != 8 && n_bytes != 16) || !is_aligned) {
        fault("a copy of %u bytes: 4, 8 or 16, and both addresses multiples of it", n_bytes);
    }
    if (!is_inside(source, n_bytes)) {
        fault("a copy of %u bytes that do not lie in one operand", n_bytes);
    }
    // Whoever looks too early must see that nothing is there yet.
    std::memset(bytes, 0xff, n_bytes);
    auto& own = elements[thread_number()];
    if (own.empty() || is_closed[thread_number()]) {
        own.emplace_back();
        is_closed[thread_number()] = false;
    }
    own.back().push_back({bytes, source, n_bytes});
}

void commit_group() { is_closed[thread_number()] = true; }

void wait_group(unsigned int n_pending)
{
    auto& own = elements[thread_number()];
    if (!own.empty() && !is_closed[thread_number()]) {
        fault("the thread waits for copies that it has not closed to a group");
    }
    while (own.size() > n_pending) {
        for (const Element& element : own.front()) {
            std::memcpy(element.target, element.source, element.n_bytes);
        }
        own.erase(own.begin());
    }
}

}  // namespace ptx
