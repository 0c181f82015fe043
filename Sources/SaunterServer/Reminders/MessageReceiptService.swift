import Foundation
import SaunterCore
import SaunterStore

/// Stores that a message was delivered or opened. The earliest instant of each kind is stored under the message, so a
/// repetition changes nothing under any id.
struct MessageReceiptService: RecordService {
    static let bodySchema = Schema.named(
        "MessageReceipt",
        .object(
            [.required("message_id", .id, "The id that the message contains.")] + moments + [
                .optional(
                    "client_now", .instant,
                    "The device's clock when it sends the request. The server corrects times with it.")
            ]))

    /// The members that a receipt has in each form.
    static let moments: [Schema.Member] = [
        .optional(
            "delivered_at", .nullable(.instant),
            "When the device received the message; null if it is not known."),
        .optional(
            "opened_at", .nullable(.instant),
            "When the participant opened the message; null if it is not known."),
        .optional(
            "acted_at", .nullable(.instant),
            "When the participant did what a message of the inbox suggests; null if it is not known."),
        .optional(
            "dismissed_at", .nullable(.instant),
            "When the participant dismissed a message of the inbox; null if it is not known."),
    ]

    let context: ServerContext

    func put(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        guard let message = body["message_id"]?.string.flatMap({ MessageID($0) }) else {
            throw Problem(.bodyInvalid)
        }
        return RecordReceipt(try await confirm(message, body, of: enrolment, now: now), .accepted)
    }

    /// Stores a receipt. An instant in the future counts as now.
    /// - Throws: `Problem` of type `not-found` for an unknown message.
    func confirm(
        _ id: MessageID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> JSON {
        let skew = now.skew(of: body["client_now"]?.string.flatMap { Instant($0) })
        func moment(_ name: String) -> Instant? {
            body[name]?.string.flatMap { Instant($0) }.map { min($0.adding(milliseconds: skew), now) }
        }
        let openedAt = [moment("opened_at"), moment("acted_at")].compactMap(\.self).min()
        let known = try await context.store.confirm(
            id, of: enrolment.id, deliveredAt: moment("delivered_at"), openedAt: openedAt)
        var marked: InboxMessage?
        // A message of the inbox is there even if its channels have failed or are still tried.
        if known.isEmpty || known.contains(where: { $0.key.kind == .rule }) {
            marked = try await context.store.mark(
                id, of: enrolment.id,
                InboxReceipt(
                    openedAt: openedAt, actedAt: moment("acted_at"), dismissedAt: moment("dismissed_at")))
        }
        if let message = ReminderResponse.messages(known).first { return message }
        guard let marked else { throw Problem(.notFound) }
        return ReminderResponse.unsent(marked)
    }
}
