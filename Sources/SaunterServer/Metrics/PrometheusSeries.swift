/// One series: a metric with one set of labels, fed by swift-metrics and written as text.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The lines of the series. `labels` stands as it is between the braces.
    func lines(name: String, labels: String) -> String
}

/// What kinds of metric there are.
enum PrometheusKind: String, Sendable, Hashable {
    case counter, gauge
    /// A histogram of plain numbers, such as sizes.
    case distribution
    /// A histogram of seconds.
    case timer

    /// The type's name in the text format.
    var typeName: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .distribution, .timer: "histogram"
        }
    }

    /// What a name of this kind ends with by convention.
    var suffix: String {
        switch self {
        case .counter: "_total"
        case .gauge, .distribution: ""
        case .timer: "_seconds"
        }
    }

    /// The names that samples of a metric carry.
    func sampleNames(of name: String) -> [String] {
        switch self {
        case .counter, .gauge: [name]
        case .distribution, .timer: [name, "\(name)_bucket", "\(name)_sum", "\(name)_count"]
        }
    }
}
