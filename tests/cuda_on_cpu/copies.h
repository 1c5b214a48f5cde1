// The copy engine of the running block.
#pragma once

namespace on_cpu {

// A new block starts: no barrier and no copy is known.
void forget_copies();

// Lets every load arrive whose barrier has all its bytes on their way; whether there was one. Called when no thread
// can go on without it.
bool deliver_copies();

// The running thread leaves: a fault if it has copies that may still read shared memory.
void copies_at_exit();

}  // namespace on_cpu
