// Conjugate gradients by cuSPARSE and cuBLAS with scalars on the device, as a replayed CUDA graph: the peer of
// conjugate_gradients. Also the time of an empty graph node.
#include <cublas_v2.h>
#include <cusparse.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        std::fprintf(stderr, "cuBLAS: %d\n", int(status));
        std::exit(1);
    }
}

static void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) {
        std::fprintf(stderr, "cuSPARSE: %d\n", int(status));
        std::exit(1);
    }
}

struct Scalars {
    float one, zero, rho, pq, alpha, minus_alpha, rr, beta;
};

__global__ void set_alpha(Scalars *s) {
    s->alpha = s->rho / s->pq;
    s->minus_alpha = -s->alpha;
}

__global__ void set_beta(Scalars *s) {
    s->beta = s->rr / s->rho;
    s->rho = s->rr;
}

__global__ void nothing() {}

static void poisson(int side, std::vector<int> &offsets, std::vector<int> &columns, std::vector<float> &values) {
    const int plane = side * side;
    offsets = {0};
    for (int cell = 0; cell < plane * side; ++cell) {
        const int place[] = {cell / plane, cell / side % side, cell % side}, strides[] = {plane, side, 1};
        for (int axis = 0; axis < 3; ++axis) {
            if (place[axis] > 0) {
                columns.push_back(cell - strides[axis]);
                values.push_back(-1.0f);
            }
        }
        columns.push_back(cell);
        values.push_back(6.0f);
        for (int axis = 2; axis >= 0; --axis) {
            if (place[axis] + 1 < side) {
                columns.push_back(cell + strides[axis]);
                values.push_back(-1.0f);
            }
        }
        offsets.push_back(int(columns.size()));
    }
}

template <typename T> static T *upload(const std::vector<T> &values) {
    T *memory;
    check(cudaMalloc(&memory, values.size() * sizeof(T)));
    check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <typename Body> static cudaGraphExec_t record(cudaStream_t stream, Body body) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    body();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

static double replayed(cudaGraphExec_t graph, cudaStream_t stream, int n_replays) {
    check(cudaStreamSynchronize(stream));
    const auto start = std::chrono::steady_clock::now();
    for (int replay = 0; replay < n_replays; ++replay) {
        check(cudaGraphLaunch(graph, stream));
    }
    check(cudaStreamSynchronize(stream));
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

int main() {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    cublasHandle_t blas;
    cusparseHandle_t sparse;
    check(cublasCreate(&blas));
    check(cusparseCreate(&sparse));
    check(cublasSetStream(blas, stream));
    check(cusparseSetStream(sparse, stream));
    check(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    check(cusparseSetPointerMode(sparse, CUSPARSE_POINTER_MODE_DEVICE));
    const int n_iterations = 64, per_graph = 16, n_samples = 9;

    const cudaGraphExec_t empty = record(stream, [&] {
        for (int node = 0; node < 64; ++node) {
            nothing<<<1, 1, 0, stream>>>();
        }
    });
    std::printf("{\"what\":\"empty graph node\",\"us\":[");
    for (int sample = 0; sample <= n_samples; ++sample) {
        const double us = replayed(empty, stream, 5) / (5 * 64);
        if (sample > 0) {
            std::printf("%s%.3f", sample > 1 ? ", " : "", us);
        }
    }
    std::printf("]}\n");

    for (int side : {10, 16, 25, 40, 64, 100, 128, 162}) {
        std::vector<int> host_offsets, host_columns;
        std::vector<float> host_values;
        poisson(side, host_offsets, host_columns, host_values);
        const int n = side * side * side, n_values = int(host_values.size());
        int *offsets = upload(host_offsets), *columns = upload(host_columns);
        float *values = upload(host_values);
        const std::vector<float> ones(n, 1.0f), zeros(n, 0.0f);
        float *x = upload(zeros), *r = upload(ones), *p = upload(ones), *q = upload(zeros);
        Scalars start{};
        start.one = 1.0f;
        start.rho = float(n);
        Scalars *s = upload(std::vector<Scalars>{start});
        cusparseSpMatDescr_t a;
        cusparseDnVecDescr_t vec_p, vec_q;
        check(cusparseCreateCsr(&a, n, n, n_values, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        check(cusparseCreateDnVec(&vec_p, n, p, CUDA_R_32F));
        check(cusparseCreateDnVec(&vec_q, n, q, CUDA_R_32F));
        // The faster of the two algorithms for CSR, by name in the output.
        for (const cusparseSpMVAlg_t algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
            size_t bytes = 0;
            void *buffer;
            const auto transposed = CUSPARSE_OPERATION_NON_TRANSPOSE;
            check(cusparseSpMV_bufferSize(sparse, transposed, &s->one, a, vec_p, &s->zero, vec_q, CUDA_R_32F, algorithm,
                                          &bytes));
            check(cudaMalloc(&buffer, bytes + 16));
            check(cusparseSpMV_preprocess(sparse, transposed, &s->one, a, vec_p, &s->zero, vec_q, CUDA_R_32F, algorithm,
                                          buffer));
            const cudaGraphExec_t graph = record(stream, [&] {
                for (int iteration = 0; iteration < per_graph; ++iteration) {
                    check(cusparseSpMV(sparse, transposed, &s->one, a, vec_p, &s->zero, vec_q, CUDA_R_32F, algorithm,
                                       buffer));
                    check(cublasSdot(blas, n, p, 1, q, 1, &s->pq));
                    set_alpha<<<1, 1, 0, stream>>>(s);
                    check(cublasSaxpy(blas, n, &s->minus_alpha, q, 1, r, 1));
                    check(cublasSdot(blas, n, r, 1, r, 1, &s->rr));
                    set_beta<<<1, 1, 0, stream>>>(s);
                    check(cublasSaxpy(blas, n, &s->alpha, p, 1, x, 1));
                    check(cublasSscal(blas, n, &s->beta, p, 1));
                    check(cublasSaxpy(blas, n, &s->one, r, 1, p, 1));
                }
            });
            std::printf("{\"what\":\"cusparse alg%d + cublas cg\",\"n\":%d,\"values\":%d,\"us\":[",
                        algorithm == CUSPARSE_SPMV_CSR_ALG1 ? 1 : 2, n, n_values);
            for (int sample = 0; sample <= n_samples; ++sample) {
                check(cudaMemcpy(x, zeros.data(), n * sizeof(float), cudaMemcpyHostToDevice));
                check(cudaMemcpy(r, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
                check(cudaMemcpy(p, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
                check(cudaMemcpy(s, &start, sizeof start, cudaMemcpyHostToDevice));
                const double us = replayed(graph, stream, n_iterations / per_graph) / n_iterations;
                if (sample > 0) {
                    std::printf("%s%.3f", sample > 1 ? ", " : "", us);
                }
            }
            std::printf("]}\n");
            check(cudaGraphExecDestroy(graph));
            check(cudaFree(buffer));
        }
        for (void *memory : {(void *)offsets, (void *)columns, (void *)values, (void *)x, (void *)r, (void *)p, (void *)q,
                             (void *)s}) {
            check(cudaFree(memory));
        }
    }
    return 0;
}
