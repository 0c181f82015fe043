import Metrics
import Synchronization

/// A number that goes up and down: the last one recorded counts.
final class PrometheusGauge: RecorderHandler, MeterHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }

    func set(_ new: Double) {
        value.withLock { $0 = new }
    }

    func increment(by amount: Double) {
        guard amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func decrement(by amount: Double) {
        increment(by: -amount)
    }

    func lines(name: String, labels: String) -> String {
        PrometheusText.sample(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}
