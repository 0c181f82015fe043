import Crypto
import Foundation

/// Selects items of one collection. Nothing is repeated before everything was shown, an item that is new in the
/// collection comes next, and the order cannot be predicted without the study's secret.
package struct ContentSelector: Sendable {
    private let key: SymmetricKey
    private let collection: [UInt8]

    /// - Parameters:
    ///   - secret: the secret of the study.
    ///   - collection: the code of the collection.
    package init(secret: [UInt8], collection: String) {
        key = SymmetricKey(data: secret)
        self.collection = Array(collection.utf8)
    }

    /// The next item: one that was never shown, otherwise the one that was shown longest ago. The order of items that
    /// are equal in this respect is HMAC-SHA256(secret, collection, enrolment, item).
    /// - Parameters:
    ///   - shown: item -> when it was last shown.
    ///   - coming: items that are selected for later dates. They come last.
    /// - Returns: nil if there are no candidates.
    package func next(
        among candidates: [ContentItem], for enrolment: EnrolmentID, shown: [String: Instant],
        coming: Set<String> = []
    ) -> ContentItem? {
        Self.next(among: ranked(candidates, for: enrolment), shown: shown, coming: coming)
    }

    /// The next item of a list whose order decides between items that are equal in all other respects.
    private static func next(
        among ranked: [ContentItem], shown: [String: Instant], coming: Set<String>
    ) -> ContentItem? {
        ranked.lazy.map { item in
            (item: item, isComing: coming.contains(item.id), shownAt: shown[item.id] ?? .minimum)
        }.min { left, right in
            left.isComing == right.isComing ? left.shownAt < right.shownAt : !left.isComing
        }?.item
    }

    /// Items for local dates that have none yet, date by date.
    /// - Parameters:
    ///   - dates: in ascending order.
    ///   - shown: item -> when it was last shown before the first date.
    ///   - selected: dates that have an item already. It counts as shown on its date.
    /// - Returns: the new items only.
    package func days(
        _ dates: [LocalDate], among candidates: [ContentItem], for enrolment: EnrolmentID,
        shown: [String: Instant], selected: [LocalDate: String]
    ) -> [LocalDate: String] {
        // The ranks do not depend on the date, so they are computed once for all dates.
        let ranked = ranked(candidates, for: enrolment)
        var shown = shown
        var chosen: [LocalDate: String] = [:]
        for date in dates {
            let item: String
            if let known = selected[date] {
                item = known
            } else {
                let coming = Set(selected.filter { $0.key > date }.values)
                guard let next = Self.next(among: ranked, shown: shown, coming: coming) else { return chosen }
                item = next.id
                chosen[date] = item
            }
            shown[item] = max(shown[item] ?? .minimum, Zone.utc.startOfDay(date))
        }
        return chosen
    }

    /// All items in an order that follows from the secret.
    package func order(of items: [ContentItem]) -> [ContentItem] {
        sorted(items) { [Array($0.id.utf8)] }
    }

    /// The candidates in the participant's own order.
    private func ranked(_ candidates: [ContentItem], for enrolment: EnrolmentID) -> [ContentItem] {
        let enrolment = Array(enrolment.description.utf8)
        return sorted(candidates) { [enrolment, Array($0.id.utf8)] }
    }

    /// The item of a date that is the same for everyone: at the position (number of the day modulo number of items).
    /// - Parameter items: the result of `order`.
    package static func item(on date: LocalDate, of items: [ContentItem]) -> ContentItem? {
        guard !items.isEmpty else { return nil }
        let remainder = date.days % items.count
        return items[remainder < 0 ? remainder + items.count : remainder]
    }

    /// Sorts items by HMAC-SHA256(secret, collection, parts).
    private func sorted(_ items: [ContentItem], by parts: (ContentItem) -> [[UInt8]]) -> [ContentItem] {
        items.map { item in
            (
                item: item,
                rank: Array(
                    HMAC<SHA256>.authenticationCode(for: framed([collection] + parts(item)), using: key))
            )
        }.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.item)
    }
}
