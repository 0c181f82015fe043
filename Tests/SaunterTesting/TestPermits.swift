/// Limits the number of tests that use one resource at the same time: the cluster, or a server.
///
/// Swift Testing starts all tests of a process together. Without a limit, hundreds of databases with connection pools
/// would need more connections than the server has, and tests would fail for lack of connections.
package actor TestPermits {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter count: the number of tests that can use the resource at the same time.
    package init(_ count: Int) { free = count }

    /// Waits for a permit. Waiting tests are served in order.
    package func acquire() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Returns a permit. The next waiting test gets it.
    package func release() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
