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

    @Test func `the answers to an item are one bar with outlines, percentages and a legend`() {
        let words = StackedBarPlot.Words(
            total: { "n = \($0)" }, share: { "\(Int($0 * 100)) %" },
            part: { "\($0): \($1) (\(Int($2 * 100)) %)" })
        let options = ["0 never", "1 rarely", "2 often", "3 always"]

        let svg = StackedBarPlot.text(
            [.init(label: "Upset?", counts: [1, 0, 3, 0])], options: options, title: "Answers",
            description: "Most <often>.", words: words)

        #expect(
            svg == """
                <svg role="img" aria-label="Answers" viewBox="0 0 480 148" width="480" height="148">\
                <title>Answers</title><desc>Most &lt;often&gt;.</desc>\
                <text x="8" y="14" text-anchor="start">Upset?</text>\
                <text x="472" y="14" text-anchor="end">n = 4</text>\
                <rect class="share" x="8" y="20" width="116" height="20" fill-opacity="0.1">\
                <title>0 never: 1 (25 %)</title></rect><text x="66" y="53" text-anchor="middle">25 %</text>\
                <rect class="share" x="124" y="20" width="348" height="20" fill-opacity="0.7">\
                <title>2 often: 3 (75 %)</title></rect><text x="298" y="53" text-anchor="middle">75 %</text>\
                <rect class="share" x="8" y="68" width="24" height="12" fill-opacity="0.1"/>\
                <text x="40" y="79" text-anchor="start">0 never</text>\
                <rect class="share" x="8" y="88" width="24" height="12" fill-opacity="0.4"/>\
                <text x="40" y="99" text-anchor="start">1 rarely</text>\
                <rect class="share" x="8" y="108" width="24" height="12" fill-opacity="0.7"/>\
                <text x="40" y="119" text-anchor="start">2 often</text>\
                <rect class="share" x="8" y="128" width="24" height="12"/>\
                <text x="40" y="139" text-anchor="start">3 always</text></svg>
                """)
        let empty = StackedBarPlot.text(
            [.init(label: String(repeating: "x", count: 61), counts: [0, 0, 0, 0])], options: options,
            title: "Answers", words: words)
        #expect(empty.contains(">n = 0</text>") && !empty.contains("%"))
        #expect(empty.contains(">\(String(repeating: "x", count: 59))…</text>"))
    }

    @Test func `quartiles are boxes beside each other, and intervals are lines`() {
        let words = TrajectoryPlot.Words(
            value: "Median", time: "Woche", number: { String($0) }, point: { "\($0.mean)" })
        let courses = ["a", "b"].map {
            TrajectoryPlot.Course(name: $0, points: [.init(week: 1, mean: 2, lower: 1, upper: 3, count: 4)])
        }

        let boxes = TrajectoryPlot.text(courses, spread: .box, title: "Verlauf", words: words)
        let lines = TrajectoryPlot.text(courses, title: "Verlauf", words: words)

        #expect(boxes.contains("<rect class=\"box style0\" x=\"177\" y=\"14\" width=\"7\" height=\"122\"/>"))
        #expect(boxes.contains("<rect class=\"box style1\" x=\"186\" y=\"14\" width=\"7\" height=\"122\"/>"))
        #expect(!boxes.contains("interval") && !lines.contains("<rect"))
        #expect(lines.contains("class=\"interval style0\" points=\"183,136 183,14\""))
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
