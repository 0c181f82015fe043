import SaunterFigures
import SaunterStatistics
import Testing

@testable import SaunterEvaluation

/// The plots of the printed report. The expected texts are those of the report of three participants who answered
/// PSS-4, from before the plots had words as parameters.
@Suite struct ScorePlotsTests {
    @Test func `the report prints a distribution with a bar for each possible score`() throws {
        let histogram = try #require(Histogram([0, 3, 4, 8, 16], range: 0...16))

        let plot = histogram.plot(title: "Stress")

        #expect(
            plot.hasPrefix(
                """
                <svg role="img" aria-label="Distribution of Stress" viewBox="0 0 340 182" width="340" height="182">\
                <title>Distribution of Stress</title>\
                <rect class="bar" x="30.5" y="12" width="16.6" height="128"><title>0: 1</title></rect>\
                <rect class="bar" x="48.1" y="140" width="16.6" height="0"><title>1: 0</title></rect>
                """))
        #expect(
            plot.hasSuffix(
                """
                <rect class="bar" x="312.9" y="12" width="16.6" height="128"><title>16: 1</title></rect>\
                <polyline class="axis" points="30,140 330,140"/>\
                <text x="38.8" y="155" text-anchor="middle">0</text>\
                <text x="127.1" y="155" text-anchor="middle">5</text>\
                <text x="215.3" y="155" text-anchor="middle">10</text>\
                <text x="303.5" y="155" text-anchor="middle">15</text>\
                <text x="26" y="20" text-anchor="end">1</text><text x="26" y="143" text-anchor="end">0</text>\
                <text x="2" y="9" text-anchor="start">sheets</text>\
                <text x="180" y="174" text-anchor="middle">score</text></svg>
                """))
    }

    @Test func `the report prints the mean of each week with its interval`() throws {
        let weeks = [
            ScoreWeek(week: 1, interval: try MeanInterval([0, 3, 4])),
            ScoreWeek(week: 2, interval: try MeanInterval([8, 16])),
        ]

        let plot = TrajectoryPlot.text([.init(arm: nil, weeks: weeks)], title: "Stress")

        #expect(
            plot == """
                <svg role="img" aria-label="Stress by week of the study" viewBox="0 0 340 182" width="340" height="182">\
                <title>Stress by week of the study</title>\
                <polyline class="grid" points="40,89.4 330,89.4"/><text x="36" y="93.4" text-anchor="end">0</text>\
                <polyline class="grid" points="40,29.4 330,29.4"/><text x="36" y="33.4" text-anchor="end">50</text>\
                <text x="2" y="9" text-anchor="start">mean score</text>\
                <text x="185" y="174" text-anchor="middle">week of the study</text>\
                <text x="50" y="155" text-anchor="middle">1</text><text x="320" y="155" text-anchor="middle">2</text>\
                <polyline class="course style0" points="50,86.6 320,75"/>\
                <polyline class="interval style0" points="50,92.8 50,80.4"/>\
                <circle class="mean style0" cx="50" cy="86.6" r="3"><title>week 1: 2.33, n = 3</title></circle>\
                <polyline class="interval style0" points="320,136 320,14"/>\
                <circle class="mean style0" cx="320" cy="75" r="3"><title>week 2: 12, n = 2</title></circle></svg>
                """)
    }

    @Test func `the courses of arms are beside each other and have a legend`() throws {
        let plot = TrajectoryPlot.text(
            [
                .init(
                    arm: "a",
                    weeks: [
                        ScoreWeek(week: 1, interval: try MeanInterval([0, 3])),
                        ScoreWeek(week: 2, interval: try MeanInterval([8])),
                    ]),
                .init(
                    arm: "b",
                    weeks: [
                        ScoreWeek(week: 1, interval: try MeanInterval([4])),
                        ScoreWeek(week: 2, interval: try MeanInterval([16])),
                    ]),
            ], title: "Stress by arm")

        #expect(plot.contains("viewBox=\"0 0 340 210\""))
        #expect(plot.contains("<polyline class=\"course style0\" points=\"48,75 318,54.2\"/>"))
        #expect(plot.contains("<title>a, week 1: 1.50, n = 2</title>"))
        #expect(
            plot.hasSuffix(
                """
                <polyline class="course style1" points="52,67 322,28.6"/>\
                <circle class="mean style1" cx="52" cy="67" r="3"><title>b, week 1: 4, n = 1</title></circle>\
                <circle class="mean style1" cx="322" cy="28.6" r="3"><title>b, week 2: 16, n = 1</title></circle>\
                <polyline class="course style1" points="50,199 74,199"/>\
                <text x="80" y="202" text-anchor="start">b</text></svg>
                """))
    }
}
