import Testing

@testable import SaunterCore

@Suite struct RankingTests {
    private static let options = ["a", "b", "c", "d"].map { OptionValue.code($0) }

    /// Parses `a>b`, `a<b` or `a=b`. The first option was shown first.
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
    func `comparisons determine ranks; options in a cycle share a rank, and so do even options`(
        texts: [String], ranks: [Int]
    ) {
        #expect(Self.ranking(texts).ranks == ranks)
    }

    @Test(arguments: [
        (["a>b", "b>c", "c>d"], false), (["a>b", "b>c", "c>a", "c>d"], true), (["a=b", "b=c", "c=d"], false),
        (["a=b", "b=c", "c>a", "c>d"], true), (["a>b", "b=c", "c>a", "c>d"], true), (["a=b", "b>c"], false),
    ])
    func `a cycle is a preference that other comparisons contradict`(texts: [String], expected: Bool) {
        #expect(Self.ranking(texts).hasCycle == expected)
    }

    @Test func `a submitted order has no cycle`() {
        #expect(!Ranking(options: Self.options, ranks: [2, 1, 3, 4]).hasCycle)
    }

    @Test func `ranks agree with an independent calculation for all comparisons of four options`() {
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
            // The options that are reachable in the graph, found by a traversal.
            func reachable(from start: OptionValue) -> Set<OptionValue> {
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
            let below = Dictionary(uniqueKeysWithValues: Self.options.map { ($0, reachable(from: $0)) })
            let isComplete = Self.options.allSatisfy { one in
                Self.options.allSatisfy {
                    one == $0 || below[one]?.contains($0) == true || below[$0]?.contains(one) == true
                }
            }
            let graph = PreferenceGraph(options: Self.options, comparisons: comparisons)
            #expect((graph.undecidedPair == nil) == isComplete)
            guard isComplete else { continue }
            complete += 1
            // If every pair is decided, an option that reaches more options is higher. Options that reach
            // each other are even.
            for (index, one) in Self.options.enumerated() {
                let above = Self.options.filter {
                    below[$0]?.contains(one) == true && below[one]?.contains($0) != true
                }
                #expect(ranking.ranks[index] == above.count + 1)
            }
        }
        #expect(complete > 1_000)
    }

    @Test(arguments: ["a>b", "b<a", "a=b"])
    func `a comparison is stored with its display order and its time`(text: String) throws {
        let outcome = Self.comparison(text)
        for milliseconds in [nil, 0, 900] {
            let comparison = PairComparison(
                first: outcome.first, second: outcome.second, choice: outcome.choice,
                milliseconds: milliseconds)
            let rows = comparison.rows(of: "rank", instance: 1)
            #expect(rows.map(\.option) == ["", "shown_first"] + (milliseconds == nil ? [] : ["time_ms"]))
            #expect(rows[0].value == (text == "a=b" ? "a=b" : "a>b"))
            #expect(rows[1].value == outcome.first.text)
            #expect(PairComparison(rows, options: Self.options) == comparison)
        }
    }

    @Test func `impossible rows are not a comparison`() {
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

    @Test func `duplicate comparisons and undecided pairs are faults`() throws {
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
                == ["The comparison at /answers/rank/0 already compares b and a, with another outcome."])
        #expect(
            details(["rank": [["a", "b"], ["a", "b"]]])
                == ["The comparison at /answers/rank/0 already compares a and b, with the same outcome."])
        #expect(
            details(["rank": [["a", "b"], ["a", "c"]]]) == [
                "No comparison and no chain of comparisons decides between b and c."
            ])
        #expect(
            try ShapeSamples.sheet(["rank": [["a", "b"], ["b", "c"], ["c", "a"]]]).cyclicRankings == ["rank"])
        #expect(
            try ShapeSamples.sheet(["rank": [["a", "b"], ["b", "c"], ["a", "c"]]]).cyclicRankings == [])
    }
}
