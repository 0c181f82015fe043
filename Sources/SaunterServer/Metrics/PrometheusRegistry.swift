import Metrics
import Synchronization

/// The backend of swift-metrics that Prometheus reads: keeps every series and writes them as text.
///
/// Memory is bounded: a metric has at most `seriesLimit` sets of labels; what comes after goes, summed, to
/// one series with the label `overflow="true"`, and `saunter_metrics_overflow_total` counts how often.
package final class PrometheusRegistry: MetricsFactory {
    private let seriesLimit: Int
    private let familyLimit: Int
    private let store = Mutex(PrometheusStore())

    package init(seriesLimit: Int = 500, familyLimit: Int = 1000) {
        self.seriesLimit = seriesLimit
        self.familyLimit = familyLimit
    }

    /// All series in text format 0.0.4: metrics by name, series by labels, so that two readings can be
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

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions) { PrometheusCounter() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, label, dimensions) { PrometheusCounter() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, label, dimensions) { PrometheusGauge() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return series(.gauge, label, dimensions) { PrometheusGauge() } }
        return series(.distribution, label, dimensions) {
            PrometheusHistogram(bounds: PrometheusHistogram.sizes)
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.timer, label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
    }

    // Code that measures makes its handles often and for short; the series go on, as Prometheus expects.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series with that name and those labels, made when it is new.
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
            // What overflowed is not remembered: it could be anything, without end.
            if !isOverflow { store.known[key] = series }
            return series
        }
    }
}
