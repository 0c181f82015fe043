import SaunterCore
import SaunterPacks

/// The labels of the items of the content library, from the edition that is live at the instant of the snapshot.
///
/// Each collection has the set `library/<collection>`. The columns that name items contain items of all collections.
/// Their set is `library`. It contains each item whose id no other collection has had, so that a label is never that
/// of another item.
struct ContentLabels: Sendable {
    /// The set of the columns that name items.
    static let columnSet = "library"
    /// A collection with more items has no labels.
    static let maximumItems = 500

    /// An item with its labels.
    struct Item: Sendable, Hashable {
        /// The id in the collection.
        let id: String
        /// Language -> label.
        let labels: [String: String]
    }

    /// A collection whose items have labels.
    struct Collection: Sendable, Hashable {
        /// The code in the library.
        let code: String
        /// In the order of the edition.
        let items: [Item]

        /// The set in `meta/value_labels.csv`.
        var set: String { "\(ContentLabels.columnSet)/\(code)" }
    }

    /// In the order of their codes. Only items with a label.
    let collections: [Collection]
    /// The languages of the labels. The first one replaces a language that has no label.
    let languages: [String]
    /// The items in the set of the columns.
    let columnItems: [Item]

    /// Labels of a study without a library.
    static let none = ContentLabels(Library(), languages: [], sharedIDs: [])

    /// - Parameters:
    ///   - languages: the languages of the study, the first one being the fallback.
    ///   - sharedIDs: the ids that several collections have, or had in an earlier edition.
    init(_ library: Library, languages: [String], sharedIDs: Set<String>) {
        self.languages = languages
        collections = library.collections.filter { $0.items.count <= Self.maximumItems }
            .map { collection in
                let field = Self.field(of: collection)
                let items = collection.items.compactMap { item in
                    field.flatMap { Self.labelled(item, by: $0, in: languages) }
                }
                return Collection(code: collection.code, items: items)
            }
            .filter { !$0.items.isEmpty }
        columnItems = collections.flatMap(\.items).filter { !sharedIDs.contains($0.id) }
    }

    /// Reads the library of an edition. Its media are not needed, and faults are ignored, because the newest version of
    /// the study may no longer have what the edition names.
    /// - Parameter files: path -> text.
    init(files: JSON, of study: Study, sharedIDs: Set<String>) {
        var texts: [String: String] = [:]
        for member in files.object ?? [:] { texts[member.name] = member.value.string }
        var parser = LibraryParser(files: PackFiles(files: texts), study: study, isPublished: true)
        self.init(parser.library(), languages: study.languages, sharedIDs: sharedIDs)
    }

    /// Whether no item has a label.
    var isEmpty: Bool { collections.isEmpty }

    /// The codes of the columns with their labels.
    func codes(in language: String) -> [(code: String, label: String)] {
        columnItems.compactMap { item in
            (item.labels[language] ?? languages.first.flatMap { item.labels[$0] }).map { (item.id, $0) }
        }
    }

    /// The field `title`, otherwise the first field that is a text.
    private static func field(of collection: ContentCollection) -> String? {
        let title = collection.fields.first {
            $0.name == "title" && [.text, .markdown].contains($0.kind)
        }
        return (title ?? collection.fields.first { $0.kind == .text })?.name
    }

    /// Nil if the item has no words in the field.
    private static func labelled(_ item: ContentItem, by field: String, in languages: [String]) -> Item? {
        var labels: [String: String] = [:]
        for language in languages {
            guard case .text(let text)? = item.value(of: field, in: language) else { continue }
            let label = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !label.isEmpty { labels[language] = label }
        }
        return labels.isEmpty ? nil : Item(id: item.id, labels: labels)
    }
}

extension Table {
    /// The table of a study whose library has no labels. The columns that name items have no set.
    var withoutContentLabels: Table {
        var table = self
        for index in table.columns.indices where table.columns[index].valueSet == ContentLabels.columnSet {
            table.columns[index].valueSet = nil
        }
        return table
    }
}
