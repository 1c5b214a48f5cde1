//! Attribute macros of `glass`. Users reach them through the facade: `#[glass::op(...)]`, `#[glass::contract(...)]`.
//!
//! Input: the tokens of an attribute and of the item it stands on. Output: the item, and what the run time needs to
//! launch its kernels. The crate reads no machine but the folder that the tracked variable `GLASS_IMAGES` names,
//! chooses no mapping and holds no kernel text.
//!
//! Expansions name everything by absolute paths that start with `::glass`. The library of the package
//! `glass-kernels` has that name, so nothing has to be renamed; a dependency renamed to something else is not found.
#![forbid(unsafe_code)]

mod contract;

use contract::Notation;
use proc_macro::TokenStream;

/// Turns a unit struct into a named operation over a batch of problems, with kernels for CUDA, WGSL and the CPU.
///
/// The name comes first, then sizes as `name = value`, flags as names alone, and words:
///
/// ```
/// /// One step of an inverse-kinematics solver: x = (A + rho I)^-1 b for 7 joints.
/// #[glass::op(posv, n = 7, reg = shift)]
/// pub struct Step;
///
/// # fn main() -> Result<(), glass::Error> {
/// let device = glass::Device::host();
/// let mut hessian = [0.0f32; 7 * 7];
/// (0..7).for_each(|joint| hessian[joint * 8] = 3.0);
/// let a = device.upload(&vec![hessian; 1000])?;
/// let b = device.upload(&vec![[2.0f32; 7]; 1000])?;
///
/// let (mut x, mut status) = Step::outputs(&device, a.len())?;
/// Step::launch(&device, (&a, &b), (&mut x, &mut status), 1.0)?;
///
/// assert!(status.download()?.iter().all(|&word| word == 0));
/// assert!(x.download()?.iter().all(|&x| x == 0.5));
/// # Ok(())
/// # }
/// ```
///
/// Matrices are column-major, and every size is 1..=4096. Where a result has a name in parentheses, that operand is
/// both read and written, instead of the sources and results beside it, when the flag `in_place` is there.
///
/// | op | computes | sizes | flags and words | writes |
/// |---|---|---|---|---|
/// | `dot` | s = x' y | `n` | | `s` |
/// | `reduce` | s = sum x(i) | `n` | | `s` |
/// | `asum` | s = sum abs x(i) | `n` | | `s` |
/// | `nrm1_diff` | s = sum abs(x(i) - y(i)) | `n` | | `s` |
/// | `nrm2` | s = sqrt(x' x), without overflow on the way | `n` | | `s` |
/// | `infnorm` | s = max abs x(i), NaN where there is one | `n` | | `s` |
/// | `iamax` | index of the largest abs x(i) | `n` | | `index` |
/// | `argmax`, `argmin` | index of the largest, the smallest x(i) | `n` | | `index` |
/// | `prefix_sum` | y(i) = x(0) + ... + x(i), `exclusive`: without x(i) | `n` | `exclusive` `in_place` | `y` (`x`) |
/// | `logsumexp` | s = log sum exp(x), relative to the largest | `n` | | `s` |
/// | `softmax` | y = exp(x) / sum exp(x), relative to the largest | `n` | `alpha` | `y` |
/// | `axpy` | z = alpha x + y | `n` | `in_place` | `z` (`y`) |
/// | `axpy_strided` | Y = alpha X + Y on tiles | `m` `n` `ldy` `ldx` | | `y`, updated |
/// | `copy` | y = x | `n` | `alpha` | `y` |
/// | `copy_strided` | Y = X on tiles | `m` `n` `ldy` `ldx` | `alpha` | `y`, the tile |
/// | `scal` | y = alpha x | `n` | `in_place` | `y` (`x`) |
/// | `rot` | x, y = c x + s y, c y - s x | `n` | `in_place` | `x_out`, `y_out` (`x`, `y`) |
/// | `rotg` | Givens rotation of (a, b) | | | `c`, `s`, `r` |
/// | `symmetrize` | B = (A + A') / 2 off the diagonal | `n` | `in_place` | `b` (`a`), updated |
/// | `swap` | x, y = y, x | `n` | | `x`, `y`, updated |
/// | `transpose` | B = A' | `m` `n` | | `b` |
/// | `axpby` | z = alpha x + beta y | `n` | `in_place` | `z` (`y`) |
/// | `set_const` | x(i) = alpha | `n` | | `x` |
/// | `set_identity` | A = I | `n` | | `a` |
/// | `add_identity` | B = A + alpha I | `n` | `in_place` | `b` (`a`) |
/// | `add_identity_partial` | the same on the first `d` rows | `n` `d` | `in_place` | `b` (`a`) |
/// | `clip` | y = x, at most `hi`, then at least `lo` | `n` | | `y` |
/// | `add`, `sub`, `mult` | z = x + y, x - y, x(i) y(i) | `n` | `scalar` | `z` |
/// | `max`, `min` | z(i) = the larger, the smaller of x(i), y(i); NaN where either is | `n` | `scalar` | `z` |
/// | `abs` | y = abs x | `n` | | `y` |
/// | `less`, `less_equal`, `greater`, `greater_equal`, `equal`, `not_equal` | z(i) = 1 where x(i), y(i) compare so, else 0 | `n` | `scalar` | `z` |
/// | `and` | z(i) = 1 where neither x(i) nor y(i) is 0, else 0 | `n` | `scalar` | `z` |
/// | `not` | y(i) = 1 where x(i) is 0, else 0 | `n` | | `y` |
/// | `gemv` | y = op(A) x, A of `m x n` | `m` `n` | `trans` `row_major` `alpha` `beta` | `y` |
/// | `gemv_strided` | y = op(A) x, A a tile | `m` `n` `lda` | `trans` `alpha` `beta` | `y` |
/// | `gemv_segmented` | y(s) = op(A(s)) x(s) for each segment s in order, A(s) of `m x n`, at `offsets` | `m` `n` `segments` `a_len` `x_len` `y_len` | `trans` `fuse` `alpha` `beta` `check` | `y`, the segments, `status`; reads `offsets`, with `fuse` `c`, `s` |
/// | `gemm` | C = op(A) op(B), C of `m x n` | `m` `n` `k` | `trans_a` `trans_b` `row_major_c` `alpha` `beta` | `c` |
/// | `gemm_strided` | C = A B on tiles | `m` `n` `k` `lda` `ldb` `ldc` | `alpha` `beta` | `c`, the tile |
/// | `gemm_batched_indexed` | C(r) = op(A(p)) op(B(q)) for each (p, q, r) of `pairs`, in their order | `dim` `pairs` `a_count` `b_count` `c_count` | `trans_a` `trans_b` `alpha` `beta` `check` | `c`, the named matrices, `status`; reads `pairs` |
/// | `ger` | A = x y' | `m` `n` | `alpha` `beta` | `a` |
/// | `syrk` | C = A A', `trans`: A' A | `n` `k` | `trans` `row_major_c` `fill` `alpha` `beta` `packed` | `c` |
/// | `syr2k` | C = A B' + B A', `trans`: A' B + B' A | `n` `k` | `trans` `row_major_c` `fill` `alpha` `beta` `packed` | `c` |
/// | `symm` | C = A B, A symmetric | `m` `n` | `uplo` `alpha` `beta` | `c` |
/// | `dimm` | C = diag(d) B, `right`: B diag(d) | `m` `n` | `right` `alpha` `beta` | `c` |
/// | `trmv` | y = op(A) x, A triangular | `n` | `uplo` `diag` `trans` `packed` | `y` |
/// | `trmm` | C = op(A) B, A triangular of `m x m` | `m` `n` | `uplo` `diag` `trans` `alpha` `beta` `packed` | `c` |
/// | `trsv` | x = op(A)^-1 b, A triangular | `n` | `uplo` `diag` `trans` `in_place` `packed` | `x` (`b`) |
/// | `trsm` | X = op(A)^-1 B, A triangular | `n` `nrhs` | `uplo` `diag` `trans` `in_place` `packed` | `x` (`b`) |
/// | `potrf` | A = L L' | `n` | `fill` `in_place` `rsqrt` `check` `packed` | `l` (`a`), `status` |
/// | `posv` | X = A^-1 B, A = L L' | `n` `nrhs` | `reg` `in_place` `rsqrt` `check` `packed` | `x` (`a`, `b`), `status` |
/// | `potrs` | X = (L L')^-1 B | `n` `nrhs` | `in_place` `packed` | `x` (`b`) |
/// | `ldlt` | A = L D L' | `n` | `fill` `in_place` `inertia` `check` `packed` | `l` (`a`), `status`, with the flag `inertia` |
/// | `ldlt_solve` | X = (L D L')^-1 B | `n` `nrhs` | `in_place` `packed` | `x` (`b`) |
/// | `inv` | X = A^-1, without pivoting | `n` | `in_place` `check` | `x` (`a`), `status` |
/// | `potrf_many` | A0 = L0 L0', A1 = L1 L1', ... in one sweep | `orders` | `in_place` `check` | `l0`, `l1`, ... (`a0`, `a1`, ...), `status` |
/// | `inv_many` | X0 = A0^-1, X1 = A1^-1, ... in one sweep | `orders` | `in_place` `check` | `x0`, `x1`, ... (`a0`, `a1`, ...), `status` |
/// | `getrf` | P A = L U, rows exchanged | `n` | `in_place` `check` | `lu` (`a`), `status`, `pivots` |
/// | `gesv` | X = A^-1 B by P A = L U | `n` `nrhs` | `in_place` `check` | `x` (`a`, `b`), `status`, in place `pivots` |
/// | `getrs` | X = A^-1 B of P A = L U | `n` `nrhs` | `trans` `in_place` | `x` (`b`); reads `lu`, `b`, `pivots` |
/// | `ldlt_pivoted` | P A P' = L D L', rows and columns exchanged | `n` | `fill` `in_place` `inertia` `check` | `l` (`a`), `status`, with the flag `inertia`, `pivots` |
/// | `ldlt_pivoted_solve` | X = A^-1 B of P A P' = L D L' | `n` `nrhs` | `in_place` | `x` (`b`); reads `l`, `b`, `pivots` |
/// | `laswp` | B = P A, rows exchanged by words | `m` `n` | `trans` `in_place` | `b` (`a`); reads `a`, `pivots` |
/// | `inv_pivoted` | X = A^-1, rows exchanged | `n` | `in_place` `check` | `x` (`a`), `status` |
/// | `tensor_vec_contract` | M = sum v T over one axis of T(k,a,b) | `k` `a` `b` | `axis` `slab_row_major` `symmetric` `alpha` `beta` | `m` |
/// | `vec_tensor_vec` | s(k) = sum u(a) T(k,a,b) w(b) | `k` `a` `b` | `slab_row_major` `alpha` `beta` | `s` |
/// | `congruence_sym` | Q = X' M X, M symmetric | `n` `p` | `alpha` `beta` | `q` |
/// | `bilinear` | R = X' M Y | `n` `p` `q` | `alpha` `beta` | `r` |
/// | `congruence_accum` | C = G M G', M symmetric | `p` `q` | `alpha` `beta` | `c` |
/// | `riccati_gain` | K = (R + B' P B)^-1 B' P A | `nx` `nu` | `reg` `factor` `rsqrt` `check` | `k`, with `factor` `l`, `status` |
/// | `riccati_step` | K = Quu^-1 Qux, d = Quu^-1 Qu, Vxx = Qxx - Qux' K, Vx = Qx - Qux' d | `nx` `nu` | `reg` `rsqrt` `check` | `k`, `d`, `vxx`, `vx`, `status` |
/// | `riccati_pass` | the same for `knots` knots, from the last one to the first, the value kept on chip between them | `nx` `nu` `knots` | `reg` `rsqrt` `check` | `k`, `d`, `vxx`, `vx`, `status` |
/// | `gn_step` | dq = (J' J + D)^-1 J' r | `m` `n` | `reg` `rsqrt` `check` | `dq`, `status` |
///
/// `riccati_step` reads `vxx_next`, `vx_next`, `fx`, `fu`, `lxx`, `lux`, `luu`, `lx`, `lu` in this order, with Quu = Luu + Fu' V Fu and so on of a backward pass whose
/// policy is du = -K dx - d; `riccati_pass` reads `vxx_end` and `vx_end`, the value behind the last knot, in place of the first two, and of the others one part a knot, the
/// first knot first (docs/tiers-and-forms.md).
///
/// With `scalar` the scalar `alpha` of the launch stands in for `y`. `nrhs` is 1, `dim` is 4 and `lda`, `ldb`, `ldc`, `ldx` are without
/// a gap unless they are written. The other words:
///
/// | word | values | default |
/// |---|---|---|
/// | `alpha` | `one`, `runtime`: the result is multiplied by a scalar of the launch | `one`; of `axpy`, `axpby`, `axpy_strided`, `scal`, `set_const` and `add_identity` `runtime` |
/// | `beta` | `zero` (the output is overwritten), `one` (added to), `runtime` (its old value times a scalar) | `zero` |
/// | `uplo` | `lower`, `upper`: the triangle that is stored; the other one is not read | `lower` |
/// | `diag` | `nonunit`, `unit`: the diagonal is one and not read | `nonunit` |
/// | `fill` | of `syrk`, `syr2k`: `full`, `lower`, `upper`; of a factor: `zero`, `untouched` for the opposite triangle | the first one |
/// | `packed` | of a triangular or symmetric operand one triangle is stored, column after column, `n (n + 1) / 2` elements; of `syrk` and `syr2k` beside `fill = lower` or `upper` | all of the square |
/// | `orders` | a list such as `[12, 12, 6]`: the orders of two to four matrices | |
/// | `reg` | `none`, `shift` (`rho` is added to the diagonal), `diag_shift` (`rho` times the diagonal is added) | `none`; `gn_step` has `shift` |
/// | `axis` | `k`, `a`, `b`: the contracted axis of the tensor | `k` |
/// | `check` | `on`, `off`: without a status word | `on` |
///
/// and those that every op shares with [`macro@contract`]: `dtype`, `layout`, `targets`, `tier`, `form`,
/// `lanes_per_output`, `threads_per_block`. A name that ends in `_reduced`, such as `gemv_reduced`, fixes the form.
///
/// # Status
/// `status` is one `u32` a problem: 0 where everything went well, otherwise the number, from 1, of the first pivot that
/// is not finite or (of `potrf`, `posv`, `riccati_gain`, `riccati_step`, `riccati_pass`, `gn_step`) not positive or (of `ldlt`, `ldlt_pivoted`, `inv`, `inv_pivoted`, `getrf`, `gesv`) zero. The results
/// of that problem are then as computed; no other problem is disturbed. Of several matrices each has a word of its own,
/// in order, and a failing one disturbs no other one. `inertia` is three `u32` a
/// problem: how many eigenvalues of D are positive, negative and zero. `index` counts from 0, and `pivots` holds the row,
/// from 0, that each row was exchanged with, in order; where they are read, a word that names no row below its own
/// exchanges nothing. Both words of a 2x2 block of `ldlt_pivoted` are `-(p + 1)` as `i32`: the second row was exchanged with row `p`.
/// Words lie problem after problem in either layout.
///
/// `pairs` of `gemm_batched_indexed` holds three words a product: its matrix of `a`, of `b` and of `c`, from 0; the matrices
/// of an operand lie side by side. `offsets` of `gemv_segmented` holds three words a segment: its first element in `a`,
/// `x` and `y`, from 0. With `fuse`, `c(s) S(s)` is added to `y(s)` after all else, in one rounding: an element of `c` times a
/// column of `s` for each segment. Products are taken in order, also where destinations coincide or overlap, so equal
/// words give equal bits. One with a word that leads outside an operand is left out, and `status` is the number, from 1,
/// of the first one; the others are as if it were not there. What no product writes keeps its bits.
///
/// # What the struct gets
/// `glass::Kernel` and, with the struct's own visibility,
///
/// - `launch(&device, inputs, outputs [, scalars])`: the checked, asynchronous launch. Inputs are a tuple of `&Batch`, words last,
///   outputs and words together one of `&mut Batch`, each in the order of the formula; a single one stands bare, and
///   `()` where there are no inputs. The scalars `alpha`, `beta`, `rho`, `c`, `s` follow in this order, where the op has
///   them;
/// - `outputs(&device, n_problems)`: zero-filled batches for everything that a launch writes, in the same order;
/// - `output(&device, n_problems)`: the same, where there is one output and no word;
/// - `plan(&device, n_problems)`: the variant a launch would run, and the reason it was chosen;
/// - `sources()`: file name and text of every emitted CUDA and WGSL kernel.
///
/// A wrong attribute reports all its mistakes at once, each on the token it was made in.
///
/// # Examples
/// Flags, run-time scalars and a result that is added to:
///
/// ```
/// /// C = alpha A B' + C.
/// #[glass::op(gemm, m = 2, n = 3, k = 4, trans_b, alpha = runtime, beta = one, layout = interleaved)]
/// pub struct Update;
///
/// # fn main() -> Result<(), glass::Error> {
/// let device = glass::Device::host();
/// let interleaved = glass::Layout::Interleaved;
/// let a = device.filled(2 * 4, 50, interleaved, 1.0f32)?;
/// let b = device.filled(3 * 4, 50, interleaved, 2.0f32)?;
/// let mut c = Update::output(&device, 50)?;
/// Update::launch(&device, (&a, &b), &mut c, 0.5)?;
/// Update::launch(&device, (&a, &b), &mut c, 0.25)?;
/// assert_eq!(c.download()?[0], 6.0);
/// # Ok(())
/// # }
/// ```
///
/// In place, in double precision, without a status word:
///
/// ```
/// #[glass::op(potrf, n = 2, dtype = f64, in_place, check = off)]
/// pub struct Factor;
///
/// # fn main() -> Result<(), glass::Error> {
/// let device = glass::Device::host();
/// let mut a = device.upload(&[[4.0f64, 2.0, 2.0, 10.0]])?;
/// Factor::launch(&device, (), &mut a)?;
/// assert_eq!(a.download()?, [2.0, 1.0, 2.0, 3.0]); // above the diagonal nothing is touched
/// # Ok(())
/// # }
/// ```
///
/// A chain in one kernel, with two results; and which kernel that is:
///
/// ```
/// /// Gain of one knot of a backward pass, and the Cholesky factor that belongs to it.
/// #[glass::op(riccati_gain, nx = 14, nu = 7, factor)]
/// pub struct Gain;
///
/// # fn main() -> Result<(), glass::Error> {
/// # let device = glass::Device::host();
/// let (k, l, status) = Gain::outputs(&device, 256)?;
/// assert_eq!((k.elements(), l.elements(), status.elements()), (7 * 14, 7 * 7, 1));
/// let (variant, reason) = Gain::plan(&device, 256).expect("the host runs everything");
/// println!("{}: {reason}", variant.symbol);
/// # Ok(())
/// # }
/// ```
#[proc_macro_attribute]
pub fn op(attribute: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand(Notation::Op, attribute.into(), item.into()).into()
}

/// Turns a unit struct into a batched contraction with kernels for CUDA, WGSL and the CPU.
///
/// Either the product of two operands,
///
/// ```
/// /// Feedback law of a 7-joint arm.
/// #[glass::contract(n_out = 7, k = 14)]
/// pub struct Feedback;
///
/// # fn main() -> Result<(), glass::Error> {
/// let device = glass::Device::host();
/// let a = device.upload(&vec![[0.5f32; 7 * 14]; 1000])?;
/// let x = device.upload(&vec![[2.0f32; 14]; 1000])?;
/// let mut y = Feedback::output(&device, a.len())?;
/// Feedback::launch(&device, (&a, &x), &mut y)?;
/// assert!(y.download()?.iter().all(|&y| y == 14.0));
/// # Ok(())
/// # }
/// ```
///
/// where `n_out` and `k` make a matrix-vector product `y = A x`, `A` of `n_out x k`, and `m`, `n` and `k` make a matrix
/// product `C = A B`, `A` of `m x k`, `B` of `k x n`; or an index string over two to six operands,
///
/// ```
/// /// Hessian of a quadratic cost in new coordinates.
/// #[glass::contract("ki,kl,lj->ij", i = 21, j = 21, k = 14, l = 14, symmetric)]
/// pub struct HessianFold;
///
/// # fn main() -> Result<(), glass::Error> {
/// # let device = glass::Device::host();
/// let x = device.filled(14 * 21, 50, glass::Layout::Contiguous, 1.0f32)?;
/// let m = device.filled(14 * 14, 50, glass::Layout::Contiguous, 1.0f32)?;
/// let mut q = HessianFold::output(&device, 50)?;
/// HessianFold::launch(&device, (&x, &m, &x), &mut q)?;
/// assert_eq!(q.download()?[0], 14.0 * 14.0);
/// # Ok(())
/// # }
/// ```
///
/// in which every letter has an extent, a letter that the result lacks is summed over, and the first letter of an operand
/// is its fastest index. The operands are multiplied in pairs, in the cheapest order, which the kernels' headers state.
///
/// | field | values | default |
/// |---|---|---|
/// | index string | `"ab,bc->ac"`, first | the product of two operands |
/// | any letter | 1..=4096: its extent | required beside an index string |
/// | `symmetric` | flag, beside an index string: only the lower triangle is computed, and mirrored | |
/// | `n_out` | 1..=4096: rows of `A` | required for a vector result |
/// | `m`, `n` | 1..=4096: rows and columns of `C` | required for a matrix result |
/// | `k` | 1..=4096: contraction length | required |
/// | `dtype` | `f32`, `f64` | `f32` |
/// | `layout` | `contiguous`, `interleaved` (tiles of 32 problems) | `contiguous` |
/// | `transpose` | `none`, `a`, `b`, `ab`: operands stored transposed; not beside an index string | `none` |
/// | `alpha` | `one`, `runtime` | `one` |
/// | `beta` | `zero` (the output is overwritten), `one` (added to), `runtime` | `zero` |
/// | `targets` | list of `cuda`, `wgsl`; the host form is always there | every target that has the `dtype` |
/// | `tier` | `thread`, `warp`, `block` | from the table |
/// | `form` | `serial`, `reduced` | from the table |
/// | `lanes_per_output` | 1, 2, 4, 8, 16, 32; with `form = reduced` | 32 |
/// | `threads_per_block` | 1..=1024; with `tier` | from the table |
///
/// The struct gets what [`macro@op`] gives: `launch(&device, (&a, &x), &mut y [, alpha] [, beta])`, `outputs`, `output`,
/// `plan` and `sources`.
///
/// # Embedded images
/// When the environment variable `GLASS_IMAGES` holds the absolute path of a folder, the files
/// `<symbol>-<hash>.sm_<NN>.cubin` and `.ptx` in it that belong to a CUDA kernel are embedded beside its text, and
/// machines without NVRTC can run it. Cargo expands again when the variable or an embedded file changes, not when
/// a file appears: name a new folder, or touch the source. This holds for both attributes.
#[proc_macro_attribute]
pub fn contract(attribute: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand(Notation::Contract, attribute.into(), item.into()).into()
}

/// Turns a unit struct into a reduction of vectors of any length to one or two scalars that stay on the device.
///
/// ```
/// /// The squared norm of a residual.
/// #[glass::reduce(norm2)]
/// pub struct ResidualNorm;
///
/// /// The range of the joints that a mask selects; a NaN among them is the result.
/// #[glass::reduce(extent, masked, nan = propagate)]
/// pub struct JointRange;
/// ```
///
/// | reduction | computes | slots of its results |
/// |---|---|---|
/// | `sum` | the sum of x; of integers modulo 2^32 | the sum |
/// | `dot` | x' y; two handles of one vector are read once | the sum |
/// | `norm2` | x' x: the squared norm | the sum |
/// | `min`, `max` | the smallest, the largest x(i); -0 lies below +0 | the extreme, a status |
/// | `extent` | both | min, max, a status |
///
/// Bit 0 of a status, a `u32`, is set where there was no value, and the extremes are 0 then.
///
/// | field | values | default |
/// |---|---|---|
/// | `dtype` | `f32`; except for `dot` and `norm2` also `u32`, `i32` | `f32` |
/// | `masked` | a second vector of `u32`, of the same length: elements whose word is 0 are left out; not for `dot`, `norm2` | no mask |
/// | `nan` | for extremes of floats: `ignore` (only finite elements are values), `propagate` (infinities are values, a NaN is the result) | `ignore` |
/// | `targets` | list of `cuda`, `wgsl`; the host form is always there | both |
/// | `threads_per_block` | 64, 128, 256; without `wgsl` also 512, 1024 | several, by length; 256 beside the other |
/// | `elements_per_thread` | 1..=64: how many elements one thread adds in a level | several, by length; 16 beside the other |
#[proc_macro_attribute]
pub fn reduce(attribute: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand_reduction(attribute.into(), item.into()).into()
}

/// Turns equations over the fields of a struct into one operation on vectors of any length, sums included, whose scalars
/// stay on the device.
///
/// ```
/// use glass::{Handle, Slot};
///
/// /// r -= alpha q, and its squared norm where that is a number.
/// #[glass::vector("r = fma(-alpha, q, r)", "new = sum(r * r)", "ok = finite(new)", "rr = select(ok, new, rr)")]
/// pub struct UpdateResidual {
///     pub q: Handle,
///     pub r: Handle,
///     pub alpha: Slot<f32>,
///     pub ok: Slot<u32>,
///     pub rr: Slot<f32>,
/// }
/// ```
///
/// A graph takes a value of the struct: `graph.vector("r", UpdateResidual { q, r, alpha, ok, rr })`.
///
/// | type of a field | is |
/// |---|---|
/// | `Handle` | a vector, by its imported view; all have one length |
/// | `MatrixHandle` | a matrix of compressed sparse rows, one for each element |
/// | `Slot<f32>`, `Slot<u32>` | a scalar of the arena |
///
/// | equation | does |
/// |---|---|
/// | `r = ..` of a vector | for every element, after all earlier equations; the old elements are read before |
/// | `z = ..` of no field | makes a name for later equations |
/// | `s = sum(..)` | adds up a formula of elements; a product is added by one fma |
/// | `ok = ..` of scalars | once, when all sums are known; scalars in equations of elements are the old ones |
///
/// | formula | is |
/// |---|---|
/// | `+ - * /`, `abs(x)`, `fma(x, y, z)` | each rounds once, nothing is contracted; words wrap and have no `/` |
/// | `a * x` with a matrix | the row's product with the whole vector, in the order of storage: acc = fma(a, x, acc) from +0 |
/// | `< <= > >= == !=` | 1 or 0, a word |
/// | `& \| !` | of words; `!x` is 1 where x is 0 |
/// | `select(c, x, y)` | x where the word c is not 0, else y |
/// | `finite(x)` | 1 for numbers, 0 for NaN and the infinities |
/// | `0.5`, `1` | a number, a word |
///
/// Words are made in equations of scalars; equations of elements take them by name, in `select`.
///
/// | field | values | default |
/// |---|---|---|
/// | `targets` | list of `cuda`, `wgsl`; the host form is always there | both |
/// | `threads_per_block` | 64, 128, 256; without `wgsl` also 512, 1024 | several, by length; 256 beside the other |
/// | `elements_per_thread` | 1..=64: how many elements one thread takes | several, by length; 4 beside the other |
///
/// Sums are taken in a fixed order: thread j of T adds the terms j, j + T, ... of its chunk of T * E elements, then
/// the threads meet in a tree, then one block adds the sums of the chunks in the same way. CUDA and the host have
/// equal bits; WGSL may split a fused multiply-add.
#[proc_macro_attribute]
pub fn vector(attribute: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand_vector(attribute.into(), item.into()).into()
}

#[cfg(test)]
mod tests {
    use glass_codegen::Field;
    use glass_codegen::catalogue::{Availability, Op};
    use std::collections::BTreeSet;

    /// The words in backquotes of one cell.
    fn words(cell: &str) -> BTreeSet<&str> {
        cell.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn the_table_of_ops_is_that_of_the_catalogue() {
        let source = include_str!("lib.rs");
        let rows = source.lines().filter_map(|line| line.strip_prefix("/// | "));
        let rows = rows.map(|row| row.split('|').collect::<Vec<_>>()).filter(|cells| cells.len() == 6);
        // The heading and the line below it name no op.
        let rows: Vec<_> = rows.filter(|cells| !words(cells[0]).is_empty()).collect();
        let listed: BTreeSet<_> = rows.iter().flat_map(|cells| words(cells[0])).collect();
        let provided = |op: &&Op| op.availability() == Availability::Now && op.has_name();
        let provided: Vec<_> = Op::ALL.iter().filter(provided).collect();
        assert_eq!(listed, provided.iter().map(|op| op.as_str()).collect());
        for op in provided {
            let name = op.as_str();
            let row = rows.iter().find(|cells| words(cells[0]).contains(name)).expect("it is listed");
            let entry = op.entry();
            // A list of orders is written among the options and read as sizes.
            let orders = entry.options.iter().filter(|option| **option == Field::Orders);
            let sizes = entry.sizes.iter().map(|size| &size.field).chain(orders);
            let sizes = sizes.map(|field| field.as_str()).collect();
            assert_eq!(words(row[2]), sizes, "sizes of `{name}`");
            // An op whose result is always scaled has no choice.
            let is_choice = |field: &Field| match field {
                Field::Alpha => entry.alphas.len() > 1,
                Field::Orders => false,
                field => !entry.sizes.iter().any(|size| size.field == *field),
            };
            let options = entry.fields().into_iter().filter(is_choice).map(Field::as_str).collect();
            assert_eq!(words(row[3]), options, "flags and words of `{name}`");
        }
    }
}
