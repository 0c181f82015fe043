import Foundation
import SaunterCore
import SaunterStore

/// Stores the wish to be reminded of an occasion later. It is stored under the occasion, so the same instant again is a
/// replay under any id.
struct SnoozeService: RecordService {
    static let bodySchema = Schema.named(
        "SnoozeReport",
        .object([
            .required("occasion_id", .id, "The id of the occasion."),
            .required(
                "until", .instant, "When to remind again, as the participant chose. It is not corrected."),
            .optional("client_now", .instant, "Ignored."),
        ]))

    let context: ServerContext

    /// Snoozes an occasion. A snooze that ended before it arrived, or whose occasion is answered or closed, changes
    /// nothing: the device has reminded by itself.
    func put(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        guard let occasion = body["occasion_id"]?.string.flatMap({ OccasionID($0) }),
            let until = body["until"]?.string.flatMap({ Instant($0) })
        else { throw Problem(.bodyInvalid) }
        do {
            return RecordReceipt(
                try await snooze(occasion, until: until, of: enrolment, now: now), .accepted)
        } catch SnoozeRefusal.settled {
            return RecordReceipt(Self.json(occasion, until), .replayed)
        } catch SnoozeRefusal.outsideWindow where until <= now {
            return RecordReceipt(Self.json(occasion, until), .replayed)
        } catch let refusal as SnoozeRefusal {
            throw Self.problem(refusal)
        }
    }

    /// Snoozes an occasion.
    /// - Throws: `SnoozeRefusal`, or `Problem` after the end of the enrolment.
    func snooze(
        _ occasion: OccasionID, until: Instant, of enrolment: Enrolment, now: Instant
    ) async throws -> JSON {
        guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
        let study = try await context.study(of: enrolment).study
        try await context.store.snooze(occasion, of: enrolment.id, until: until, study: study, now: now)
        return Self.json(occasion, until)
    }

    private static func json(_ occasion: OccasionID, _ until: Instant) -> JSON {
        ["occasion_id": .id(occasion), "until": .instant(until)]
    }

    /// The problem for a snooze that is refused.
    static func problem(_ refusal: SnoozeRefusal) -> Problem {
        func fault(_ code: String, _ detail: String) -> Problem {
            Problem(.bodyInvalid, Faults([Fault(pointer: "/until", code: code, detail: detail)]))
        }
        return switch refusal {
        case .unknownOccasion: Problem(.notFound)
        case .settled: Problem(.occasionNotOpen)
        case .outsideWindow:
            fault("outside_window", "`until` must be in the future and within the occasion's window.")
        case .tooOften:
            fault("too_often", "An occasion can be snoozed at most \(Store.maximumSnoozes) times.")
        }
    }
}
