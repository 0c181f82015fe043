/// What the registry holds, behind its lock.
struct PrometheusStore: Sendable {
    /// A metric: its series by their labels.
    struct Family: Sendable {
        let kind: PrometheusKind
        var series: [String: any PrometheusSeries] = [:]
    }

    /// What code asks for, before names are made fit: the quick way to a series.
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
    /// How often a series was asked for that there was no room for.
    var overflow: UInt64 = 0
    /// To which metric each name in the text belongs.
    private var owners: [String: String] = [overflowName: overflowName]

    /// The name of the metric, claimed when it is new; nil when there is no room. Two metrics of different
    /// kinds whose names become one are kept apart by the kind's name.
    mutating func familyName(_ kind: PrometheusKind, _ label: String, limit: Int) -> String? {
        let made = PrometheusText.metricName(label)
        let plain = made.hasSuffix(kind.suffix) ? made : made + kind.suffix
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
