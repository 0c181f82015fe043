import Foundation
import SaunterCore

/// A change that a device makes to a record that it submitted earlier: a correction of a sheet's answers, or a
/// deletion.
package struct Edit: Sendable {
    /// What the edit does to the record.
    package enum Kind: String, Sendable {
        case correction, deletion
    }

    /// The record that is edited.
    package enum Subject: Sendable, Hashable {
        case sheet(SheetID)
        case walk(WalkID)
        case observation(ObservationID)
    }

    /// The progress of an edit.
    package enum State: String, Sendable {
        /// The record is not stored yet.
        case waiting
        case applied
        /// A later edit applies, or the record is deleted.
        case superseded
        /// The edit does not fit the record.
        case refused
    }

    /// The sequence number of a submission on its device. It always increases, even if the device's clock is set back.
    package struct Number: Sendable, Hashable {
        /// The device that assigned the number.
        package var device: DeviceID
        /// From 1. It increases with each submission of the device.
        package var sequence: Int64

        /// Creates the number of a submission.
        package init(device: DeviceID, sequence: Int64) {
            self.device = device
            self.sequence = sequence
        }
    }

    /// The UUID that the device generated for the edit.
    package var id: EditID
    /// The record to change. It may arrive after the edit.
    package var subject: Subject
    /// What the edit does to the record.
    package var kind: Kind
    /// By the corrected clock, and never later than `receivedAt`. The stored value also respects the sequence numbers
    /// of the device.
    package var madeAt: Instant
    /// When the server received the edit, by the server's clock.
    package var receivedAt: Instant
    /// The body of the edit as received.
    package var body: JSON
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    /// The stored progress.
    package var state: State
    /// Nil if the device does not number its submissions.
    package var number: Number?

    /// Creates an edit. By default it waits for its record, and the device does not number its submissions.
    package init(
        id: EditID, subject: Subject, kind: Kind, madeAt: Instant, receivedAt: Instant, body: JSON,
        digest: [UInt8], state: State = .waiting, number: Number? = nil
    ) {
        self.id = id
        self.subject = subject
        self.kind = kind
        self.madeAt = madeAt
        self.receivedAt = receivedAt
        self.body = body
        self.digest = digest
        self.state = state
        self.number = number
    }

    /// When the edit was made by the device's clock, uncorrected. Nil for edits made on the server.
    var statedAt: Instant? { Self.statedAt(body) }

    private static func statedAt(_ body: JSON) -> Instant? {
        (body["corrected_at"] ?? body["deleted_at"])?.string.flatMap { Instant($0) }
    }
}

extension Edit {
    /// The order of corrections of one sheet. The greatest one is active: the correction that was made last.
    ///
    /// If a device states an instant later than the arrival of its correction, its clock was ahead. The stored `madeAt`
    /// is then at most the `madeAt` of the corrections that state the same or a later instant, unless they are from
    /// another device. So several corrections can have the same `madeAt`. Among them the sequence number decides if the
    /// device is the same, otherwise the stated instant, and then the id.
    struct Precedence: Comparable {
        var madeAt: Instant
        var statedAt: Instant
        var number: Number?
        var id: EditID

        init(_ id: EditID, madeAt: Instant, body: JSON, number: Number?) {
            self.madeAt = madeAt
            statedAt = Edit.statedAt(body) ?? madeAt
            self.number = number
            self.id = id
        }

        static func < (left: Precedence, right: Precedence) -> Bool {
            if left.madeAt == right.madeAt, let one = left.number, let other = right.number,
                one.device == other.device, one.sequence != other.sequence
            {
                return one.sequence < other.sequence
            }
            return (left.madeAt, left.statedAt, left.id) < (right.madeAt, right.statedAt, right.id)
        }
    }

    var precedence: Precedence { Precedence(id, madeAt: madeAt, body: body, number: number) }
}

extension Edit.Subject {
    /// The kind as stored, which is also its name in batch uploads.
    package var kind: String {
        switch self {
        case .sheet: "answer_sheet"
        case .walk: "walk"
        case .observation: "observation"
        }
    }

    /// The id in its usual text form.
    package var id: String {
        switch self {
        case .sheet(let id): id.description
        case .walk(let id): id.description
        case .observation(let id): id.description
        }
    }

    /// The id of the record, for each kind.
    package var uuid: UUID {
        switch self {
        case .sheet(let id): id.uuid
        case .walk(let id): id.uuid
        case .observation(let id): id.uuid
        }
    }

    /// Nil for an unknown kind.
    init?(kind: String, _ uuid: UUID) {
        switch kind {
        case "answer_sheet": self = .sheet(SheetID(uuid))
        case "walk": self = .walk(WalkID(uuid))
        case "observation": self = .observation(ObservationID(uuid))
        default: return nil
        }
    }
}

/// The stored state of an edit.
package struct StoredEdit: Sendable {
    /// The UUID that the device generated for the edit.
    package var id: EditID
    /// SHA-256 of the canonical body. A different digest means that the id is reused.
    package var digest: [UInt8]
    /// The progress at the end of the transaction.
    package var state: Edit.State
    /// Why it was refused.
    package var refusal: JSON?
    /// The revision that it created.
    package var revision: Int?
}
