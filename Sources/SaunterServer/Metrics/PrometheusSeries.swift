import Metrics
import Synchronization

/// One series: a metric with one set of labels. swift-metrics records its values.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The lines of the series in the text format.
    /// - Parameter labels: the text between the braces.
    func lines(name: String, labels: String) -> String
}

/// The kinds of metrics.
enum PrometheusKind: String, Sendable, Hashable {
    case counter, gauge
    /// A histogram of plain numbers, such as sizes.
    case distribution
    /// A histogram of seconds.
    case timer

    /// The name of the type in the text format.
    var typeName: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .distribution, .timer: "histogram"
        }
    }

    /// The conventional end of the name of such a metric.
    var suffix: String {
        switch self {
        case .counter: "_total"
        case .gauge, .distribution: ""
        case .timer: "_seconds"
        }
    }

    /// The names of the samples of a metric.
    func sampleNames(of name: String) -> [String] {
        switch self {
        case .counter, .gauge: [name]
        case .distribution, .timer: [name, "\(name)_bucket", "\(name)_sum", "\(name)_count"]
        }
    }
}

/// A number that only increases.
final class PrometheusCounter: CounterHandler, FloatingPointCounterHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) {
        increment(by: Double(amount))
    }

    /// Ignores amounts that are negative or not finite.
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

/// A number that increases and decreases. The series has the value that was recorded last.
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

/// A histogram: the number of values up to each of several bounds, and their sum. The values of a timer are seconds.
final class PrometheusHistogram: RecorderHandler, TimerHandler, PrometheusSeries {
    /// Bounds for durations in seconds: from a query of 1 ms to a request that times out.
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// Bounds for plain numbers, such as the number of sheets in one transaction.
    static let sizes = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16_384, 65_536]

    private struct Tally {
        /// For each bound, the number of values up to it and above the previous bound. The last element is the number
        /// of values above all bounds.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let tally: Mutex<Tally>

    /// - Parameter bounds: in ascending order.
    init(bounds: [Double]) {
        self.bounds = bounds
        tally = Mutex(Tally(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) {
        record(Double(max(0, duration)) / 1_000_000_000)
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        tally.withLock { tally in
            tally.counts[index] &+= 1
            tally.sum += value
        }
    }

    func lines(name: String, labels: String) -> String {
        let (counts, sum) = tally.withLock { ($0.counts, $0.sum) }
        var text = ""
        var total: UInt64 = 0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total &+= count
            let limit = "le=\"\(PrometheusText.number(bound))\""
            text += PrometheusText.sample(
                "\(name)_bucket", labels.isEmpty ? limit : "\(labels),\(limit)", "\(total)")
        }
        text += PrometheusText.sample("\(name)_sum", labels, PrometheusText.number(sum))
        return text + PrometheusText.sample("\(name)_count", labels, "\(total)")
    }
}
