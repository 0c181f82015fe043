import SaunterCore

/// Compares scores by one rule with the scores before: counts by scale, and band moves. Only sheets that reports count
/// are included.
struct ScoreComparison: Sendable, Hashable {
    /// A score before the rescoring.
    struct Previous: Sendable, Hashable {
        let value: Double?
        let band: String?
    }

    private(set) var scales: [String: RescoredScale.Counts] = [:]
    private(set) var moves: [RescoredScale.Move: Int] = [:]

    /// Adds one sheet.
    /// - Parameters:
    ///   - previous: the scores before, by scale.
    ///   - skipsUnchanged: omits the sheet if all its scores are unchanged.
    mutating func add(
        _ scores: [Score], previous: [String: Previous], skipsUnchanged: Bool = false
    ) {
        let isSame = scores.allSatisfy { score in
            previous[score.scale].map { $0.value == score.value && $0.band == score.band } ?? false
        }
        if skipsUnchanged, isSame { return }
        for score in scores { add(score, previous[score.scale]) }
    }

    private mutating func add(_ score: Score, _ previous: Previous?) {
        var counts = scales[score.scale] ?? RescoredScale.Counts()
        counts.sheets += 1
        if let previous {
            switch (previous.value, score.value) {
            case (nil, nil): counts.unchanged += 1
            case (nil, _?): counts.gainedValue += 1
            case (_?, nil): counts.becameNull += 1
            case (let before?, let after?):
                let difference = abs(after - before)
                counts.compared += 1
                if before == after { counts.unchanged += 1 } else { counts.changed += 1 }
                if difference.isFinite {
                    counts.totalChange += difference
                    counts.greatestChange = max(counts.greatestChange, difference)
                }
            }
            if previous.band != score.band {
                counts.bandMoves += 1
                moves[
                    RescoredScale.Move(scale: score.scale, from: previous.band, to: score.band), default: 0] +=
                    1
            }
        } else {
            counts.firstScores += 1
        }
        scales[score.scale] = counts
    }
}
