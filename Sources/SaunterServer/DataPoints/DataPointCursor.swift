import Foundation
import SaunterCore

/// The position at which a page of data points continues.
struct DataPointCursor: Sendable {
    /// Whether the position is in the walks, which follow all observations.
    var isWalk: Bool
    var startedAt: Instant
    var id: UUID
    /// The index of the next sample of the observation.
    var sample: Int

    init(isWalk: Bool, startedAt: Instant, id: UUID, sample: Int) {
        self.isWalk = isWalk
        self.startedAt = startedAt
        self.id = id
        self.sample = sample
    }

    /// Nil for the first page.
    /// - Throws: `Problem` of type `request-invalid` if `cursor` is not the `next` of a page.
    init?(_ call: Call<Identity>) throws(Problem) {
        guard let cursor = try call.cursor(parts: 4) else { return nil }
        guard ["o", "w"].contains(cursor.parts[0]), let milliseconds = Int64(cursor.parts[1]),
            let id = ID<DataPointCursor>(cursor.parts[2]), let sample = Int(cursor.parts[3]), sample >= 0
        else {
            throw Problem.invalidCursor
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
