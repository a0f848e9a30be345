// SPDX-License-Identifier: Apache-2.0
// Eigen: a header library, so this is C++. It reads the arrays where they are; SpGEMM has one
// thread there.
#include <Eigen/Core>
#include <Eigen/Sparse>
#include <bench_rival.h>
#include <memory>
#include <new>

namespace
{

template <typename T> struct products {
    using sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
    template <int order> using dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, order>;
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

    const bench_problem problem;
    const Eigen::Map<const sparse> a, b; // b: A itself if there is no other
    sparse c;

    static Eigen::Map<const sparse> map(const spl_sparse &m)
    {
        return {m.rows,
                m.cols,
                m.nnz,
                static_cast<const int *>(m.offsets),
                static_cast<const int *>(m.indices),
                static_cast<const T *>(m.values)};
    }
    explicit products(const bench_problem &p) : problem(p), a(map(p.a)), b(map(*bench_right(&p)))
    {
    }
    void spmv()
    {
        Eigen::Map<const vector> x(static_cast<const T *>(problem.x), problem.a.cols);
        Eigen::Map<vector>(static_cast<T *>(problem.y), problem.a.rows).noalias() = a * x;
    }
    template <int order> void multiply()
    {
        Eigen::Map<const dense<order>> x(static_cast<const T *>(problem.x), problem.a.cols,
                                         problem.columns);
        Eigen::Map<dense<order>>(static_cast<T *>(problem.y), problem.a.rows, problem.columns)
            .noalias() = a * x;
    }
    void spmm()
    {
        if (problem.order == SPL_ROW_MAJOR)
            multiply<Eigen::RowMajor>();
        else
            multiply<Eigen::ColMajor>();
    }
    void spgemm()
    {
        c = a * b;
    }
};

struct any {
    std::unique_ptr<products<float>> f32;
    std::unique_ptr<products<double>> f64;
};

const char *start(const bench_target *target)
{
    Eigen::setNbThreads(target->threads);
    return nullptr;
}

const char *version()
{
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
    return TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION);
}

void *prepare(const bench_problem *problem)
{
    if (problem->a.offset_type != SPL_I32 || bench_right(problem)->offset_type != SPL_I32)
        return nullptr;
    try {
        auto state = std::make_unique<any>();
        if (problem->type == SPL_F32)
            state->f32 = std::make_unique<products<float>>(*problem);
        else
            state->f64 = std::make_unique<products<double>>(*problem);
        return state.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

template <typename F> int attempt(void *state, F call)
{
    any *s = static_cast<any *>(state);
    try {
        if (s->f32)
            call(*s->f32);
        else
            call(*s->f64);
        return 1;
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

int run_spmv(void *state)
{
    return attempt(state, [](auto &p) { p.spmv(); });
}

int run_spmm(void *state)
{
    return attempt(state, [](auto &p) { p.spmm(); });
}

int run_spgemm(void *state)
{
    return attempt(state, [](auto &p) { p.spgemm(); });
}

int result_spgemm(void *state, spl_sparse *c)
{
    return attempt(state, [c](auto &p) {
        *c = p.problem.a;
        c->rows = p.c.rows();
        c->cols = p.c.cols();
        c->nnz = p.c.nonZeros();
        c->offsets = p.c.outerIndexPtr();
        c->indices = p.c.innerIndexPtr();
        c->values = p.c.valuePtr();
    });
}

void discard(void *state)
{
    attempt(state, [](auto &p) { p.c = {}; });
}

void release(void *state)
{
    delete static_cast<any *>(state);
}

constexpr bench_kernel kernel(int (*run)(void *), int (*result)(void *, spl_sparse *),
                              void (*discard)(void *))
{
    bench_kernel made{};
    made.prepare = prepare;
    made.run = run;
    made.result = result;
    made.discard = discard;
    made.release = release;
    return made;
}

constexpr bench_rival rival()
{
    bench_rival made{};
    made.name = "eigen";
    made.start = start;
    made.version = version;
    made.kernels[BENCH_SPMV] = kernel(run_spmv, nullptr, nullptr);
    made.kernels[BENCH_SPMM] = kernel(run_spmm, nullptr, nullptr);
    made.kernels[BENCH_SPGEMM] = kernel(run_spgemm, result_spgemm, discard);
    return made;
}

} // namespace

extern "C" {
extern const bench_rival bench_eigen;
const bench_rival bench_eigen = rival();
}
