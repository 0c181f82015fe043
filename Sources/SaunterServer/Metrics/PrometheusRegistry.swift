import Metrics
import Synchronization

/// A backend of swift-metrics for Prometheus. It stores all series in memory and writes them in the text format.
///
/// Memory is limited: a metric has at most `seriesLimit` sets of labels. Values for further sets of labels go to one
/// series with the label `overflow="true"`. Values of metrics above `familyLimit` are lost.
/// `saunter_metrics_overflow_total` counts the requests for a series above one of these limits.
package final class PrometheusRegistry: MetricsFactory {
    private let seriesLimit: Int
    private let familyLimit: Int
    private let store = Mutex(PrometheusStore())

    /// - Parameters:
    ///   - seriesLimit: the maximum number of series of one metric.
    ///   - familyLimit: the maximum number of metrics.
    package init(seriesLimit: Int = 500, familyLimit: Int = 1000) {
        self.seriesLimit = seriesLimit
        self.familyLimit = familyLimit
    }

    /// All series in text format 0.0.4. Metrics are sorted by name and series by labels, so that two outputs can be
    /// compared.
    package func exposition() -> String {
        let (families, overflow) = store.withLock { ($0.families, $0.overflow) }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind.typeName)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                text += series.lines(name: name, labels: labels)
            }
        }
        return text + "# TYPE \(PrometheusStore.overflowName) counter\n"
            + PrometheusText.sample(PrometheusStore.overflowName, "", "\(overflow)")
    }

    /// A counter of whole numbers; the same series for the same label and dimensions.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions) { PrometheusCounter() }
    }

    /// A counter of any numbers; the same series for the same label and dimensions.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, label, dimensions) { PrometheusCounter() }
    }

    /// A gauge; the same series for the same label and dimensions.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, label, dimensions) { PrometheusGauge() }
    }

    /// A histogram of sizes if the recorder aggregates, otherwise a gauge.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return series(.gauge, label, dimensions) { PrometheusGauge() } }
        return series(.distribution, label, dimensions) {
            PrometheusHistogram(bounds: PrometheusHistogram.sizes)
        }
    }

    /// A histogram of durations in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.timer, label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
    }

    // Callers often create a handle for one measurement. The series must outlive it, because Prometheus expects series
    // that continue.
    /// Does nothing: the series stays.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: the series stays.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing: the series stays.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: the series stays.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: the series stays.
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series with this name and these labels. It is created if it does not exist.
    private func series<Series: PrometheusSeries>(
        _ kind: PrometheusKind, _ label: String, _ dimensions: [(String, String)], _ make: () -> Series
    ) -> Series {
        store.withLock { store in
            let key = PrometheusStore.Key(kind: kind, label: label, dimensions: dimensions)
            if let known = store.known[key] as? Series { return known }
            guard let name = store.familyName(kind, label, limit: familyLimit) else {
                store.overflow &+= 1
                return make()
            }
            var labels = PrometheusText.labels(dimensions)
            var family = store.families[name] ?? .init(kind: kind)
            let isOverflow = family.series[labels] == nil && family.series.count >= seriesLimit
            if isOverflow {
                store.overflow &+= 1
                labels = #"overflow="true""#
            }
            let series = family.series[labels] as? Series ?? make()
            family.series[labels] = series
            store.families[name] = family
            // Labels that overflow are not stored, because their number is unlimited.
            if !isOverflow { store.known[key] = series }
            return series
        }
    }
}

/// The state of the registry, protected by its lock.
struct PrometheusStore: Sendable {
    /// A metric with its series by their labels.
    struct Family: Sendable {
        let kind: PrometheusKind
        var series: [String: any PrometheusSeries] = [:]
    }

    /// The name and labels as the caller wrote them. Finds a series without converting its names.
    struct Key: Hashable, Sendable {
        private let kind: PrometheusKind
        private let parts: [String]

        init(kind: PrometheusKind, label: String, dimensions: [(String, String)]) {
            self.kind = kind
            parts = [label] + dimensions.flatMap { [$0.0, $0.1] }
        }
    }

    static let overflowName = "saunter_metrics_overflow_total"

    var known: [Key: any PrometheusSeries] = [:]
    var families: [String: Family] = [:]
    /// The number of requests for a series above a limit.
    var overflow: UInt64 = 0
    /// The metric to which each sample name belongs.
    private var owners: [String: String] = [overflowName: overflowName]

    /// The name of a metric, reserved if it is new; nil above the limit. If two metrics of different kinds get the same
    /// name, the second name contains the kind.
    mutating func familyName(_ kind: PrometheusKind, _ label: String, limit: Int) -> String? {
        let name = PrometheusText.metricName(label)
        let plain = name.hasSuffix(kind.suffix) ? name : name + kind.suffix
        for name in [plain, "\(plain)_\(kind.rawValue)\(kind.suffix)"] {
            if let family = families[name] {
                if family.kind == kind { return name }
                continue
            }
            let samples = kind.sampleNames(of: name)
            guard samples.allSatisfy({ owners[$0] == nil }) else { continue }
            guard families.count < limit else { return nil }
            for sample in samples { owners[sample] = name }
            families[name] = Family(kind: kind)
            return name
        }
        return nil
    }
}
