// CUB's device-wide sum, sum of squares, inner product and extremes as nodes of a replayed CUDA graph: the peer of long_vectors.
#include <cub/cub.cuh>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

struct Plus {
    __device__ float operator()(float x, float y) const { return x + y; }
};

struct Square {
    __device__ float operator()(float x) const { return x * x; }
};

struct Product {
    __device__ float operator()(const thrust::tuple<float, float> &pair) const {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

// Microseconds a node; node `i` of a graph reduces window `i`.
template <typename Reduce> static void bench(const char *what, size_t n, Reduce reduce) {
    const size_t in_memory = size_t(1) << 28;
    const int n_nodes = int(std::clamp(in_memory / n, size_t(4), size_t(64)));
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    size_t bytes = 0;
    check(reduce(nullptr, bytes, 0, stream));
    void *temporary;
    check(cudaMalloc(&temporary, bytes));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int node = 0; node < n_nodes; ++node) {
        check(reduce(temporary, bytes, node % (in_memory / n) * n, stream));
    }
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    const int n_replays = 5, n_samples = 9;
    std::printf("{\"what\":\"cub %s\",\"n\":%zu,\"us\":[", what, n);
    for (int sample = 0; sample <= n_samples; ++sample) {
        check(cudaStreamSynchronize(stream));
        const auto start = std::chrono::steady_clock::now();
        for (int replay = 0; replay < n_replays; ++replay) {
            check(cudaGraphLaunch(executable, stream));
        }
        check(cudaStreamSynchronize(stream));
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        // The first one warms up.
        if (sample > 0) {
            std::printf("%s%.3f", sample > 1 ? ", " : "", time.count() / (n_replays * n_nodes));
        }
    }
    std::printf("]}\n");
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    check(cudaFree(temporary));
    check(cudaStreamDestroy(stream));
}

static float *operand() {
    const size_t n = size_t(1) << 28;
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) {
        values[i] = float(i % 3) - 1.0f;
    }
    float *x;
    check(cudaMalloc(&x, n * sizeof(float)));
    check(cudaMemcpy(x, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    return x;
}

int main() {
    float *result;
    check(cudaMalloc(&result, sizeof(float)));
    const float *x = operand(), *y = operand();
    for (int log2 = 10; log2 <= 28; log2 += 2) {
        const size_t n = size_t(1) << log2;
        bench("sum", n, [&](void *temporary, size_t &bytes, size_t start, cudaStream_t stream) {
            return cub::DeviceReduce::Sum(temporary, bytes, x + start, result, int(n), stream);
        });
        bench("norm2", n, [&](void *temporary, size_t &bytes, size_t start, cudaStream_t stream) {
            return cub::DeviceReduce::TransformReduce(
                temporary, bytes, x + start, result, int(n), Plus{}, Square{}, 0.0f, stream);
        });
        bench("min", n, [&](void *temporary, size_t &bytes, size_t start, cudaStream_t stream) {
            return cub::DeviceReduce::Min(temporary, bytes, x + start, result, int(n), stream);
        });
        bench("max", n, [&](void *temporary, size_t &bytes, size_t start, cudaStream_t stream) {
            return cub::DeviceReduce::Max(temporary, bytes, x + start, result, int(n), stream);
        });
        bench("dot", n, [&](void *temporary, size_t &bytes, size_t start, cudaStream_t stream) {
            const auto pairs = thrust::make_zip_iterator(x + start, y + start);
            return cub::DeviceReduce::TransformReduce(
                temporary, bytes, pairs, result, int(n), Plus{}, Product{}, 0.0f, stream);
        });
    }
    return 0;
}
