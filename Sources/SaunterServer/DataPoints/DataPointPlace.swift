import Foundation
import SaunterCore

/// Where a page of data points goes on.
struct DataPointPlace: Sendable {
    /// Walks come after all observations.
    var isWalk: Bool
    var startedAt: Instant
    var id: UUID
    /// The next sample of that observation.
    var sample: Int

    init(isWalk: Bool, startedAt: Instant, id: UUID, sample: Int) {
        self.isWalk = isWalk
        self.startedAt = startedAt
        self.id = id
        self.sample = sample
    }

    /// Nil for the first page; throws `request-invalid` for a cursor that no page gave out.
    init?(_ call: Call<Identity>) throws(Problem) {
        guard let cursor = try call.cursor(parts: 4) else { return nil }
        guard ["o", "w"].contains(cursor.parts[0]), let milliseconds = Int64(cursor.parts[1]),
            let id = ID<DataPointPlace>(cursor.parts[2]), let sample = Int(cursor.parts[3]), sample >= 0
        else {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(pointer: "/cursor", code: "wrong_format", detail: "It must be the next of a page.")
                ]))
        }
        self.init(
            isWalk: cursor.parts[0] == "w", startedAt: Instant(milliseconds: milliseconds), id: id.uuid,
            sample: sample)
    }

    var cursor: Cursor {
        Cursor([
            isWalk ? "w" : "o", String(startedAt.milliseconds), id.uuidString.lowercased(), String(sample),
        ])
    }
}
