import Foundation
import SaunterCore

/// What a device says of something that it handed in: that a sheet's answers were others, or that a thing is taken back.
package struct Amendment: Sendable {
    package enum Kind: String, Sendable {
        case correction, deletion
    }

    /// What it is about.
    package enum Subject: Sendable, Hashable {
        case sheet(SheetID)
        case walk(WalkID)
        case observation(ObservationID)
    }

    /// What became of it.
    package enum State: String, Sendable {
        /// Its thing is not there yet.
        case waiting
        /// In force; what follows from it is not planned and scored yet.
        case applying
        case applied
        /// Another one was made later, or the thing was taken back.
        case superseded
        /// It does not fit its thing.
        case refused
    }

    /// Its place among all that a device hands in; it grows, whatever the device's clock says.
    package struct Number: Sendable, Hashable {
        package var device: DeviceID
        package var sequence: Int64

        package init(device: DeviceID, sequence: Int64) {
            self.device = device
            self.sequence = sequence
        }
    }

    package var id: AmendmentID
    package var subject: Subject
    package var kind: Kind
    /// By the corrected clock; never later than it was received. What is stored heeds the order of its device as well.
    package var madeAt: Instant
    package var receivedAt: Instant
    package var body: JSON
    /// SHA-256 of the canonical body.
    package var digest: [UInt8]
    package var state: State
    /// Nil where its device counts nothing.
    package var number: Number?

    package init(
        id: AmendmentID, subject: Subject, kind: Kind, madeAt: Instant, receivedAt: Instant, body: JSON,
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

    /// When it was made by the device's clock, uncorrected; nil for what was made here.
    var statedAt: Instant? { Self.statedAt(body) }

    private static func statedAt(_ body: JSON) -> Instant? {
        (body["corrected_at"] ?? body["deleted_at"])?.string.flatMap { Instant($0) }
    }
}

extension Amendment {
    /// Of several corrections of one sheet the greatest is in force: the one made last. Those that were made by a clock that was ahead count as made when the
    /// first of those came that were made no earlier, and so together; among them the device's own order decides, and then what it said.
    struct Precedence: Comparable {
        var madeAt: Instant
        var statedAt: Instant
        var number: Number?
        var id: AmendmentID

        init(_ id: AmendmentID, madeAt: Instant, body: JSON, number: Number?) {
            self.madeAt = madeAt
            statedAt = Amendment.statedAt(body) ?? madeAt
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

extension Amendment.Subject {
    /// As it is stored, and as outboxes name things of its kind.
    package var kind: String {
        switch self {
        case .sheet: "answer_sheet"
        case .walk: "walk"
        case .observation: "observation"
        }
    }

    /// As every id is written.
    package var id: String {
        switch self {
        case .sheet(let id): id.description
        case .walk(let id): id.description
        case .observation(let id): id.description
        }
    }

    var uuid: UUID {
        switch self {
        case .sheet(let id): id.uuid
        case .walk(let id): id.uuid
        case .observation(let id): id.uuid
        }
    }

    /// Nil for a kind that is none.
    init?(kind: String, _ uuid: UUID) {
        switch kind {
        case "answer_sheet": self = .sheet(SheetID(uuid))
        case "walk": self = .walk(WalkID(uuid))
        case "observation": self = .observation(ObservationID(uuid))
        default: return nil
        }
    }
}

/// An amendment on its way into the database.
package struct AmendmentSubmission: Sendable {
    /// The study's code: studies take turns when much is handed in at once.
    package var study: String
    package var enrolment: EnrolmentID
    package var amendment: Amendment

    package init(study: String, enrolment: EnrolmentID, amendment: Amendment) {
        self.study = study
        self.enrolment = enrolment
        self.amendment = amendment
    }
}

/// What the database holds of an amendment.
package struct StoredAmendment: Sendable {
    package var id: AmendmentID
    package var digest: [UInt8]
    package var state: Amendment.State
    /// Why it was refused.
    package var refusal: JSON?
    /// The revision that it made.
    package var revision: Int?
}
