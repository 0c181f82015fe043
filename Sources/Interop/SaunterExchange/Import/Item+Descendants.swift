import SaunterCore

extension [Item] {
    /// The items and their descendants, each before its children.
    var withDescendants: [Item] { flatMap { [$0] + $0.item.withDescendants } }

    /// The first item with this linkId, at any level.
    func first(linkId: String) -> Item? {
        for item in self {
            if item.linkId == linkId { return item }
            if let found = item.item.first(linkId: linkId) { return found }
        }
        return nil
    }
}
