import SaunterFigures
import Testing

/// Plots of scores in another language and with a description.
@Suite struct ScorePlotTests {
    private static var words: HistogramPlot.Words {
        HistogramPlot.Words(
            count: "Bögen", value: "Wert", number: { String(Int($0)) }, range: { "\($0) bis \($1)" })
    }

    @Test func `a histogram has its finding as description and the values of its bars as tooltips`() {
        let plot = HistogramPlot(lower: 0, width: 5, counts: [2, 0, 1], hasOneValuePerBin: false)

        let svg = plot.text(title: "Verteilung", description: "Die <meisten>", words: Self.words)

        #expect(
            svg == """
                <svg role="img" aria-label="Verteilung" viewBox="0 0 340 182" width="340" height="182">\
                <title>Verteilung</title><desc>Die &lt;meisten&gt;</desc>\
                <rect class="bar" x="30.5" y="12" width="99" height="128"><title>0 bis 5: 2</title></rect>\
                <rect class="bar" x="130.5" y="140" width="99" height="0"><title>5 bis 10: 0</title></rect>\
                <rect class="bar" x="230.5" y="76" width="99" height="64"><title>10 bis 15: 1</title></rect>\
                <polyline class="axis" points="30,140 330,140"/>\
                <text x="30" y="155" text-anchor="middle">0</text>\
                <text x="130" y="155" text-anchor="middle">5</text>\
                <text x="230" y="155" text-anchor="middle">10</text>\
                <text x="330" y="155" text-anchor="middle">15</text>\
                <text x="26" y="20" text-anchor="end">2</text><text x="26" y="143" text-anchor="end">0</text>\
                <text x="2" y="9" text-anchor="start">Bögen</text>\
                <text x="180" y="174" text-anchor="middle">Wert</text></svg>
                """)
    }

    @Test func `the label of a bin with one possible value is this value`() {
        let plot = HistogramPlot(lower: -0.5, width: 1, counts: [1, 1], hasOneValuePerBin: true)

        #expect([0, 1].map { plot.label($0, Self.words) } == ["0", "1"])
    }

    @Test func `a week with one participant has no interval`() {
        let words = TrajectoryPlot.Words(
            value: "Mittelwert", time: "Woche", number: { String($0) },
            point: { "Woche \($0.week): \($0.mean)" })
        let point = TrajectoryPlot.Point(week: 3, mean: 2, lower: nil, upper: nil, count: 1)

        let svg = TrajectoryPlot.text(
            [.init(name: nil, points: [point])], title: "Verlauf", description: "Ein Mittelwert.",
            words: words)

        #expect(svg.contains("<desc>Ein Mittelwert.</desc>") && svg.contains("<title>Woche 3: 2.0</title>"))
        #expect(!svg.contains("interval") && svg.contains("class=\"mean style0\" cx=\"185\" cy=\"75\""))
    }
}
