import Foundation
import SaunterCore
import SaunterStore

/// Stores the study events that participants report, and plans the occasions that depend on them. An event is stored
/// under its code, so the same instant again is a replay under any id.
struct StudyEventService: RecordService {
    static let bodySchema = Schema.named(
        "StudyEventReport",
        .object([
            .required("event", .string(), "The code of the event in the study."),
            .required(
                "occurred_at", .instant,
                "When the event happened or will happen, as the participant states it. It is not corrected."),
            .optional("client_now", .instant, "Ignored."),
        ]))

    let context: ServerContext

    func put(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        guard let moment = body["occurred_at"]?.string.flatMap({ Instant($0) }),
            let code = body["event"]?.string
        else { throw Problem(.bodyInvalid) }
        let stored = try await record(code, at: moment, of: enrolment, now: now)
        return RecordReceipt(Self.json(stored.event), isNew: stored.event.recordedAt == now)
    }

    /// Records the instant of an event.
    /// - Returns: the event, and whether it had no instant before.
    /// - Throws: `Problem` if the study has no such event, if the event cannot be moved, or after the end of the
    ///   enrolment.
    func record(
        _ code: String, at moment: Instant, of enrolment: Enrolment, now: Instant
    ) async throws -> (event: EnrolmentEvent, isNew: Bool) {
        let study = try await context.study(of: enrolment).study
        guard let event = study.events.first(where: { $0.code == code }) else { throw Problem(.notFound) }
        guard enrolment.state == .active else { throw Problem(.enrolmentWithdrawn) }
        do {
            return try await context.store.record(
                event, at: moment, of: enrolment.id, study: study, now: now)
        } catch let fixed as ImmutableEvent {
            throw Problem(.eventFixed, "The event is recorded for \(fixed.occurredAt).")
        }
    }

    static func json(_ event: EnrolmentEvent) -> JSON {
        [
            "event": .string(event.code), "occurred_at": .instant(event.occurredAt),
            "recorded_at": .instant(event.recordedAt),
        ]
    }
}
