import SaunterCore

// Measures how many stored ten-item sheets per second one core scores: sum, mean and bands, with four reversed items.
// References in the same run are the general scoring, which reads every sheet and evaluates every rule, and R's
// `psych` with the same data as a file (needs Rscript and r-cran-psych). Needs a release build: `saunter-bench-scoring
// [sheets]`.

let sheetCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000_000
let items = (1...10).map { number in
    var item = Item(linkId: "q\(number)", type: .choice)
    item.answerOption = (0...4).map { ResponseOption(value: .integer($0)) }
    return item
}
let names = items.map(\.linkId)
let reversed = ["q4", "q5", "q7", "q8"]

/// One scale of ten items, with bands and a declared range.
let total = Scale(
    id: "total", items: names, reverse: reversed, method: .sum,
    bands: [
        Band(id: "low", below: 14), Band(id: "moderate", from: 14, below: 27), Band(id: "high", from: 27),
    ],
    minimum: 0, maximum: 40)
/// A second scale: the prorated mean of the same items.
let mean = Scale(
    id: "mean", items: names, reverse: reversed, method: .mean, missing: .prorate(minimumAnswered: 8),
    rounding: Rounding(places: 2, mode: .halfEven))

func index(_ scales: [Scale]) -> QuestionnaireIndex {
    QuestionnaireIndex(
        Questionnaire(
            code: "bench", version: "1.0.0", item: items, text: [:], languages: ["en"],
            scoring: ScoringKey(version: "1.0.0", scales: scales)))
}

/// The answers of all sheets, sheet by sheet. Of 100 sheets, `blanks` lack one answer.
func sheets(_ count: Int, blanks: Int) -> [Int16] {
    var state: UInt64 = 1
    var slots: [Int16] = []
    slots.reserveCapacity(count * 10)
    for sheet in 0..<count {
        for item in 0..<10 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let isBlank = sheet % 100 < blanks && item == sheet / 100 % 10
            slots.append(isBlank ? -996 : Int16((state >> 33) % 5))
        }
    }
    return slots
}

/// Scores all sheets in batches of 1,000 and prints the rate. The printed sum prevents the optimiser from removing the
/// work.
func measure(_ what: String, _ count: Int, _ score: (Range<Int>, inout [Score]) throws -> Void) rethrows {
    var sum = 0.0
    var scores: [Score] = []
    let clock = ContinuousClock()
    let start = clock.now
    for first in stride(from: 0, to: count, by: 1000) {
        scores.removeAll(keepingCapacity: true)
        try score(first..<min(first + 1000, count), &scores)
        for score in scores { sum += score.value ?? 0 }
    }
    let seconds = (clock.now - start) / .seconds(1)
    print("\(what): \(Int(Double(count) / seconds)) sheets/s (\(count) sheets, checksum \(sum))")
}

for (scales, name) in [([total], "one scale"), ([total, mean], "two scales")] {
    let index = index(scales)
    let scoring = StoredSheetScorer(index)
    let codec = AnswerCodec(index)
    for blanks in [0, 5] {
        let slots = sheets(sheetCount, blanks: blanks)
        try measure("\(name), \(blanks) % with a blank", sheetCount) { range, scores in
            try scoring.add(sheets: Array(slots[range.lowerBound * 10..<range.upperBound * 10]), to: &scores)
        }
        try measure("\(name), \(blanks) % with a blank, general scoring", sheetCount / 100) { range, scores in
            for sheet in range {
                let stored = StoredAnswers(
                    slots: Array(slots[sheet * 10..<sheet * 10 + 10]), numbers: [], texts: [:])
                scores += index.scores(for: try codec.decode(stored))
            }
        }
    }
}

do {
    try Psych.compare(200_000)
} catch {
    print("no comparison with R: \(error)")
}
