import Metrics
import Synchronization

/// A number that only grows, whole or not.
final class PrometheusCounter: CounterHandler, FloatingPointCounterHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) {
        increment(by: Double(amount))
    }

    /// What would make it smaller or no number at all is left out.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func reset() {
        value.withLock { $0 = 0 }
    }

    func lines(name: String, labels: String) -> String {
        PrometheusText.sample(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}
