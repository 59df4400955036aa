// Verbs whose result at position i depends only on position i: apply, select, both ewise verbs, extract, assign; fused
// with the write out⟨mask, replace⟩ accum= t.
//
// Specialized by VERB, FUNCTION (an expression in x and y of type D), the types D_TYPE, U_TYPE, V_TYPE, S_TYPE
// (scalar), T_TYPE (of t), O_TYPE (of out), and ACCUM (0, or 1 with ACCUM_FUNCTION and ACCUM_TYPE).

// variants: VERB=UNARY,EWISE_ADD,CONSTANT,SELECT_RIGHT,GATHER FUNCTION=x D_TYPE=int U_TYPE=int V_TYPE=int S_TYPE=int T_TYPE=int O_TYPE=float ACCUM=1 ACCUM_FUNCTION="x + y" ACCUM_TYPE=float

#include "common.cuh"

#define UNARY 0         // t = f(u)
#define BOUND_LEFT 1    // t = f(scalar, u)
#define BOUND_RIGHT 2   // t = f(u, scalar)
#define EWISE_ADD 3
#define EWISE_MULT 4
#define CONSTANT 5      // t = scalar
#define SELECT_UNARY 6  // t = u where f(u)
#define SELECT_RIGHT 7  // t = u where f(u, scalar)
#define GATHER 8        // t(i) = u(at(i))

enum { OUT_EMPTY = 0, OUT_FULL = 1, OUT_BITMAP = 2 };

typedef D_TYPE D;
typedef U_TYPE U;
typedef V_TYPE V;
typedef S_TYPE S;
typedef T_TYPE T;
typedef O_TYPE O;

template <class R> __device__ inline R function(D x, D y) { return cast<R>(FUNCTION); }

#if ACCUM
__device__ inline O accumulate(O old, T t) {
    typedef ACCUM_TYPE D;
    D x = cast<D>(old), y = cast<D>(t);
    (void)x, (void)y;
    return cast<O>(ACCUM_FUNCTION);
}
#endif

extern "C" __global__ void elementwise(i64 n, const U *u_values, const u8 *u_present, const V *v_values,
                                       const u8 *v_present, i64 scalar_bits, const i64 *at, i64 u_size, O *out_values,
                                       const u8 *old_present, u8 *new_present, i64 out_state, i64 replace,
                                       MASK_PARAMETERS) {
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    bool m = holds(i, MASK);
    bool old_there = out_state == OUT_BITMAP ? old_present[i] != 0 : out_state == OUT_FULL;
    if (!m) {
        if (new_present != nullptr) new_present[i] = old_there && !replace;
        return;
    }
    [[maybe_unused]] S scalar = from_bits<S>(scalar_bits);
    i64 source = VERB == GATHER ? at[i] : i;
    bool u_there = VERB != CONSTANT && source >= 0 && source < u_size && (u_present == nullptr || u_present[source]);
    [[maybe_unused]] U u = u_there ? u_values[source] : U(0);
    bool there = u_there;
    T t = T(0);
#if VERB == UNARY
    t = function<T>(cast<D>(u), D(0));
#elif VERB == BOUND_LEFT
    t = function<T>(cast<D>(scalar), cast<D>(u));
#elif VERB == BOUND_RIGHT
    t = function<T>(cast<D>(u), cast<D>(scalar));
#elif VERB == EWISE_ADD || VERB == EWISE_MULT
    bool v_there = v_present == nullptr || v_present[i];
    V v = v_there ? v_values[i] : V(0);
    if (u_there && v_there) t = function<T>(cast<D>(u), cast<D>(v));
    else t = u_there ? cast<T>(u) : cast<T>(v);
    there = VERB == EWISE_ADD ? u_there || v_there : u_there && v_there;
#elif VERB == CONSTANT
    t = cast<T>(scalar);
    there = true;
#elif VERB == SELECT_UNARY
    t = cast<T>(u);
    there = u_there && function<bool>(cast<D>(u), D(0));
#elif VERB == SELECT_RIGHT
    t = cast<T>(u);
    there = u_there && function<bool>(cast<D>(u), cast<D>(scalar));
#elif VERB == GATHER
    t = cast<T>(u);
#endif
#if ACCUM
    if (there) out_values[i] = old_there ? accumulate(out_values[i], t) : cast<O>(t);
    there = there || old_there;
#else
    if (there) out_values[i] = cast<O>(t);
#endif
    if (new_present != nullptr) new_present[i] = there;
}
