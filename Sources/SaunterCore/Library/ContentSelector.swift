import Crypto
import Foundation

/// Selects items of one collection. Nothing is repeated before everything was shown, an item that is new in the
/// collection comes next, and nobody without the study's secret can predict the order.
package struct ContentSelector: Sendable {
    private let secret: [UInt8]
    private let collection: String

    /// - Parameters:
    ///   - secret: the secret of the study.
    ///   - collection: the code of the collection.
    package init(secret: [UInt8], collection: String) {
        self.secret = secret
        self.collection = collection
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
        candidates.map { item in
            (
                item: item, isComing: coming.contains(item.id), shownAt: shown[item.id] ?? .minimum,
                rank: rank([Array(enrolment.description.utf8), Array(item.id.utf8)])
            )
        }.min { left, right in
            if left.isComing != right.isComing { return !left.isComing }
            if left.shownAt != right.shownAt { return left.shownAt < right.shownAt }
            return left.rank.lexicographicallyPrecedes(right.rank)
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
        var shown = shown
        var chosen: [LocalDate: String] = [:]
        for date in dates {
            let item: String
            if let known = selected[date] {
                item = known
            } else {
                let coming = Set(selected.filter { $0.key > date }.values)
                guard let next = next(among: candidates, for: enrolment, shown: shown, coming: coming) else {
                    return chosen
                }
                item = next.id
                chosen[date] = item
            }
            shown[item] = max(shown[item] ?? .minimum, Zone.utc.startOfDay(date))
        }
        return chosen
    }

    /// All items in an order that follows from the secret.
    package func order(of items: [ContentItem]) -> [ContentItem] {
        items.map { ($0, rank([Array($0.id.utf8)])) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    /// The item of a date that is the same for everyone: at the position (number of the day modulo number of items).
    /// - Parameter items: the result of `order`.
    package static func item(on date: LocalDate, of items: [ContentItem]) -> ContentItem? {
        guard !items.isEmpty else { return nil }
        let remainder = date.days % items.count
        return items[remainder < 0 ? remainder + items.count : remainder]
    }

    private func rank(_ parts: [[UInt8]]) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: framed([Array(collection.utf8)] + parts), using: SymmetricKey(data: secret)))
    }
}
