import Foundation
import Postgres
import SaunterCore

/// What a participant was shown of one collection.
package struct ContentHistory: Sendable {
    /// Item -> when it was last selected. A daily item counts from the start of its date in UTC.
    package var shownAt: [String: Instant]
    /// Local date -> the item selected for it, from today on.
    package var daily: [LocalDate: SelectedItem]
}

/// An item with the edition that was live when it was selected.
package struct SelectedItem: Sendable, Hashable {
    /// The id of the item in its collection.
    package var item: String
    /// From 1.
    package var edition: Int

    /// Creates a selected item.
    package init(item: String, edition: Int) {
        self.item = item
        self.edition = edition
    }
}

extension Store {
    /// The name under which the items of local dates are stored.
    static let dailySelector = "daily"
    /// The name under which requested items are stored.
    private static let drawSelector = "draw"

    /// The items of local dates from today on that have been selected already.
    package func listDailyItems(
        _ collection: String, of id: EnrolmentID, today: LocalDate
    ) async throws -> [LocalDate: SelectedItem] {
        try Self.daily(
            await research.query(
                Statements.content["list_daily_items"], Self.arguments(collection, id, today)))
    }

    /// Selects the items of local dates, in one transaction under the participant's lock, so that two devices get the
    /// same items.
    /// - Parameter decide: returns an item for each date that has none yet, or whose item was withdrawn.
    /// - Returns: the items of all dates from today on.
    /// - Throws: `ConcurrentErasure`.
    package func selectDailyItems(
        _ collection: String, of id: EnrolmentID, today: LocalDate, edition: Int, now: Instant,
        decide: @Sendable (ContentHistory) -> [LocalDate: String]
    ) async throws -> [LocalDate: SelectedItem] {
        try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await Self.lockEnrolment(id, in: transaction)
            let history = try await Self.contentHistory(collection, of: id, today: today, in: transaction)
            let chosen = decide(history).sorted { $0.key < $1.key }
            try await Self.insertSelections(
                chosen.map { ($0.key.description, $0.value) }, Self.dailySelector, collection, of: id,
                edition: edition, now: now, in: transaction)
            return history.daily.merging(
                chosen.map { ($0.key, SelectedItem(item: $0.value, edition: edition)) }
            ) { _, new in new }
        }
    }

    /// Selects the item of a draw, in one transaction under the participant's lock. The same draw returns the same
    /// item.
    /// - Parameter decide: returns the next item; nil if the collection has none for the participant.
    /// - Returns: the item, and whether the draw is new; nil if there is no item.
    /// - Throws: `ConcurrentErasure`.
    package func drawItem(
        _ collection: String, of id: EnrolmentID, draw: UUID, today: LocalDate, edition: Int, now: Instant,
        decide: @Sendable (ContentHistory) -> String?
    ) async throws -> (item: SelectedItem, isNew: Bool)? {
        let slot = draw.uuidString.lowercased()
        return try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await Self.lockEnrolment(id, in: transaction)
            let stored = try await transaction.query(
                Statements.content["find_selection"],
                [
                    "enrolment_id": .id(id), "collection": .text(collection),
                    "selector": .text(Self.drawSelector),
                    "slot": .text(slot),
                ]
            ).oneOrNone()
            if let stored {
                return (
                    SelectedItem(item: try stored.get("item"), edition: try stored.get("edition")), false
                )
            }
            let history = try await Self.contentHistory(collection, of: id, today: today, in: transaction)
            guard let item = decide(history) else { return nil }
            try await Self.insertSelections(
                [(slot, item)], Self.drawSelector, collection, of: id, edition: edition, now: now,
                in: transaction)
            return (SelectedItem(item: item, edition: edition), true)
        }
    }

    /// Stores selected items. An item that was withdrawn before its date is replaced.
    static func insertSelections(
        _ selected: [(slot: String, item: String)], _ selector: String, _ collection: String,
        of id: EnrolmentID, edition: Int, now: Instant, in transaction: Transaction
    ) async throws {
        guard !selected.isEmpty else { return }
        _ = try await transaction.query(
            Statements.content["insert_selections"],
            [
                "enrolment_id": .id(id), "collection": .text(collection), "selector": .text(selector),
                "slots": .texts(selected.map(\.slot)), "items": .texts(selected.map(\.item)),
                "edition": .int(edition), "now": .instant(now),
            ])
    }

    /// What the participant was shown of a collection.
    static func contentHistory(
        _ collection: String, of id: EnrolmentID, today: LocalDate, in transaction: Transaction
    ) async throws -> ContentHistory {
        let arguments = arguments(collection, id, today)
        let results = try await transaction.pipeline([
            (Statements.content["list_shown_items"], arguments),
            (Statements.content["list_daily_items"], arguments),
        ])
        return ContentHistory(
            shownAt: try Dictionary(
                results[0].map { (try $0.get("item"), try $0.instant("shown_at")) },
                uniquingKeysWith: { first, _ in first }), daily: try daily(results[1]))
    }

    private static func arguments(
        _ collection: String, _ id: EnrolmentID, _ today: LocalDate
    ) -> Arguments {
        ["enrolment_id": .id(id), "collection": .text(collection), "today": .localDate(today)]
    }

    private static func daily(_ rows: Rows) throws -> [LocalDate: SelectedItem] {
        try Dictionary(
            rows.map {
                (
                    try $0.localDate("local_date"),
                    SelectedItem(item: try $0.get("item"), edition: try $0.get("edition"))
                )
            }, uniquingKeysWith: { first, _ in first })
    }
}
