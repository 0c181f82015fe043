import SaunterCore

/// What became of the things that made-up people handed in.
package struct HandedIn: Sendable, Hashable {
    private static let stored: Set = ["accepted", "replayed", "duplicate", "out_of_window"]

    /// Ids of the sheets that the server said it has.
    package private(set) var acknowledged: Set<String>
    /// What the server has not taken, each with its reason in one line: sheets, and walks of an outbox.
    package private(set) var rejections: [String]

    /// Reasons that are told; the others are counted.
    private static let mostReasons = 10

    /// The first of the rejections.
    package var reasons: ArraySlice<String> { rejections.prefix(Self.mostReasons) }

    /// The rejections in words, a line each; none where nothing was rejected.
    package var rejectionLines: [String] {
        guard !rejections.isEmpty else { return [] }
        let head = "The server rejected \(rejections.count) of what made-up people handed in:"
        return [head] + reasons.map { "  \($0)" }
    }

    package init(acknowledged: Set<String> = [], rejections: [String] = []) {
        self.acknowledged = acknowledged
        self.rejections = rejections
    }

    /// Takes note of a sheet that the server said it has.
    mutating func note(sheet id: String) { acknowledged.insert(id) }

    /// Takes note of a sheet that the server did not take, with the problem that it told.
    mutating func note(rejected id: String, _ problem: JSON) {
        rejections.append("answer_sheet \(id): rejected: \(ServerRefusal.words(of: problem))")
    }

    /// Takes note of what the server said of each item of an outbox. One of which it said nothing is not taken either.
    mutating func note(_ reply: JSON, to outbox: [JSON]) {
        let results = Dictionary(
            (reply["items"]?.array ?? []).map { ($0["id"]?.string ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
        for item in outbox {
            let (kind, id) = (item["kind"]?.string ?? "", item["id"]?.string ?? "")
            let result = results[id]
            let word = result?["result"]?.string ?? "no result"
            if !Self.stored.contains(word) {
                let words = ServerRefusal.words(of: result?["problem"] ?? .null)
                rejections.append("\(kind) \(id): \(word)\(words.isEmpty ? "" : ": \(words)")")
            } else if kind == "answer_sheet" {
                note(sheet: id)
            }
        }
    }

    /// Joins in what somebody else handed in.
    mutating func add(_ other: HandedIn) {
        acknowledged.formUnion(other.acknowledged)
        rejections += other.rejections
    }
}
