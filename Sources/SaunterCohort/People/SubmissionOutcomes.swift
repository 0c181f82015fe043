import SaunterCore

/// Which submitted records the server accepted and rejected.
package struct SubmissionOutcomes: Sendable, Hashable {
    /// The results of a batch upload that mean that the server stored the record.
    private static let storedResults: Set = ["accepted", "replayed", "duplicate", "out_of_window"]

    /// Ids of the sheets that the server acknowledged.
    package private(set) var acknowledged: Set<String>
    /// The rejected records (sheets, and walks of batch uploads), each with its reason in one line.
    package private(set) var rejections: [String]

    /// The maximum number of reasons in a report. Further rejections are only counted.
    private static let maximumReasons = 10

    /// The first rejections.
    package var reasons: ArraySlice<String> { rejections.prefix(Self.maximumReasons) }

    /// The report of the rejections: a headline and a line for each reason; empty if there were none.
    package var rejectionLines: [String] {
        guard !rejections.isEmpty else { return [] }
        let records = rejections.count == 1 ? "1 record" : "\(rejections.count) records"
        let head = "The server rejected \(records) of simulated participants:"
        return [head] + reasons.map { "  \($0)" }
    }

    /// Creates outcomes; by default of no submission.
    package init(acknowledged: Set<String> = [], rejections: [String] = []) {
        self.acknowledged = acknowledged
        self.rejections = rejections
    }

    /// Counts a sheet that the server acknowledged.
    mutating func addAcknowledged(_ id: String) { acknowledged.insert(id) }

    /// Counts a sheet that the server rejected with a problem.
    mutating func addRejected(_ id: String, _ problem: JSON) {
        rejections.append("answer_sheet \(id): rejected: \(ServerRefusal.summary(of: problem))")
    }

    /// Counts the results of a batch upload. An item without a result counts as rejected.
    mutating func addResults(_ reply: JSON, of outbox: [JSON]) {
        let results = Dictionary(
            (reply["items"]?.array ?? []).map { ($0["id"]?.string ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
        for item in outbox {
            let (kind, id) = (item["kind"]?.string ?? "", item["id"]?.string ?? "")
            let result = results[id]
            let code = result?["result"]?.string ?? "no result"
            if !Self.storedResults.contains(code) {
                let reason = ServerRefusal.summary(of: result?["problem"] ?? .null)
                rejections.append("\(kind) \(id): \(code)\(reason.isEmpty ? "" : ": \(reason)")")
            } else if kind == "answer_sheet" {
                addAcknowledged(id)
            }
        }
    }

    /// Adds the results of another participant.
    mutating func add(_ other: SubmissionOutcomes) {
        acknowledged.formUnion(other.acknowledged)
        rejections += other.rejections
    }
}
