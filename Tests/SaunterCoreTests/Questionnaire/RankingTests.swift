import Testing

@testable import SaunterCore

@Suite struct RankingTests {
    private static let options = ["a", "b", "c", "d"].map { OptionValue.code($0) }

    /// `a>b`, `a<b`, `a=b`: the first one was shown first.
    private static func comparison(_ text: String) -> PairComparison {
        let parts = text.map { String($0) }
        let (first, second) = (OptionValue.code(parts[0]), OptionValue.code(parts[2]))
        return PairComparison(
            first: first, second: second, choice: parts[1] == "=" ? nil : parts[1] == ">" ? first : second)
    }

    private static func ranking(_ texts: [String]) -> Ranking {
        Ranking(options: options, comparisons: texts.map(comparison))
    }

    @Test(arguments: [
        // comparisons, ranks of a, b, c, d
        (["a>b", "b>c", "c>d"], [1, 2, 3, 4]), (["c<d", "b<c", "a<b"], [4, 3, 2, 1]),
        (["a>b", "b>c", "c>a", "c>d"], [1, 1, 1, 4]), (["a>b", "c>d"], [1, 3, 1, 3]),
        (["a>b", "a>c", "a>d", "b>c", "d>b", "d>c"], [1, 3, 4, 2]),
        (["a=b", "b>c", "c=d"], [1, 1, 3, 3]), (["a=b", "b=c", "c=d"], [1, 1, 1, 1]),
        (["a=b", "b=c", "c>a", "c>d"], [1, 1, 1, 4]), (["d>a", "a=c", "c>b"], [2, 4, 2, 1]),
    ])
    func `comparisons give ranks; circles share one, and so do even options`(texts: [String], ranks: [Int]) {
        #expect(Self.ranking(texts).ranks == ranks)
    }

    @Test(arguments: [
        (["a>b", "b>c", "c>d"], false), (["a>b", "b>c", "c>a", "c>d"], true), (["a=b", "b=c", "c=d"], false),
        (["a=b", "b=c", "c>a", "c>d"], true), (["a>b", "b=c", "c>a", "c>d"], true), (["a=b", "b>c"], false),
    ])
    func `a circle is a preference that others contradict`(texts: [String], expected: Bool) {
        #expect(Self.ranking(texts).hasCircle == expected)
    }

    @Test func `an order that was told at once has no circle`() {
        #expect(!Ranking(options: Self.options, ranks: [2, 1, 3, 4]).hasCircle)
    }

    @Test func `ranks are those of an independent count over all ways to compare four options`() {
        var random = QuestionnaireRandom(state: 11)
        var complete = 0
        for _ in 0..<5_000 {
            var comparisons: [PairComparison] = []
            for first in 0..<4 {
                for second in first + 1..<4 where Int.random(in: 0..<6, using: &random) > 0 {
                    let sign = [">", "<", "="].randomElement(using: &random) ?? "="
                    comparisons.append(
                        Self.comparison(
                            "\(["a", "b", "c", "d"][first])\(sign)\(["a", "b", "c", "d"][second])"))
                }
            }
            let ranking = Ranking(options: Self.options, comparisons: comparisons)
            // Whoever can be reached by walking along arrows, found by walking.
            func reached(from start: OptionValue) -> Set<OptionValue> {
                var found: Set<OptionValue> = []
                var open = [start]
                while let here = open.popLast() {
                    for comparison in comparisons {
                        let ends = [comparison.first, comparison.second]
                        guard ends.contains(here), comparison.choice.map({ $0 == here }) ?? true else {
                            continue
                        }
                        for next in ends where next != here && found.insert(next).inserted {
                            open.append(next)
                        }
                    }
                }
                return found
            }
            let below = Dictionary(uniqueKeysWithValues: Self.options.map { ($0, reached(from: $0)) })
            let isComplete = Self.options.allSatisfy { one in
                Self.options.allSatisfy {
                    one == $0 || below[one]?.contains($0) == true || below[$0]?.contains(one) == true
                }
            }
            let chains = ComparisonChains(options: Self.options, comparisons: comparisons)
            #expect((chains.undecided == nil) == isComplete)
            guard isComplete else { continue }
            complete += 1
            // Where everything is decided, whoever reaches more stands higher, and who reach each other are even.
            for (place, one) in Self.options.enumerated() {
                let above = Self.options.filter {
                    below[$0]?.contains(one) == true && below[one]?.contains($0) != true
                }
                #expect(ranking.ranks[place] == above.count + 1)
            }
        }
        #expect(complete > 1_000)
    }

    @Test(arguments: ["a>b", "b<a", "a=b"])
    func `a comparison is stored with what was shown first, and how long it took`(text: String) throws {
        let told = Self.comparison(text)
        for milliseconds in [nil, 0, 900] {
            let comparison = PairComparison(
                first: told.first, second: told.second, choice: told.choice, milliseconds: milliseconds)
            let rows = comparison.rows(of: "rank", instance: 1)
            #expect(rows.map(\.option) == ["", "shown_first"] + (milliseconds == nil ? [] : ["time_ms"]))
            #expect(rows[0].value == (text == "a=b" ? "a=b" : "a>b"))
            #expect(rows[1].value == told.first.text)
            #expect(PairComparison(rows, options: Self.options) == comparison)
        }
    }

    @Test func `rows that are no comparison are none`() {
        func row(_ value: String?, _ option: String = "") -> RepeatedAnswer {
            RepeatedAnswer(linkId: "rank", instance: 1, option: option, type: "ranking", value: value)
        }
        for rows in [
            [], [row("a")], [row("a>z")], [row(nil)], [row("a=b")], [row("a>b"), row("c", "shown_first")],
            [row("a>b"), row("a>b")], [row("a>b"), row("5", "time_ms")],
        ] {
            #expect(PairComparison(rows, options: Self.options) == nil)
        }
        #expect(
            PairComparison([row("a>b")], options: Self.options)
                == PairComparison(better: .code("a"), worse: .code("b")))
    }

    @Test func `what was compared twice and what nothing decides is named`() throws {
        func details(_ answers: JSONObject) -> [String] {
            do throws(Faults) {
                _ = try ShapeSamples.sheet(answers)
                return []
            } catch {
                return error.list.map(\.detail)
            }
        }

        #expect(
            details(["rank": [["a", "b"], ["b", "a"], ["a", "c"]]])
                == ["b and a are compared at /answers/rank/0 already, with another outcome."])
        #expect(
            details(["rank": [["a", "b"], ["a", "b"]]])
                == ["a and b are compared at /answers/rank/0 already, with the same outcome."])
        #expect(
            details(["rank": [["a", "b"], ["a", "c"]]]) == [
                "Nothing decides between b and c: they were not compared, and no chain of comparisons leads from one to the other."
            ])
        #expect(
            try ShapeSamples.sheet(["rank": [["a", "b"], ["b", "c"], ["c", "a"]]]).circles == ["rank"])
        #expect(try ShapeSamples.sheet(["rank": [["a", "b"], ["b", "c"], ["a", "c"]]]).circles == [])
    }
}
