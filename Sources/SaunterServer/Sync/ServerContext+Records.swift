import SaunterCore
import SaunterStore

extension ServerContext {
    /// Stores a record and everything that follows from it. Returns after the commit.
    /// - Returns: `stored`, `duplicate` or `replayed`.
    /// - Throws: `Problem` of type `id-reused` if the id has another record, or `not-found` if the enrolment
    ///   was erased.
    func save<Record: Submission>(_ record: Record) async throws -> StorageReceipt {
        let receipt = try await ingest.submit(record)
        switch receipt {
        case .stored, .duplicate, .replayed: return receipt
        case .gone: throw Problem(.notFound)
        case .conflict:
            throw Problem(
                .idReused,
                """
                Another \(Record.kind.name) is stored under this id. The server keeps that \(Record.kind.name) and \
                quarantines this one, up to 1000 quarantined records for each enrolment.
                """)
        }
    }
}

extension SubmissionKind {
    /// The name in sentences.
    fileprivate var name: String {
        switch self {
        case .calibration: "calibration"
        case .observation: "observation"
        case .usageEvent: "event"
        case .walk: "walk"
        case .sheet: "sheet"
        case .edit: "edit"
        }
    }
}
