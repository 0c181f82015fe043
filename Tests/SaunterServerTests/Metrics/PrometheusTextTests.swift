import Testing

@testable import SaunterServer

@Suite struct PrometheusTextTests {
    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (1, "1"), (-3, "-3"), (0.1, "0.1"), (1e15, "1000000000000000.0"),
        (1e300, "1e+300"), (123456789, "123456789"),
        (1e-9, "1e-09"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func `numbers have the syntax of Prometheus`(value: Double, text: String) {
        #expect(PrometheusText.number(value) == text)
    }

    @Test func `the value of a label is truncated`() {
        let labels = PrometheusText.labels([("a", String(repeating: "x", count: 5000))])

        #expect(labels.utf8.count == 200 + 4)
    }

    @Test(arguments: [("", "_"), ("ü", "__"), ("a:b", "a:b"), ("1", "_1")])
    func `a name is converted to valid characters`(text: String, name: String) {
        #expect(PrometheusText.metricName(text) == name)
    }
}
