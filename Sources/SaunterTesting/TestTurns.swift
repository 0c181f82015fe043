/// Lets a bounded number of tests use the cluster at once.
///
/// Swift Testing starts all tests of a process together. Hundreds of databases with pools on each would be
/// more connections than a server takes, and the tests would measure who is starved first.
actor TestTurns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    /// Returns when it is the caller's turn; who came first is served first.
    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Gives a turn back, to the next who waits.
    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
