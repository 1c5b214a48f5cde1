// Models of the inline PTX in emitted kernels, one function an instruction; the harness names them.
#pragma once

#include <cstddef>

namespace ptx {

// Copies that run on their own. The model delays each of them as long as the kernel lets it: a load arrives when
// no thread can go on without it, a store reads when its group is waited for.
void mbarrier_init(unsigned int barrier);
void mbarrier_arrive_expect_tx(unsigned int barrier, unsigned int n_bytes);
void mbarrier_try_wait_parity_0(unsigned int& is_done, unsigned int barrier);
void mbarrier_try_wait_parity(unsigned int& is_done, unsigned int barrier, unsigned int parity);
void fence_proxy_async();
void bulk_load(unsigned int target, const void* source, unsigned int n_bytes, unsigned int barrier);
void bulk_store(void* target, unsigned int source, unsigned int n_bytes);
void bulk_commit_group();
void bulk_wait_group_read_0();
void copy_async(unsigned int target, const void* source, unsigned int n_bytes);
void commit_group();
void wait_group(unsigned int n_pending);

// The kernels before a launch have ended when it starts, and the next one waits for it.
inline void griddepcontrol_wait() {}
inline void griddepcontrol_launch_dependents() {}

// Approximations. A result is a function of the argument's bits, off by a pseudo-random part of the error that
// the instruction may have.
void rsqrt_approx_f32(float& result, float x);
void rsqrt_approx_ftz_f32(float& result, float x);
void rcp_approx_ftz_f32(float& result, float x);
void rsqrt_approx_ftz_f64(double& result, double x);
void rcp_approx_ftz_f64(double& result, double x);

}  // namespace ptx
