import Metrics
import SaunterServer
import Testing

@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry(seriesLimit: 3, familyLimit: 5)

    /// The exposition without the counter of the registry, which is always the last.
    private var text: String {
        let all = registry.exposition()
        return String(
            all[..<(all.firstRange(of: "# TYPE saunter_metrics_overflow_total")?.lowerBound ?? all.endIndex)])
    }

    private func overflow() -> String {
        registry.exposition().split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test func `an empty registry has only its own counter`() {
        #expect(text.isEmpty)
        #expect(overflow() == "saunter_metrics_overflow_total 0")
    }

    @Test func `counters only increase`() {
        let counter = Counter(label: "requests", dimensions: [("method", "GET")], factory: registry)
        counter.increment(by: 2)
        counter.increment(by: -5)
        let precise = FloatingPointCounter(label: "energy_total", factory: registry)
        precise.increment(by: 0.25)
        precise.increment(by: -Double.infinity)
        precise.increment(by: Double.nan)

        #expect(
            text == """
                # TYPE energy_total counter
                energy_total 0.25
                # TYPE requests_total counter
                requests_total{method="GET"} 2

                """)
    }

    @Test func `the same name and labels always are one series`() {
        for _ in 0..<10 {
            Counter(label: "requests", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
            Counter(label: "requests", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
            let short = Counter(label: "requests", dimensions: [("a", "1"), ("b", "2")], factory: registry)
            short.increment()
            short.destroy()
        }

        #expect(text == "# TYPE requests_total counter\nrequests_total{a=\"1\",b=\"2\"} 30\n")
    }

    @Test func `gauges have the last value`() {
        let meter = Meter(label: "connections", factory: registry)
        meter.set(5)
        meter.increment(by: 2.5)
        meter.decrement(by: 1)
        Gauge(label: "queue.depth", factory: registry).record(-3)

        #expect(
            text == "# TYPE connections gauge\nconnections 6.5\n# TYPE queue_depth gauge\nqueue_depth -3\n")
    }

    @Test func `a timer is a histogram in seconds`() throws {
        let timer = Timer(label: "query.duration", dimensions: [("statement", "find")], factory: registry)
        timer.recordMilliseconds(2)
        timer.recordMilliseconds(1)
        timer.recordSeconds(100)
        timer.recordNanoseconds(-1)

        let lines = text.split(separator: "\n")
        #expect(lines.first == "# TYPE query_duration_seconds histogram")
        #expect(lines.contains(#"query_duration_seconds_bucket{statement="find",le="0.001"} 2"#))
        #expect(lines.contains(#"query_duration_seconds_bucket{statement="find",le="0.0025"} 3"#))
        #expect(lines.contains(#"query_duration_seconds_bucket{statement="find",le="30"} 3"#))
        #expect(lines.contains(#"query_duration_seconds_bucket{statement="find",le="+Inf"} 4"#))
        #expect(lines.contains(#"query_duration_seconds_sum{statement="find"} 100.003"#))
        #expect(lines.contains(#"query_duration_seconds_count{statement="find"} 4"#))
    }

    @Test func `a recorder that aggregates is a histogram of sizes`() {
        let recorder = Recorder(label: "batch_sheets", factory: registry)
        recorder.record(1)
        recorder.record(3)
        recorder.record(Double.nan)

        #expect(text.contains("batch_sheets_bucket{le=\"1\"} 1\n"))
        #expect(text.contains("batch_sheets_bucket{le=\"4\"} 2\n"))
        #expect(text.hasSuffix("batch_sheets_sum 4\nbatch_sheets_count 2\n"))
    }

    @Test func `names and values are escaped`() {
        let unsafe = "a\"b\\c\nd\u{1b}e — ü"
        Counter(
            label: "9 http.server-requests",
            dimensions: [("status code", unsafe), ("le", "x"), ("__name__", "y")],
            factory: registry
        ).increment()

        #expect(
            text == """
                # TYPE _9_http_server_requests_total counter
                _9_http_server_requests_total{label___name__="y",label_le="x",status_code="a\\"b\\\\c\\nd e — ü"} 1

                """)
    }

    @Test func `the number of label sets is limited, and further values are summed`() {
        for path in 0..<100 {
            Counter(label: "requests", dimensions: [("path", "\(path)")], factory: registry).increment()
        }
        Counter(label: "requests", dimensions: [("path", "1")], factory: registry).increment()

        #expect(
            text == """
                # TYPE requests_total counter
                requests_total{overflow="true"} 97
                requests_total{path="0"} 1
                requests_total{path="1"} 2
                requests_total{path="2"} 1

                """)
        #expect(overflow() == "saunter_metrics_overflow_total 97")
    }

    @Test func `the number of metrics is limited`() {
        for number in 0..<20 { Counter(label: "metric\(number)", factory: registry).increment() }

        #expect(text.split(separator: "\n").count == 10)
        #expect(overflow() == "saunter_metrics_overflow_total 15")
    }

    @Test func `metrics of different kinds have different names`() {
        Counter(label: "load_total", factory: registry).increment()
        Gauge(label: "load_total", factory: registry).record(7)
        Recorder(label: "size", factory: registry).record(1)
        Gauge(label: "size_sum", factory: registry).record(2)

        let lines = text.split(separator: "\n")
        #expect(lines.contains("load_total 1") && lines.contains("load_total_gauge 7"))
        #expect(lines.contains("size_sum 1") && lines.contains("size_sum_gauge 2"))
    }

    @Test func `no value is lost with many threads`() async {
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        Counter(label: "hits", factory: registry).increment()
                        Timer(label: "wait", factory: registry).recordMilliseconds(1)
                    }
                }
                group.addTask { for _ in 0..<20 { _ = registry.exposition() } }
            }
        }

        #expect(text.contains("hits_total 8000\n") && text.contains("wait_seconds_count 8000\n"))
    }
}
