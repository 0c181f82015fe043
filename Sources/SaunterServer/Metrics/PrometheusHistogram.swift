import Metrics
import Synchronization

/// How often values fell under each of some bounds, with their sum. A timer's values are seconds.
final class PrometheusHistogram: RecorderHandler, TimerHandler, PrometheusSeries {
    /// Bounds for durations in seconds: from a query of a millisecond to a request that is given up.
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// Bounds for plain numbers, such as how many sheets one transaction wrote.
    static let sizes = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16_384, 65_536]

    private struct Tally {
        /// Per bound how many values were at most that and more than the bound before; then the rest.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let tally: Mutex<Tally>

    /// `bounds` ascend.
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
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        tally.withLock { tally in
            tally.counts[place] &+= 1
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
